//! The policy of one call: the part of what the address guard permits that this call may use. It is checked for the first
//! request and for each one that a redirect leads to.

use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::time::Instant;

use crate::budget::{Budget, Rate};
use crate::connect::is_https;
use crate::destination::Destination;
use crate::request::SendError;

/// Which requests a call may make. [`Policy::default`] permits what the address guard does, and follows no redirect.
///
/// A policy narrows the guard and cannot widen it: the guard is asked as well, always.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// URL schemes.
    pub schemes: Schemes,
    /// Host names.
    pub hosts: Hosts,
    /// TCP ports; `None` for those that the guard permits.
    pub ports: Option<Arc<[u16]>>,
    /// Addresses.
    pub addresses: Addresses,
    /// Redirects that are followed. With 0 a redirect is the reply; with more, one too many is an error.
    pub redirects: u8,
    /// Shared by calls that must not exceed a rate together.
    pub rate: Option<Arc<Rate>>,
    /// Shared by calls that must not exceed a number of requests or bytes together.
    pub budget: Option<Arc<Budget>>,
}

/// URL schemes of a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schemes {
    /// Those of the guard: https, and http to allowed networks.
    #[default]
    Guarded,
    /// https only.
    Https,
}

/// Host names of a policy.
#[derive(Clone, Debug, Default)]
pub enum Hosts {
    /// Any.
    #[default]
    Any,
    /// Those that one of the patterns matches.
    Only(Arc<[HostPattern]>),
}

/// A host name, or a domain with everything below it. IP addresses are matched by their normalized text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostPattern {
    /// One host.
    Exact(String),
    /// A domain and its subdomains.
    Domain(String),
}

/// Addresses of a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Addresses {
    /// Those of the guard: public ones, and the networks that the operator allows.
    #[default]
    Guarded,
    /// Public ones, also where the operator allows other networks.
    Public,
}

/// Which part of a policy a request does not fit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PolicyError {
    /// The scheme.
    #[error("expected an https URL, found an http URL")]
    Scheme,
    /// The host.
    #[error("expected a host that the policy of the request allows, found {found}")]
    Host {
        /// The host.
        found: String,
    },
    /// The port.
    #[error("expected a port that the policy of the request allows, found {found}")]
    Port {
        /// The port.
        found: u16,
    },
    /// A method that opens a tunnel past the guard.
    #[error("expected a method other than CONNECT")]
    Method,
}

impl Policy {
    /// Waits until a request may be made under the policy, and takes it from the budget. The deadline is given with the
    /// time that there was until then.
    pub(crate) async fn begin(
        &self,
        destination: &Destination,
        (deadline, within): (Instant, Duration),
    ) -> Result<(), SendError> {
        self.admit(destination)?;
        if let Some(budget) = &self.budget {
            budget.take_request()?;
        }
        if let Some(rate) = &self.rate {
            let seconds = within.as_secs_f64();
            let start = rate.reserve(deadline).ok_or(SendError::Rate { seconds })?;
            tokio::time::sleep_until(start).await;
        }
        Ok(())
    }

    /// Whether a URL fits the policy.
    pub(crate) fn admit(&self, destination: &Destination) -> Result<(), PolicyError> {
        if self.schemes == Schemes::Https && !is_https(&destination.uri) {
            return Err(PolicyError::Scheme);
        }
        if !self.hosts.contain(destination.host()) {
            return Err(PolicyError::Host { found: destination.host().to_owned() });
        }
        let found = destination.port();
        if self.ports.as_ref().is_some_and(|ports| !ports.contains(&found)) {
            return Err(PolicyError::Port { found });
        }
        Ok(())
    }
}

impl Hosts {
    fn contain(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Only(patterns) => patterns.iter().any(|pattern| pattern.matches(host)),
        }
    }
}

impl HostPattern {
    /// Hosts of URLs are in lower case.
    fn matches(&self, host: &str) -> bool {
        match self {
            Self::Exact(name) => name.eq_ignore_ascii_case(host),
            Self::Domain(domain) => {
                let domain = domain.to_ascii_lowercase();
                let below = host.strip_suffix(&domain);
                below.is_some_and(|below| below.is_empty() || below.ends_with('.'))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(policy: &Policy, url: &str) -> Result<(), PolicyError> {
        let allowed = ["127.0.0.0/8".parse().unwrap()];
        policy.admit(&Destination::parse(url, &allowed).unwrap())
    }

    #[test]
    fn hosts_match_whole_labels() {
        let patterns =
            [HostPattern::Exact("API.one.example".to_owned()), HostPattern::Domain("two.example".to_owned())];
        let policy = Policy { hosts: Hosts::Only(patterns.into()), ..Policy::default() };
        for url in ["https://api.one.example/", "https://two.example/", "https://A.B.two.example/"] {
            assert_eq!(admits(&policy, url), Ok(()), "{url}");
        }
        for url in [
            "https://one.example/",
            "https://x.api.one.example/",
            "https://eviltwo.example/",
            "https://two.example.evil.example/",
            "https://two.example./",
            "https://93.184.216.34/",
        ] {
            assert!(matches!(admits(&policy, url), Err(PolicyError::Host { .. })), "{url}");
        }
    }

    #[test]
    fn schemes_and_ports_are_narrowed() {
        let policy = Policy { schemes: Schemes::Https, ports: Some([443, 8443].into()), ..Policy::default() };
        assert_eq!(admits(&policy, "https://one.example/"), Ok(()));
        assert_eq!(admits(&policy, "https://one.example:8443/"), Ok(()));
        assert_eq!(admits(&policy, "http://127.0.0.1:8443/"), Err(PolicyError::Scheme));
        assert_eq!(admits(&policy, "https://one.example:9000/"), Err(PolicyError::Port { found: 9000 }));
        assert_eq!(admits(&Policy::default(), "http://127.0.0.1:9000/"), Ok(()));
    }
}
