//! Telemetry endpoints: collectors that an organization's events are exported to as OpenTelemetry logs. What they may
//! look like and whether they want an event is decided here; their rows are written in `telemetry_rows`, their URLs
//! judged by whoever sends.

use std::collections::{BTreeMap, BTreeSet};

use common::event::EventKind;
use common::ids::{OrganizationId, TelemetryEndpointId};
use common::timestamp::Timestamp;
use secrets::Sealed;
use serde::{Deserialize, Serialize};

use crate::error::DirectoryError;
use crate::fields::{MAX_NAME, check_new_text};
use crate::subscription::{check_events, check_headers};

/// Most telemetry endpoints of an organization: with its webhook targets, what one commit of the deliverer can write and
/// remove the rows of.
pub const MAX_TELEMETRY_ENDPOINTS: usize = 50;

/// A collector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TelemetryEndpoint {
    /// Its id.
    pub id: TelemetryEndpointId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// What people call it, 1..=100 characters; none where they call it nothing.
    pub name: Option<String>,
    /// The full URL of its logs, used as it is.
    pub endpoint: String,
    /// How it is spoken to.
    pub protocol: TelemetryProtocol,
    /// Custom headers by name, in lower case; their values are sealed for the field `header/` and the name.
    pub headers: BTreeMap<String, Sealed>,
    /// The kinds of events it is told of; at least one.
    pub events: BTreeSet<EventKind>,
    /// Whether it is told at all.
    pub enabled: bool,
    /// Since when it is enabled, or when it last was: what waited before that was cancelled.
    pub enabled_at: Timestamp,
    /// Why the service disabled it; none while it is enabled, and when people disabled it.
    pub disabled_reason: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Encodings of OTLP over HTTP, by the words of `OTEL_EXPORTER_OTLP_PROTOCOL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TelemetryProtocol {
    /// Binary protobuf.
    #[serde(rename = "http/protobuf")]
    Protobuf,
    /// The JSON of protobuf, as OTLP has it.
    #[serde(rename = "http/json")]
    Json,
}

impl TelemetryProtocol {
    /// Every one.
    pub const ALL: [Self; 2] = [Self::Protobuf, Self::Json];

    /// The word the API uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Protobuf => "http/protobuf",
            Self::Json => "http/json",
        }
    }
}

/// What a new telemetry endpoint is to be.
#[derive(Clone, Debug)]
pub struct NewTelemetryEndpoint {
    /// From [`Directory::new_telemetry_endpoint_id`](crate::Directory::new_telemetry_endpoint_id): headers are sealed for
    /// it.
    pub id: TelemetryEndpointId,
    /// What people call it, 1..=100 characters.
    pub name: Option<String>,
    /// The full URL of its logs.
    pub endpoint: String,
    /// How it is spoken to.
    pub protocol: TelemetryProtocol,
    /// Custom headers, at most 16.
    pub headers: BTreeMap<String, Sealed>,
    /// The kinds of events it is told of; `None` for all but escalated incidents, which take an explicit choice.
    pub events: Option<BTreeSet<EventKind>>,
    /// Whether it is told at all.
    pub enabled: bool,
}

impl TelemetryEndpoint {
    /// Whether it is to be told of an event: enabled and subscribed.
    #[must_use]
    pub fn wants(&self, kind: EventKind) -> bool {
        self.enabled && self.events.contains(&kind)
    }
}

/// Refuses a telemetry endpoint that is not allowed, naming the first field that is not; `before` is the one that it
/// replaces.
pub(crate) fn check(
    endpoint: &TelemetryEndpoint,
    before: Option<&TelemetryEndpoint>,
) -> Result<(), DirectoryError> {
    if let Some(name) = &endpoint.name {
        check_new_text("name", name, before.and_then(|before| before.name.as_deref()), MAX_NAME)?;
    }
    check_headers(&endpoint.headers, before.map(|before| &before.headers))?;
    check_events(&endpoint.events)
}
