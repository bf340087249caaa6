//! Addresses to listen on, in settings: an IP address and a port. Names are not resolved: a name may stand for several
//! addresses, and for others tomorrow.

use std::net::SocketAddr;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// The text is no address to listen on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{found:?} is not an address to listen on: {}", advice(found))]
pub struct AddressError {
    found: String,
}

/// Reads an address and a port.
///
/// # Errors
/// [`AddressError`], which quotes the text, and names the expected form with an example.
pub fn parse(text: &str) -> Result<SocketAddr, AddressError> {
    text.parse().map_err(|_| AddressError { found: text.to_owned() })
}

/// Writes an address as text. For `#[serde(with)]`.
///
/// # Errors
/// When the serializer refuses a text.
pub fn serialize<S: Serializer>(address: &SocketAddr, serializer: S) -> Result<S::Ok, S::Error> {
    address.serialize(serializer)
}

/// Reads an address from text. For `#[serde(with)]`.
///
/// # Errors
/// [`AddressError`].
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// The expected form, with an example close to the given value.
fn advice(found: &str) -> String {
    const FORM: &str = "expected IP address and port";
    if let Ok(ip) = found.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>() {
        return format!("{FORM}, for example {}", SocketAddr::new(ip, 8080));
    }
    if let Ok(port) = found.strip_prefix(':').unwrap_or(found).parse::<u16>() {
        return format!(
            "{FORM}, for example 127.0.0.1:{port} for this machine only, or 0.0.0.0:{port} or [::]:{port} for every \
             network"
        );
    }
    let (host, port) = found.rsplit_once(':').unwrap_or((found, "8080"));
    if host.eq_ignore_ascii_case("localhost") {
        return format!("{FORM}, for example 127.0.0.1:{port} or [::1]:{port}");
    }
    format!("{FORM}, for example 127.0.0.1:8080 or [::1]:8080; names are not resolved")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_both_families_are_read() {
        for text in ["127.0.0.1:8080", "[::1]:8080", "0.0.0.0:0", "[::]:443"] {
            assert_eq!(parse(text).map(|address| address.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn others_are_refused_with_an_example_close_to_them() {
        for (text, example) in [
            ("8080", "127.0.0.1:8080 for this machine only"),
            (":9000", "[::]:9000 for every network"),
            ("localhost", "for example 127.0.0.1:8080 or [::1]:8080"),
            ("localhost:9090", "for example 127.0.0.1:9090"),
            ("10.0.0.1", "for example 10.0.0.1:8080"),
            ("::1", "for example [::1]:8080"),
            ("[::1]", "for example [::1]:8080"),
            ("palisade.example:80", "names are not resolved"),
            ("", "for example 127.0.0.1:8080"),
        ] {
            let told = parse(text).unwrap_err().to_string();
            assert!(told.starts_with(&format!("{text:?} is not an address")), "{told}");
            assert!(told.contains(example), "{told}");
        }
    }
}
