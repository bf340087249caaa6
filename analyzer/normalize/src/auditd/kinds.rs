//! Kinds of audit records: the words for their numbers, and the subjects of those that report something.
//! Source: `linux/audit.h` and the audit userspace's message types.

/// Subject of a record, with its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Somebody proving who they are, or coming and going.
    Authentication(&'static str),
    /// A change to accounts, configuration or services.
    Change(&'static str),
    /// A security module's verdict.
    Refusal(&'static str),
    /// An anomaly that the kernel, a login module or an intrusion detection plugin reports.
    Anomaly(&'static str),
    /// Anything else, system calls among them.
    Other,
}

impl Kind {
    /// The word for the action.
    pub(super) fn action(self) -> Option<&'static str> {
        match self {
            Self::Authentication(action)
            | Self::Change(action)
            | Self::Refusal(action)
            | Self::Anomaly(action) => Some(action),
            Self::Other => None,
        }
    }
}

/// Subject of a kind of record.
pub(super) fn of(name: &str) -> Kind {
    match name {
        "USER_AUTH" => Kind::Authentication("audit_authentication"),
        "USER_ACCT" => Kind::Authentication("audit_account_checked"),
        "USER_LOGIN" => Kind::Authentication("audit_login"),
        "USER_LOGOUT" => Kind::Authentication("audit_logout"),
        "USER_START" => Kind::Authentication("audit_session_opened"),
        "USER_END" => Kind::Authentication("audit_session_closed"),
        "USER_ERR" => Kind::Authentication("audit_user_error"),
        "CRED_ACQ" | "CRED_REFR" | "CRED_DISP" => Kind::Authentication("audit_credentials"),
        "USER_CHAUTHTOK" => Kind::Change("audit_password_changed"),
        "USER_CMD" => Kind::Change("audit_command"),
        "ADD_USER" => Kind::Change("audit_user_added"),
        "DEL_USER" => Kind::Change("audit_user_removed"),
        "ADD_GROUP" => Kind::Change("audit_group_added"),
        "DEL_GROUP" => Kind::Change("audit_group_removed"),
        "USER_MGMT" | "ACCT_LOCK" | "ACCT_UNLOCK" => Kind::Change("audit_user_changed"),
        "GRP_MGMT" | "GRP_CHAUTHTOK" => Kind::Change("audit_group_changed"),
        "CONFIG_CHANGE" => Kind::Change("audit_configuration_changed"),
        "DAEMON_START" => Kind::Change("audit_started"),
        "DAEMON_END" | "DAEMON_ABORT" => Kind::Change("audit_stopped"),
        "SERVICE_START" => Kind::Change("audit_service_started"),
        "SERVICE_STOP" => Kind::Change("audit_service_stopped"),
        "AVC" | "USER_AVC" | "SECCOMP" | "APPARMOR" | "APPARMOR_ALLOWED" | "APPARMOR_AUDIT"
        | "APPARMOR_DENIED" | "APPARMOR_KILL" => Kind::Refusal("audit_access_checked"),
        "MAC_STATUS" | "USER_MAC_STATUS" => Kind::Change("audit_access_control_status_changed"),
        "MAC_CONFIG_CHANGE" | "USER_MAC_CONFIG_CHANGE" => {
            Kind::Change("audit_access_control_setting_changed")
        }
        "MAC_POLICY_LOAD" | "USER_MAC_POLICY_LOAD" | "APPARMOR_STATUS" => {
            Kind::Change("audit_access_control_policy_changed")
        }
        "ANOM_PROMISCUOUS" => Kind::Anomaly("audit_promiscuous_mode"),
        "ANOM_ABEND" => Kind::Anomaly("audit_abnormal_end"),
        "ANOM_LINK" | "ANOM_CREAT" => Kind::Anomaly("audit_suspicious_link"),
        "ANOM_ROOT_TRANS" => Kind::Anomaly("audit_root_transition"),
        "RESP_ACCT_LOCK" | "RESP_ACCT_LOCK_TIMED" => Kind::Anomaly("audit_account_locked"),
        name if name.starts_with("ANOM_LOGIN_") || name == "ANOM_ORIGIN_FAILURES" => {
            Kind::Anomaly("audit_login_anomaly")
        }
        name if name.starts_with("ANOM_") => Kind::Anomaly("audit_anomaly"),
        _ => Kind::Other,
    }
}

/// The word for a kind that is written as a number, as the kernel does and as `UNKNOWN[1334]`.
pub(super) fn name(word: &str) -> &str {
    let digits = word.strip_prefix("UNKNOWN[").and_then(|rest| rest.strip_suffix(']')).unwrap_or(word);
    match digits {
        "1100" => "USER_AUTH",
        "1101" => "USER_ACCT",
        "1103" => "CRED_ACQ",
        "1104" => "CRED_DISP",
        "1105" => "USER_START",
        "1106" => "USER_END",
        "1107" => "USER_AVC",
        "1112" => "USER_LOGIN",
        "1123" => "USER_CMD",
        "1130" => "SERVICE_START",
        "1131" => "SERVICE_STOP",
        "1200" => "DAEMON_START",
        "1201" => "DAEMON_END",
        "1202" => "DAEMON_ABORT",
        "1300" => "SYSCALL",
        "1302" => "PATH",
        "1305" => "CONFIG_CHANGE",
        "1306" => "SOCKADDR",
        "1307" => "CWD",
        "1309" => "EXECVE",
        "1319" => "TTY",
        "1326" => "SECCOMP",
        "1327" => "PROCTITLE",
        "1400" => "AVC",
        "1403" => "MAC_POLICY_LOAD",
        "1404" => "MAC_STATUS",
        "1405" => "MAC_CONFIG_CHANGE",
        "1502" => "APPARMOR_ALLOWED",
        "1503" => "APPARMOR_DENIED",
        "1505" => "APPARMOR_STATUS",
        "1507" => "APPARMOR_KILL",
        "1700" => "ANOM_PROMISCUOUS",
        "1701" => "ANOM_ABEND",
        "1702" => "ANOM_LINK",
        "1703" => "ANOM_CREAT",
        "2100" => "ANOM_LOGIN_FAILURES",
        _ => word,
    }
}
