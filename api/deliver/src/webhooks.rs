//! What people do to webhook targets: creating and changing them with secrets sealed and URLs judged, rotating
//! secrets, sending a test. Reading, listing and deleting them is the directory's.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::clock::SharedClock;
use common::event::{EventId, EventKind};
use common::ids::{OrganizationId, WebhookTargetId};
use directory::{
    Directory, DirectoryError, NewWebhookTarget, SourceFilter, SourceFilterChange, WebhookTarget,
    WebhookTargetChange,
};
use http::HeaderValue;
use outbound::Outbound;
use secrets::{Sealed, SecretsError, Vault};
use thiserror::Error;

use crate::delivery::Attempt;
use crate::endpoint::{Endpoint, header_field, place};
use crate::envelope::{EnvelopeError, TEST_EVENT, test_payload};
use crate::post::{Message, post};
use crate::signing_secret::SigningSecret;
use crate::verdict::{Verdict, chain};

/// Most bytes of all custom headers of a target, names and values.
const MAX_HEADER_BYTES: usize = 8 * 1_024;

/// What people do to targets.
pub struct Webhooks {
    directory: Arc<Directory>,
    vault: Arc<Vault>,
    outbound: Arc<Outbound>,
    clock: SharedClock,
}

/// What a new target is to be.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    /// What people call it, 1..=100 characters.
    pub name: String,
    /// Where events are sent.
    pub url: String,
    /// Custom headers, at most 16 and 8 KiB; names in any case.
    pub headers: BTreeMap<String, String>,
    /// The kinds of events it is told of; `None` for all but escalated incidents.
    pub events: Option<BTreeSet<EventKind>>,
    /// The sources whose events it is told of.
    pub sources: SourceFilter,
    /// Whether it is told at all.
    pub enabled: bool,
}

/// What to change of a target; `None` leaves a field as it is.
#[derive(Clone, Debug, Default)]
pub struct WebhookChange {
    /// The new name.
    pub name: Option<String>,
    /// The new URL.
    pub url: Option<String>,
    /// All custom headers from now on.
    pub headers: Option<BTreeMap<String, String>>,
    /// The kinds of events from now on.
    pub events: Option<BTreeSet<EventKind>>,
    /// The sources from now on.
    pub sources: SourceFilterChange,
    /// Whether it is told at all.
    pub enabled: Option<bool>,
}

/// Why it was not done.
#[derive(Debug, Error)]
pub enum WebhookError {
    /// A value is not allowed.
    #[error("{field}: {reason}")]
    Invalid {
        /// Name of the field, as in the API.
        field: &'static str,
        /// What is expected of it.
        reason: String,
    },
    /// The directory did not do its part, or refused a field.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// Secrets can be neither sealed nor opened.
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    /// The test event cannot be written.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
}

/// How a test went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tested {
    /// Id of the event that was sent.
    pub event: EventId,
    /// Whether the target acknowledged it.
    pub acknowledged: bool,
    /// What it answered.
    pub attempt: Attempt,
}

impl Webhooks {
    /// Over a directory, with the vault its secrets are sealed by.
    #[must_use]
    pub fn new(
        directory: Arc<Directory>,
        vault: Arc<Vault>,
        outbound: Arc<Outbound>,
        clock: SharedClock,
    ) -> Self {
        Self { directory, vault, outbound, clock }
    }

    /// Creates a target. Its secret is returned this once.
    ///
    /// # Errors
    /// `Invalid` for a URL or header that is not allowed, and what the directory and the vault say.
    pub async fn create(
        &self,
        organization: OrganizationId,
        new: NewWebhook,
    ) -> Result<(WebhookTarget, SigningSecret), WebhookError> {
        let id = self.directory.new_webhook_target_id();
        let url = self.judged(&new.url).await?;
        let headers = self.sealed_headers(organization, id, new.headers).await?;
        let (secret, signing_secret) = self.new_secret(organization, id).await?;
        let NewWebhook { name, events, sources, enabled, .. } = new;
        let new = NewWebhookTarget { id, name, url, headers, events, sources, enabled, signing_secret };
        Ok((self.directory.create_webhook_target(organization, new).await?, secret))
    }

