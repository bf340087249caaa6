//! Audit records as the daemon, its dispatcher and the kernel write them.

use super::*;

fn value<'s>(found: &'s Structure<'_>, name: &str) -> Option<&'s Value<'s>> {
    let own = found.entries.iter().find(|(own, _)| own == name).map(|(_, value)| value);
    own.or_else(|| found.reading.fields.iter().find(|(own, _)| *own == name).map(|(_, value)| value))
}

/// Each record is followed by its category and then by fields and their values.
fn check(table: &str) {
    let mut rows = table.lines().filter(|row| !row.is_empty());
    while let Some(line) = rows.next() {
        assert!(is_audit(line), "{line}");
        let found = read(line).unwrap_or_else(|| panic!("not read: {line}"));
        let mut columns = rows.next().unwrap().strip_prefix("  = ").unwrap().split(" | ");
        let category = columns.next();
        let placed = &found.reading.log_source;
        assert_eq!(placed.category.as_deref(), category, "{line}");
        assert_eq!(placed.service.as_deref(), Some("auditd"), "{line}");
        for column in columns {
            let (name, expected) = column.split_once(' ').unwrap();
            let shown = match value(&found, name) {
                Some(Value::String(text)) => text.to_string(),
                Some(Value::Int(number)) => number.to_string(),
                other => panic!("{name} of {line}: {other:?}"),
            };
            assert_eq!(shown, expected, "{name} of {line}");
        }
    }
}

