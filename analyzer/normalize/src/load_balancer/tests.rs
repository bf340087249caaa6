//! Lines of the three kinds of load balancer.

use sigma::event::Value;

use super::*;

fn check(line: &str, category: Option<&str>, expected: &[(&str, &str)]) {
    let reading = read(line).unwrap_or_else(|| panic!("not read: {line}"));
    for (name, expected) in expected {
        let found = reading.fields.iter().find(|(own, _)| own == name).map(|(_, value)| match value {
            Value::String(text) => text.to_string(),
            Value::Int(number) => number.to_string(),
            other => format!("{other:?}"),
        });
        assert_eq!(found.as_deref(), Some(*expected), "{name} of {line}");
    }
    assert_eq!(reading.log_source.category.as_deref(), category, "{line}");
    assert_eq!(reading.log_source.product.as_deref(), Some("aws"));
}

const APPLICATION: &str = r#"https 2026-07-08T09:10:11.945958Z app/shop/50dc6c495c0c9188 198.51.100.7:46532 10.0.0.5:8080 0.001 0.012 0.000 404 404 137 337 "GET https://shop.example.com:443/a?b=%27 HTTP/1.1" "curl/8.5 \"x\"" TLS_AES_128_GCM_SHA256 TLSv1.3 arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/shop/73e2d6bc24d8a067 "Root=1-58337364-23a8c76965a2ef7629b185e3" "shop.example.com" "arn:aws:acm:us-east-1:123456789012:certificate/1" 0 2026-07-08T09:10:11.932000Z "forward" "-" "-" "10.0.0.5:8080" "404" "-" "-" TID_1234"#;

#[test]
fn application_load_balancers() {
    check(
        APPLICATION,
        Some("webserver"),
        &[
            ("client.address", "198.51.100.7"),
            ("client.port", "46532"),
            ("destination.address", "10.0.0.5"),
            ("http.response.status_code", "404"),
            ("http.request.size", "137"),
            ("http.response.size", "337"),
            ("http.request.method", "GET"),
            ("url.path", "/a"),
            ("url.query", "b=%27"),
            ("user_agent.original", r#"curl/8.5 \"x\""#),
            ("tls.protocol.version", "TLSv1.3"),
            ("server.address", "shop.example.com"),
            ("event.action", "forward"),
        ],
    );
    check(
        r#"http 2026-07-08T09:10:11.945958Z app/shop/1 [2001:db8::17]:5 - -1 -1 -1 400 - 0 272 "- http://shop.example.com:80- -" "-" - - - "-" "-" "-" - 2026-07-08T09:10:11.932000Z "-" "-" "-" "-" "-" "-" "-""#,
        Some("webserver"),
        &[("client.address", "2001:db8::17"), ("http.response.status_code", "400")],
    );
}

#[test]
fn network_load_balancers() {
    check(
        "tls 2.0 2026-07-08T09:10:11 net/mail/c6e77e28c25b2234 g3d4b5e8bb8464cd 198.51.100.7:51341 10.0.0.5:443 5 2 98 246 - arn:aws:acm:us-east-2:1:certificate/2 - ECDHE-RSA-AES128-SHA tlsv12 - mail.example.com - - - 2026-07-08T09:10:06",
        Some("network_connection"),
        &[
            ("client.address", "198.51.100.7"),
            ("destination.port", "443"),
            ("network.io.receive", "98"),
            ("network.io.transmit", "246"),
            ("tls.cipher", "ECDHE-RSA-AES128-SHA"),
            ("tls.protocol.version", "tlsv12"),
            ("server.address", "mail.example.com"),
        ],
    );
}

#[test]
fn classic_load_balancers() {
    check(
        r#"2026-07-08T09:10:11.945958Z shop 198.51.100.7:2817 10.0.0.5:80 0.000073 0.001048 0.000057 200 200 0 29 "GET http://shop.example.com:80/a HTTP/1.1" "curl/8.5" - -"#,
        Some("webserver"),
        &[("client.address", "198.51.100.7"), ("url.path", "/a"), ("http.response.status_code", "200")],
    );
    check(
        r#"2026-07-08T09:10:11.945958Z shop 198.51.100.7:2817 10.0.0.5:80 0.001069 0.000028 0.000041 - - 82 305 "- - - " "-" - -"#,
        None,
        &[("client.address", "198.51.100.7"), ("destination.port", "80")],
    );
}

#[test]
fn other_lines_are_not_load_balancers() {
    for line in [
        "",
        "http",
        "https ",
        "tls",
        "tls 2.0",
        "http 2026-07-08T09:10:11Z",
        "http today app/a/1 198.51.100.7:1 - -1 -1 -1 400",
        "2026-07-08T09:10:11.945958Z shop 198.51.100.7:2817 10.0.0.5:80 fast 0 0 200",
        "2026-07-08T09:10:11Z web-1 sshd[1]: Failed password",
    ] {
        assert!(read(line).is_none(), "{line}");
    }
}

#[test]
fn a_line_that_was_cut_says_what_is_left() {
    for end in 0..APPLICATION.len() {
        if let Some(reading) = APPLICATION.get(..end).and_then(read) {
            let address = reading.fields.iter().find(|(name, _)| *name == "client.address");
            assert_eq!(address.and_then(|(_, value)| value.as_str()), Some("198.51.100.7"));
        }
    }
}
