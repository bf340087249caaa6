//! Access lines of web servers: common, combined (with or without a virtual host in front) and the
//! default format of nginx. Requests in structured records are read in `web`.

use super::reading::{Reading, source};
use super::{address, split, web};

/// Reads a line by its shape: `CLIENT IDENT USER [DATE] "REQUEST" STATUS SIZE "REFERER" "AGENT"…`.
/// `None` for lines of other shapes.
///
/// Servers escape quotes inside quoted parts, so the first quote opens the request, and everything
/// before it is the server's own but for the user name, which cannot move the client's address.
pub(super) fn read<'t>(line: &'t str, product: Option<&'static str>) -> Option<Reading<'t>> {
    let (before, rest) = split::at_first(line, "\"")?;
    let (who, date) = split::at_last(before.strip_suffix("] ")?, " [")?;
    if !is_date(date) {
        return None;
    }
    let mut reading =
        Reading { fields: Vec::with_capacity(16), log_source: source(product, Some("webserver"), None) };
    caller(who, &mut reading)?;

    let (request, rest) = quoted(rest);
    web::request_line(request, &mut reading);
    let rest = rest.trim_start();
    let (status, rest) = split::at_byte(rest, b' ').unwrap_or((rest, ""));
    web::status(status.parse().ok(), &mut reading);
    let (size, mut rest) = split::at_byte(rest, b' ').unwrap_or((rest, ""));
    reading.number("http.response.body.size", size);
    for name in ["http.request.header.referer", "user_agent.original", "http.request.header.x-forwarded-for"]
    {
        let Some((_, behind)) = split::at_byte(rest, b'"') else { break };
        let (text, after) = quoted(behind);
        rest = after;
        if text != "-" {
            reading.text(name, text);
        }
    }
    Some(reading)
}

/// `08/Jul/2026:09:10:11 +0000`, with or without a fraction or an offset, or `2026-07-08 09:10:11` as gevent writes it.
pub(super) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() == 19 {
        let places = [(4, b'-'), (7, b'-'), (10, b' '), (13, b':'), (16, b':')];
        return places.iter().all(|(at, byte)| bytes[*at] == *byte);
    }
    (20..=33).contains(&bytes.len())
        && [(2, b'/'), (6, b'/'), (11, b':'), (14, b':'), (17, b':')]
            .iter()
            .all(|(at, byte)| bytes[*at] == *byte)
}

/// `[HOST[:PORT] ]CLIENT IDENT USER`. The user may hold spaces: a client sends any name it likes.
fn caller<'t>(who: &'t str, reading: &mut Reading<'t>) -> Option<()> {
    let (first, rest) = split::at_byte(who, b' ')?;
    let (who_asks, rest) = match split::at_byte(rest, b' ') {
        Some((second, behind)) if address::is_address(second) && !address::is_address(first) => {
            let host = first.rsplit_once(':').map_or(first, |(host, _)| host);
            // InfluxDB puts its name there.
            if host != "[httpd]" {
                reading.text("server.address", host);
            }
            (second, behind)
        }
        _ => (first, rest),
    };
    let (ident, user) = split::at_byte(rest, b' ')?;
    // If names are looked up a client is a name; lines that open with other words are not ours.
    if ident != "-" && !address::is_address(who_asks) {
        return None;
    }
    reading.text("client.address", address::plain_address(who_asks));
    if user != "-" {
        reading.text("user.name", user);
    }
    Some(())
}

/// The text up to the next quote that is not escaped, and the rest. A line that was cut off ends
/// its last part.
pub(super) fn quoted(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'\\', b'"', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return (&text[..at], &text[at + 1..]);
        }
        at += 2;
    }
    (text, "")
}

#[cfg(test)]
mod tests;
