//! What people do to webhook targets: creating and changing them with secrets sealed and URLs judged, rotating
//! secrets, sending a test. Reading, listing and deleting them is the directory's.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::clock::SharedClock;
use common::event::EventKind;
use common::ids::{OrganizationId, WebhookTargetId};
use directory::{Directory, DirectoryError, NewWebhookTarget, Resource, SourceFilter, WebhookTarget};
use outbound::Outbound;
use secrets::{Sealed, Vault};

use crate::endpoint::SIGNING_SECRET;
use crate::envelope::{TEST_EVENT, test_payload};
use crate::signing_secret::SigningSecret;
use crate::target::{Target, TargetId};
use crate::trial::{self, Tested};
use crate::vetting::{AddressChange, TargetError, judged_url, missing, sealed_headers};

/// What is not there, in words.
const TARGET: &str = WebhookTarget::NAME;

/// What people do to targets.
pub struct Webhooks {
    directory: Arc<Directory>,
    vault: Arc<Vault>,
    outbound: Arc<Outbound>,
    clock: SharedClock,
}

/// What a new target is to be. Has no `Debug`: the values of its headers are secrets.
#[derive(Clone)]
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
    ) -> Result<(WebhookTarget, SigningSecret), TargetError> {
        let id = self.directory.new_webhook_target_id();
        let url = judged_url((&self.outbound, organization), "url", &new.url).await?;
        let headers = self.sealed_headers(organization, id, new.headers).await?;
        let (secret, signing_secret) = self.new_secret(organization, id).await?;
        let NewWebhook { name, events, sources, enabled, .. } = new;
        let new = NewWebhookTarget { id, name, url, headers, events, sources, enabled, signing_secret };
        let target =
            self.directory.create_webhook_target(organization, new).await.map_err(missing(TARGET))?;
        Ok((target, secret))
    }

    /// Changes a target: its address, and what `change` makes of the rest.
    ///
    /// # Errors
    /// As [`Webhooks::create`], and `NotFound` without such a target in the organization.
    pub async fn change(
        &self,
        organization: OrganizationId,
        id: WebhookTargetId,
        address: AddressChange,
        change: impl Fn(&mut WebhookTarget) -> Result<(), DirectoryError>,
    ) -> Result<WebhookTarget, TargetError> {
        let url = match &address.url {
            Some(url) => Some(judged_url((&self.outbound, organization), "url", url).await?),
            None => None,
        };
        let headers = match address.headers {
            Some(headers) => Some(self.sealed_headers(organization, id, headers).await?),
            None => None,
        };
        let change = |target: &mut WebhookTarget| {
            url.iter().for_each(|url| target.url.clone_from(url));
            headers.iter().for_each(|headers| target.headers.clone_from(headers));
            change(target)
        };
        self.directory.webhook_targets().update(organization, id, change).await.map_err(missing(TARGET))
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
    ) -> Result<(WebhookTarget, SigningSecret), TargetError> {
        let (secret, signing_secret) = self.new_secret(organization, id).await?;
        let change = |target: &mut WebhookTarget| {
            target.signing_secret = signing_secret.clone();
            Ok(())
        };
        let updated = self.directory.webhook_targets().update(organization, id, change).await;
        let target = updated.map_err(missing(TARGET))?;
        Ok((target, secret))
    }

    /// Sends a test event to a target, enabled or not, once, and waits for the answer.
    ///
    /// # Errors
    /// `NotFound` without such a target in the organization. A target that does not answer is none.
    pub async fn send_test(
        &self,
        organization: OrganizationId,
        id: WebhookTargetId,
    ) -> Result<Tested, TargetError> {
        let target = self.directory.webhook_targets().get(organization, id).await.map_err(missing(TARGET))?;
        let target = target.ok_or(TargetError::NotFound(TARGET))?;
        let means = (&*self.vault, &*self.outbound, &*self.clock);
        let payload = |event, now| test_payload(event, organization, now, id);
        trial::send(Target::Webhook(target), TEST_EVENT, means, payload).await
    }

    async fn sealed_headers(
        &self,
        organization: OrganizationId,
        id: WebhookTargetId,
        headers: BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, Sealed>, TargetError> {
        sealed_headers(&self.vault, organization, TargetId::Webhook(id), headers).await
    }

    async fn new_secret(
        &self,
        organization: OrganizationId,
        id: WebhookTargetId,
    ) -> Result<(SigningSecret, Sealed), TargetError> {
        let secret = SigningSecret::generate();
        let id = TargetId::Webhook(id);
        let place = id.place(organization, SIGNING_SECRET);
        let sealed = self.vault.seal(&place, secret.expose().as_bytes()).await?;
        Ok((secret, sealed))
    }
}
