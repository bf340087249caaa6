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
/// Shortest part of a value that is masked too, for example the token behind `Bearer` or the value of a cookie: shorter parts
/// are names and schemes.
const SHORTEST_MASKED_PART: usize = 12;
/// Bytes that separate the parts of a value.
const SEPARATORS: &[u8] = b" ;,=";

/// The headers of an application, opened.
pub(crate) struct Credentials {
    /// Origin of the application: no other gets its headers.
    origin: String,
    headers: HeaderMap,
    /// Texts that are masked, the longest first: one may be a part of another.
    masked: Vec<Zeroizing<Vec<u8>>>,
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
        let values = opened.iter().map(|(_, value)| value.as_slice());
        let parts = values.clone().flat_map(|value| value.split(|byte| SEPARATORS.contains(byte)));
        let masked = values.filter(|value| value.len() >= SHORTEST_MASKED);
        let masked = masked.chain(parts.filter(|part| part.len() >= SHORTEST_MASKED_PART));
        let mut masked: Vec<_> = masked.map(|text| Zeroizing::new(text.to_vec())).collect();
        masked.sort_by_key(|text| std::cmp::Reverse(text.len()));
        Self { origin: url.origin().ascii_serialization(), headers, masked }
    }

    /// Headers of a request.
    pub(crate) fn headers_for(&self, url: &Url) -> HeaderMap {
        let is_application = url.origin().ascii_serialization() == self.origin;
        let mut headers = if is_application { self.headers.clone() } else { HeaderMap::new() };
        headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        headers
    }

    /// Bytes of a reply with asterisks instead of the values and of their longer parts.
    pub(crate) fn masked(&self, bytes: &[u8]) -> Vec<u8> {
        self.masked.iter().fold(bytes.to_vec(), |bytes, text| replaced(bytes, text))
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

    #[test]
    fn tokens_within_values_are_masked_without_their_scheme_or_name() {
        let header = |name: &str, value: &str| (name.to_owned(), Zeroizing::new(value.as_bytes().to_vec()));
        let opened = vec![
            header("authorization", "Bearer 0123456789abcdef"),
            header("cookie", "session=fedcba9876543210; theme=dark"),
        ];
        let credentials = Credentials::new(opened, &Url::parse("https://shop.test/").unwrap());
        let text =
            "a Bearer 0123456789abcdef, b 0123456789abcdef, c fedcba9876543210, Bearer session theme dark";
        let masked = String::from_utf8(credentials.masked(text.as_bytes())).unwrap();
        assert_eq!(masked, "a ***, b ***, c ***, Bearer session theme dark");
    }
}
