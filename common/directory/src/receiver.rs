//! Receivers of an organization's events: webhook targets, and telemetry endpoints, which get them as OpenTelemetry logs.
//! One kind of row, with what both have in common said once. Secrets come sealed; URLs are judged by the sender.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use common::event::{EventKind, EventSource};
use common::ids::{OrganizationId, ReceiverId};
use common::timestamp::Timestamp;
use common::words;
use ledger::Op;
use secrets::Sealed;
use serde::{Deserialize, Serialize};

use crate::directory::Directory;
use crate::error::DirectoryError;
use crate::fields::{MAX_NAME, check_new_text};
use crate::rows::{TELEMETRY_ENDPOINTS, WEBHOOK_TARGETS};
use crate::source_filter::{SourceFilter, SourceSelection};
use crate::subscription::{check_events, check_headers, default_events};
use crate::table::{Change, Collection, Resource, Table};

/// Most webhook targets of an organization: with its telemetry endpoints, as many as one commit of the deliverer can write
/// and remove the rows of.
const MAX_WEBHOOK_TARGETS: usize = 400;
/// Most telemetry endpoints of an organization, for the same reason.
const MAX_TELEMETRY_ENDPOINTS: usize = 50;

/// A receiver of events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receiver {
    /// Its id.
    pub id: ReceiverId,
    /// The organization it belongs to.
    pub organization: OrganizationId,
    /// Display name, 1..=100 characters; a webhook target has one.
    pub name: Option<String>,
    /// The URL that events are sent to.
    pub url: String,
    /// Custom headers by name, in lower case; their values are sealed for the field `header/` and the name.
    pub headers: BTreeMap<String, Sealed>,
    /// The kinds of events it gets; at least one.
    pub events: BTreeSet<EventKind>,
    /// The sources whose events it gets.
    pub sources: SourceFilter,
    /// Whether it gets anything.
    pub enabled: bool,
    /// Since when it is enabled, or when it last was: deliveries that waited before that were cancelled.
    pub enabled_at: Timestamp,
    /// Reason why the service disabled it; none while it is enabled, and when a user disabled it.
    pub disabled_reason: Option<String>,
    /// Its transport.
    pub transport: Transport,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Transport of events to a receiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// Signed webhooks.
    Webhook {
        /// The key of the signatures, sealed for the field `signing_secret`.
        signing_secret: Sealed,
    },
    /// OpenTelemetry logs.
    Telemetry {
        /// Their encoding.
        protocol: TelemetryProtocol,
    },
}

words!(
    /// Encodings of OTLP over HTTP, by the words of `OTEL_EXPORTER_OTLP_PROTOCOL`.
    TelemetryProtocol {
        /// Binary protobuf.
        Protobuf = "http/protobuf",
        /// The JSON encoding of protobuf, as OTLP defines it.
        Json = "http/json",
    }
);

/// Kinds of receivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReceiverKind {
    /// A webhook target.
    Webhook,
    /// A telemetry endpoint.
    Telemetry,
}

/// Values of a new receiver.
#[derive(Clone, Debug)]
pub struct NewReceiver {
    /// From [`Directory::new_receiver_id`]: secrets are sealed for it.
    pub id: ReceiverId,
    /// Display name, 1..=100 characters.
    pub name: Option<String>,
    /// The URL that events are sent to.
    pub url: String,
    /// Custom headers, at most 16.
    pub headers: BTreeMap<String, Sealed>,
    /// The kinds of events it gets; `None` for all but escalated incidents, which take an explicit choice.
    pub events: Option<BTreeSet<EventKind>>,
    /// The sources whose events it gets.
    pub sources: SourceFilter,
    /// Whether it gets anything.
    pub enabled: bool,
    /// Its transport.
    pub transport: Transport,
}

impl ReceiverKind {
    /// Every one.
    pub const ALL: [Self; 2] = [Self::Webhook, Self::Telemetry];
}

impl Transport {
    /// The kind of receiver that it makes.
    #[must_use]
    pub fn kind(&self) -> ReceiverKind {
        match self {
            Self::Webhook { .. } => ReceiverKind::Webhook,
            Self::Telemetry { .. } => ReceiverKind::Telemetry,
        }
    }
}

impl Receiver {
    /// Whether it gets an event: enabled, subscribed, and none of its filters excludes the source.
    #[must_use]
    pub fn wants(&self, kind: EventKind, source: Option<&EventSource>) -> bool {
        self.enabled && self.events.contains(&kind) && source.is_none_or(|source| self.sources.admits(source))
    }

    /// Whether it gets deliveries that wait since a moment: those that waited when it was disabled stay cancelled when it is
    /// enabled again.
    #[must_use]
    pub fn is_enabled_since(&self, moment: Timestamp) -> bool {
        self.enabled && moment >= self.enabled_at
    }
}

