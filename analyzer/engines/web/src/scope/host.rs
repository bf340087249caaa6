//! Hosts: normal form, registrable domain, and the patterns in which people list them.

use thiserror::Error;
use url::{Host, Url};

/// Octets of a name (RFC 1035).
const LONGEST_NAME: usize = 253;
/// Octets of a label (RFC 1035).
const LONGEST_LABEL: usize = 63;

/// The host of a URL in lower case and ASCII, without a dot at the end. `None` if it is not a name of DNS.
pub(super) fn normalized_host(url: &Url) -> Option<Host> {
    match url.host()? {
        Host::Domain(name) => normalized_name(name).map(Host::Domain),
        Host::Ipv4(address) => Some(Host::Ipv4(address)),
        Host::Ipv6(address) => Some(Host::Ipv6(address)),
    }
}

fn normalized_name(name: &str) -> Option<String> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= LONGEST_LABEL
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    (name.len() <= LONGEST_NAME && name.split('.').all(is_label)).then(|| name.to_ascii_lowercase())
}

/// The registrable domain of a name, with private suffixes as suffixes: `a.github.io` is one, `github.io` has none.
pub(super) fn registrable_domain(host: &Host) -> Option<String> {
    match host {
        Host::Domain(name) => psl::domain_str(name).map(str::to_owned),
        Host::Ipv4(_) | Host::Ipv6(_) => None,
    }
}

/// A listed host is not valid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{text:?} is not a host, *.host, or host:port")]
pub struct PatternError {
    /// The text, cut to 100 characters, since messages are shown.
    text: String,
}

/// A host in a list: `host`, `*.host` for the names under it, and each with `:port`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern {
    host: Host,
    names_under: bool,
    port: Option<u16>,
}

impl HostPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// [`PatternError`] if the text has another form.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        Self::read(text.trim()).ok_or_else(|| PatternError { text: text.chars().take(100).collect() })
    }

    fn read(text: &str) -> Option<Self> {
        if text.contains(['/', '?', '#', '\\', '@']) {
            return None;
        }
        let (names_under, rest) = match text.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        // A scheme without a default port keeps every port; one of HTTP would hide its own.
        let (name, port) = match rest.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') => (name, Some(port.parse().ok()?)),
            _ => (rest, None),
        };
        let host = normalized_host(&Url::parse(&format!("http://{name}/")).ok()?)?;
        let under_address = names_under && !matches!(host, Host::Domain(_));
        (!under_address).then_some(Self { host, names_under, port })
    }

    /// Whether a host is listed by it.
    #[must_use]
    pub(super) fn covers(&self, host: &Host) -> bool {
        match (&self.host, host) {
            (Host::Domain(listed), Host::Domain(name)) if self.names_under => {
                name.strip_suffix(listed.as_str()).is_some_and(|labels| labels.ends_with('.'))
            }
            (listed, host) => listed == host,
        }
    }

    /// Whether it applies to a port: without a port it applies to all.
    pub(super) fn allows_port(&self, port: Option<u16>) -> bool {
        self.port.is_none() || self.port == port
    }

    pub(super) const fn port(&self) -> Option<u16> {
        self.port
    }
}
