//! Kinds of audit records: the words for their numbers, and what those that report something report.
//! Source: `linux/audit.h` and the audit userspace's message types.

/// What a record is about, with the word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Somebody proving who they are, or coming and going.
    Authentication(&'static str),
    /// A change to accounts, configuration or services.
    Change(&'static str),
    /// A security module's verdict.
    Refusal(&'static str),
    /// Anything else, system calls among them.
    Other,
}

impl Kind {
    /// The word for what was done.
    pub(super) fn action(self) -> Option<&'static str> {
        match self {
            Self::Authentication(action) | Self::Change(action) | Self::Refusal(action) => Some(action),
            Self::Other => None,
        }
    }
}

/// What a kind of record is about.
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
        "AVC" | "USER_AVC" | "SECCOMP" => Kind::Refusal("audit_access_checked"),
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
        "1112" => "USER_LOGIN",
        "1123" => "USER_CMD",
        "1130" => "SERVICE_START",
        "1131" => "SERVICE_STOP",
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
        _ => word,
    }
}
