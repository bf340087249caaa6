//! Webhook targets: who is told of an organization's events, and of which. What they may look like and whether they
//! want an event is decided here; their rows are written in `webhook_rows`, their URLs judged by whoever sends.

use std::collections::{BTreeMap, BTreeSet};

use common::event::{EventKind, EventSource, SourceGroup};
use common::ids::{OrganizationId, WebhookTargetId};
use common::timestamp::Timestamp;
use secrets::Sealed;
use serde::{Deserialize, Serialize};

use crate::error::DirectoryError;
use crate::fields::{MAX_NAME, check_new_text, check_text};
use crate::subscription::{check_events, check_headers};

/// Most targets of an organization: what one commit of the deliverer can write and remove the rows of.
pub const MAX_WEBHOOK_TARGETS: usize = 400;
/// Most exact sources of a target, all groups together.
const MAX_SOURCES: usize = 1_000;
/// Longest id of an exact source, in characters.
const MAX_SOURCE_ID: usize = 100;
/// A receiver of events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookTarget {
    /// Its id.
    pub id: WebhookTargetId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// What people call it, 1..=100 characters.
    pub name: String,
    /// Where events are sent.
    pub url: String,
    /// Custom headers by name, in lower case; their values are sealed for the field `header/` and the name.
    pub headers: BTreeMap<String, Sealed>,
    /// The kinds of events it is told of; at least one.
    pub events: BTreeSet<EventKind>,
    /// The sources whose events it is told of.
    pub sources: SourceFilter,
    /// Whether it is told at all.
    pub enabled: bool,
    /// Since when it is enabled, or when it last was: what waited before that was cancelled.
    pub enabled_at: Timestamp,
    /// Why the service disabled it; none while it is enabled, and when people disabled it.
    pub disabled_reason: Option<String>,
    /// What its events are signed with, sealed for the field `signing_secret`.
    pub signing_secret: Sealed,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Which sources a target is told of (specification, Source filters). By default all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFilter {
    /// Of the group of the same name.
    pub repositories: SourceSelection,
    /// Of the group of the same name.
    pub applications: SourceSelection,
    /// Of the group of the same name.
    pub agents: SourceSelection,
    /// Of the group of the same name.
    pub infrastructure: SourceSelection,
}

/// Which sources of one group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceSelection {
    /// Every one, future ones too.
    #[default]
    All,
    /// These, by id.
    Exactly(BTreeSet<String>),
}

/// What a new target is to be.
#[derive(Clone, Debug)]
pub struct NewWebhookTarget {
    /// From [`Directory::new_webhook_target_id`]: secrets are sealed for it.
    pub id: WebhookTargetId,
    /// What people call it, 1..=100 characters.
    pub name: String,
    /// Where events are sent.
    pub url: String,
    /// Custom headers, at most 16.
    pub headers: BTreeMap<String, Sealed>,
    /// The kinds of events it is told of; `None` for all but escalated incidents, which take an explicit choice.
    pub events: Option<BTreeSet<EventKind>>,
    /// The sources whose events it is told of.
    pub sources: SourceFilter,
    /// Whether it is told at all.
    pub enabled: bool,
    /// What its events are signed with.
    pub signing_secret: Sealed,
}

impl WebhookTarget {
    /// Whether it is to be told of an event: enabled, subscribed, and none of its filters speaks against.
    #[must_use]
    pub fn wants(&self, kind: EventKind, source: Option<&EventSource>) -> bool {
        self.enabled && self.events.contains(&kind) && source.is_none_or(|source| self.sources.admits(source))
    }
}

impl SourceFilter {
    /// Every group with its selection.
    fn groups(&self) -> [(&'static str, &SourceSelection); 4] {
        [
            ("sources.repositories", &self.repositories),
            ("sources.applications", &self.applications),
            ("sources.agents", &self.agents),
            ("sources.infrastructure", &self.infrastructure),
        ]
    }

    /// An event without a persistent source goes only where all sources of its group are told of.
    fn admits(&self, source: &EventSource) -> bool {
        let selection = match source.group {
            SourceGroup::Repositories => &self.repositories,
            SourceGroup::Applications => &self.applications,
            SourceGroup::Agents => &self.agents,
            SourceGroup::Infrastructure => &self.infrastructure,
        };
        match selection {
            SourceSelection::All => true,
            SourceSelection::Exactly(ids) => source.id.as_ref().is_some_and(|id| ids.contains(id)),
        }
    }
}

/// Refuses a target that is not allowed, naming the first field that is not; `before` is the one that it replaces.
pub(crate) fn check(target: &WebhookTarget, before: Option<&WebhookTarget>) -> Result<(), DirectoryError> {
    check_new_text("name", &target.name, before.map(|before| before.name.as_str()), MAX_NAME)?;
    check_headers(&target.headers, before.map(|before| &before.headers))?;
    check_events(&target.events)?;
    check_sources(target)
}

fn check_sources(target: &WebhookTarget) -> Result<(), DirectoryError> {
    let mut count = 0;
    for (field, selection) in target.sources.groups() {
        let SourceSelection::Exactly(ids) = selection else { continue };
        for id in ids {
            check_text(field, id, MAX_SOURCE_ID)?;
        }
        count += ids.len();
        if count > MAX_SOURCES {
            return Err(DirectoryError::invalid(
                field,
                format!("expected at most {MAX_SOURCES} exact sources in all groups together"),
            ));
        }
    }
    Ok(())
}
