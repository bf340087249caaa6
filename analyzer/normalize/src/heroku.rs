//! Lines of Heroku's router: `at=info method=GET path="/" host=… fwd="…" status=200 bytes=…`.

use sigma::event::Value;

use super::reading::Structure;
use super::reading::{Reading, source};
use super::{address, logfmt, web};

/// Reads a line; `None` for lines of other shapes.
pub(super) fn read(line: &str) -> Option<Structure<'_>> {
    let entries = logfmt::entries(line)?;
    let value = |name: &str| {
        let (_, value) = entries.iter().find(|(own, _)| own == name)?;
        match value {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            _ => None,
        }
    };
    let (method, path) = (value("method")?, value("path")?);
    let mut reading =
        Reading { fields: Vec::with_capacity(12), log_source: source(None, Some("webserver"), None) };
    web::with(path, &mut reading, web::target);
    reading.push("http.request.method", Value::String(method));
    if let Some(passed_on) = value("fwd") {
        web::with(passed_on, &mut reading, |list, reading| {
            reading.text("client.address", address::plain_address(address::originator(list)));
        });
    }
    web::status(value("status").and_then(|status| status.parse().ok()), &mut reading);
    reading.number("http.response.body.size", &value("bytes").unwrap_or_default());
    for (name, canonical) in
        [("host", "server.address"), ("request_id", "http.request.id"), ("code", "error.type")]
    {
        if let Some(text) = value(name) {
            reading.push(canonical, Value::String(text));
        }
    }
    Some(Structure { entries, reading, time: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"at=info method=GET path="/a?b=%27" host=shop.example.com request_id=4b8d6f02-1f5a-4ce4-9f3d-7a1f26a5b6d1 fwd="203.0.113.9,198.51.100.7" dyno=web.1 connect=1ms service=12ms status=404 bytes=153 protocol=https"#;

    #[test]
    fn the_router_says_who_asked_for_what() {
        let found = read(LINE).unwrap();
        let value = |name: &str| found.reading.fields.iter().find(|(own, _)| *own == name).unwrap().1.clone();
        for (name, expected) in [
            ("client.address", "198.51.100.7"),
            ("http.request.method", "GET"),
            ("url.path", "/a"),
            ("server.address", "shop.example.com"),
            ("http.request.id", "4b8d6f02-1f5a-4ce4-9f3d-7a1f26a5b6d1"),
        ] {
            assert_eq!(value(name), Value::String(expected.into()), "{name}");
        }
        assert_eq!(value("http.response.status_code"), Value::Int(404));
        assert_eq!(value("http.response.body.size"), Value::Int(153));
        assert!(found.entries.iter().any(|(name, _)| name == "dyno"));
    }

    #[test]
    fn other_lines_are_not_the_routers() {
        for line in ["at=info", "at=info method=GET", "State changed from starting to up", "at=info a=b"] {
            assert!(read(line).is_none(), "{line}");
        }
    }
}
