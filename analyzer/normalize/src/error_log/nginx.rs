//! Error lines of nginx: `2026/07/08 09:10:11 [error] 12#12: *7 TEXT, client: ADDRESS, server: NAME, request:
//! "…", host: "…"`.

use super::{DENIED, LIMITED, LOGIN_FAILED, MALFORMED, NOT_FOUND, Report, modsecurity, php};
use crate::reading::Reading;
use crate::{address, split};

/// Text and request are the client's, so an address is only taken where one place alone has it.
pub(super) fn read(line: &str) -> Option<Reading<'_>> {
    if !super::begins_as(line, b"0000/00/00 00:00:00 [") {
        return None;
    }
    let (level, rest) = line.get(21..)?.split_once("] ")?;
    let (worker, text) = rest.split_once(": ")?;
    if !level.bytes().all(|byte| byte.is_ascii_lowercase()) || !worker.contains('#') {
        return None;
    }
    let mut reading = super::reading("nginx");
    reading.text("log.level", level);
    reading.number("process.pid", worker.split('#').next().unwrap_or_default());
    let text = without_connection(text);
    let mut places = text.match_indices(", client: ");
    let (Some((at, mark)), None) = (places.next(), places.next()) else { return Some(reading) };
    let (text, context) = (&text[..at], &text[at + mark.len()..]);
    let address = context.split([',', ' ']).next().unwrap_or_default();
    if address::is_address(address) {
        reading.text("client.address", address::plain_address(address));
    }
    if modsecurity::read(without_client(text), &mut reading) {
        return Some(reading);
    }
    let Some(report) = report(text) else { return Some(reading) };
    request(context, report, &mut reading);
    Some(reading)
}

/// `*7 TEXT`: the number of the connection.
fn without_connection(text: &str) -> &str {
    let rest = text.strip_prefix('*').and_then(|rest| split::at_byte(rest, b' '));
    rest.filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit())).map_or(text, |(_, rest)| rest)
}

/// ModSecurity names the client itself: `[client ADDRESS] ModSecurity: …`.
fn without_client(text: &str) -> &str {
    let rest = text.strip_prefix("[client ").and_then(|rest| rest.split_once("] "));
    rest.map_or(text, |(_, rest)| rest)
}

/// The path of the request line is that of the access line: raw, without its query.
fn request<'t>(context: &'t str, report: Report<'t>, reading: &mut Reading<'t>) {
    let line = split::at_first(context, ", request: \"").map(|(_, rest)| rest);
    let target = line.and_then(|line| split::at_byte(line, b' '));
    let Some((method, rest)) = target else { return report.add_to(reading) };
    let path = rest.split([' ', '?', '"']).next().unwrap_or_default();
    if !path.starts_with('/') {
        return report.add_to(reading);
    }
    report.about_url(path).add_to(reading);
    reading.text("http.request.method", method);
}

fn report(text: &str) -> Option<Report<'_>> {
    if let Some(rest) = text.strip_prefix("user \"") {
        let user = rest
            .strip_suffix("\": password mismatch")
            .or_else(|| split::at_last(rest, "\" was not found in \"").map(|(user, _)| user))?;
        return Some(Report::of(LOGIN_FAILED).by(user));
    }
    if let Some(rest) = text.strip_prefix("FastCGI sent in stderr: \"") {
        return php::report(split::at_last(rest, "\" while ").map_or(rest, |(message, _)| message));
    }
    let starts = |beginnings: &[&str]| beginnings.iter().any(|beginning| text.starts_with(beginning));
    if starts(&["limiting requests", "limiting connections"]) {
        return Some(Report::of(LIMITED));
    }
    if text == "access forbidden by rule" {
        return Some(Report::of(DENIED));
    }
    if text.starts_with("client sent ") {
        // A browser that was given an address without `https` is no attacker.
        let is_mistake = text.starts_with("client sent plain HTTP request to HTTPS port");
        return (!is_mistake).then(|| Report::of(MALFORMED));
    }
    if !starts(&["open() \"", "\"", "directory index of \""]) {
        return None;
    }
    let (_, rest) = split::at_byte(text, b'"')?;
    let (file, reason) = split::at_last(rest, "\" ")?;
    let says = |reasons: &[&str]| reasons.iter().any(|other| reason.contains(other));
    let action = if says(&["(2: ", "(20: "]) {
        NOT_FOUND
    } else if says(&["is forbidden", "(13: "]) {
        DENIED
    } else {
        return None;
    };
    Some(Report::of(action).about_file(file))
}
