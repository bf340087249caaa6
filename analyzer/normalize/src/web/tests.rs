//! Web requests as structured fields.

use super::*;

fn text(text: &str) -> Value<'_> {
    Value::String(text.into())
}

fn found<'a>(reading: &'a Reading<'_>, name: &str) -> Option<&'a Value<'a>> {
    reading.fields.iter().find(|(own, _)| *own == name).map(|(_, value)| value)
}

fn structured<'a>(fields: &[(&'static str, Value<'a>)]) -> Reading<'a> {
    let fields: Vec<_> = fields.iter().map(|(name, value)| (Cow::Borrowed(*name), value.clone())).collect();
    read(&Roles::of(&fields))
}

#[test]
fn every_sender_gives_the_same_request() {
    let map = |entries: Vec<(&'static str, Value<'static>)>| {
        Value::Map(entries.into_iter().map(|(name, value)| (name.into(), value)).collect())
    };
    let senders: Vec<Vec<(&'static str, Value<'static>)>> = vec![
        vec![
            ("http.request.method", text("GET")),
            ("url.path", text("/a")),
            ("url.query", text("b=1")),
            ("http.response.status_code", Value::Int(404)),
        ],
        vec![
            ("http.method", text("GET")),
            ("http.target", text("/a?b=1")),
            ("http.status_code", Value::Int(404)),
        ],
        vec![("request_method", text("GET")), ("request_uri", text("/a?b=1")), ("status", text("404"))],
        vec![("request", text("GET /a?b=1 HTTP/1.1")), ("status", text("404"))],
        vec![
            ("ClientRequestMethod", text("GET")),
            ("ClientRequestURI", text("/a?b=1")),
            ("EdgeResponseStatus", Value::Int(404)),
        ],
        vec![(
            "proxy",
            map(vec![("method", text("GET")), ("path", text("/a?b=1")), ("statusCode", Value::Int(404))]),
        )],
        vec![
            ("request", map(vec![("method", text("GET")), ("uri", text("/a?b=1"))])),
            ("status", Value::Int(404)),
        ],
        vec![(
            "httpRequest",
            map(vec![
                ("requestMethod", text("GET")),
                ("requestUrl", text("https://example.com/a?b=1")),
                ("status", Value::Int(404)),
            ]),
        )],
    ];
    for fields in senders {
        let reading = structured(&fields);
        for (name, expected) in [
            ("http.request.method", text("GET")),
            ("url.path", text("/a")),
            ("url.query", text("b=1")),
            ("url.path_and_query", text("/a?b=1")),
            ("http.response.status_code", Value::Int(404)),
        ] {
            assert_eq!(found(&reading, name), Some(&expected), "{name} of {fields:?}");
        }
        assert_eq!(reading.log_source.category.as_deref(), Some("webserver"));
    }
}

#[test]
fn records_about_other_things_are_no_requests() {
    for fields in [
        vec![("path", text("/var/log/x")), ("status", text("ok"))],
        vec![("verb", text("get")), ("requestURI", text("/api/v1/secrets"))],
        vec![("method", text("charge card")), ("path", text("/a"))],
        vec![("request", text("please help"))],
        vec![("method", text("GET"))],
    ] {
        assert_eq!(structured(&fields), Reading::default(), "{fields:?}");
    }
}

#[test]
fn a_path_is_decoded_once() {
    for (sent, expected) in [
        ("/a", None),
        ("/a+b", None),
        ("/a?b+c", Some("/a?b c")),
        ("/%2e%2E/x", Some("/../x")),
        ("/%252e%252e/", Some("/%2e%2e/")),
        ("/%", None),
        ("/%zz%4", None),
        ("/%ff", Some("/\u{fffd}")),
        ("/a?b=%27%20OR%201", Some("/a?b=' OR 1")),
    ] {
        assert_eq!(decoded(sent).as_deref(), expected, "{sent}");
    }
}

#[test]
fn an_extension_belongs_to_the_last_part() {
    for (path, expected) in [("/a.b/c.PHP", "PHP"), ("/.env", ""), ("/a.b/c", ""), ("/a.", ""), ("", "")] {
        assert_eq!(extension(path), expected, "{path}");
    }
}
