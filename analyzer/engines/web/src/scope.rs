//! Permission: which requests the owner of the application allowed. Asked before every request and every redirect.

mod host;

use std::net::Ipv6Addr;

use common::words;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use url::{Host, Url};

pub use host::{HostPattern, PatternError};
use host::{normalized_host, registrable_domain};

/// Explicit inclusions, and as many exclusions: a bound of the time of one decision.
pub const MOST_PATTERNS: usize = 200;

words! {
    /// Permission for a host.
    ScopeStatus {
        /// It may be crawled.
        Included = "included",
        /// It may be resolved and contacted by a TLS handshake only.
        Unverified = "unverified",
        /// Excluded by a user. Nothing is sent to it.
        Excluded = "excluded",
        /// It does not belong to the application. It is only counted.
        Foreign = "foreign",
    }
}

words! {
    /// Reason of a [`ScopeStatus`].
    ScopeReason {
        /// The host of the application, at its port or at a default port.
        ApplicationHost = "application_host",
        /// Listed as included.
        ListedIncluded = "listed_included",
        /// Listed as excluded.
        ListedExcluded = "listed_excluded",
        /// Another name under the registrable domain of the application.
        SameDomain = "same_domain",
        /// An included host at another port or with another scheme.
        OtherOrigin = "other_origin",
        /// A name of another domain.
        OtherDomain = "other_domain",
        /// Neither HTTP nor HTTPS.
        Scheme = "scheme",
        /// User name or password in the URL.
        Credentials = "credentials",
        /// No host, or one that is not a name of DNS.
        Host = "host",
    }
}

/// The status of a URL and its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The status.
    pub status: ScopeStatus,
    /// Its reason.
    pub reason: ScopeReason,
}

impl Decision {
    const fn new(status: ScopeStatus, reason: ScopeReason) -> Self {
        Self { status, reason }
    }

    /// Whether a request may be sent.
    #[must_use]
    pub fn permits_requests(self) -> bool {
        self.status == ScopeStatus::Included
    }
}

/// An application from which no scope follows.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScopeError {
    /// The text is not an absolute URL.
    #[error("the URL of the application is not valid")]
    Url,
    /// The scheme cannot be crawled.
    #[error("the URL of the application must begin with http:// or https://")]
    Scheme,
    /// The URL has a user name or a password.
    #[error("the URL of the application must not contain credentials")]
    Credentials,
    /// The host is not a name of DNS.
    #[error("the host of the application is not valid")]
    Host,
    /// A listed host is not valid.
    #[error("listed host: {0}")]
    Pattern(#[from] PatternError),
    /// More than [`MOST_PATTERNS`] hosts in one list.
    #[error("at most {MOST_PATTERNS} hosts can be listed")]
    Patterns,
}

/// The scope of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    application: Url,
    host: Host,
    registrable: Option<String>,
    included: Vec<HostPattern>,
    excluded: Vec<HostPattern>,
}

impl Scope {
    /// The scope of the application at a URL, with hosts that a user listed.
    ///
    /// # Errors
    ///
    /// [`ScopeError`] if the URL or a listed host is not valid.
    pub fn new(application: &str, included: &[String], excluded: &[String]) -> Result<Self, ScopeError> {
        let application = Url::parse(application).map_err(|_| ScopeError::Url)?;
        if !matches!(application.scheme(), "http" | "https") {
            return Err(ScopeError::Scheme);
        }
        if has_credentials(&application) {
            return Err(ScopeError::Credentials);
        }
        let application = normalized(&application).ok_or(ScopeError::Host)?;
        let host = normalized_host(&application).ok_or(ScopeError::Host)?;
        if included.len() > MOST_PATTERNS || excluded.len() > MOST_PATTERNS {
            return Err(ScopeError::Patterns);
        }
        let parse = |texts: &[String]| -> Result<Vec<HostPattern>, PatternError> {
            texts.iter().map(|text| HostPattern::parse(text)).collect()
        };
        Ok(Self {
            registrable: registrable_domain(&host),
            included: parse(included)?,
            excluded: parse(excluded)?,
            application,
            host,
        })
    }

