//! Whoever is told of events: a webhook target or a telemetry endpoint, by id and as the directory has it. What they have
//! in common is said here once; how each is told lies in `post` and `export`.

use common::event::{EventKind, EventSource};
use common::ids::{OrganizationId, TelemetryEndpointId, WebhookTargetId};
use common::timestamp::Timestamp;
use directory::{Directory, DirectoryError, TelemetryEndpoint, WebhookTarget};
use secrets::{Place, Sealed};

/// What follows the id of a telemetry endpoint in keys. Ids of webhook targets stand alone.
const TELEMETRY: u8 = b't';

/// The id of whoever is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum TargetId {
    Webhook(WebhookTargetId),
    Telemetry(TelemetryEndpointId),
}

impl TargetId {
    /// As keys have it. None is the beginning of another: ids are never used twice.
    pub(crate) fn in_key(self) -> Vec<u8> {
        match self {
            Self::Webhook(id) => id.as_bytes().to_vec(),
            Self::Telemetry(id) => [id.as_bytes().as_slice(), &[TELEMETRY]].concat(),
        }
    }

    /// Reads what [`TargetId::in_key`] has written.
    pub(crate) fn from_key(key: &[u8]) -> Option<Self> {
        let (id, kind) = key.split_first_chunk::<16>()?;
        match kind {
            [] => Some(Self::Webhook(WebhookTargetId::from_bytes(*id))),
            [TELEMETRY] => Some(Self::Telemetry(TelemetryEndpointId::from_bytes(*id))),
            _ => None,
        }
    }

    /// Where a value of it is sealed for.
    pub(crate) fn place<'a>(&'a self, organization: OrganizationId, field: &'a str) -> Place<'a> {
        let table = match self {
            Self::Webhook(_) => "webhook_target",
            Self::Telemetry(_) => "telemetry_endpoint",
        };
        Place { organization, table, row: self.as_bytes(), field }
    }

    /// The id itself.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Webhook(id) => id.as_bytes(),
            Self::Telemetry(id) => id.as_bytes(),
        }
    }
}

/// Whoever is told.
pub(crate) enum Target {
    Webhook(WebhookTarget),
    Telemetry(TelemetryEndpoint),
}

impl Target {
    pub(crate) fn id(&self) -> TargetId {
        match self {
            Self::Webhook(target) => TargetId::Webhook(target.id),
            Self::Telemetry(endpoint) => TargetId::Telemetry(endpoint.id),
        }
    }

    pub(crate) fn organization(&self) -> OrganizationId {
        match self {
            Self::Webhook(target) => target.organization,
            Self::Telemetry(endpoint) => endpoint.organization,
        }
    }

    pub(crate) fn url(&self) -> &str {
        match self {
            Self::Webhook(target) => &target.url,
            Self::Telemetry(endpoint) => &endpoint.endpoint,
        }
    }

    /// Names and sealed values of its custom headers.
    pub(crate) fn headers(&self) -> impl ExactSizeIterator<Item = (&String, &Sealed)> {
        match self {
            Self::Webhook(target) => target.headers.iter(),
            Self::Telemetry(endpoint) => endpoint.headers.iter(),
        }
    }

    pub(crate) fn enabled_at(&self) -> Timestamp {
        match self {
            Self::Webhook(target) => target.enabled_at,
            Self::Telemetry(endpoint) => endpoint.enabled_at,
        }
    }

    /// Whether it is told of what waits since a moment: what waited when it was disabled stays cancelled when it is
    /// enabled again.
    pub(crate) fn is_enabled_since(&self, moment: Timestamp) -> bool {
        let enabled = match self {
            Self::Webhook(target) => target.enabled,
            Self::Telemetry(endpoint) => endpoint.enabled,
        };
        enabled && moment >= self.enabled_at()
    }

    /// Whether it is to be told of an event. Only webhook targets filter by source.
    pub(crate) fn wants(&self, kind: EventKind, source: Option<&EventSource>) -> bool {
        match self {
            Self::Webhook(target) => target.wants(kind, source),
            Self::Telemetry(endpoint) => endpoint.wants(kind),
        }
    }

    /// Disables it; `false` when people were faster.
    pub(crate) async fn disable(&self, directory: &Directory, reason: &str) -> Result<bool, DirectoryError> {
        let (organization, enabled_at) = (self.organization(), self.enabled_at());
        match self {
            Self::Webhook(target) => {
                directory.webhook_targets().disable(organization, target.id, enabled_at, reason).await
            }
            Self::Telemetry(endpoint) => {
                directory.telemetry_endpoints().disable(organization, endpoint.id, enabled_at, reason).await
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_is_written_and_its_kind_with_it() {
        let bytes = [7; 16];
        let (webhook, telemetry) = (
            TargetId::Webhook(WebhookTargetId::from_bytes(bytes)),
            TargetId::Telemetry(TelemetryEndpointId::from_bytes(bytes)),
        );
        for id in [webhook, telemetry] {
            assert_eq!(TargetId::from_key(&id.in_key()), Some(id));
        }
        for wrong in [&bytes[..15], &[7; 17], &[b't'; 18]] {
            assert_eq!(TargetId::from_key(wrong), None, "{wrong:?}");
        }
    }
}
