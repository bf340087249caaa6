//! Names of programs: without directories, and the service that a program is of.

/// Whether a program's lines are read by their wording, so that none of them is structure.
pub(super) fn has_wording(program: &str) -> bool {
    matches!(service(program), "sshd" | "su" | "sudo" | "cron" | "systemd" | "systemd-logind" | "haproxy")
}

/// The name of a program's service, whatever the program is called.
pub(super) fn service(program: &str) -> &str {
    let program = base_name(program);
    match program.strip_suffix(".service").unwrap_or(program) {
        // Since OpenSSH 9.8 sessions and, since 10.0, authentication are programs of their own.
        "sshd" | "sshd2" | "sshd-session" | "sshd-auth" | "ssh" | "openssh" | "com.openssh.sshd" => "sshd",
        "su" | "su-l" => "su",
        "sudo" | "sudo-i" => "sudo",
        "cron" | "crond" | "CRON" | "CROND" | "crontab" | "anacron" => "cron",
        "apache" | "apache2" | "httpd" => "apache",
        other => other,
    }
}

/// A program's name without its directory.
pub(super) fn base_name(program: &str) -> &str {
    // Most names are of a few bytes, where a search of its own costs more.
    match program.bytes().rposition(|byte| byte == b'/') {
        Some(slash) => &program[slash + 1..],
        None => program,
    }
}
