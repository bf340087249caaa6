//! Chooses the reader of a line by the program that wrote it, or by the shape of the line where no
//! program is named.

use super::reading::{Reading, source};
use super::{access_log, pam, sshd, su, sudo};

/// Reads a line of a named program.
pub(super) fn read_named<'t>(program: &str, line: &'t str) -> Reading<'t> {
    let (line, repeated) = unrepeated(first_line(line));
    let mut reading = dispatch(program, line);
    if let Some(count) = repeated {
        reading.number("event.repeated", count);
    }
    reading
}

/// Reads a line nobody put a name on. Only shapes that are a program's own are recognised, and only
/// as a whole.
pub(super) fn read_unnamed(line: &str) -> Reading<'_> {
    let line = first_line(line);
    if let Some(reading) = access_log::read(line, None) {
        return reading;
    }
    if let Some(service) = pam::service(line) {
        return read_named(service, line);
    }
    if sshd::is_unmistakable(line) {
        return read_named("sshd", line);
    }
    if sudo::is_unmistakable(line) {
        return read_named("sudo", line);
    }
    Reading::default()
}

fn dispatch<'t>(program: &str, line: &'t str) -> Reading<'t> {
    let program = program.rsplit('/').next().unwrap_or(program);
    let program = program.strip_suffix(".service").unwrap_or(program);
    let service = match program {
        // Since OpenSSH 9.8 sessions and, since 10.0, authentication are programs of their own.
        "sshd" | "sshd-session" | "sshd-auth" | "ssh" => "sshd",
        "su" | "su-l" => "su",
        "sudo" | "sudo-i" => "sudo",
        "cron" | "crond" | "CRON" | "CROND" => "cron",
        _ => program,
    };
    if let Some(reading) = pam::read(service, line) {
        return reading;
    }
    match service {
        "sshd" => sshd::read(line),
        "sudo" => sudo::read(line),
        "su" => su::read(line),
        "cron" => Reading::linux(None, Some("cron")),
        "kernel" | "systemd" | "systemd-logind" => Reading::linux(None, None),
        "nginx" => webserver("nginx", line),
        "apache" | "apache2" | "httpd" => webserver("apache", line),
        _ => access_log::read(line, None).unwrap_or_default(),
    }
}

fn webserver<'t>(product: &'static str, line: &'t str) -> Reading<'t> {
    access_log::read(line, Some(product))
        .unwrap_or_else(|| Reading { fields: Vec::new(), log_source: source(Some(product), None, None) })
}

/// The programs read here escape line breaks, so what follows one was not written by them.
fn first_line(line: &str) -> &str {
    line.split(['\n', '\r']).next().unwrap_or(line)
}

/// rsyslog folds equal lines into `message repeated 3 times: [ line]`.
fn unrepeated(line: &str) -> (&str, Option<&str>) {
    let folded = line.strip_prefix("message repeated ").and_then(|rest| {
        let (count, rest) = rest.split_once(" times: [")?;
        let inner = rest.strip_suffix(']')?;
        let is_count = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
        is_count.then(|| (inner.strip_prefix(' ').unwrap_or(inner), Some(count)))
    });
    folded.unwrap_or((line, None))
}
