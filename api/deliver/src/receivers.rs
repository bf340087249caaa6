//! Operations of users on receivers: creating and changing them with secrets sealed and URLs judged, rotating secrets, sending
//! a test. Reading, listing and deleting them is the directory's.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::clock::SharedClock;
use common::event::EventKind;
use common::ids::{OrganizationId, ReceiverId};
use directory::{
    Directory, DirectoryError, NewReceiver, Receiver, ReceiverKind, SourceFilter, TelemetryProtocol,
    Transport, sealed_headers,
};
use outbound::Outbound;
use secrets::{Sealed, Vault};

use crate::endpoint::SIGNING_SECRET;
use crate::envelope::{TEST_EVENT, TEST_RECORD, test_payload, test_record_payload};
use crate::signing_secret::SigningSecret;
use crate::target::location;
use crate::trial::{self, Tested};
use crate::vetting::{TargetError, judged_url, missing};

/// Operations of users on receivers.
pub struct Receivers {
    directory: Arc<Directory>,
    vault: Arc<Vault>,
    outbound: Arc<Outbound>,
    clock: SharedClock,
}

/// Values of a new receiver. Has no `Debug`: the values of its headers are secrets.
#[derive(Clone)]
pub struct NewTarget {
    /// Display name, 1..=100 characters; a webhook target has one.
    pub name: Option<String>,
    /// The URL that events are sent to.
    pub url: String,
    /// Custom headers, at most 16 and 8 KiB; names in any case.
    pub headers: BTreeMap<String, String>,
    /// The kinds of events it gets; `None` for all but escalated incidents.
    pub events: Option<BTreeSet<EventKind>>,
    /// The sources whose events it gets.
    pub sources: SourceFilter,
    /// Whether it gets anything.
    pub enabled: bool,
}

/// The parts of a receiver's address to change; `None` leaves one as it is. Has no `Debug`: the values of headers are
/// secrets.
#[derive(Clone, Default)]
pub struct AddressChange {
    /// The new URL.
    pub url: Option<String>,
    /// All custom headers from now on.
    pub headers: Option<BTreeMap<String, String>>,
}

impl Receivers {
    /// Over a directory, with the vault that seals their secrets.
    #[must_use]
    pub fn new(
        directory: Arc<Directory>,
        vault: Arc<Vault>,
        outbound: Arc<Outbound>,
        clock: SharedClock,
    ) -> Self {
        Self { directory, vault, outbound, clock }
    }

    /// Creates a webhook target. Its secret is returned this once.
    ///
    /// # Errors
    /// `Invalid` for a URL or header that is not allowed, and the errors of the directory and the vault.
    pub async fn create_webhook(
        &self,
        organization: OrganizationId,
        new: NewTarget,
    ) -> Result<(Receiver, SigningSecret), TargetError> {
        let id = self.directory.new_receiver_id();
        let (secret, signing_secret) = self.new_secret(organization, id).await?;
        let receiver = self.create(organization, id, new, Transport::Webhook { signing_secret }).await?;
        Ok((receiver, secret))
    }

    /// Creates a telemetry endpoint.
    ///
    /// # Errors
    /// As [`Receivers::create_webhook`].
    pub async fn create_telemetry(
        &self,
        organization: OrganizationId,
        protocol: TelemetryProtocol,
        new: NewTarget,
    ) -> Result<Receiver, TargetError> {
        let id = self.directory.new_receiver_id();
        self.create(organization, id, new, Transport::Telemetry { protocol }).await
    }

    async fn create(
        &self,
        organization: OrganizationId,
        id: ReceiverId,
        new: NewTarget,
        transport: Transport,
    ) -> Result<Receiver, TargetError> {
        let kind = transport.kind();
        let url = judged_url((&self.outbound, organization), url_field(kind), &new.url).await?;
        let headers = sealed_headers(&self.vault, location(organization, &id), new.headers).await?;
        let NewTarget { name, events, sources, enabled, .. } = new;
        let new = NewReceiver { id, name, url, headers, events, sources, enabled, transport };
        self.directory.create_receiver(organization, new).await.map_err(missing(kind))
    }

    /// Changes a receiver: its address, and `change` applied to the rest.
    ///
    /// # Errors
    /// As [`Receivers::create_webhook`], and `NotFound` without such a receiver in the organization.
    pub async fn change(
        &self,
        kind: ReceiverKind,
        organization: OrganizationId,
        id: ReceiverId,
        address: AddressChange,
        change: impl Fn(&mut Receiver) -> Result<(), DirectoryError>,
    ) -> Result<Receiver, TargetError> {
        let url = match &address.url {
            Some(url) => Some(judged_url((&self.outbound, organization), url_field(kind), url).await?),
            None => None,
        };
        let headers = match address.headers {
            Some(headers) => Some(sealed_headers(&self.vault, location(organization, &id), headers).await?),
            None => None,
        };
        let change = |receiver: &mut Receiver| {
            url.iter().for_each(|url| receiver.url.clone_from(url));
            headers.iter().for_each(|headers| receiver.headers.clone_from(headers));
            change(receiver)
        };
        self.directory.receivers(kind).update(organization, id, change).await.map_err(missing(kind))
    }

    /// Gives a webhook target another secret, returned this once. The old one is void at once: receivers cannot recompute a
    /// signature by both (specification, Signatures).
    ///
    /// # Errors
    /// As [`Receivers::change`].
    pub async fn rotate_secret(
        &self,
        organization: OrganizationId,
        id: ReceiverId,
    ) -> Result<(Receiver, SigningSecret), TargetError> {
        let (secret, signing_secret) = self.new_secret(organization, id).await?;
        let transport = Transport::Webhook { signing_secret };
        let change = |receiver: &mut Receiver| {
            receiver.transport.clone_from(&transport);
            Ok(())
        };
        let address = AddressChange::default();
        let receiver = self.change(ReceiverKind::Webhook, organization, id, address, change).await?;
        Ok((receiver, secret))
    }

    /// Sends a test message to a receiver, enabled or not, once, and waits for the answer.
    ///
    /// # Errors
    /// `NotFound` without such a receiver in the organization. One that does not answer is no error.
    pub async fn send_test(
        &self,
        kind: ReceiverKind,
        organization: OrganizationId,
        id: ReceiverId,
    ) -> Result<Tested, TargetError> {
        let receiver = self.directory.receivers(kind).get(organization, id).await.map_err(missing(kind))?;
        let receiver = receiver.ok_or_else(|| missing(kind)(DirectoryError::NotFound))?;
        let means = (&*self.vault, &*self.outbound, &*self.clock);
        let (message, payload): (_, trial::Payload) = match kind {
            ReceiverKind::Webhook => (TEST_EVENT, test_payload),
            ReceiverKind::Telemetry => (TEST_RECORD, test_record_payload),
        };
        trial::send(receiver, message, means, payload).await
    }

    async fn new_secret(
        &self,
        organization: OrganizationId,
        id: ReceiverId,
    ) -> Result<(SigningSecret, Sealed), TargetError> {
        let secret = SigningSecret::generate();
        let at = location(organization, &id);
        let sealed = self.vault.seal(&at.field(SIGNING_SECRET), secret.expose().as_bytes()).await?;
        Ok((secret, sealed))
    }
}

/// Name of the URL's field in the API.
fn url_field(kind: ReceiverKind) -> &'static str {
    match kind {
        ReceiverKind::Webhook => "url",
        ReceiverKind::Telemetry => "endpoint",
    }
}
