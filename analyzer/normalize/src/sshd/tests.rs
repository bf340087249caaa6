//! sshd lines, and user names that imitate them.

use sigma::event::Value;

use super::*;

fn value(line: &str, name: &str) -> Option<String> {
    let reading = read(line);
    assert_eq!(reading.log_source.service.as_deref(), Some("sshd"));
    let (_, value) = reading.fields.into_iter().find(|(own, _)| *own == name)?;
    match value {
        Value::String(text) => Some(text.into_owned()),
        Value::Int(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// Each line of sshd is followed by its reading: action, outcome, user, address, port; where
/// there is nothing the field is absent.
fn check(table: &str) {
    let mut rows = table.lines().filter(|row| !row.is_empty());
    while let Some(line) = rows.next() {
        let expected = rows.next().unwrap().strip_prefix("  = ").unwrap();
        let names = ["event.action", "event.outcome", "user.name", "client.address", "client.port"];
        let mut columns = expected.split('|').map(str::trim);
        for name in names {
            let expected = columns.next().unwrap_or_default();
            assert_eq!(value(line, name).unwrap_or_default(), expected, "{name} of {line}");
        }
        assert_eq!(columns.next(), None, "{expected}");
    }
}

#[test]
fn logins() {
    check(
        r#"
Failed password for root from 198.51.100.7 port 50122 ssh2
  = ssh_login_failed | failure | root | 198.51.100.7 | 50122
Failed password for invalid user admin from 198.51.100.7 port 50122 ssh2
  = ssh_login_failed | failure | admin | 198.51.100.7 | 50122
Failed none for invalid user oracle from 198.51.100.7 port 4 ssh2
  = ssh_login_failed | failure | oracle | 198.51.100.7 | 4
Failed keyboard-interactive/pam for bob from 2001:db8::17 port 40000 ssh2
  = ssh_login_failed | failure | bob | 2001:db8::17 | 40000
Failed publickey for deploy from 198.51.100.7 port 4 ssh2: ED25519 SHA256:pVJ1lhzqkzXVzpkGrFnF2ooRCOv2x0zHZP8mN9Nn4pA
  = ssh_login_failed | failure | deploy | 198.51.100.7 | 4
Accepted password for alice from 203.0.113.5 port 51000 ssh2
  = ssh_login_succeeded | success | alice | 203.0.113.5 | 51000
Accepted publickey for alice from 203.0.113.5 port 51000 ssh2: RSA SHA256:3c0Xm4r9mJ0Yx6Ck0mZc5Z3cX0mN9Nn4pAVJ1lhzqkz
  = ssh_login_succeeded | success | alice | 203.0.113.5 | 51000
Accepted publickey for alice from 203.0.113.5 port 51000 ssh2: ED25519-CERT SHA256:abc ID alice@laptop (serial 7) CA RSA SHA256:def
  = ssh_login_succeeded | success | alice | 203.0.113.5 | 51000
Accepted publickey for alice from 203.0.113.5 port 51000 ssh2
  = ssh_login_succeeded | success | alice | 203.0.113.5 | 51000
Failed password for alice from ::ffff:203.0.113.5 port 51000 ssh2
  = ssh_login_failed | failure | alice | 203.0.113.5 | 51000
Failed password for alice from fe80::1%eth0 port 51000 ssh2
  = ssh_login_failed | failure | alice | fe80::1 | 51000
Failed password for alice from UNKNOWN port 65535 ssh2
  = ssh_login_failed | failure |  |  |
"#,
    );
    assert_eq!(
        value("Failed password for invalid user a from 198.51.100.7 port 5 ssh2", "user.known").as_deref(),
        Some("false")
    );
    let method = value(
        "Failed keyboard-interactive/pam for bob from 198.51.100.7 port 5 ssh2",
        "ssh.authentication.method",
    );
    assert_eq!(method.as_deref(), Some("keyboard-interactive/pam"));
}

/// If user and certificate both imitate the middle of a line, the true one is unknown.
#[test]
fn a_user_name_cannot_move_the_address() {
    check(
        r#"
Failed password for invalid user x from 203.0.113.9 port 22 ssh2 from 198.51.100.7 port 5 ssh2
  = ssh_login_failed | failure | x from 203.0.113.9 port 22 ssh2 | 198.51.100.7 | 5
Failed password for invalid user x from 203.0.113.9 from 198.51.100.7 port 5 ssh2
  = ssh_login_failed | failure | x from 203.0.113.9 | 198.51.100.7 | 5
Failed password for invalid user a b c from 198.51.100.7 port 5 ssh2
  = ssh_login_failed | failure | a b c | 198.51.100.7 | 5
Failed password for invalid user  from 198.51.100.7 port 5 ssh2
  = ssh_login_failed | failure |  | 198.51.100.7 | 5
Failed password for invalid user x for root from 198.51.100.7 port 5 ssh2
  = ssh_login_failed | failure | x for root | 198.51.100.7 | 5
Failed publickey for invalid user x from 203.0.113.9 port 1 ssh2: RSA SHA256:a from 198.51.100.7 port 5 ssh2: RSA SHA256:b
  = ssh_login_failed | failure | x from 203.0.113.9 port 1 ssh2: RSA SHA256:a | 198.51.100.7 | 5
Failed publickey for invalid user x from 203.0.113.9 port 1 ssh2: RSA-CERT SHA256:a ID y from 198.51.100.7 port 5 ssh2: RSA-CERT SHA256:a ID z (serial 0) CA RSA SHA256:c
  = ssh_login_failed | failure |  |  |
Invalid user from 203.0.113.9 from 198.51.100.7 port 22
  = ssh_invalid_user | failure | from 203.0.113.9 | 198.51.100.7 | 22
Invalid user x from 203.0.113.9 port 22 from 198.51.100.7
  = ssh_invalid_user | failure | x from 203.0.113.9 port 22 | 198.51.100.7 |
Connection closed by invalid user x 203.0.113.9 port 22 198.51.100.7 port 5 [preauth]
  = ssh_login_abandoned | failure | x 203.0.113.9 port 22 | 198.51.100.7 | 5
Disconnecting invalid user x 203.0.113.9 port 1: a 198.51.100.7 port 5: Change of username or service not allowed: (x,ssh-connection) -> (y,ssh-connection) [preauth]
  = ssh_login_abandoned | failure |  |  |
Received disconnect from 198.51.100.7 port 5:11: from 203.0.113.9 port 22 [preauth]
  = ssh_connection_closed |  |  | 198.51.100.7 | 5
Bad protocol version identification 'x' from 203.0.113.9 port 1' from 198.51.100.7 port 5
  = ssh_protocol_error | failure |  | 198.51.100.7 | 5
"#,
    );
}

#[test]
fn attempts_that_never_became_logins() {
    check(
        r#"
Invalid user admin from 198.51.100.7 port 50122
  = ssh_invalid_user | failure | admin | 198.51.100.7 | 50122
Invalid user admin from 198.51.100.7
  = ssh_invalid_user | failure | admin | 198.51.100.7 |
Invalid user  from 198.51.100.7 port 50122
  = ssh_invalid_user | failure |  | 198.51.100.7 | 50122
error: maximum authentication attempts exceeded for root from 198.51.100.7 port 9 ssh2 [preauth]
  = ssh_attempts_exceeded | failure | root | 198.51.100.7 | 9
error: maximum authentication attempts exceeded for invalid user x y from 198.51.100.7 port 9 ssh2 [preauth]
  = ssh_attempts_exceeded | failure | x y | 198.51.100.7 | 9
Connection closed by authenticating user root 198.51.100.7 port 9 [preauth]
  = ssh_login_abandoned | failure | root | 198.51.100.7 | 9
Connection reset by authenticating user root 2001:db8::17 port 9 [preauth]
  = ssh_login_abandoned | failure | root | 2001:db8::17 | 9
Disconnected from authenticating user root 198.51.100.7 port 9 [preauth]
  = ssh_login_abandoned | failure | root | 198.51.100.7 | 9
Disconnecting authenticating user root 198.51.100.7 port 9: Too many authentication failures [preauth]
  = ssh_login_abandoned | failure | root | 198.51.100.7 | 9
Connection closed by 198.51.100.7 port 9 [preauth]
  = ssh_connection_abandoned |  |  | 198.51.100.7 | 9
Connection reset by 198.51.100.7 port 9
  = ssh_connection_abandoned |  |  | 198.51.100.7 | 9
User bob from 198.51.100.7 not allowed because not listed in AllowUsers
  = ssh_login_denied | failure | bob | 198.51.100.7 |
ROOT LOGIN REFUSED FROM 198.51.100.7 port 9
  = ssh_login_denied | failure | root | 198.51.100.7 | 9
error: PAM: Authentication failure for illegal user x from 198.51.100.7
  = pam_authentication_failed | failure | x | 198.51.100.7 |
"#,
    );
}

/// Lines of other versions and systems: OpenSSH 3 to 6 (auth.c, session.c of those releases), Solaris, FreeBSD.
#[test]
fn old_wordings() {
    check(
        r#"
Illegal user test from 198.51.100.7
  = ssh_invalid_user | failure | test | 198.51.100.7 |
Failed none for illegal user test from 198.51.100.7 port 9 ssh2
  = ssh_login_failed | failure | test | 198.51.100.7 | 9
Failed password for illegal user test from 198.51.100.7 port 9 ssh2
  = ssh_login_failed | failure | test | 198.51.100.7 | 9
Failed password for root from 198.51.100.7 port 9
  = ssh_login_failed | failure | root | 198.51.100.7 | 9
[ID 800047 auth.info] Failed keyboard-interactive for root from 198.51.100.7 port 9 ssh2
  = ssh_login_failed | failure | root | 198.51.100.7 | 9
error: PAM: Authentication failure for illegal user test from 198.51.100.7
  = pam_authentication_failed | failure | test | 198.51.100.7 |
error: PAM: authentication error for root from 198.51.100.7
  = pam_authentication_failed | failure | root | 198.51.100.7 |
error: PAM: User not known to the underlying authentication module for illegal user a b from 198.51.100.7
  = pam_authentication_failed | failure | a b | 198.51.100.7 |
error: PAM: Have exhausted maximum number of retries for service for root from 198.51.100.7
  = pam_authentication_failed | failure | root | 198.51.100.7 |
input_userauth_request: invalid user test [preauth]
  = ssh_invalid_user | failure | test |  |
Disconnecting: Too many authentication failures for root [preauth]
  = ssh_attempts_exceeded | failure | root |  |
error: maximum authentication attempts exceeded for illegal user test from 198.51.100.7 port 9 ssh2 [preauth]
  = ssh_attempts_exceeded | failure | test | 198.51.100.7 | 9
reverse mapping checking getaddrinfo for host.example.net [198.51.100.7] failed - POSSIBLE BREAK-IN ATTEMPT!
  = ssh_name_mismatch |  |  | 198.51.100.7 |
Address 198.51.100.7 maps to host.example.net, but this does not map back to the address - POSSIBLE BREAK-IN ATTEMPT!
  = ssh_name_mismatch |  |  | 198.51.100.7 |
refused connect from 198.51.100.7 (198.51.100.7)
  = ssh_login_denied | failure |  | 198.51.100.7 |
refused connect from host.example.net (::ffff:198.51.100.7)
  = ssh_login_denied | failure |  | 198.51.100.7 |
refused connect from 198.51.100.7
  = ssh_login_denied | failure |  | 198.51.100.7 |
User daemon not allowed because shell /bin/false does not exist
  = ssh_login_denied | failure | daemon |  |
Received disconnect from 198.51.100.7: 11: Bye Bye [preauth]
  = ssh_connection_abandoned |  |  | 198.51.100.7 |
Received disconnect from 198.51.100.7: 11: disconnected by user
  = ssh_connection_closed |  |  | 198.51.100.7 |
Connection closed by 198.51.100.7
  = ssh_connection_closed |  |  | 198.51.100.7 |
Connection closed by 198.51.100.7 [preauth]
  = ssh_connection_abandoned |  |  | 198.51.100.7 |
Protocol major versions differ for 198.51.100.7: SSH-2.0-OpenSSH_5.3 vs. SSH-1.5-probe
  = ssh_protocol_error | failure |  | 198.51.100.7 |
scanned from 198.51.100.7 with SSH-1.0-SSH_Version_Mapper.  Don't panic.
  = ssh_protocol_error | failure |  | 198.51.100.7 |
fatal: Timeout before authentication for 198.51.100.7
  = ssh_connection_abandoned |  |  | 198.51.100.7 |
Timeout before authentication for connection from 198.51.100.7 to 203.0.113.1, pid = 812
  = ssh_connection_abandoned |  |  | 198.51.100.7 |
drop connection #11 from [198.51.100.7]:50122 on [203.0.113.1]:22 past MaxStartups
  = ssh_login_denied | failure |  | 198.51.100.7 | 50122
Authentication tried for root with correct key but not from a permitted host (host=host.example.net, ip=198.51.100.7).
  = ssh_login_denied | failure | root | 198.51.100.7 |
"#,
    );
}

#[test]
fn sessions_and_probes() {
    check(
        r#"
Received disconnect from 203.0.113.5 port 51000:11: disconnected by user
  = ssh_connection_closed |  |  | 203.0.113.5 | 51000
Disconnected from user alice 203.0.113.5 port 51000
  = ssh_session_closed |  | alice | 203.0.113.5 | 51000
Connection from 203.0.113.5 port 51000 on 10.0.0.4 port 22 rdomain ""
  = ssh_connection_opened |  |  | 203.0.113.5 | 51000
Did not receive identification string from 198.51.100.7 port 9
  = ssh_protocol_error | failure |  | 198.51.100.7 | 9
Bad protocol version identification 'GET / HTTP/1.1' from 198.51.100.7 port 9
  = ssh_protocol_error | failure |  | 198.51.100.7 | 9
banner exchange: Connection from 198.51.100.7 port 9: invalid format
  = ssh_protocol_error | failure |  | 198.51.100.7 | 9
Unable to negotiate with 198.51.100.7 port 9: no matching key exchange method found. Their offer: diffie-hellman-group1-sha1 [preauth]
  = ssh_protocol_error | failure |  | 198.51.100.7 | 9
"#,
    );
}

#[test]
fn other_lines_are_still_of_sshd() {
    for line in [
        "",
        "Failed ",
        "Failed password",
        "Failed password for",
        "Accepted ",
        "Server listening on 0.0.0.0 port 22.",
        "kex_exchange_identification: Connection closed by remote host",
        "Connection closed by ",
        "Invalid",
    ] {
        assert_eq!(value(line, "client.address"), None, "{line}");
    }
    assert!(read("Server listening on 0.0.0.0 port 22.").is_empty());
}

#[test]
fn only_whole_lines_are_unmistakable() {
    assert!(is_unmistakable("Failed password for root from 198.51.100.7 port 50122 ssh2"));
    assert!(is_unmistakable("Invalid user admin from 198.51.100.7 port 50122"));
    assert!(is_unmistakable("Connection closed by invalid user admin 198.51.100.7 port 50122 [preauth]"));
    for line in [
        "Failed password for root",
        "Invalid user input",
        "failed password for root from 198.51.100.7 port 1 ssh2",
    ] {
        assert!(!is_unmistakable(line), "{line}");
    }
}
