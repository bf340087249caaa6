//! Requests in the logs of application servers that write them in words of their own instead of an access log: Tornado, with
//! Jupyter, and Radicale.

use super::reading::{Reading, source};
use super::{access_log, address, split, web};

/// Reads an access line behind the header of Python's logging: `2026-07-08 09:10:11,249 INFO    : CLIENT - - […`.
pub(super) fn read_behind_date(line: &str) -> Option<Reading<'_>> {
    let rest = line.get(23..)?.strip_prefix(" INFO ")?.trim_start();
    access_log::read(rest.strip_prefix(':').unwrap_or(rest).trim_start(), None)
}

/// The longest header, in bytes.
const LONGEST_HEADER: usize = 120;

/// Reads a line by its shape; `None` for lines of other shapes.
pub(super) fn read(line: &str) -> Option<Reading<'_>> {
    let (_, message) = split::at_first(line.strip_prefix('[')?, "] ")
        .filter(|(header, _)| header.len() <= LONGEST_HEADER)?;
    tornado(message).or_else(|| radicale(message))
}

/// `401 POST /login?next=%2F (USER@CLIENT) 98.24ms referer=…`, of which plain Tornado leaves out the user. Targets hold no
/// blanks.
fn tornado(message: &str) -> Option<Reading<'_>> {
    let mut words = message.splitn(5, ' ');
    let (status, method, target) = (words.next()?, words.next()?, words.next()?);
    let peer = words.next()?.strip_prefix('(')?.strip_suffix(')')?;
    let took = words.next()?.split(' ').next()?.strip_suffix("ms")?;
    let is_status = status.len() == 3 && status.bytes().all(|byte| byte.is_ascii_digit());
    if !is_status || took.parse::<f64>().is_err() {
        return None;
    }
    let (user, address) = peer.rsplit_once('@').unwrap_or(("", peer));
    let mut reading = request("tornado", method, target, address)?;
    web::status(status.parse().ok(), &mut reading);
    reading.text("user.name", user);
    Some(reading)
}

/// `[2413/Thread-1 (process_request_thread)] [INFO] GET request for '/anna/' with depth '0' received from CLIENT using '…'`,
/// behind the first group. The answer is another line.
fn radicale(message: &str) -> Option<Reading<'_>> {
    let (_, message) = message.strip_prefix('[')?.split_once("] [")?;
    let (_, message) =
        message.split_once("] ").filter(|(level, _)| level.bytes().all(|byte| byte.is_ascii_uppercase()))?;
    let (method, rest) = message.split_once(" request for '")?;
    let (target, rest) = rest.split_once('\'')?;
    let (_, peer) = split::at_first(rest, " received from ").filter(|(between, _)| between.len() < 40)?;
    request("radicale", method, target, peer.split(' ').next()?)
}

fn request<'t>(
    product: &'static str,
    method: &'t str,
    target: &'t str,
    address: &'t str,
) -> Option<Reading<'t>> {
    if !address::is_address(address)
        || !method.bytes().all(|byte| byte.is_ascii_uppercase())
        || method.is_empty()
    {
        return None;
    }
    let mut reading = Reading {
        fields: Vec::with_capacity(12),
        log_source: source(Some(product), Some("webserver"), None),
    };
    reading.text("client.address", address::plain_address(address));
    reading.text("service.type", product);
    reading.text("http.request.method", method);
    web::target(target, &mut reading);
    Some(reading)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(line: &str) -> Option<[String; 5]> {
        let reading = read(line)?;
        let names =
            ["client.address", "user.name", "http.response.status_code", "http.request.method", "url.path"];
        Some(names.map(|name| {
            let found = reading.fields.iter().find(|(own, _)| *own == name);
            found.and_then(|(_, value)| value.to_text()).map(|text| text.into_owned()).unwrap_or_default()
        }))
    }

    #[test]
    fn requests() {
        for (line, expected) in [
            (
                "[W 2026-11-25 14:45:57.893 ServerApp] 401 POST /login?next=%2F (@203.0.113.9) 51.06ms referer=http://lab.example.org/login",
                ["203.0.113.9", "", "401", "POST", "/login"],
            ),
            (
                "[I 2026-11-25 14:45:57.765 ServerApp] 302 POST /login?next=%2F (277d5b1b4a5f@2001:db8::9) 54.28ms",
                ["2001:db8::9", "277d5b1b4a5f", "302", "POST", "/login"],
            ),
            (
                "[W 261125 14:45:57 web:2239] 404 GET /.env (203.0.113.9) 0.97ms",
                ["203.0.113.9", "", "404", "GET", "/.env"],
            ),
            (
                "[2026-11-24 05:02:28 +0000] [2427/Thread-27 (process_request_thread)] [INFO] GET request for '/.env' with depth '0' received from 203.0.113.9 using 'x'",
                ["203.0.113.9", "", "", "GET", "/.env"],
            ),
        ] {
            assert_eq!(values(line), Some(expected.map(str::to_owned)), "{line}");
        }
    }

    #[test]
    fn access_lines_behind_a_date() {
        let line = r#"2026-11-25 15:15:04,119 INFO    : 203.0.113.9 - - [2026-11-25 15:15:04] "GET /.env HTTP/1.1" 404 5659 0.001556"#;
        let reading = read_behind_date(line).unwrap();
        let path = reading.fields.iter().find(|(name, _)| *name == "url.path").unwrap();
        assert_eq!(path.1.to_text().as_deref(), Some("/.env"));
        assert!(
            read_behind_date("2026-11-25 15:14:16,761 INFO    : Opening a session for user anna").is_none()
        );
    }

    #[test]
    fn other_lines_are_no_requests() {
        for line in [
            "",
            "[W 2026-11-25 14:46:06.256 ServerApp] 403 POST /login (203.0.113.9): '_xsrf' argument missing from POST",
            "[W 2026-11-25 14:46:06.256 ServerApp] 403 POST /login (host) 1.0ms",
            "[W 2026-11-25 14:46:06.256 ServerApp] Notebook report.ipynb is not trusted",
            "[2026-11-24 05:02:28 +0000] [2427] [INFO] Loaded default config",
            "[2026-11-24 05:02:28 +0000] [2427/Thread-27 (process_request_thread)] [INFO] GET response status for '/.env' with depth '0' in 0.000 seconds: 401 Unauthorized",
        ] {
            assert_eq!(values(line), None, "{line}");
        }
    }
}
