//! The headers of an application: sent to its own origin only, and masked in replies that repeat them.

use directory::{Application, open_headers_of_application};
use http::header::USER_AGENT;
use http::{HeaderMap, HeaderName, HeaderValue};
use secrets::{SecretsError, Vault};
use url::Url;
use zeroize::Zeroizing;

/// Name of the service in requests, for the logs of the application.
const AGENT: &str = concat!("Palisade/", env!("CARGO_PKG_VERSION"), " (inventory discovery)");
/// Shortest value of a header that is masked in replies: shorter ones are parts of ordinary words.
const SHORTEST_MASKED: usize = 6;

/// The headers of an application, opened.
pub(crate) struct Credentials {
    /// Origin of the application: no other gets its headers.
    origin: String,
    headers: HeaderMap,
    values: Vec<Zeroizing<Vec<u8>>>,
}

impl Credentials {
    /// Opens the headers of an application.
    pub(crate) async fn open(
        vault: &Vault,
        application: &Application,
        url: &Url,
    ) -> Result<Self, SecretsError> {
        Ok(Self::new(open_headers_of_application(vault, application).await?, url))
    }

    fn new(opened: Vec<(String, Zeroizing<Vec<u8>>)>, url: &Url) -> Self {
        let mut headers = HeaderMap::with_capacity(opened.len());
        for (name, value) in &opened {
            // Both were checked when they were set.
            let parsed = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value));
            if let (Ok(name), Ok(mut value)) = parsed {
                value.set_sensitive(true);
                headers.insert(name, value);
            }
        }
        let values = opened.into_iter().map(|(_, value)| value).collect();
        Self { origin: url.origin().ascii_serialization(), headers, values }
    }

    /// Headers of a request.
    pub(crate) fn headers_for(&self, url: &Url) -> HeaderMap {
        let is_application = url.origin().ascii_serialization() == self.origin;
        let mut headers = if is_application { self.headers.clone() } else { HeaderMap::new() };
        headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        headers
    }

    /// Bytes of a reply with asterisks instead of the values.
    pub(crate) fn masked(&self, bytes: &[u8]) -> Vec<u8> {
        let long = self.values.iter().filter(|value| value.len() >= SHORTEST_MASKED);
        long.fold(bytes.to_vec(), |bytes, value| replaced(bytes, value))
    }
}

fn replaced(bytes: Vec<u8>, value: &[u8]) -> Vec<u8> {
    let finder = memchr::memmem::Finder::new(value);
    let mut places = finder.find_iter(&bytes).peekable();
    if places.peek().is_none() {
        return bytes;
    }
    let mut masked = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for place in places {
        masked.extend(bytes.get(from..place).unwrap_or_default());
        masked.extend(b"***");
        from = place + value.len();
    }
    masked.extend(bytes.get(from..).unwrap_or_default());
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials() -> Credentials {
        let header = |name: &str, value: &str| (name.to_owned(), Zeroizing::new(value.as_bytes().to_vec()));
        let opened =
            vec![header("x-token", "of-the-shop"), header("x-mode", "test"), header("user-agent", "other")];
        Credentials::new(opened, &Url::parse("https://shop.test/a").unwrap())
    }

    #[test]
    fn no_other_origin_gets_the_headers() {
        let credentials = credentials();
        for (url, expected) in [
            ("https://shop.test/b?c", true),
            ("https://shop.test:443/", true),
            ("http://shop.test/", false),
            ("https://shop.test:8443/", false),
            ("https://www.shop.test/", false),
        ] {
            let headers = credentials.headers_for(&Url::parse(url).unwrap());
            assert_eq!(headers.contains_key("x-token"), expected, "{url}");
            assert!(headers["user-agent"].to_str().unwrap().starts_with("Palisade/"), "always ours");
        }
    }

    #[test]
    fn repeated_values_are_masked() {
        let credentials = credentials();
        let masked = |text: &str| String::from_utf8(credentials.masked(text.as_bytes())).unwrap();
        assert_eq!(masked("<b>of-the-shop</b>of-the-shop, test"), "<b>***</b>***, test");
        assert_eq!(masked("of-the-sho"), "of-the-sho");
    }
}
