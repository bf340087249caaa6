//! Records with OpenTelemetry's attributes under the names that Sigma's rules use.

use sigma::mapping::FieldMapping;
use sigma::rule::RuleLogSource;

use super::aliases::CanonicalFields;
use super::*;

/// Value that a rule of a category finds under a field's name.
fn seen(found: &Normalized<'_>, category: &str, product: Option<&str>, field: &str) -> Vec<String> {
    let source = RuleLogSource {
        category: Some(category.to_owned()),
        product: product.map(str::to_owned),
        ..RuleLogSource::default()
    };
    let mut names = CanonicalFields.canonical(&source, field);
    if names.is_empty() {
        names.push(field.to_owned());
    }
    for name in names {
        let mut values = Vec::new();
        found.event.values(&name, &mut values);
        if !values.is_empty() {
            return values.iter().filter_map(|value| Some(value.to_text()?.into_owned())).collect();
        }
    }
    Vec::new()
}

fn check(attributes: &[(&str, &str)], expected: &[(&str, Option<&str>, &str, &[&str])]) {
    let record = LogRecord { attributes: pairs(attributes), ..line("done") };
    let payload = payload(record, &[]);
    let found = only(&payload);
    for (category, product, field, values) in expected {
        assert_eq!(seen(&found, category, *product, field), *values, "{field} of {category}");
    }
}

#[test]
fn requests() {
    check(
        &[
            ("client.address", "198.51.100.7"),
            ("network.peer.address", "10.0.0.1"),
            ("http.request.method", "_OTHER"),
            ("http.request.method_original", "GeT"),
            ("url.path", "/a/b.php"),
            ("url.query", "q=%27+or"),
            ("server.address", "shop.example.com"),
            ("http.response.status_code", "404"),
            ("user_agent.original", "curl/8.5"),
            ("http.request.header.referer", "https://example.com/"),
            ("enduser.id", "alice"),
            ("http.response.size", "512"),
            ("http.request.size", "12"),
        ],
        &[
            ("webserver", None, "c-ip", &["198.51.100.7"]),
            ("webserver", None, "cs-method", &["GeT"]),
            ("webserver", None, "cs-uri-stem", &["/a/b.php"]),
            ("webserver", None, "cs-uri-query", &["/a/b.php?q=%27+or", "/a/b.php?q=' or"]),
            ("webserver", None, "cs-host", &["shop.example.com"]),
            ("webserver", None, "sc-status", &["404"]),
            ("webserver", None, "cs-user-agent", &["curl/8.5"]),
            ("webserver", None, "cs-referer", &["https://example.com/"]),
            ("webserver", None, "cs-username", &["alice"]),
            ("webserver", None, "sc-bytes", &["512"]),
            ("webserver", None, "cs-bytes", &["12"]),
            ("proxy", None, "src_ip", &["198.51.100.7"]),
            ("proxy", None, "c-uri-stem", &["/a/b.php"]),
            ("proxy", None, "c-uri-query", &["q=%27+or"]),
            ("proxy", None, "c-uri-extension", &["php"]),
            ("proxy", None, "c-useragent", &["curl/8.5"]),
            ("proxy", None, "cs-referrer", &["https://example.com/"]),
            ("proxy", None, "r-dns", &["shop.example.com"]),
        ],
    );
    check(
        &[
            ("network.peer.address", "198.51.100.7"),
            ("http.request.method", "GET"),
            ("url.full", "https://shop.example.com/a?b=1"),
        ],
        &[
            ("webserver", None, "c-ip", &["198.51.100.7"]),
            ("webserver", None, "cs-uri-query", &["/a?b=1"]),
            ("proxy", None, "c-uri", &["https://shop.example.com/a?b=1"]),
        ],
    );
}

#[test]
fn processes_files_and_traffic() {
    let attributes = [
        ("process.executable.path", "/usr/bin/curl"),
        ("process.command_line", "curl http://a"),
        ("process.parent.executable.path", "/bin/sh"),
        ("process.parent.command_line", "sh -c x"),
        ("file.path", "/etc/cron.d/x"),
        ("source.address", "198.51.100.7"),
        ("source.port", "5"),
        ("destination.address", "10.0.0.5"),
        ("destination.port", "22"),
        ("destination.domain", "db.example.com"),
        ("dns.question.name", "a.example.com"),
    ];
    for product in [Some("linux"), Some("macos"), Some("windows"), None] {
        check(
            &attributes,
            &[
                ("process_creation", product, "Image", &["/usr/bin/curl"]),
                ("process_creation", product, "CommandLine", &["curl http://a"]),
                ("process_creation", product, "ParentImage", &["/bin/sh"]),
                ("process_creation", product, "ParentCommandLine", &["sh -c x"]),
                ("file_event", product, "TargetFilename", &["/etc/cron.d/x"]),
                ("network_connection", product, "DestinationIp", &["10.0.0.5"]),
                ("network_connection", product, "DestinationPort", &["22"]),
                ("network_connection", product, "DestinationHostname", &["db.example.com"]),
                ("dns_query", product, "QueryName", &["a.example.com"]),
            ],
        );
    }
    check(
        &attributes,
        &[
            ("firewall", None, "src_ip", &["198.51.100.7"]),
            ("firewall", None, "src_port", &["5"]),
            ("firewall", None, "dst_ip", &["10.0.0.5"]),
            ("firewall", None, "dst_port", &["22"]),
            ("dns", None, "query", &["a.example.com"]),
        ],
    );
}
