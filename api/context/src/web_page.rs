//! Origin `web_page`: a page by host and path. Public: results are shared by all organizations.
//!
//! - `target.rs`: identifier → host and path.
//! - `identity.rs`: DNS, TLS, names; `registration.rs`: age of the domain by RDAP.
//! - `page.rs`: the page, its redirects, forms and text.
//! - `job.rs`: the job that scans a page after the reply.

mod identity;
mod job;
mod page;
mod registration;
mod target;

use std::sync::Arc;

use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use outbound::{Outbound, Requester};

pub(crate) use job::enqueue;
pub use job::{Scanner, scan_kind};
pub(crate) use registration::Registrations;
pub(crate) use target::Target;

use crate::engine::Engine;
use crate::score::Assessment;

/// Dependencies of scans of pages.
#[derive(Clone)]
pub struct Network {
    pub(crate) outbound: Arc<Outbound>,
    pub(crate) registrations: Arc<Registrations>,
}

impl Network {
    /// Look-ups and downloads; `bootstrap` is the URL of the list of RDAP servers.
    #[must_use]
    pub fn new(outbound: Arc<Outbound>, bootstrap: String) -> Self {
        Self { outbound, registrations: Arc::new(Registrations::new(bootstrap)) }
    }
}

/// Scan of one page.
pub(crate) struct Scan<'s> {
    pub(crate) engine: &'s Engine,
    pub(crate) network: &'s Network,
    pub(crate) requester: Requester,
    pub(crate) target: &'s Target,
    pub(crate) now: Timestamp,
}

impl Scan<'_> {
    /// The identity tier: DNS, TLS, registration, names.
    pub(crate) async fn preliminary(&self) -> Assessment {
        Assessment { checks: identity::checks(self).await, is_pending: true, ..Assessment::default() }
    }

    /// The whole scan.
    pub(crate) async fn whole(&self) -> Assessment {
        let (mut checks, page) =
            Box::pin(futures_util::future::join(identity::checks(self), page::checks(self))).await;
        checks.extend(page.checks);
        Assessment { checks, skipped: page.skipped, is_unreadable: page.is_unreadable, is_pending: false }
    }
}

/// Requests of a scan that is not made for a client who waits.
pub(crate) fn requester(organization: OrganizationId) -> Requester {
    Requester::background(organization)
}

#[cfg(test)]
mod tests;
