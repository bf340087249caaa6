//! Error lines of nginx and Apache: how bad, about whom. The request is not read from them: its access
//! line is the record of it, and twice would count twice.

use super::client;
use super::reading::{Reading, source};

/// Reads a line by its shape; `None` for lines of other shapes.
pub(super) fn read(line: &str) -> Option<Reading<'_>> {
    if line.starts_with('[') { apache(line) } else { nginx(line) }
}

fn reading<'t>(product: &'static str) -> Reading<'t> {
    Reading { fields: Vec::with_capacity(4), log_source: source(Some(product), None, None) }
}

/// `2026/07/08 09:10:11 [error] 12#12: *7 TEXT, client: ADDRESS, server: NAME, request: "…", host: "…"`.
/// Text and request are the client's, so an address is only taken where one place alone has it.
fn nginx(line: &str) -> Option<Reading<'_>> {
    let is_date = line.bytes().zip(*b"0000/00/00 00:00:00 [").take_while(|(byte, form)| match form {
        b'0' => byte.is_ascii_digit(),
        form => byte == form,
    });
    if is_date.count() < 21 {
        return None;
    }
    let (level, rest) = line.get(21..)?.split_once("] ")?;
    let (worker, text) = rest.split_once(": ")?;
    if !level.bytes().all(|byte| byte.is_ascii_lowercase()) || !worker.contains('#') {
        return None;
    }
    let mut reading = reading("nginx");
    reading.text("log.level", level);
    reading.number("process.pid", worker.split('#').next().unwrap_or_default());
    let mut places = text.match_indices(", client: ");
    if let (Some((at, mark)), None) = (places.next(), places.next()) {
        let rest = &text[at + mark.len()..];
        let address = rest.split([',', ' ']).next().unwrap_or_default();
        if client::is_address(address) {
            reading.text("client.address", client::plain_address(address));
        }
    }
    Some(reading)
}

/// `[Wed Jul 08 09:10:11.123456 2026] [core:error] [pid 1:tid 2] [client ADDRESS:PORT] TEXT`. The groups
/// in front are the server's own.
fn apache(line: &str) -> Option<Reading<'_>> {
    let (date, mut rest) = group(line)?;
    let is_date = date.len() >= 24 && date.as_bytes().get(3) == Some(&b' ') && date.contains(':');
    let (level, behind) = group(rest)?;
    let (_, level) = level.split_once(':').unwrap_or(("", level));
    if !is_date
        || level.is_empty()
        || !level.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    {
        return None;
    }
    let mut reading = reading("apache");
    reading.text("log.level", level);
    rest = behind;
    while let Some((inside, behind)) = group(rest) {
        if let Some(process) = inside.strip_prefix("pid ") {
            reading.number("process.pid", process.split(':').next().unwrap_or_default());
        } else if let Some(peer) = inside.strip_prefix("client ") {
            let address = client::plain_address(peer);
            if client::is_address(address) {
                reading.text("client.address", address);
            }
            break;
        } else if inside.strip_prefix("remote ").is_none() {
            break;
        }
        rest = behind;
    }
    Some(reading)
}

/// `[INSIDE] `, and what follows. An address of IPv6 is not in brackets of its own here.
fn group(text: &str) -> Option<(&str, &str)> {
    let (inside, behind) = text.strip_prefix('[')?.split_once(']')?;
    Some((inside, behind.strip_prefix(' ').unwrap_or(behind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(line: &str, name: &str) -> Option<String> {
        let reading = read(line).unwrap_or_else(|| panic!("not read: {line}"));
        let (_, value) = reading.fields.into_iter().find(|(own, _)| *own == name)?;
        value.to_text().map(|text| text.into_owned())
    }

    #[test]
    fn errors_say_how_bad_and_about_whom() {
        for (line, product, level, client) in [
            (
                r#"2026/07/08 09:10:11 [error] 12#12: *7 open() "/srv/x" failed (2: No such file or directory), client: 198.51.100.7, server: shop, request: "GET /x HTTP/1.1", host: "shop""#,
                "nginx",
                "error",
                Some("198.51.100.7"),
            ),
            ("2026/07/08 09:10:11 [notice] 1#1: signal process started", "nginx", "notice", None),
            (
                r#"2026/07/08 09:10:11 [error] 12#12: *7 open() "/srv/a, client: 203.0.113.9" failed, client: 198.51.100.7, server: shop"#,
                "nginx",
                "error",
                None,
            ),
            (
                "[Wed Jul 08 09:10:11.123456 2026] [authz_core:error] [pid 1:tid 2] [client 198.51.100.7:5001] AH01630: client denied by server configuration: /srv",
                "apache",
                "error",
                Some("198.51.100.7"),
            ),
            (
                "[Wed Jul 08 09:10:11 2026] [error] [client 198.51.100.7] File does not exist: [client 203.0.113.9]",
                "apache",
                "error",
                Some("198.51.100.7"),
            ),
            (
                "[Wed Jul 08 09:10:11.123456 2026] [mpm_event:notice] [pid 7:tid 1] AH00489: configured [client 203.0.113.9]",
                "apache",
                "notice",
                None,
            ),
        ] {
            assert_eq!(read(line).unwrap().log_source, source(Some(product), None, None), "{line}");
            assert_eq!(value(line, "log.level").as_deref(), Some(level), "{line}");
            assert_eq!(value(line, "client.address").as_deref(), client, "{line}");
        }
    }

    #[test]
    fn other_lines_are_no_errors() {
        for line in [
            "",
            "[",
            "[a] [b]",
            "[UFW BLOCK] IN=eth0",
            "2026/07/08 09:10:11 [",
            "2026/07/08 09:10:11 hello",
            "2026/07/08 09:10:11 [x] y: z",
        ] {
            assert!(read(line).is_none(), "{line}");
        }
    }
}