    /// The URL of the application, normalized.
    #[must_use]
    pub const fn application(&self) -> &Url {
        &self.application
    }

    /// The registrable domain of the application: the highest name that its owner can give out. None for an address.
    #[must_use]
    pub fn registrable_domain(&self) -> Option<&str> {
        self.registrable.as_deref()
    }

    /// The status of a URL. An exclusion overrides everything else.
    #[must_use]
    pub fn decide(&self, url: &Url) -> Decision {
        use {ScopeReason as Reason, ScopeStatus as Status};
        if !matches!(url.scheme(), "http" | "https") {
            return Decision::new(Status::Foreign, Reason::Scheme);
        }
        let Some(host) = normalized_host(url) else { return Decision::new(Status::Foreign, Reason::Host) };
        let port = url.port_or_known_default();
        if self.excluded.iter().any(|pattern| pattern.covers(&host) && pattern.allows_port(port)) {
            return Decision::new(Status::Excluded, Reason::ListedExcluded);
        }
        // Credentials in a link are those of its author, and a server would count them as a failed login.
        if has_credentials(url) {
            return Decision::new(Status::Foreign, Reason::Credentials);
        }
        let listed = || self.included.iter().filter(|pattern| pattern.covers(&host));
        if listed().any(|pattern| match pattern.port() {
            Some(listed) => Some(listed) == port,
            None => self.is_usual_origin(url),
        }) {
            return Decision::new(Status::Included, Reason::ListedIncluded);
        }
        if host == self.host && self.is_usual_origin(url) {
            return Decision::new(Status::Included, Reason::ApplicationHost);
        }
        if host == self.host || listed().next().is_some() {
            return Decision::new(Status::Unverified, Reason::OtherOrigin);
        }
        if self.registrable.is_some() && registrable_domain(&host) == self.registrable {
            return Decision::new(Status::Unverified, Reason::SameDomain);
        }
        Decision::new(Status::Foreign, Reason::OtherDomain)
    }

    /// The status of a host name without a URL, for example of a certificate: that of the application's scheme and port.
    #[must_use]
    pub fn decide_host(&self, name: &str) -> Decision {
        let mut url = self.application.clone();
        // Characters that would end the host are refused by `set_host`, except these, at which it stops. The brackets of an
        // IPv6 address contain colons.
        let inner = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let is_address = inner.is_some_and(|inner| inner.parse::<Ipv6Addr>().is_ok());
        let ends = !is_address && name.contains(['/', '?', '#', '\\', ':', '@']);
        if ends || url.set_host(Some(name)).is_err() {
            return Decision::new(ScopeStatus::Foreign, ScopeReason::Host);
        }
        self.decide(&url)
    }

    /// Whether scheme and port are those of the application, or of the other scheme at its default port where the application
    /// has a default port too: servers redirect from one to the other. Any other port is another service.
    fn is_usual_origin(&self, url: &Url) -> bool {
        let same = url.scheme() == self.application.scheme()
            && url.port_or_known_default() == self.application.port_or_known_default();
        // The parser removes default ports.
        same || (self.application.port().is_none() && url.port().is_none())
    }
}

fn has_credentials(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// The URL in the form in which it is requested and compared: without fragment and without the dot at the end of the host.
/// `None` if the host is not a name of DNS.
#[must_use]
pub fn normalized(url: &Url) -> Option<Url> {
    let host = normalized_host(url)?;
    let mut url = url.clone();
    url.set_fragment(None);
    if url.host_str().is_some_and(|text| text.ends_with('.')) {
        url.set_host(Some(&host.to_string())).ok()?;
    }
    Some(url)
}

/// The name of the host of a URL, as hosts are listed.
#[must_use]
pub fn host_name(url: &Url) -> Option<String> {
    normalized_host(url).map(|host| host.to_string())
}

#[cfg(test)]
mod tests;
