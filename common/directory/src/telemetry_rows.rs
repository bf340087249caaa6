//! Telemetry endpoints in their organization's ledger. Headers come sealed; what an endpoint may look like is decided in
//! `telemetry_endpoint`.

use common::ids::{OrganizationId, TelemetryEndpointId};
use ledger::LedgerId;

use crate::directory::{Directory, put};
use crate::error::DirectoryError;
use crate::rows::{TELEMETRY_ENDPOINTS, telemetry_endpoint_key};
use crate::subscription::{default_events, set};
use crate::telemetry_endpoint::{
    MAX_TELEMETRY_ENDPOINTS, NewTelemetryEndpoint, TelemetryEndpoint, TelemetryEndpointChange, check,
};

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
        check(&endpoint, None)?;
        if self.get_organization(organization).await?.is_none() {
            return Err(DirectoryError::NotFound);
        }
        let room = (TELEMETRY_ENDPOINTS, "telemetry endpoints", MAX_TELEMETRY_ENDPOINTS);
        let key = telemetry_endpoint_key(endpoint.id);
        self.insert(LedgerId::Organization(organization), key, endpoint, room).await
    }

    /// A telemetry endpoint of the organization, or `None`: also for one of another organization.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when its row cannot be read.
    pub async fn get_telemetry_endpoint(
        &self,
        organization: OrganizationId,
        id: TelemetryEndpointId,
    ) -> Result<Option<TelemetryEndpoint>, DirectoryError> {
        self.read(LedgerId::Organization(organization), &telemetry_endpoint_key(id)).await
    }

    /// All telemetry endpoints of the organization, oldest first.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when a row cannot be read.
    pub async fn list_telemetry_endpoints(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<TelemetryEndpoint>, DirectoryError> {
        let ledger = LedgerId::Organization(organization);
        self.list(ledger, TELEMETRY_ENDPOINTS, MAX_TELEMETRY_ENDPOINTS).await
    }

    /// Changes a telemetry endpoint. `updated_at` moves only when something is different afterwards.
    ///
    /// # Errors
    /// `Invalid` for a field that is not allowed, `NotFound` without such an endpoint in the organization, `Conflict` and
    /// `Unavailable` as their documentation says.
    pub async fn update_telemetry_endpoint(
        &self,
        organization: OrganizationId,
        id: TelemetryEndpointId,
        change: TelemetryEndpointChange,
    ) -> Result<TelemetryEndpoint, DirectoryError> {
        let ledger = LedgerId::Organization(organization);
        let mut attempts = self.attempts(ledger);
        while attempts.next().await? {
            let before =
                self.get_telemetry_endpoint(organization, id).await?.ok_or(DirectoryError::NotFound)?;
            let mut endpoint = changed(&before, &change);
            check(&endpoint, Some(&before))?;
            if endpoint == before {
                return Ok(before);
            }
            endpoint.updated_at = self.clock.now();
            if endpoint.enabled && !before.enabled {
                (endpoint.enabled_at, endpoint.disabled_reason) = (endpoint.updated_at, None);
            }
            if attempts.commit(vec![put(telemetry_endpoint_key(id), &endpoint)?]).await? {
                return Ok(endpoint);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// Disables a telemetry endpoint that was found not to answer; `false` when people were faster: it is gone, disabled,
    /// or was enabled again since `enabled_at`.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn disable_telemetry_endpoint(
        &self,
        seen: &TelemetryEndpoint,
        reason: &str,
    ) -> Result<bool, DirectoryError> {
        let ledger = LedgerId::Organization(seen.organization);
        let mut attempts = self.attempts(ledger);
        while attempts.next().await? {
            let Some(mut endpoint) = self.get_telemetry_endpoint(seen.organization, seen.id).await? else {
                return Ok(false);
            };
            if !endpoint.enabled || endpoint.enabled_at != seen.enabled_at {
                return Ok(endpoint.disabled_reason.as_deref() == Some(reason));
            }
            endpoint.enabled = false;
            endpoint.disabled_reason = Some(reason.to_owned());
            endpoint.updated_at = self.clock.now();
            if attempts.commit(vec![put(telemetry_endpoint_key(seen.id), &endpoint)?]).await? {
                return Ok(true);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// Deletes a telemetry endpoint; `false` when the organization has no such endpoint.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn delete_telemetry_endpoint(
        &self,
        organization: OrganizationId,
        id: TelemetryEndpointId,
    ) -> Result<bool, DirectoryError> {
        let ledger = LedgerId::Organization(organization);
        self.remove::<TelemetryEndpoint>(ledger, telemetry_endpoint_key(id)).await
    }
}

fn changed(before: &TelemetryEndpoint, change: &TelemetryEndpointChange) -> TelemetryEndpoint {
    let mut endpoint = before.clone();
    set(&mut endpoint.name, change.name.as_ref());
    set(&mut endpoint.endpoint, change.endpoint.as_ref());
    set(&mut endpoint.protocol, change.protocol.as_ref());
    set(&mut endpoint.headers, change.headers.as_ref());
    set(&mut endpoint.events, change.events.as_ref());
    set(&mut endpoint.enabled, change.enabled.as_ref());
    endpoint
}
