//! PAM lines.

use super::*;

fn value<'t>(reading: &'t Reading<'_>, name: &str) -> Option<&'t str> {
    reading.fields.iter().find(|(own, _)| *own == name)?.1.as_str()
}

#[test]
fn failures_say_who_and_from_where() {
    for line in [
        "pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=198.51.100.7  user=root",
        "pam_sss(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=198.51.100.7 user=root",
        "PAM 2 more authentication failures; logname= uid=0 euid=0 tty=ssh ruser= rhost=198.51.100.7  user=root",
    ] {
        let reading = read("sshd", line).unwrap();
        assert_eq!(value(&reading, "event.action"), Some("pam_authentication_failed"), "{line}");
        assert_eq!(value(&reading, "event.outcome"), Some("failure"));
        assert_eq!(value(&reading, "client.address"), Some("198.51.100.7"));
        assert_eq!(value(&reading, "user.name"), Some("root"));
        assert_eq!(reading.log_source.service.as_deref(), Some("sshd"));
    }
}

#[test]
fn names_chosen_by_the_client_move_nothing() {
    for line in [
        "pam_unix(vsftpd:auth): authentication failure; logname= uid=0 euid=0 tty=ftp ruser=x rhost=203.0.113.9 rhost=198.51.100.7",
        "pam_sss(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=198.51.100.7 user=x rhost=203.0.113.9",
        "pam_sss(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=198.51.100.7 user=x user=root",
    ] {
        let reading = read("sshd", line).unwrap();
        assert_ne!(value(&reading, "client.address"), Some("203.0.113.9"), "{line}");
        assert_ne!(value(&reading, "user.name"), Some("root"), "{line}");
    }
}

#[test]
fn a_host_name_is_no_address() {
    let line = "pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=host.example.net";
    let reading = read("sshd", line).unwrap();
    assert_eq!(value(&reading, "client.address"), None);
    assert_eq!(value(&reading, "client.domain"), Some("host.example.net"));
}

#[test]
fn sessions_say_whose_they_are_and_who_opened_them() {
    let reading =
        read("sshd", "pam_unix(sshd:session): session opened for user alice(uid=1000) by (uid=0)").unwrap();
    assert_eq!(value(&reading, "event.action"), Some("pam_session_opened"));
    assert_eq!((value(&reading, "user.name"), value(&reading, "user.effective.name")), (Some("alice"), None));

    let reading =
        read("sudo", "pam_unix(sudo:session): session opened for user root by alice(uid=1000)").unwrap();
    assert_eq!(
        (value(&reading, "user.name"), value(&reading, "user.effective.name")),
        (Some("alice"), Some("root"))
    );
    let reading = read("su", "pam_unix(su-l:session): session closed for user root").unwrap();
    assert_eq!(value(&reading, "event.action"), Some("pam_session_closed"));
    assert_eq!(value(&reading, "user.name"), Some("root"));
}

#[test]
fn unknown_users_and_other_lines() {
    let reading = read("sshd", "pam_unix(sshd:auth): check pass; user unknown").unwrap();
    assert_eq!(value(&reading, "event.action"), Some("pam_user_unknown"));
    assert!(read("sudo", "pam_unix(sudo:auth): conversation failed").unwrap().is_empty());
    for line in [
        "",
        "pam_",
        "pam_unix",
        "pam_unix(",
        "pam_unix(sshd): x",
        "PAM service(sshd) ignoring max retries; 6 > 3",
    ] {
        assert_eq!(read("sshd", line), None, "{line}");
    }
}

/// Linux-PAM 0.7x named the module as the program; programs linked with it later put the module before the text.
#[test]
fn modules_with_a_name_of_their_own() {
    let text =
        "authentication failure; logname= uid=0 euid=0 tty=NODEVssh ruser= rhost=198.51.100.7  user=root";
    for program in ["sshd(pam_unix)", "PAM_unix"] {
        let reading = read_module(program, text).unwrap();
        assert_eq!(value(&reading, "event.action"), Some("pam_authentication_failed"), "{program}");
        assert_eq!(value(&reading, "client.address"), Some("198.51.100.7"));
        assert_eq!(value(&reading, "user.name"), Some("root"));
        assert_eq!(reading.log_source.service.as_deref(), Some("sshd"));
    }
    let reading = read_module("PAM_unix", "authentication failure; (uid=0) -> root for ssh service").unwrap();
    assert_eq!(value(&reading, "user.name"), Some("root"));
    assert_eq!(reading.log_source.service.as_deref(), Some("sshd"));
    assert!(read_module("sshd(other)", text).is_none());
    assert!(read_module("sshd", text).is_none());

    let reading = read("sshd", &format!("(pam_unix) {text}")).unwrap().into_owned();
    assert_eq!(value(&reading, "client.address"), Some("198.51.100.7"));
    let reading =
        read("sshd", "pam_access(sshd:account): access denied for user `anna' from `198.51.100.7'").unwrap();
    assert_eq!(value(&reading, "event.action"), Some("pam_authentication_failed"));
    assert_eq!(value(&reading, "client.address"), Some("198.51.100.7"));
    assert_eq!(value(&reading, "user.name"), Some("anna"));
}
