//! Lines written from random values: the values are read again.

use proptest::prelude::any;
use proptest::prelude::*;

use super::*;

fn v4() -> impl Strategy<Value = String> {
    any::<[u8; 4]>().prop_map(|octets| std::net::Ipv4Addr::from(octets).to_string())
}

/// A path and query as a client sends them: no spaces, no quotes.
fn target() -> impl Strategy<Value = String> {
    "/[a-zA-Z0-9._~/-]{0,20}(\\?[a-zA-Z0-9=&%+.-]{0,20})?"
}

/// Text as auditd writes it: in quotes, or in hexadecimal digits where it holds anything else.
fn audited(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
    if is_plain { format!("\"{text}\"") } else { text.bytes().map(|byte| format!("{byte:02X}")).collect() }
}

fn number(found: &Normalized<'_>, name: &str) -> Option<i64> {
    match found.event.field(name)? {
        Value::Int(number) => Some(*number),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn packets(source in v4(), destination in v4(), ports in any::<(u16, u16)>(), prefix in "[a-z :]{0,12}") {
        let line = format!(
            "{prefix} IN=eth0 OUT= MAC=52:54 SRC={source} DST={destination} LEN=60 DF PROTO=TCP SPT={} DPT={} SYN", ports.0, ports.1
        );
        let payload = payload(super::line(&format!("Jul  8 09:10:11 web-1 kernel: {line}")), &[]);
        let found = only(&payload);
        prop_assert_eq!(text(&found, "client.address"), Some(source.as_str()));
        prop_assert_eq!(text(&found, "destination.address"), Some(destination.as_str()));
        prop_assert_eq!(number(&found, "source.port"), Some(i64::from(ports.0)));
        prop_assert_eq!(number(&found, "destination.port"), Some(i64::from(ports.1)));
    }

    #[test]
    fn commands(arguments in prop::collection::vec("[ -~é]{1,12}", 1..5)) {
        let written: Vec<_> =
            arguments.iter().enumerate().map(|(number, text)| format!("a{number}={}", audited(text))).collect();
        let line = format!("type=EXECVE msg=audit(1783501811.000:7): argc={} {}", arguments.len(), written.join(" "));
        let payload = payload(super::line(&line), &[]);
        let found = only(&payload);
        let joined = arguments.join(" ");
        prop_assert_eq!(text(&found, "process.command_line"), Some(joined.as_str()));
        for (number, argument) in arguments.iter().enumerate() {
            prop_assert_eq!(text(&found, &format!("a{number}")), Some(argument.as_str()));
        }
    }

    #[test]
    fn requests(client in v4(), port in 1..u16::MAX, target in target(), status in 100..600_i64, size in any::<u32>()) {
        let lines = [
            format!("{client} - - [08/Jul/2026:09:10:11 +0000] \"GET {target} HTTP/1.1\" {status} {size} \"-\" \"x\""),
            format!("{client}:{port} [08/Jul/2026:09:10:11.655] in b/s 1/0/3/6/9 {status} {size} - - ---- 1/1/1/1/0 0/0 \"GET {target} HTTP/1.1\""),
            format!("http 2026-07-08T09:10:11.945958Z app/a/1 {client}:{port} 10.0.0.5:80 0 0 0 {status} {status} 1 {size} \"GET {target} HTTP/1.1\" \"x\" - - - \"-\" \"-\" \"-\" 0 - \"-\" \"-\" \"-\""),
            format!("2026-07-08T09:10:11.945958Z shop {client}:{port} 10.0.0.5:80 0.1 0.1 0.1 {status} {status} 1 {size} \"GET {target} HTTP/1.1\" \"x\" - -"),
            format!("<158>1 2026-07-08T09:10:11Z host heroku router - at=info method=GET path=\"{target}\" fwd=\"{client}\" status={status} bytes={size}"),
            format!("method=GET uri=\"{target}\" client_ip={client} status={status} bytes_sent={size}"),
            serde_json::json!({"ClientIP": client, "ClientRequestMethod": "GET", "ClientRequestURI": target, "EdgeResponseStatus": status, "EdgeResponseBytes": size}).to_string(),
        ];
        let path = target.split('?').next().unwrap();
        for line in &lines {
            let payload = payload(super::line(line), &[]);
            let found = only(&payload);
            prop_assert_eq!(text(&found, "client.address"), Some(client.as_str()), "{}", line);
            prop_assert_eq!(text(&found, "url.path"), Some(path), "{}", line);
            prop_assert_eq!(number(&found, "http.response.status_code"), Some(status), "{}", line);
            let sizes = ["http.response.body.size", "http.response.size"];
            let found_size = sizes.iter().find_map(|name| number(&found, name));
            prop_assert_eq!(found_size, Some(i64::from(size)), "{}", line);
            prop_assert_eq!(found.event.log_source.category.as_deref(), Some("webserver"));
        }
    }

    #[test]
    fn structured_data(values in prop::collection::vec("[ -~é]{0,12}", 1..4)) {
        let escaped = |text: &String| text.replace('\\', "\\\\").replace('"', "\\\"").replace(']', "\\]");
        let parameters: String =
            values.iter().enumerate().map(|(number, text)| format!(" p{number}=\"{}\"", escaped(text))).collect();
        let line = format!("<13>1 2026-07-08T09:10:11Z web-1 shop - - [a@1{parameters}][b@1] hello");
        let payload = payload(super::line(&line), &[]);
        let found = only(&payload);
        for (number, value) in values.iter().enumerate() {
            prop_assert_eq!(text(&found, &format!("structured_data.a@1.p{number}")), Some(value.as_str()));
        }
        prop_assert_eq!(text(&found, "host.name"), Some("web-1"));
    }

    #[test]
    fn extensions(values in prop::collection::vec("[ -~é]{1,12}", 1..4)) {
        let escaped = |text: &String| text.trim().replace('\\', "\\\\").replace('=', "\\=");
        let pairs: Vec<_> = values.iter().enumerate().map(|(number, text)| format!("k{number}={}", escaped(text))).collect();
        let line = format!("CEF:0|a|b|1|2|c|3|{}", pairs.join(" "));
        let payload = payload(super::line(&line), &[]);
        let found = only(&payload);
        for (number, value) in values.iter().enumerate() {
            prop_assert_eq!(text(&found, &format!("k{number}")), Some(value.trim()), "{}", line);
        }
    }
}
