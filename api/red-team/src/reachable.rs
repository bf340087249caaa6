//! The check of the URL of a target when a user sets it: a URL to which nothing will ever be sent is refused at once.

use directory::DirectoryError;
use outbound::{DestinationError, Outbound};
use url::Url;

/// Refuses a URL whose port, or whose address where its host is one, is not permitted. Names are judged when they are resolved
/// for a request, and so is plain http, which is permitted in `outbound.allow_networks` only. The form of the URL is checked with
/// the row.
///
/// `before` is the stored URL, which stays allowed after the rules became stricter.
///
/// # Errors
/// `Invalid`, which names the field.
pub fn check_target_url(
    outbound: &Outbound,
    field: &'static str,
    text: &str,
    before: Option<&str>,
) -> Result<(), DirectoryError> {
    let Ok(mut url) = Url::parse(text) else { return Ok(()) };
    if before == Some(url.as_str()) {
        return Ok(());
    }
    let host = url.host_str().unwrap_or_default().to_owned();
    if url.scheme() == "http" {
        // Port and address are judged in the same way under both schemes.
        let port = url.port_or_known_default();
        let _ = url.set_scheme("https").and_then(|()| url.set_port(port));
    }
    let reason = match outbound.destination(url.as_str()) {
        Err(error @ DestinationError::Port { .. }) => error.to_string(),
        Err(DestinationError::Address { reason }) => format!(
            "expected a public address, or one in a network of the setting outbound.allow_networks, found {host} ({reason})"
        ),
        _ => return Ok(()),
    };
    Err(DirectoryError::Invalid { field, reason })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use common::clock::ManualClock;
    use common::timestamp::Timestamp;
    use outbound::{Config, SystemResolver};

    use super::*;

    fn outbound() -> Outbound {
        let config = Config { allow_networks: vec!["10.1.0.0/16".parse().unwrap()], ..Config::default() };
        let clock = Arc::new(ManualClock::new(Timestamp(0)));
        let resolver = SystemResolver::new(&config, clock.clone()).unwrap();
        Outbound::new(&config, Arc::new(resolver), clock).unwrap()
    }

    fn refusal(url: &str, before: Option<&str>) -> Option<String> {
        check_target_url(&outbound(), "url", url, before).err().map(|error| error.to_string())
    }

    #[tokio::test]
    async fn private_addresses_and_ports_of_other_protocols_are_refused_with_the_found_value() {
        for (url, found) in [
            ("https://127.0.0.1/", "found 127.0.0.1 (loopback)"),
            ("http://10.0.0.1:8080/", "found 10.0.0.1 (private)"),
            ("https://0x7f.1/", "found 127.0.0.1 (loopback)"),
            ("https://[::1]/", "found [::1] (loopback)"),
            ("https://[::ffff:10.0.0.1]/", "(private)"),
            ("https://shop.example.com:22/", "found 22"),
            ("http://shop.example.com:25/", "found 25"),
        ] {
            let message = refusal(url, None).unwrap_or_else(|| panic!("{url}"));
            assert!(message.starts_with("url: expected ") && message.contains(found), "{url}: {message}");
        }
    }

    #[tokio::test]
    async fn other_urls_are_left_to_the_row_and_to_the_request() {
        for url in [
            "https://shop.example.com/",
            "http://shop.example.com/",
            "http://shop.example.com:8080/",
            "http://93.184.216.34/",
            "https://10.1.2.3/",
            "http://10.1.2.3:80/",
            "ftp://shop.example.com/",
            "shop",
        ] {
            assert_eq!(refusal(url, None), None, "{url}");
        }
    }

    #[tokio::test]
    async fn the_stored_url_stays_allowed() {
        assert_eq!(refusal("https://127.0.0.1/", Some("https://127.0.0.1/")), None);
        assert_eq!(
            refusal("https://127.1:443", Some("https://127.0.0.1/")),
            None,
            "the same in another notation"
        );
        assert!(refusal("https://127.0.0.2/", Some("https://127.0.0.1/")).is_some());
    }
}
