//! sudo lines.

use super::*;

fn value<'t>(reading: &'t Reading<'_>, name: &str) -> Option<&'t str> {
    reading.fields.iter().find(|(own, _)| *own == name)?.1.as_str()
}

#[test]
fn commands_say_who_ran_what_as_whom() {
    for line in [
        "   alice : TTY=pts/0 ; PWD=/home/alice ; USER=root ; COMMAND=/usr/bin/vim /etc/hosts",
        "alice : PWD=/home/alice ; USER=root ; COMMAND=/usr/bin/vim /etc/hosts",
        "alice : TTY=pts/0 ; PWD=/home/alice ; USER=root ; GROUP=adm ; TSID=00001A ; ENV=A=b ; COMMAND=/usr/bin/vim /etc/hosts",
    ] {
        let reading = read(line);
        for (name, expected) in [
            ("event.action", "sudo_command"),
            ("event.outcome", "success"),
            ("user.name", "alice"),
            ("user.effective.name", "root"),
            ("process.command_line", "/usr/bin/vim /etc/hosts"),
            ("process.executable.path", "/usr/bin/vim"),
        ] {
            assert_eq!(value(&reading, name), Some(expected), "{line}");
        }
        assert_eq!(reading.log_source.category.as_deref(), Some("process_creation"));
    }
}

#[test]
fn refusals_say_why() {
    let rest = "TTY=pts/1 ; PWD=/home/bob ; USER=root ; COMMAND=/bin/bash";
    for (reason, action) in [
        ("user NOT in sudoers", "sudo_denied"),
        ("user NOT authorized on host", "sudo_denied"),
        ("command not allowed", "sudo_denied"),
        ("1 incorrect password attempt", "sudo_login_failed"),
        ("3 incorrect password attempts", "sudo_login_failed"),
        ("a password is required", "sudo_login_failed"),
    ] {
        let line = format!("bob : {reason} ; {rest}");
        let reading = read(&line);
        for (name, expected) in [
            ("event.action", action),
            ("event.outcome", "failure"),
            ("event.reason", reason),
            ("user.name", "bob"),
            ("user.effective.name", "root"),
            ("process.executable.path", "/bin/bash"),
            ("process.tty", "pts/1"),
        ] {
            assert_eq!(value(&reading, name), Some(expected), "{line}");
        }
        assert_eq!(reading.log_source.category.as_deref(), Some("authentication"));
    }
    let line = format!("bob : 3 incorrect password attempts ; {rest}");
    let attempts = read(&line).fields.into_iter().find(|(name, _)| *name == "sudo.attempts");
    assert_eq!(attempts, Some(("sudo.attempts", Value::Int(3))));
}

#[test]
fn parts_imitated_by_directory_or_arguments_are_not_taken() {
    for line in [
        "bob : TTY=pts/1 ; PWD=/tmp/a ; USER=nobody ; COMMAND=/bin/true ; USER=root ; COMMAND=/bin/bash",
        "bob : TTY=pts/1 ; PWD=/tmp ; USER=root ; COMMAND=/bin/echo ; USER=nobody ; COMMAND=/bin/true",
        "bob : TTY=pts/1 ; PWD=/tmp/a ; USER=nobody ; USER=root ; COMMAND=/bin/bash",
    ] {
        let reading = read(line);
        assert_eq!(value(&reading, "user.name"), Some("bob"));
        assert_eq!(value(&reading, "user.effective.name"), None, "{line}");
        assert_eq!(value(&reading, "process.executable.path"), None, "{line}");
        assert!(value(&reading, "process.command_line").is_some(), "{line}");
    }
    let reading = read("bob : TTY=pts/1 ; PWD=/tmp/a : user NOT in sudoers ; USER=root ; COMMAND=/bin/ls");
    assert_eq!(value(&reading, "event.action"), Some("sudo_command"));
}

#[test]
fn other_lines_are_still_of_sudo() {
    for line in ["", " : ", "x", "unable to resolve host web-1: Name or service not known", "a b : TTY=x"] {
        let reading = read(line);
        assert!(reading.is_empty(), "{line}");
        assert_eq!(reading.log_source.service.as_deref(), Some("sudo"));
        assert!(!is_unmistakable(line));
    }
}