    /// Changes a target.
    ///
    /// # Errors
    /// As [`Webhooks::create`], and `NotFound` of the directory without such a target in the organization.
    pub async fn change(
        &self,
        organization: OrganizationId,
        id: WebhookTargetId,
        change: WebhookChange,
    ) -> Result<WebhookTarget, WebhookError> {
        let url = match &change.url {
            Some(url) => Some(self.judged(url).await?),
            None => None,
        };
        let headers = match change.headers {
            Some(headers) => Some(self.sealed_headers(organization, id, headers).await?),
            None => None,
        };
        let WebhookChange { name, events, sources, enabled, .. } = change;
        let change =
            WebhookTargetChange { name, url, headers, events, sources, enabled, signing_secret: None };
        Ok(self.directory.update_webhook_target(organization, id, change).await?)
    }

    /// Gives a target another secret, returned this once. The old one is void at once: a signature by both would not be
    /// what receivers recompute (specification, Signatures).
    ///
    /// # Errors
    /// As [`Webhooks::change`].
    pub async fn rotate_secret(
        &self,
        organization: OrganizationId,
        id: WebhookTargetId,
    ) -> Result<(WebhookTarget, SigningSecret), WebhookError> {
        let (secret, signing_secret) = self.new_secret(organization, id).await?;
        let change =
            WebhookTargetChange { signing_secret: Some(signing_secret), ..WebhookTargetChange::default() };
        Ok((self.directory.update_webhook_target(organization, id, change).await?, secret))
    }

    /// Sends a test event to a target, enabled or not, once, and waits for the answer.
    ///
    /// # Errors
    /// `NotFound` of the directory without such a target in the organization. A target that does not answer is none.
    pub async fn send_test(
        &self,
        organization: OrganizationId,
        id: WebhookTargetId,
    ) -> Result<Tested, WebhookError> {
        let target = self.directory.get_webhook_target(organization, id).await?;
        let target = target.ok_or(DirectoryError::NotFound)?;
        let now = self.clock.now();
        let chance: [u8; 16] = rand::random();
        let event = EventId::of_cause(&[TEST_EVENT.as_bytes(), id.as_bytes(), &now.0.to_be_bytes(), &chance]);
        let payload = test_payload(event, organization, now, id)?;
        let endpoint = Endpoint::open(target, &self.vault, &self.outbound).await;
        let message = Message { id: &event.to_string(), kind: TEST_EVENT, payload };
        let (attempt, verdict) = post(&self.outbound, self.clock.as_ref(), &endpoint, message).await;
        Ok(Tested { event, acknowledged: verdict == Verdict::Acknowledged, attempt })
    }

    /// Judges a URL, and the addresses it leads to now if they can be found out.
    async fn judged(&self, url: &str) -> Result<String, WebhookError> {
        let invalid = |reason: String| WebhookError::Invalid { field: "url", reason };
        let destination = self.outbound.destination(url).map_err(|error| invalid(error.to_string()))?;
        match self.outbound.check(&destination).await {
            Err(error) if error.is_final() => Err(invalid(chain(&error))),
            // A name that cannot be resolved now may be in a minute; it is judged again at every attempt.
            Ok(()) | Err(_) => Ok(destination.as_str().to_owned()),
        }
    }

    async fn sealed_headers(
        &self,
        organization: OrganizationId,
        id: WebhookTargetId,
        headers: BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, Sealed>, WebhookError> {
        let invalid = |reason: String| WebhookError::Invalid { field: "headers", reason };
        let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        if bytes > MAX_HEADER_BYTES {
            return Err(invalid(format!("expected at most {MAX_HEADER_BYTES} bytes, found {bytes}")));
        }
        let mut sealed = BTreeMap::new();
        for (name, value) in headers {
            let name = name.to_ascii_lowercase();
            // Never says the value, which is a secret.
            let is_visible = value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
            if !is_visible || HeaderValue::from_str(&value).is_err() {
                return Err(invalid(format!(
                    "the value of {name:?} has characters that are not visible ASCII"
                )));
            }
            let field = header_field(&name);
            let value = self.vault.seal(&place(organization, &id, Some(&field)), value.as_bytes()).await?;
            if sealed.insert(name.clone(), value).is_some() {
                return Err(invalid(format!("{name:?} is there twice")));
            }
        }
        Ok(sealed)
    }

    async fn new_secret(
        &self,
        organization: OrganizationId,
        id: WebhookTargetId,
    ) -> Result<(SigningSecret, Sealed), WebhookError> {
        let secret = SigningSecret::generate();
        let sealed = self.vault.seal(&place(organization, &id, None), secret.expose().as_bytes()).await?;
        Ok((secret, sealed))
    }
}
