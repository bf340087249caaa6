//! A target made ready to be sent to: its URL judged, its secrets opened. And those of each organization, webhook targets
//! and telemetry endpoints, kept for as long as nobody changes them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use common::clock::SharedClock;
use common::ids::OrganizationId;
use directory::{Directory, DirectoryError, TelemetryProtocol};
use http::{HeaderMap, HeaderName, HeaderValue};
use ledger::{Ledger, LedgerError, LedgerId, Seq};
use outbound::{Destination, Outbound};
use secrets::{SecretsError, Vault};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::target::{Target, TargetId};

/// The field of a webhook target's signing secret.
pub(crate) const SIGNING_SECRET: &str = "signing_secret";
/// How long a target is sent to before it is asked whether somebody has changed or disabled it.
const FRESH: Duration = Duration::from_secs(1);
/// Organizations whose targets are kept in memory. When there are more, all are forgotten and read again.
const MOST_ORGANIZATIONS: usize = 2_000;

/// A target, ready.
pub(crate) struct Endpoint {
    pub(crate) target: Target,
    pub(crate) way: Result<Way, Obstacle>,
}

/// Why nothing can be sent.
pub(crate) enum Obstacle {
    /// The URL is not allowed: it stays so until somebody changes it.
    Url(String),
    /// An operator may bring the key back.
    Secrets(String),
}

/// How it is reached.
pub(crate) struct Way {
    pub(crate) destination: Destination,
    pub(crate) headers: HeaderMap,
    pub(crate) form: Form,
}

/// What it is told in.
pub(crate) enum Form {
    /// A signed webhook.
    Webhook { secret: Zeroizing<Vec<u8>> },
    /// OpenTelemetry logs.
    Telemetry { protocol: TelemetryProtocol },
}

/// Why targets cannot be read.
#[derive(Debug, Error)]
pub(crate) enum EndpointError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Directory(#[from] DirectoryError),
}

/// Where the value of a target's header is sealed for.
pub(crate) fn header_field(name: &str) -> String {
    format!("header/{name}")
}

impl Endpoint {
    /// Makes a target ready. What stands in the way is kept with it: it is told at every attempt.
    pub(crate) async fn open(target: Target, vault: &Vault, outbound: &Outbound) -> Self {
        let way = match outbound.destination(target.url()) {
            Ok(destination) => open_secrets(&target, vault)
                .await
                .map(|(headers, form)| Way { destination, headers, form })
                .map_err(|error| {
                    Obstacle::Secrets(format!("the target's secrets cannot be opened: {error}"))
                }),
            Err(error) => Err(Obstacle::Url(error.to_string())),
        };
        Self { target, way }
    }
}

async fn open_secrets(target: &Target, vault: &Vault) -> Result<(HeaderMap, Form), SecretsError> {
    let (id, organization) = (target.id(), target.organization());
    let form = match target {
        Target::Webhook(target) => {
            let secret = vault.open(&id.place(organization, SIGNING_SECRET), &target.signing_secret).await?;
            Form::Webhook { secret }
        }
        Target::Telemetry(endpoint) => Form::Telemetry { protocol: endpoint.protocol },
    };
    let mut headers = HeaderMap::with_capacity(target.headers().len());
    for (name, sealed) in target.headers() {
        let field = header_field(name);
        let value = vault.open(&id.place(organization, &field), sealed).await?;
        // Both were checked when the target was made.
        let parsed = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(&value));
        if let (Ok(name), Ok(mut value)) = parsed {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    }
    Ok((headers, form))
}

/// All targets of an organization, ready.
pub(crate) type Endpoints = Arc<HashMap<TargetId, Arc<Endpoint>>>;

/// Keeps endpoints ready.
pub(crate) struct EndpointCache {
    ledger: Arc<dyn Ledger>,
    directory: Arc<Directory>,
    vault: Arc<Vault>,
    outbound: Arc<Outbound>,
    clock: SharedClock,
    kept: Mutex<HashMap<OrganizationId, Kept>>,
}

struct Kept {
    seq: Seq,
    looked_at: Duration,
    endpoints: Endpoints,
}

impl EndpointCache {
    pub(crate) fn new(
        ledger: Arc<dyn Ledger>,
        directory: Arc<Directory>,
        vault: Arc<Vault>,
        outbound: Arc<Outbound>,
        clock: SharedClock,
    ) -> Self {
        Self { ledger, directory, vault, outbound, clock, kept: Mutex::default() }
    }

    /// The targets of an organization as they were at most a second ago.
    pub(crate) async fn of(&self, organization: OrganizationId) -> Result<Endpoints, EndpointError> {
        let now = self.clock.monotonic();
        if let Some(kept) = self.kept().get(&organization)
            && now.saturating_sub(kept.looked_at) < FRESH
        {
            return Ok(Arc::clone(&kept.endpoints));
        }
        self.of_now(organization).await
    }

    /// The targets of an organization as they are: who was there before an event is told of it.
    pub(crate) async fn of_now(&self, organization: OrganizationId) -> Result<Endpoints, EndpointError> {
        let now = self.clock.monotonic();
        let seq = self.ledger.seq(LedgerId::Organization(organization)).await?;
        if let Some(kept) = self.kept().get_mut(&organization)
            && kept.seq == seq
        {
            kept.looked_at = now;
            return Ok(Arc::clone(&kept.endpoints));
        }
        let mut endpoints = HashMap::new();
        let webhooks = self.directory.list_webhook_targets(organization).await?;
        let telemetry = self.directory.list_telemetry_endpoints(organization).await?;
        let webhooks = webhooks.into_iter().map(Target::Webhook);
        for target in webhooks.chain(telemetry.into_iter().map(Target::Telemetry)) {
            let endpoint = Endpoint::open(target, &self.vault, &self.outbound).await;
            endpoints.insert(endpoint.target.id(), Arc::new(endpoint));
        }
        let endpoints = Arc::new(endpoints);
        let mut all = self.kept();
        if all.len() >= MOST_ORGANIZATIONS {
            all.clear();
        }
        all.insert(organization, Kept { seq, looked_at: now, endpoints: Arc::clone(&endpoints) });
        Ok(endpoints)
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<OrganizationId, Kept>> {
        // What is in it is right even if somebody panicked while holding it.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