impl Directory {
    /// An id for a receiver that is to be created.
    #[must_use]
    pub fn new_receiver_id(&self) -> ReceiverId {
        ReceiverId(self.new_id())
    }

    /// Creates a receiver. Names need not be unique.
    ///
    /// # Errors
    /// As [`Table::create`], at 400 webhook targets or 50 telemetry endpoints of the organization.
    pub async fn create_receiver(
        &self,
        organization: OrganizationId,
        new: NewReceiver,
    ) -> Result<Receiver, DirectoryError> {
        let now = self.clock.now();
        let receiver = Receiver {
            id: new.id,
            organization,
            name: new.name,
            url: new.url,
            headers: new.headers,
            events: new.events.unwrap_or_else(default_events),
            sources: new.sources,
            enabled: new.enabled,
            enabled_at: now,
            disabled_reason: None,
            transport: new.transport,
            created_at: now,
            updated_at: now,
        };
        self.receivers(receiver.transport.kind()).create(organization, receiver).await
    }

    /// The receivers of one kind.
    #[must_use]
    pub fn receivers(&self, kind: ReceiverKind) -> Table<'_, Receiver> {
        self.table(kind)
    }

    /// Disables a receiver that does not answer; `false` when a user was faster: it was deleted, disabled, or enabled again
    /// since it was `seen`.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn disable_receiver(&self, seen: &Receiver, reason: &str) -> Result<bool, DirectoryError> {
        let disable = |receiver: &mut Receiver| {
            if receiver.enabled && receiver.enabled_at == seen.enabled_at {
                (receiver.enabled, receiver.disabled_reason) = (false, Some(reason.to_owned()));
            }
            Ok(())
        };
        match self.receivers(seen.transport.kind()).update(seen.organization, seen.id, disable).await {
            Ok(receiver) => Ok(receiver.disabled_reason.as_deref() == Some(reason)),
            Err(DirectoryError::NotFound) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl Resource for Receiver {
    type Id = ReceiverId;
    type Context = ReceiverKind;

    fn collection(kind: ReceiverKind) -> Collection {
        match kind {
            ReceiverKind::Webhook => Collection {
                prefix: WEBHOOK_TARGETS,
                name: "webhook target",
                plural: "webhook targets",
                limit: MAX_WEBHOOK_TARGETS,
            },
            ReceiverKind::Telemetry => Collection {
                prefix: TELEMETRY_ENDPOINTS,
                name: "telemetry endpoint",
                plural: "telemetry endpoints",
                limit: MAX_TELEMETRY_ENDPOINTS,
            },
        }
    }

    fn id(&self) -> ReceiverId {
        self.id
    }

    fn check(&self, before: Option<&Self>) -> Result<(), DirectoryError> {
        if let Some(name) = &self.name {
            check_new_text("name", name, before.and_then(|before| before.name.as_deref()), MAX_NAME)?;
        }
        check_headers(&self.headers, before.map(|before| &before.headers))?;
        check_events(&self.events)?;
        self.sources.check()
    }

    fn touch(&mut self, before: &Self, now: Timestamp) {
        self.updated_at = now;
        if self.enabled && !before.enabled {
            (self.enabled_at, self.disabled_reason) = (now, None);
        }
    }

    /// Refuses sources that the organization does not have. One that was named before and deleted since must not prevent
    /// other changes. Repositories belong to another crate, and are checked by the caller.
    async fn beside(
        table: &Table<'_, Self>,
        organization: OrganizationId,
        change: Change<'_, Self>,
    ) -> Result<Vec<Op>, DirectoryError> {
        let Some(after) = change.after else { return Ok(Vec::new()) };
        let before = change.before.map(|before| &before.sources);
        let directory = table.directory;
        let new =
            |group: fn(&SourceFilter) -> &SourceSelection| group(&after.sources).added(before.map(group));
        check_known(
            "sources.infrastructure",
            directory.sources(),
            organization,
            new(|filter| &filter.infrastructure),
        )
        .await?;
        check_known(
            "sources.applications",
            directory.applications(),
            organization,
            new(|filter| &filter.applications),
        )
        .await?;
        check_known("sources.agents", directory.agents(), organization, new(|filter| &filter.agents)).await?;
        Ok(Vec::new())
    }
}

/// Refuses ids that are not those of resources of the organization, in the form in which events carry them.
async fn check_known<R: Resource<Id: FromStr + ToString>>(
    field: &'static str,
    table: Table<'_, R>,
    organization: OrganizationId,
    ids: Vec<&str>,
) -> Result<(), DirectoryError> {
    for text in ids {
        let known = match text.parse() {
            Ok(id) => R::Id::to_string(&id) == text && table.get(organization, id).await?.is_some(),
            Err(_) => false,
        };
        if !known {
            let reason = format!("the organization has no {} {text:?}", table.name());
            return Err(DirectoryError::invalid(field, reason));
        }
    }
    Ok(())
}
