//! Access log lines, real and forged.

use sigma::event::Value;

use super::*;

fn show(value: &Value<'_>) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Array(values) => values.iter().map(show).collect::<Vec<_>>().join(" | "),
        other => format!("{other:?}"),
    }
}

fn check(line: &str, expected: &[(&str, &str)]) {
    let reading = read(line, None).unwrap_or_else(|| panic!("not an access line: {line}"));
    let found: Vec<_> = reading.fields.iter().map(|(name, value)| (*name, show(value))).collect();
    let found: Vec<_> = found.iter().map(|(name, value)| (*name, value.as_str())).collect();
    for pair in expected {
        assert!(found.contains(pair), "{pair:?} is not in {found:?}");
    }
    assert_eq!(reading.log_source.category.as_deref(), Some("webserver"));
}

#[test]
fn combined_lines() {
    check(
        r#"198.51.100.7 - alice [08/Jul/2026:09:10:11 +0000] "GET /shop?item=7&q=a+b HTTP/1.1" 200 512 "https://example.com/" "Mozilla/5.0 (X11)""#,
        &[
            ("client.address", "198.51.100.7"),
            ("user.name", "alice"),
            ("http.request.method", "GET"),
            ("url.original", "/shop?item=7&q=a+b"),
            ("url.path", "/shop"),
            ("url.query", "item=7&q=a+b"),
            ("url.path_and_query", "/shop?item=7&q=a+b | /shop?item=7&q=a b"),
            ("network.protocol.version", "1.1"),
            ("http.response.status_code", "200"),
            ("http.response.body.size", "512"),
            ("http.request.header.referer", "https://example.com/"),
            ("user_agent.original", "Mozilla/5.0 (X11)"),
        ],
    );
}

#[test]
fn other_common_forms() {
    check(
        r#"2001:db8::17 - - [08/Jul/2026:09:10:11 +0000] "POST /login HTTP/2.0" 401 -"#,
        &[
            ("client.address", "2001:db8::17"),
            ("http.response.status_code", "401"),
            ("url.path_and_query", "/login"),
        ],
    );
    check(
        r#"shop.example.com:443 198.51.100.7 - - [08/Jul/2026:09:10:11 +0000] "GET / HTTP/1.1" 200 5 "-" "curl/8.5""#,
        &[
            ("client.address", "198.51.100.7"),
            ("server.address", "shop.example.com"),
            ("user_agent.original", "curl/8.5"),
        ],
    );
    check(
        r#"198.51.100.7 - - [08/Jul/2026:09:10:11 +0000] "GET / HTTP/1.1" 200 5 "-" "curl/8.5" "203.0.113.4""#,
        &[("client.address", "198.51.100.7"), ("http.request.header.x-forwarded-for", "203.0.113.4")],
    );
    check(
        r#"198.51.100.7 - - [08/Jul/2026:09:10:11 +0000] "GET http://example.com/a?b HTTP/1.1" 200 5"#,
        &[("url.path", "/a"), ("url.query", "b"), ("url.original", "http://example.com/a?b")],
    );
}

#[test]
fn hostile_requests() {
    check(
        r#"198.51.100.7 - - [08/Jul/2026:09:10:11 +0000] "\x16\x03\x01\x00" 400 157 "-" "-""#,
        &[("url.original", r"\x16\x03\x01\x00"), ("http.response.status_code", "400")],
    );
    check(
        r#"198.51.100.7 - - [08/Jul/2026:09:10:11 +0000] "GET /a b\" 200 1 \"c HTTP/1.1" 404 9 "-" "() { :;}; /bin/id \"x\"""#,
        &[
            ("url.path", r#"/a b\" 200 1 \"c"#),
            ("http.response.status_code", "404"),
            ("user_agent.original", r#"() { :;}; /bin/id \"x\""#),
        ],
    );
    check(
        r#"198.51.100.7 - - [08/Jul/2026:09:10:11 +0000] "-" 408 0 "-" "-""#,
        &[("http.response.status_code", "408")],
    );
    check(r#"198.51.100.7 - - [08/Jul/2026:09:10:11 +0000] "GET /cut"#, &[("url.path", "/cut")]);
}

#[test]
fn a_user_name_cannot_move_the_address() {
    check(
        r#"198.51.100.7 - x [08/Jul/2026:01:01:01 +0000] y [08/Jul/2026:09:10:11 +0000] "GET / HTTP/1.1" 401 5"#,
        &[("client.address", "198.51.100.7"), ("user.name", "x [08/Jul/2026:01:01:01 +0000] y")],
    );
    check(
        r#"198.51.100.7 - 203.0.113.9 - - [08/Jul/2026:09:10:11 +0000] "GET / HTTP/1.1" 401 5"#,
        &[("client.address", "198.51.100.7"), ("user.name", "203.0.113.9 - -")],
    );
}

#[test]
fn other_lines_are_not_access_lines() {
    for line in [
        "",
        "\"",
        "] \"",
        " [] \"",
        "198.51.100.7 - - [today] \"GET / HTTP/1.1\" 200 5",
        "a [08/Jul/2026:09:10:11 +0000] \"GET / HTTP/1.1\" 200 5",
        "2026/07/08 09:10:11 [error] 12#12: *7 open() \"/srv/x\" failed, client: 198.51.100.7",
        "something said \"hello\"",
    ] {
        assert_eq!(read(line, None), None, "{line}");
    }
}
