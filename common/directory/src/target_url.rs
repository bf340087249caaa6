//! URLs of applications and agents. Whether a request may be sent to one is decided when it is sent.

use url::{Origin, Url};

use crate::error::DirectoryError;

/// Longest URL, in bytes, as for webhook targets.
const MAX_URL: usize = 2_048;

/// A URL of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetUrl(Url);

impl TargetUrl {
    /// Reads an http or https URL without user name and password (WHATWG URL).
    ///
    /// # Errors
    /// `Invalid`, which names the field.
    pub fn parse(field: &'static str, text: &str) -> Result<Self, DirectoryError> {
        let invalid = |reason: String| DirectoryError::invalid(field, reason);
        if text.len() > MAX_URL {
            return Err(invalid(format!("expected at most {MAX_URL} bytes, found {}", text.len())));
        }
        let url = Url::parse(text).map_err(|error| invalid(format!("expected an absolute URL: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(invalid(format!("expected an http or https URL, found {}", url.scheme())));
        }
        // They would be shown wherever the URL is.
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid("expected a URL without user name and password".to_owned()));
        }
        if url.as_str().len() > MAX_URL {
            let found = url.as_str().len();
            return Err(invalid(format!(
                "expected at most {MAX_URL} bytes after normalization, found {found}"
            )));
        }
        Ok(Self(url))
    }

    /// The URL, normalized.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Scheme, host and port (RFC 6454).
    fn origin(&self) -> Origin {
        self.0.origin()
    }
}

/// Text that is the same for URLs of the same document. Of a stored text, which rules of today may refuse, so that it has an
/// identity in any case.
pub(crate) fn identity(stored: &str) -> String {
    let Ok(mut url) = Url::parse(stored) else { return stored.to_owned() };
    url.set_fragment(None);
    url.into()
}

/// Whether credentials that were given for a stored URL may be kept with a new one: both have the same origin. A stored URL that
/// rules of today refuse has the origin of no other one.
pub(crate) fn is_same_origin(field: &'static str, stored: &str, new: &str) -> Result<bool, DirectoryError> {
    let new = TargetUrl::parse(field, new)?;
    Ok(TargetUrl::parse(field, stored).is_ok_and(|stored| stored.origin() == new.origin()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<TargetUrl, DirectoryError> {
        TargetUrl::parse("url", text)
    }

    #[test]
    fn one_document_has_one_identity() {
        let identity = |text| identity(parse(text).unwrap().as_str());
        for same in
            ["https://SHOP.example.com:443", "https://shop.example.com/#top", "https://shop.example.com/a/.."]
        {
            assert_eq!(identity(same), "https://shop.example.com/", "{same}");
        }
        for other in
            ["http://shop.example.com/", "https://shop.example.com:8443/", "https://shop.example.com/a"]
        {
            assert_ne!(identity(other), "https://shop.example.com/", "{other}");
        }
        assert_eq!(parse("https://shop.example.com/#top").unwrap().as_str(), "https://shop.example.com/#top");
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let same = |other| is_same_origin("url", "https://shop.example.com/a", other).unwrap();
        assert!(same("https://shop.example.com:443/b?c=d"));
        assert!(!same("http://shop.example.com/a"));
        assert!(!same("https://shop.example.com:8443/a"));
        assert!(!same("https://shop.example.org/a"));
        let refused = "ftp://shop.example.com/a";
        assert!(!is_same_origin("url", refused, "https://shop.example.com/a").unwrap());
        assert!(is_same_origin("url", "https://shop.example.com/a", refused).is_err());
        assert_eq!(
            (identity("ftp://a.test/#b"), identity("no url")),
            ("ftp://a.test/".into(), "no url".into())
        );
    }

    #[test]
    fn other_texts_are_refused() {
        let long = format!("https://example.com/{}", "x".repeat(MAX_URL));
        for text in [
            "",
            "shop",
            "/shop",
            "ftp://example.com/",
            "javascript:alert(1)",
            "https://u@example.com/",
            "https://:p@example.com/",
            "https://",
            &long,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
