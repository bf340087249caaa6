//! Lines of HAProxy in its HTTP and TCP formats. Quotes, braces and everything that is not printable are
//! encoded in text of the client, so the first quote opens the request.

use super::reading::{Reading, source};
use super::{access_log, address, split, web};

/// Reads `CLIENT:PORT [DATE] FRONTEND BACKEND/SERVER TIMERS STATUS BYTES …"REQUEST"`, or the same without
/// the parts of HTTP. `None` for lines of other shapes.
pub(super) fn read(line: &str) -> Option<Reading<'_>> {
    let (peer, rest) = split::at_first(line, " [")?;
    let (address, port) = split::at_last(peer, ":")?;
    let address = address.trim_matches(['[', ']']);
    if !address::is_address(address) || port.is_empty() || !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (date, rest) = rest.split_once("] ")?;
    if !access_log::is_date(date) {
        return None;
    }
    let mut words = rest.split(' ');
    let frontend = words.next().unwrap_or_default();
    let mut reading = unread();
    reading.text("client.address", address::plain_address(address));
    reading.number("client.port", port);
    reading.text("haproxy.frontend", frontend.trim_end_matches(['~', ':']));
    let (Some((backend, server)), Some(timers)) =
        (words.next().and_then(|word| word.split_once('/')), words.next())
    else {
        return Some(reading);
    };
    let counts = timers.split('/').filter(|timer| is_timer(timer)).count();
    if counts != timers.split('/').count() || counts < 3 {
        // `frontend/1: SSL handshake failure`: nothing follows that has a place.
        return Some(reading);
    }
    reading.text("haproxy.backend", backend);
    reading.text("haproxy.server", server);
    if counts > 3 {
        http(&mut words, rest, &mut reading);
    } else {
        reading.number("network.io.transmit", words.next().unwrap_or_default().trim_start_matches('+'));
        reading.text("haproxy.termination_state", words.next().unwrap_or_default());
    }
    Some(reading)
}

/// Fields of any HAProxy line.
pub(super) fn unread<'t>() -> Reading<'t> {
    Reading::of(source(Some("haproxy"), None, None))
}

/// Parts of the HTTP format. The two cookies stand between the size and the termination state.
fn http<'t>(words: &mut std::str::Split<'t, char>, rest: &'t str, reading: &mut Reading<'t>) {
    reading.log_source = source(Some("haproxy"), Some("webserver"), None);
    web::status(words.next().and_then(|status| status.parse().ok()), reading);
    reading.number("http.response.body.size", words.next().unwrap_or_default().trim_start_matches('+'));
    reading.text("haproxy.termination_state", words.nth(2).unwrap_or_default());
    let Some((_, request)) = rest.split_once('"') else { return };
    let request = request.split('"').next().unwrap_or(request);
    if request != "<BADREQ>" {
        web::request_line(request, reading);
    }
}

/// Milliseconds, with a sign where a step was not reached or the total was logged before the end.
fn is_timer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use sigma::event::Value;

    use super::*;

    fn value(reading: &Reading<'_>, name: &str) -> Option<String> {
        match &reading.fields.iter().find(|(own, _)| *own == name)?.1 {
            Value::String(text) => Some(text.to_string()),
            Value::Int(number) => Some(number.to_string()),
            other => Some(format!("{other:?}")),
        }
    }

    #[test]
    fn requests() {
        for (line, status) in [
            (
                r#"198.51.100.7:33317 [08/Jul/2026:09:10:11.655] web-in~ static/srv1 10/0/30/69/109 404 2750 - - ---- 1/1/1/1/0 0/0 {shop.example.com|curl} {} "GET /a?b=1 HTTP/1.1""#,
                "404",
            ),
            (
                r#"198.51.100.7:33317 [08/Jul/2026:09:10:11.655] web-in static/srv1 10/0/30/69/+109 200 +2750 a=1 b=2 --NI 1/1/1/1/0 0/0 "GET /a?b=1 HTTP/2.0""#,
                "200",
            ),
        ] {
            let reading = read(line).unwrap();
            for (name, expected) in [
                ("client.address", "198.51.100.7"),
                ("client.port", "33317"),
                ("haproxy.frontend", "web-in"),
                ("haproxy.backend", "static"),
                ("http.request.method", "GET"),
                ("url.path", "/a"),
                ("url.path_and_query", "/a?b=1"),
                ("http.response.status_code", status),
                ("http.response.body.size", "2750"),
            ] {
                assert_eq!(value(&reading, name).as_deref(), Some(expected), "{name} of {line}");
            }
            assert_eq!(reading.log_source, source(Some("haproxy"), Some("webserver"), None));
        }
        let bad = read(
            r#"198.51.100.7:1 [08/Jul/2026:09:10:11.655] web-in web-in/<NOSRV> -1/-1/-1/-1/0 400 187 - - PR-- 2/2/0/0/0 0/0 "<BADREQ>""#,
        );
        let bad = bad.unwrap();
        assert_eq!(value(&bad, "http.response.status_code").as_deref(), Some("400"));
        assert_eq!(value(&bad, "url.original"), None);
    }

    #[test]
    fn connections() {
        let reading = read(
            "[2001:db8::17]:33313 [08/Jul/2026:09:10:11.443] tcp-in db/srv1 0/0/5007 212 -- 0/0/0/0/3 0/0",
        );
        let reading = reading.unwrap();
        assert_eq!(value(&reading, "client.address").as_deref(), Some("2001:db8::17"));
        assert_eq!(value(&reading, "haproxy.server").as_deref(), Some("srv1"));
        assert_eq!(value(&reading, "network.io.transmit").as_deref(), Some("212"));
        assert_eq!(reading.log_source, source(Some("haproxy"), None, None));
        let failed =
            read("198.51.100.7:1 [08/Jul/2026:09:10:11.443] https-in/1: SSL handshake failure").unwrap();
        assert_eq!(value(&failed, "client.port").as_deref(), Some("1"));
        assert_eq!(value(&failed, "haproxy.backend"), None);
    }

    #[test]
    fn other_lines_are_not_haproxys() {
        for line in [
            "",
            "Proxy web-in started.",
            "a:1 [08/Jul/2026:09:10:11.443] b c/d 0/0/0 1",
            "198.51.100.7 [08/Jul/2026:09:10:11.443] b c/d 0/0/0 1",
            "198.51.100.7:1 [today] b c/d 0/0/0 1",
        ] {
            assert!(read(line).is_none(), "{line}");
        }
    }
}
