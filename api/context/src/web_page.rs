//! Origin `web_page`: a page by host and path. Public: results are shared by all organizations.
//!
//! - `target.rs`: identifier → host and path.
//! - `identity.rs`: DNS, TLS, names; `registration.rs`: age of the domain by RDAP.
//! - `fetch.rs`: a fetch of a page; `page.rs`: redirects, forms, scripts, links and text of it.
//! - `deep.rs`: the page as another program gets it, and linked pages.

mod deep;
mod fetch;
mod identity;
mod page;
mod registration;
mod target;

use std::sync::Arc;

use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use outbound::{Answer, Destination, DnsError, Outbound, Question, Reply, Request, Requester, SendError};
use sandbox::{Bounds, Sandbox};
use tokio::sync::Semaphore;

pub(crate) use registration::Registrations;
pub(crate) use target::Target;

use crate::asking;
use crate::engine::Engine;
use crate::scanner::Scanner;
use crate::score::Assessment;

/// Pages in other formats than HTML and text that are parsed at once, and those that wait.
const SANDBOX: Bounds = Bounds { running: 1, waiting: 32 };

/// Dependencies of scans of pages.
#[derive(Clone)]
pub struct Network {
    pub(crate) outbound: Arc<Outbound>,
    pub(crate) registrations: Arc<Registrations>,
    pub(crate) sandbox: Arc<Sandbox>,
}

impl Network {
    /// Look-ups and downloads; `bootstrap` is the URL of the list of RDAP servers.
    #[must_use]
    pub fn new(outbound: Arc<Outbound>, bootstrap: String) -> Self {
        let registrations = Arc::new(Registrations::new(bootstrap));
        Self { outbound, registrations, sandbox: Arc::new(Sandbox::new(SANDBOX)) }
    }
}

/// Scan of one page.
pub(crate) struct Scan<'s> {
    pub(crate) engine: &'s Engine,
    pub(crate) network: &'s Network,
    pub(crate) scanner: &'s Scanner,
    /// Held while a question is asked.
    turn: Semaphore,
    pub(crate) requester: Requester,
    pub(crate) target: &'s Target,
    pub(crate) now: Timestamp,
}

/// The identity and static tiers of a page, from which the deep tier goes on.
pub(crate) struct Begun {
    assessment: Assessment,
    page: Option<(fetch::Fetched, fetch::Read)>,
}

impl Begun {
    /// The result without the deep tier.
    pub(crate) fn assessment(&self) -> Assessment {
        Assessment { is_pending: true, ..self.assessment.clone() }
    }
}

impl<'s> Scan<'s> {
    /// A scan for an organization. Its look-ups wait for others of the organization, also where a client waits for the result.
    pub(crate) fn new(
        scanner: &'s Scanner,
        organization: OrganizationId,
        target: &'s Target,
        now: Timestamp,
    ) -> Self {
        let Scanner { engine, network, .. } = scanner;
        let requester = Requester::background(organization);
        Self { engine, network, scanner, turn: Semaphore::new(1), requester, target, now }
    }
}

impl Scan<'_> {
    /// The identity tier: DNS, TLS, registration, names.
    pub(crate) async fn preliminary(&self) -> Assessment {
        Assessment { checks: identity::checks(self).await, is_pending: true, ..Assessment::default() }
    }

    /// The identity and static tiers.
    pub(crate) async fn begin(&self) -> Begun {
        let (mut checks, page) =
            Box::pin(futures_util::future::join(identity::checks(self), page::read(self))).await;
        let page::Static { checks: of_page, skipped, is_unreadable, page } = page;
        checks.extend(of_page);
        Begun { assessment: Assessment { checks, skipped, is_unreadable, ..Assessment::default() }, page }
    }

    /// The deep tier.
    pub(crate) async fn finish(&self, begun: Begun) -> Assessment {
        let Begun { mut assessment, page } = begun;
        let page = page.as_ref().map(|(fetched, read)| (fetched, read));
        assessment.checks.extend(Box::pin(deep::checks(self, page)).await);
        assessment
    }

    /// Asks the name servers. A scan has one question in progress beside those of its requests.
    async fn ask(&self, question: Question<'_>) -> Result<Answer, DnsError> {
        let Ok(_turn) = self.turn.acquire().await else { return Err(DnsError::Failed) };
        asking::ask(&self.network.outbound, self.requester, question).await
    }

    /// Sends a request.
    async fn send(&self, destination: &Destination, request: Request) -> Result<Reply, SendError> {
        asking::send(&self.network.outbound, self.requester, destination, request).await
    }

    /// Runs an analysis on a thread, or states why it did not run.
    async fn analyse<T: Send + 'static>(
        &self,
        analysis: impl FnOnce(&Engine) -> T + Send + 'static,
    ) -> Result<T, String> {
        self.scanner.analyse(analysis).await.map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests;
