//! Chooses the reader of a line by the program that wrote it, or by the shape of the line where no
//! program is named or the program has no wording of its own.

use std::borrow::Cow;

use sigma::event::LogSource;

use super::content::Content;
use super::format::Format;
use super::program_name::service;
use super::reading::{Reading, SYSTEM, source};
use super::{
    access_log, appliance, application_log, cron, dns_query, error_log, haproxy, load_balancer, log_source,
    netfilter, pam, services, squid, sshd, su, sudo, systemd, tool_alert,
};

/// Reads a line.
pub(super) fn read<'t>(program: Option<&str>, content: &Content<'t>) -> Reading<'t> {
    match program {
        Some(program) => read_named(program, content.first_line()),
        None => read_unnamed(content),
    }
}

/// The format of a line that was read by [`read`].
pub(super) fn format(program: Option<&str>, reading: &Reading<'_>) -> Option<Format> {
    // Most programs of Postfix never speak of access and have no wording.
    if reading.is_empty() && program.is_some_and(|program| program.starts_with("postfix/")) {
        return Format::of_service("postfix");
    }
    Format::of_line(program.map(service), reading)
}

/// Reads a line of a named program.
fn read_named<'t>(program: &str, line: &'t str) -> Reading<'t> {
    let (line, repeated) = unrepeated(line);
    let service = service(program);
    // F5 writes its audit of logins under the name of the service.
    if line.starts_with("01070417:")
        && let Some(reading) = appliance::pam_audit(line)
    {
        return reading;
    }
    let mut reading = pam::read_module(service, line)
        .or_else(|| pam::read(service, line))
        .or_else(|| services::read_named(service, line))
        .unwrap_or_else(|| dispatch(service, line));
    if let Some(count) = repeated {
        reading.number("event.repeated", count);
    }
    reading
}

fn dispatch<'t>(service: &str, line: &'t str) -> Reading<'t> {
    let found = match service {
        "sshd" => Some(sshd::read(line)),
        "sudo" => Some(sudo::read(line)),
        "su" => Some(su::read(line)),
        "cron" => Some(cron::read(line)),
        "systemd" => Some(systemd::read(line)),
        "systemd-logind" => Some(systemd::read_login(line)),
        "kernel" => netfilter::read(line).or_else(|| Some(Reading::linux(Some(SYSTEM), None))),
        "nginx" => Some(webserver("nginx", line)),
        "apache" => Some(webserver("apache", line)),
        "filterlog" => appliance::filterlog(line),
        "php-fpm" | "audit" | "opnsense" | "lighttpd" => appliance::bsd(line).or_else(|| by_shape(line)),
        "haproxy" => Some(haproxy::read(line).unwrap_or_else(haproxy::unread)),
        "named" | "unbound" | "dnsmasq" => dns_query::read(service, line),
        "clamd" | "clamonacc" | "clamscan" | "clamdscan" => tool_alert::lines::clamav(line),
        _ => by_shape(line).or_else(|| last_resort(service, line)),
    };
    found.unwrap_or_else(|| Reading::of(unread(service)))
}

/// Reads a line of a program without a reader, if it reports a failed login.
fn last_resort<'t>(program: &str, line: &'t str) -> Option<Reading<'t>> {
    if services::has_table(program) {
        return None;
    }
    let mut reading = services::read_unknown(line)?;
    reading.log_source.service = unread(program).service;
    Some(reading)
}

/// Log source of a program without a reader: programs of Linux, whatever the sender, and the services by which
/// rules name them. Any other has its own name, for custom rules.
fn unread<'t>(program: &str) -> LogSource<'t> {
    let service = match program {
        "chage" | "chfn" | "chpasswd" | "chsh" | "gpasswd" | "groupadd" | "groupdel" | "groupmod"
        | "login" | "newgrp" | "passwd" | "pkexec" | "polkitd" | "useradd" | "userdel" | "usermod" => None,
        "dbus-daemon" | "rsyslogd" => None,
        daemon if daemon.starts_with("systemd-") => None,
        "auditd" => Some("auditd"),
        "clamd" | "freshclam" => Some("clamav"),
        "guacd" => Some("guacamole"),
        "vsftpd" => Some("vsftpd"),
        other => return log_source::named(Cow::Owned(other.to_owned())),
    };
    source(Some("linux"), Some(SYSTEM), service)
}

fn webserver<'t>(product: &'static str, line: &'t str) -> Reading<'t> {
    access_log::read(line, Some(product))
        .or_else(|| error_log::read(line))
        .unwrap_or_else(|| Reading::of(source(Some(product), None, None)))
}

/// Reads a line without a program name. Only shapes that are a program's own are recognised, and only
/// as a whole.
fn read_unnamed<'t>(content: &Content<'t>) -> Reading<'t> {
    // The full form of an intrusion alert is the one that goes on behind the line's end.
    if content.text.starts_with("[**] [")
        && let Some(reading) = tool_alert::lines::intrusion(content.text)
    {
        return reading;
    }
    let line = content.first_line();
    if let Some(reading) = by_shape(line) {
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
    if let Some(reading) = services::read_unnamed(line).or_else(|| dns_query::read_unnamed(line)) {
        return reading;
    }
    let mut reading = services::read_unknown(line).unwrap_or_default();
    if !reading.is_empty() {
        // Failures are counted by program.
        reading.text("process.name", "unknown");
    }
    reading
}

/// Shapes that identify a line's program, whatever the sender. The first bytes rule most of them out.
fn by_shape(line: &str) -> Option<Reading<'_>> {
    let found = match line.as_bytes().first()? {
        b'[' => error_log::read(line)
            .or_else(|| tool_alert::lines::intrusion(line))
            .or_else(|| application_log::read(line))
            .or_else(|| netfilter::read(line)),
        b'I' => netfilter::read(line),
        b'h' | b'w' | b'g' | b't' => load_balancer::read(line),
        b'0'..=b'9' if line.as_bytes().get(1) == Some(&b',') => appliance::palo_alto(line),
        b'0'..=b'9' => load_balancer::read(line)
            .or_else(|| error_log::read(line))
            .or_else(|| tool_alert::lines::intrusion(line))
            .or_else(|| squid::read(line))
            .or_else(|| application_log::read_behind_date(line)),
        b'/' | b'A'..=b'Z' => tool_alert::lines::read_malware(line),
        _ => None,
    };
    found.or_else(|| {
        // Both have a date in brackets.
        memchr::memchr(b'[', line.as_bytes())?;
        access_log::read(line, None).or_else(|| haproxy::read(line))
    })
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
