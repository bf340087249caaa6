//! A target made ready to be sent to: its URL judged, its secrets opened. And a cache of those of each organization, webhook
//! targets and telemetry endpoints, which is compared with the organization's ledger at every use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use common::ids::OrganizationId;
use directory::{
    Directory, DirectoryError, Receiver, ReceiverKind, TelemetryProtocol, Transport, header_field,
    is_receiver_key,
};
use http::{HeaderMap, HeaderName, HeaderValue};
use ledger::{Changes, Kind, Ledger, LedgerError, LedgerId, Seq};
use outbound::{Destination, Outbound};
use secrets::{SecretsError, Vault, is_data_key};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::target::{TargetId, location};

/// The field of a webhook target's signing secret.
pub(crate) const SIGNING_SECRET: &str = "signing_secret";
/// Organizations whose targets are read at the same time, at most. Many attempts that find the same change wait for one
/// reading of it.
const GATES: usize = 16;
/// Calls for the changes of a ledger, each of up to 256 commits, before targets are read again without knowing whether any
/// of them changed.
const MOST_CHANGES: usize = 4;
/// Organizations whose targets are kept in memory. When there are more, all are forgotten and read again.
const MOST_ORGANIZATIONS: usize = 2_000;

/// A target, ready.
pub(crate) struct Endpoint {
    pub(crate) target: Receiver,
    pub(crate) way: Result<Way, Obstacle>,
}

/// Reason why nothing can be sent.
pub(crate) enum Obstacle {
    /// The URL is not allowed: it stays so until it is changed.
    Url(String),
    /// An operator may bring the key back.
    Secrets(String),
}

/// Address, headers and form of its requests.
pub(crate) struct Way {
    pub(crate) destination: Destination,
    pub(crate) headers: HeaderMap,
    pub(crate) form: Form,
}

/// Form of its requests.
pub(crate) enum Form {
    /// A signed webhook.
    Webhook { secret: Zeroizing<Vec<u8>> },
    /// OpenTelemetry logs.
    Telemetry { protocol: TelemetryProtocol },
}

/// Reason why targets cannot be read.
#[derive(Debug, Error)]
pub(crate) enum EndpointError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Directory(#[from] DirectoryError),
}

impl Endpoint {
    /// Makes a target ready. What stands in the way is kept with it: it is told at every attempt.
    pub(crate) async fn open(target: Receiver, vault: &Vault, outbound: &Outbound) -> Self {
        let way = match outbound.destination(&target.url) {
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

async fn open_secrets(target: &Receiver, vault: &Vault) -> Result<(HeaderMap, Form), SecretsError> {
    let open = async |field: &str, sealed| {
        vault.open(&location(target.organization, &target.id).field(field), sealed).await
    };
    let form = match &target.transport {
        Transport::Webhook { signing_secret } => {
            Form::Webhook { secret: open(SIGNING_SECRET, signing_secret).await? }
        }
        Transport::Telemetry { protocol } => Form::Telemetry { protocol: *protocol },
    };
    let mut headers = HeaderMap::with_capacity(target.headers.len());
    for (name, sealed) in &target.headers {
        let value = open(&header_field(name), sealed).await?;
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
    kept: Mutex<HashMap<OrganizationId, CachedEndpoints>>,
    gates: [tokio::sync::Mutex<()>; GATES],
}

#[derive(Clone)]
struct CachedEndpoints {
    /// The commit of the organization's ledger up to which they are known.
    seq: Seq,
    endpoints: Endpoints,
}

impl EndpointCache {
    pub(crate) fn new(
        ledger: Arc<dyn Ledger>,
        directory: Arc<Directory>,
        vault: Arc<Vault>,
        outbound: Arc<Outbound>,
    ) -> Self {
        let gates = std::array::from_fn(|_| tokio::sync::Mutex::new(()));
        Self { ledger, directory, vault, outbound, kept: Mutex::default(), gates }
    }

    /// The targets of an organization with every change that was committed before the call, in whichever process. Asks the
    /// organization's ledger for its sequence number, and for more only after a change of a target.
    pub(crate) async fn of(&self, organization: OrganizationId) -> Result<Endpoints, EndpointError> {
        let seq = self.ledger.seq(LedgerId::Organization(organization)).await?;
        if let Some(kept) = self.known(organization, seq) {
            return Ok(kept);
        }
        let first = usize::from(organization.as_bytes()[15]) % GATES;
        let _passage = self.gates[first].lock().await;
        if let Some(kept) = self.known(organization, seq) {
            return Ok(kept);
        }
        let kept = match self.follow(organization, seq).await? {
            Some(kept) => kept,
            None => CachedEndpoints { seq, endpoints: self.read(organization).await? },
        };
        let endpoints = Arc::clone(&kept.endpoints);
        let mut all = self.kept();
        if all.len() >= MOST_ORGANIZATIONS && !all.contains_key(&organization) {
            all.clear();
        }
        all.insert(organization, kept);
        Ok(endpoints)
    }

    /// The kept targets, if they are known up to `seq`.
    fn known(&self, organization: OrganizationId, seq: Seq) -> Option<Endpoints> {
        self.kept().get(&organization).filter(|kept| kept.seq >= seq).map(|kept| Arc::clone(&kept.endpoints))
    }

    /// The kept targets, if no commit up to `seq` has changed one of them.
    async fn follow(
        &self,
        organization: OrganizationId,
        seq: Seq,
    ) -> Result<Option<CachedEndpoints>, LedgerError> {
        let Some(mut kept) = self.kept().get(&organization).cloned() else { return Ok(None) };
        for _ in 0..MOST_CHANGES {
            let id = LedgerId::Organization(organization);
            let Changes::Touched { seq: through, rows } = self.ledger.changes(id, kept.seq).await? else {
                return Ok(None);
            };
            let concerns = |key: &[u8]| is_receiver_key(key) || is_data_key(key);
            if rows.iter().any(|(kind, key)| *kind == Kind::Head && concerns(key)) {
                return Ok(None);
            }
            kept.seq = through;
            if through >= seq {
                return Ok(Some(kept));
            }
        }
        Ok(None)
    }

    async fn read(&self, organization: OrganizationId) -> Result<Endpoints, EndpointError> {
        let mut endpoints = HashMap::new();
        for kind in ReceiverKind::ALL {
            for target in self.directory.receivers(kind).list(organization).await? {
                let id = TargetId::of(&target);
                let endpoint = Endpoint::open(target, &self.vault, &self.outbound).await;
                endpoints.insert(id, Arc::new(endpoint));
            }
        }
        Ok(Arc::new(endpoints))
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<OrganizationId, CachedEndpoints>> {
        // Its content is valid even after a panic of a holder.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