#[test]
fn system_calls_and_what_belongs_to_them() {
    check(
        r#"
type=SYSCALL msg=audit(1783501811.250:12): arch=c000003e syscall=59 success=yes exit=0 a0=55d0 a1=7ffe items=2 ppid=1001 pid=1002 auid=1000 uid=0 tty=pts0 ses=3 comm="ls" exe="/usr/bin/ls" key="exec"
  = process_creation | type SYSCALL | syscall 59 | a0 55d0 | exe /usr/bin/ls | key exec | process.executable.path /usr/bin/ls | process.pid 1002 | process.parent.pid 1001 | process.name ls | user.id 0 | user.audit.id 1000
node=web-1 type=SYSCALL msg=audit(1783501811.250:12): arch=c000003e syscall=42 success=no exit=-13 comm=6E6320E2
  = audit | host.name web-1 | comm nc �
type=EXECVE msg=audit(1783501811.250:12): argc=3 a0="sh" a1="-c" a2=6C73202D6C
  = process_creation | a0 sh | a2 ls -l | process.command_line sh -c ls -l
type=EXECVE msg=audit(1783501811.250:12): argc=2 a0="cat" a1_len=6 a1[0]="abc" a1[1]=2064
  = process_creation | process.command_line cat abc d
type=PATH msg=audit(1783501811.250:12): item=1 name="/etc/cron.d/x" inode=77 nametype=CREATE
  = file_event | name /etc/cron.d/x | file.path /etc/cron.d/x
type=PATH msg=audit(1783501811.250:12): item=0 name=2F746D702F6120 nametype=NORMAL
  = audit | name /tmp/a 
type=PATH msg=audit(1783501811.250:12): item=0 name=(null) nametype=UNKNOWN
  = audit | name (null)
type=CWD msg=audit(1783501811.250:12): cwd="/root"
  = audit | process.working_directory /root
type=PROCTITLE msg=audit(1783501811.250:12): proctitle=6C73002D6C00
  = audit | proctitle ls -l
type=SOCKADDR msg=audit(1783501811.250:12): saddr=02000016C63364070000000000000000
  = network_connection | network.peer.address 198.51.100.7 | network.peer.port 22
"#,
    );
    let piped = read(r#"type=EXECVE msg=audit(1.250:12): argc=2 a0="/bin/sh" a1=61207C2062"#).unwrap();
    assert_eq!(value(&piped, "process.command_line").and_then(Value::as_str), Some("/bin/sh a | b"));
    assert_eq!(value(&piped, "process.executable.path").and_then(Value::as_str), Some("/bin/sh"));
}

#[test]
fn enriched_records_say_names() {
    check(
        "type=SYSCALL msg=audit(1783501811.250:12): arch=c00000b7 syscall=221 auid=1000 uid=0 exe=\"/usr/bin/id\"\x1dARCH=aarch64 SYSCALL=execve AUID=\"alice\" UID=\"root\" EUID=\"root\"\n  = process_creation | user.name alice | user.effective.name root | SYSCALL execve",
    );
    check(
        "type=SYSCALL msg=audit(1783501811.250:12): arch=c000003e syscall=59 auid=4294967295\x1dSYSCALL=openat AUID=\"unset\" UID=\"www-data\"\n  = audit | user.name www-data",
    );
}

#[test]
fn reports_of_programs() {
    check(
        r#"
type=USER_LOGIN msg=audit(1783501811.250:24): pid=812 uid=0 auid=4294967295 ses=4294967295 msg='op=login acct="root" exe="/usr/sbin/sshd" hostname=? addr=198.51.100.7 terminal=ssh res=failed'
  = authentication | op login | acct root | res failed | user.name root | client.address 198.51.100.7 | event.action audit_login | event.outcome failure | process.executable.path /usr/sbin/sshd
type=USER_AUTH msg=audit(1783501811.250:24): user pid=812 uid=0 msg='op=PAM:authentication acct=61206C6963652062 exe="/usr/bin/su" hostname=? addr=? terminal=pts/0 res=success'
  = authentication | acct a lice b | event.outcome success
type=USER_CMD msg=audit(1783501811.250:25): pid=9 uid=1000 auid=1000 msg='cwd="/root" cmd=6361742027202F6574632F736861646F77 terminal=pts/0 res=success'
  = audit | process.command_line cat ' /etc/shadow | event.action audit_command
type=ADD_USER msg=audit(1783501811.250:26): pid=9 uid=0 auid=1000 msg='op=adding user id=1001 exe="/usr/sbin/useradd" hostname=? addr=? terminal=? res=success'
  = audit | event.action audit_user_added | id 1001
type=USER_AUTH msg=audit(1783501811.250:27): user pid=1 uid=0 msg='PAM: authentication acct="bob" : exe="/bin/su" (hostname=?, addr=203.0.113.4, terminal=pts/1 res=failed)'
  = authentication | user.name bob | client.address 203.0.113.4 | event.outcome failure
type=AVC msg=audit(1783501811.250:28): avc:  denied  { read } for  pid=7 comm="nginx" name="shadow" scontext=a tcontext=b tclass=file permissive=0
  = audit | event.action audit_access_checked | event.outcome failure | name shadow | tclass file
audit: type=1400 audit(1783501811.250:29): apparmor="DENIED" operation="open" profile="snap.x" name="/etc/shadow" pid=7 comm="x"
  = audit | type AVC | event.outcome failure | profile snap.x
type=UNKNOWN[1112] msg=audit(1783501811.250:30): pid=1 msg='acct="a" res=failed'
  = authentication | type USER_LOGIN
"#,
    );
}

/// After the kernel's and Red Hat's lists of record types.
#[test]
fn anomalies_and_access_control() {
    check(
        r#"
type=ANOM_PROMISCUOUS msg=audit(1783501811.250:40): dev=eth0 prom=256 old_prom=0 auid=1000 uid=0 gid=0 ses=3
  = audit | event.action audit_promiscuous_mode | dev eth0 | user.audit.id 1000
type=ANOM_ABEND msg=audit(1783501811.250:41): auid=4294967295 uid=33 gid=33 ses=4294967295 pid=4711 comm="nginx" exe="/usr/sbin/nginx" sig=11 res=1
  = audit | event.action audit_abnormal_end | sig 11 | process.name nginx | process.executable.path /usr/sbin/nginx
type=ANOM_LOGIN_FAILURES msg=audit(1783501811.250:42): pid=812 uid=0 auid=4294967295 ses=4294967295 msg='op=pam_faillock suid=1001 exe="/usr/sbin/sshd" hostname=198.51.100.7 addr=198.51.100.7 terminal=ssh res=success'
  = audit | event.action audit_login_anomaly | client.address 198.51.100.7
type=ANOM_ROOT_TRANS msg=audit(1783501811.250:43): pid=9 uid=0 auid=1000 msg='op=root-transition acct="bob" exe="/tmp/x" hostname=? addr=? terminal=pts/0 res=success'
  = audit | event.action audit_root_transition | user.name bob
type=ANOM_RBAC_FAIL msg=audit(1783501811.250:44): pid=9 uid=0 auid=1000 msg='op=test res=failed'
  = audit | event.action audit_anomaly
type=MAC_STATUS msg=audit(1783501811.250:45): enforcing=0 old_enforcing=1 auid=1000 ses=3 enabled=1 old-enabled=1 lsm=selinux res=1
  = audit | event.action audit_access_control_status_changed | event.outcome success | enforcing 0
type=MAC_CONFIG_CHANGE msg=audit(1783501811.250:46): bool=httpd_execmem val=1 old_val=0 auid=1000 ses=3
  = audit | event.action audit_access_control_setting_changed | bool httpd_execmem
type=AVC msg=audit(1783501811.250:47): avc:  denied  { execute execute_no_trans } for  pid=7 comm="httpd" path="/usr/bin/bash" dev="dm-0" ino=5 scontext=system_u:system_r:httpd_t:s0 tcontext=system_u:object_r:shell_exec_t:s0 tclass=file permissive=1
  = audit | seresult denied | seperms execute execute_no_trans | event.outcome success | file.path /usr/bin/bash
type=USER_AVC msg=audit(1783501811.250:48): pid=1 uid=0 auid=4294967295 ses=4294967295 subj=system_u:system_r:init_t:s0 msg='avc:  denied  { start } for auid=1000 uid=1000 path="/usr/lib/systemd/system/x.service" scontext=a tcontext=b tclass=service permissive=0 exe="/usr/lib/systemd/systemd" sauid=0 hostname=? addr=? terminal=?'
  = audit | seperms start | event.outcome failure
audit: type=1503 audit(1783501811.250:49): apparmor="DENIED" operation="exec" profile="nginx" name="/usr/bin/dash" pid=7 comm="nginx" requested_mask="x" denied_mask="x"
  = audit | type APPARMOR_DENIED | event.outcome failure | file.path /usr/bin/dash
type=SECCOMP msg=audit(1783501811.250:50): auid=1000 uid=1000 gid=1000 ses=3 pid=7 comm="x" exe="/usr/bin/x" sig=31 arch=c000003e syscall=41 compat=0 ip=0x7f code=0x0
  = audit | event.outcome failure
type=SECCOMP msg=audit(1783501811.250:51): auid=1000 uid=1000 gid=1000 ses=3 pid=7 comm="x" exe="/usr/bin/x" sig=0 arch=c000003e syscall=41 compat=0 ip=0x7f code=0x7ffc0000
  = audit | event.outcome success
type=DAEMON_END msg=audit(1783501811.250:52): op=terminate auid=1000 uid=0 ses=3 pid=4711 subj=unconfined res=success
  = audit | event.action audit_stopped | user.audit.id 1000
"#,
    );
}

#[test]
fn a_user_name_cannot_imitate_a_field() {
    let name = "x\" addr=203.0.113.9 res=success";
    let digits: String = name.bytes().map(|byte| format!("{byte:02X}")).collect();
    let line = format!(
        "type=USER_LOGIN msg=audit(1783501811.250:24): pid=8 msg='op=login acct={digits} exe=\"/usr/sbin/sshd\" addr=198.51.100.7 res=failed'"
    );
    let found = read(&line).unwrap();
    assert_eq!(value(&found, "client.address").and_then(Value::as_str), Some("198.51.100.7"));
    assert_eq!(value(&found, "event.outcome").and_then(Value::as_str), Some("failure"));
    assert_eq!(value(&found, "user.name").and_then(Value::as_str), Some(name));
}

#[test]
fn times_are_the_records_own() {
    let found = read("type=CWD msg=audit(1783501811.250:12): cwd=\"/\"").unwrap();
    assert_eq!(found.time, Some(Timestamp(1_783_501_811_250_000_000)));
}

#[test]
fn other_lines_are_not_audit_records() {
    for line in
        ["", "type=", "type=x msg=audit(", "type=CWD msg=audit(1.0:2", "type=CWD msg=audit(1)", "node=a"]
    {
        assert!(read(line).is_none(), "{line}");
    }
    assert!(!is_audit("type=warning msg=\"disk full\""));
    assert!(read("type=CWD msg=audit(99999999999999999999.0:1): a=b").unwrap().time.is_none());
}
