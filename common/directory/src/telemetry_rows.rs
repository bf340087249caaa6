//! Telemetry endpoints in their organization's ledger. Headers come sealed; what an endpoint may look like is decided in
//! `telemetry_endpoint`.

use common::ids::{OrganizationId, TelemetryEndpointId};
use common::timestamp::Timestamp;

use crate::directory::Directory;
use crate::error::DirectoryError;
use crate::receiver::{Receiver, ReceiverState, touch};
use crate::rows::TELEMETRY_ENDPOINTS;
use crate::subscription::default_events;
use crate::table::{Resource, Table};
use crate::telemetry_endpoint::{MAX_TELEMETRY_ENDPOINTS, NewTelemetryEndpoint, TelemetryEndpoint, check};

impl Directory {
    /// An id for a telemetry endpoint that is to be created.
    #[must_use]
    pub fn new_telemetry_endpoint_id(&self) -> TelemetryEndpointId {
        TelemetryEndpointId(self.new_id())
    }

    /// Creates a telemetry endpoint. Names need not be unique.
    ///
    /// # Errors
    /// `Invalid` for a field that is not allowed, `NotFound` without the organization, `Full` at 50 telemetry endpoints
    /// of the organization, `Conflict` and `Unavailable` as their documentation says.
    pub async fn create_telemetry_endpoint(
        &self,
        organization: OrganizationId,
        new: NewTelemetryEndpoint,
    ) -> Result<TelemetryEndpoint, DirectoryError> {
        let now = self.clock.now();
        let endpoint = TelemetryEndpoint {
            id: new.id,
            organization,
            name: new.name,
            endpoint: new.endpoint,
            protocol: new.protocol,
            headers: new.headers,
            events: new.events.unwrap_or_else(default_events),
            enabled: new.enabled,
            enabled_at: now,
            disabled_reason: None,
            created_at: now,
            updated_at: now,
        };
        self.telemetry_endpoints().create(organization, endpoint).await
    }

    /// The telemetry endpoints.
    #[must_use]
    pub fn telemetry_endpoints(&self) -> Table<'_, TelemetryEndpoint> {
        self.table()
    }
}

impl Resource for TelemetryEndpoint {
    type Id = TelemetryEndpointId;
    type Context = ();

    const PREFIX: &'static [u8] = TELEMETRY_ENDPOINTS;
    const NAME: &'static str = "telemetry endpoint";
    const PLURAL: &'static str = "telemetry endpoints";
    const LIMIT: usize = MAX_TELEMETRY_ENDPOINTS;

    fn id(&self) -> TelemetryEndpointId {
        self.id
    }

    fn check(&self, before: Option<&Self>) -> Result<(), DirectoryError> {
        check(self, before)
    }

    fn touch(&mut self, before: &Self, now: Timestamp) {
        touch(self, before.enabled, now);
    }
}

impl Receiver for TelemetryEndpoint {
    fn state(&mut self) -> ReceiverState<'_> {
        ReceiverState {
            enabled: &mut self.enabled,
            enabled_at: &mut self.enabled_at,
            disabled_reason: &mut self.disabled_reason,
            updated_at: &mut self.updated_at,
        }
    }
}
