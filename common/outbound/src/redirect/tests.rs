//! The redirect rule, stated a second time as properties of any redirect.

use http::header::{AUTHORIZATION, COOKIE, HeaderValue};
use proptest::prelude::*;

use super::*;

const METHODS: [Method; 6] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
const STATUSES: [u16; 5] = [301, 302, 303, 307, 308];
const SECRETS: [&str; 5] = ["authorization", "cookie", "proxy-authorization", "x-api-key", "private-token"];

fn step(method: Method, url: &str) -> Step {
    let mut headers = HeaderMap::new();
    for name in SECRETS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static("secret"));
    }
    headers.insert(USER_AGENT, HeaderValue::from_static("palisade"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let destination = Destination::parse(url, &loopback()).unwrap();
    Step { destination, target: None, method, headers, body: Bytes::from_static(b"{}") }
}

fn loopback() -> Vec<IpNet> {
    vec!["127.0.0.0/8".parse().unwrap()]
}

fn location(text: &str) -> HeaderMap {
    HeaderMap::from_iter([(LOCATION, HeaderValue::from_bytes(text.as_bytes()).unwrap())])
}

fn follow(from: &str, to: &str) -> Result<Step, RedirectError> {
    next(&step(Method::GET, from), StatusCode::FOUND, &location(to), &loopback())
}

proptest! {
    #[test]
    fn method_body_and_secrets_follow_the_rule(
        method in prop::sample::select(METHODS.to_vec()),
        status in prop::sample::select(STATUSES.to_vec()),
        host in prop::sample::select(vec!["one.example", "ONE.example", "two.example", "one.example.evil.example"]),
        port in prop::sample::select(vec!["", ":443", ":8443"]),
        path in "[a-z]{0,8}",
    ) {
        let first = step(method.clone(), "https://one.example/hook");
        let to = format!("https://{host}{port}/{path}");
        let status = StatusCode::from_u16(status).unwrap();
        let next = next(&first, status, &location(&to), &[]).unwrap();

        let rewritten = match status.as_u16() {
            303 => method != Method::HEAD,
            301 | 302 => method == Method::POST,
            _ => false,
        };
        prop_assert_eq!(&next.method, if rewritten { &Method::GET } else { &method });
        prop_assert_eq!(next.body.is_empty(), rewritten);
        prop_assert_eq!(next.headers.contains_key(CONTENT_TYPE), !rewritten);

        let same_origin = host.eq_ignore_ascii_case("one.example") && port != ":8443";
        for secret in SECRETS {
            prop_assert_eq!(next.headers.contains_key(secret), same_origin, "{}", secret);
        }
        prop_assert!(next.headers.contains_key(USER_AGENT));
    }

    #[test]
    fn no_location_leads_past_the_guard(text in "\\PC{0,60}") {
        let Ok(next) = follow("https://one.example/a/b", &text) else { return Ok(()) };
        prop_assert!(next.destination.as_str().starts_with("https://"));
        let again = Destination::parse(next.destination.as_str(), &loopback());
        prop_assert_eq!(again.unwrap(), next.destination);
    }
}

#[test]
fn secrets_dropped_once_do_not_come_back() {
    let away = follow("https://one.example/", "https://two.example/").unwrap();
    let back = next(&away, StatusCode::FOUND, &location("https://one.example/"), &[]).unwrap();
    assert!(!back.headers.contains_key(AUTHORIZATION) && !back.headers.contains_key(COOKIE));
}

#[test]
fn locations_are_read_relative_to_the_url_that_answered() {
    for (to, expected) in [
        ("next", "https://one.example/a/next"),
        ("/root?q=1#part", "https://one.example/root?q=1"),
        ("//two.example/x", "https://two.example/x"),
        ("?page=2", "https://one.example/a/b?page=2"),
        ("../../../etc", "https://one.example/etc"),
        ("/a%0d%0aset-cookie:%20x=1", "https://one.example/a%0d%0aset-cookie:%20x=1"),
        ("/caf\u{e9}", "https://one.example/caf%C3%A9"),
    ] {
        let next = follow("https://one.example/a/b", to).unwrap();
        assert_eq!(next.destination.as_str(), expected, "{to}");
    }
}

#[test]
fn every_way_past_the_guard_is_refused() {
    let refused = |to: &str| follow("https://one.example/", to).unwrap_err();
    for to in [
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://0xa9fea9fe/",
        "https://2852039166/",
        "https://[::ffff:169.254.169.254]/",
        "https://[64:ff9b::a9fe:a9fe]/",
        "https://[2002:a9fe:a9fe::]/",
    ] {
        let error = refused(to);
        assert!(
            matches!(error, RedirectError::Destination(DestinationError::Address { .. })),
            "{to}: {error}"
        );
    }
    assert_eq!(refused("http://127.0.0.1:8080/"), RedirectError::Downgrade, "even to an allowed network");
    let destination = |to: &str| match refused(to) {
        RedirectError::Destination(error) => error,
        other => panic!("{to}: {other}"),
    };
    assert!(matches!(destination("https://one.example@two.example/"), DestinationError::UserInformation));
    assert_eq!(destination("https://two.example:25/"), DestinationError::Port { found: 25 });
    for to in ["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "https://", "https:///"] {
        let error = destination(to);
        let is_named = matches!(error, DestinationError::NotAUrl { .. } | DestinationError::Scheme { .. });
        assert!(is_named || matches!(error, DestinationError::Port { .. }), "{to}: {error}");
    }
    assert!(matches!(destination("ftp://two.example/"), DestinationError::Scheme { .. }));
}

#[test]
fn two_locations_are_ambiguous() {
    let mut reply = location("https://one.example/");
    reply.append(LOCATION, HeaderValue::from_static("https://two.example/"));
    let error = next(&step(Method::GET, "https://one.example/"), StatusCode::FOUND, &reply, &[]).unwrap_err();
    assert_eq!(error, RedirectError::Ambiguous { found: 2 });
}
