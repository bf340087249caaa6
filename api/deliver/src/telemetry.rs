//! What people do to telemetry endpoints: creating and changing them with headers sealed and URLs judged, and sending a
//! test. Reading, listing and deleting them is the directory's.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::clock::SharedClock;
use common::event::EventKind;
use common::ids::{OrganizationId, TelemetryEndpointId};
use directory::{
    Directory, DirectoryError, NewTelemetryEndpoint, Resource, TelemetryEndpoint, TelemetryProtocol,
};
use outbound::Outbound;
use secrets::{Sealed, Vault};

use crate::envelope::{TEST_RECORD, test_record_payload};
use crate::target::{Target, TargetId};
use crate::trial::{self, Tested};
use crate::vetting::{AddressChange, TargetError, judged_url, missing, sealed_headers};

/// What is not there, in words.
const ENDPOINT: &str = TelemetryEndpoint::NAME;

/// What people do to telemetry endpoints.
pub struct Telemetry {
    directory: Arc<Directory>,
    vault: Arc<Vault>,
    outbound: Arc<Outbound>,
    clock: SharedClock,
}

/// What a new telemetry endpoint is to be. Has no `Debug`: the values of its headers are secrets.
#[derive(Clone)]
pub struct NewTelemetry {
    /// What people call it, 1..=100 characters.
    pub name: Option<String>,
    /// The full URL of its logs.
    pub endpoint: String,
    /// How it is spoken to.
    pub protocol: TelemetryProtocol,
    /// Custom headers, at most 16 and 8 KiB; names in any case.
    pub headers: BTreeMap<String, String>,
    /// The kinds of events it is told of; `None` for all but escalated incidents.
    pub events: Option<BTreeSet<EventKind>>,
    /// Whether it is told at all.
    pub enabled: bool,
}

impl Telemetry {
    /// Over a directory, with the vault its headers are sealed by.
    #[must_use]
    pub fn new(
        directory: Arc<Directory>,
        vault: Arc<Vault>,
        outbound: Arc<Outbound>,
        clock: SharedClock,
    ) -> Self {
        Self { directory, vault, outbound, clock }
    }

    /// Creates a telemetry endpoint.
    ///
    /// # Errors
    /// `Invalid` for a URL or header that is not allowed, and what the directory and the vault say.
    pub async fn create(
        &self,
        organization: OrganizationId,
        new: NewTelemetry,
    ) -> Result<TelemetryEndpoint, TargetError> {
        let id = self.directory.new_telemetry_endpoint_id();
        let endpoint = self.judged(organization, &new.endpoint).await?;
        let headers = self.sealed(organization, id, new.headers).await?;
        let NewTelemetry { name, protocol, events, enabled, .. } = new;
        let new = NewTelemetryEndpoint { id, name, endpoint, protocol, headers, events, enabled };
        self.directory.create_telemetry_endpoint(organization, new).await.map_err(missing(ENDPOINT))
    }

    /// Changes a telemetry endpoint: its address, and what `change` makes of the rest.
    ///
    /// # Errors
    /// As [`Telemetry::create`], and `NotFound` without such an endpoint in the organization.
    pub async fn change(
        &self,
        organization: OrganizationId,
        id: TelemetryEndpointId,
        address: AddressChange,
        change: impl Fn(&mut TelemetryEndpoint) -> Result<(), DirectoryError>,
    ) -> Result<TelemetryEndpoint, TargetError> {
        let url = match &address.url {
            Some(url) => Some(self.judged(organization, url).await?),
            None => None,
        };
        let headers = match address.headers {
            Some(headers) => Some(self.sealed(organization, id, headers).await?),
            None => None,
        };
        let change = |endpoint: &mut TelemetryEndpoint| {
            url.iter().for_each(|url| endpoint.endpoint.clone_from(url));
            headers.iter().for_each(|headers| endpoint.headers.clone_from(headers));
            change(endpoint)
        };
        self.directory.telemetry_endpoints().update(organization, id, change).await.map_err(missing(ENDPOINT))
    }

    /// Sends a synthetic record to a telemetry endpoint, enabled or not, once, and waits for the answer.
    ///
    /// # Errors
    /// `NotFound` without such an endpoint in the organization. A collector that does not answer is
    /// none.
    pub async fn send_test(
        &self,
        organization: OrganizationId,
        id: TelemetryEndpointId,
    ) -> Result<Tested, TargetError> {
        let endpoint =
            self.directory.telemetry_endpoints().get(organization, id).await.map_err(missing(ENDPOINT))?;
        let endpoint = endpoint.ok_or(TargetError::NotFound(ENDPOINT))?;
        let means = (&*self.vault, &*self.outbound, &*self.clock);
        let payload = |event, now| test_record_payload(event, organization, now, id);
        trial::send(Target::Telemetry(endpoint), TEST_RECORD, means, payload).await
    }

    async fn judged(&self, organization: OrganizationId, url: &str) -> Result<String, TargetError> {
        judged_url((&self.outbound, organization), "endpoint", url).await
    }

    async fn sealed(
        &self,
        organization: OrganizationId,
        id: TelemetryEndpointId,
        headers: BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, Sealed>, TargetError> {
        sealed_headers(&self.vault, organization, TargetId::Telemetry(id), headers).await
    }
}
