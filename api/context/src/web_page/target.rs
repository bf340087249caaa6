//! Identifiers of pages: host, or host and path, in lower-case A-labels, without port, user name, query and fragment.

use url::{Host, Url};

use crate::artifact::Origin;
use crate::record::Subject;

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Host in lower-case A-labels.
    pub(crate) host: String,
    /// URL.
    pub(crate) url: String,
    identifier: String,
}

impl Target {
    /// Reads an identifier.
    ///
    /// # Errors
    /// The expected form.
    pub(crate) fn parse(identifier: &str) -> Result<Self, &'static str> {
        let expected = "expected a host, or host/path, without scheme, port, user name, query and fragment";
        if identifier.contains("://")
            || identifier.contains(['?', '#', '@', '\\'])
            || identifier.starts_with('/')
        {
            return Err(expected);
        }
        let url = Url::parse(&format!("https://{identifier}")).map_err(|_| expected)?;
        let Some(Host::Domain(host)) = url.host() else { return Err("expected a host name") };
        if url.port().is_some() || !host.contains('.') {
            return Err(expected);
        }
        let host = host.trim_end_matches('.').to_owned();
        // Scans by jobs have the identifier only: it has to name the same page as the URL, with a final slash and without.
        let path = url.path();
        let named = if path == "/" { "" } else { path };
        Ok(Self { identifier: format!("{host}{named}"), url: format!("https://{host}{path}"), host })
    }

    /// Identifier and label.
    pub(crate) fn subject(&self) -> Subject {
        Subject {
            origin: Origin::WebPage,
            identifier: self.identifier.clone(),
            name: self.host.clone(),
            url: Some(self.url.clone()),
        }
    }

    /// The normalized identifier.
    pub(crate) fn identifier(&self) -> &str {
        &self.identifier
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_normalized_and_other_parts_are_refused() {
        let of = |identifier: &str| Target::parse(identifier).map(|target| target.identifier);
        assert_eq!(of("EXAMPLE.org").as_deref(), Ok("example.org"));
        assert_eq!(of("example.org/").as_deref(), Ok("example.org"));
        let slash = Target::parse("example.org/a/b/").unwrap();
        assert_eq!(Target::parse(slash.identifier()).unwrap(), slash, "a job scans the same page");
        assert_eq!(of("münchen.de/ä").as_deref(), Ok("xn--mnchen-3ya.de/%C3%A4"));
        assert_eq!(of("example.org/a/../b").as_deref(), Ok("example.org/b"));
        for bad in [
            "https://example.org",
            "example.org:8080",
            "a@example.org",
            "example.org?q=1",
            "10.0.0.1",
            "localhost",
            "",
            "/a",
            "a b",
        ] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }
}
