//! Subscriptions of a webhook target in bodies: `"all"` or an array of ids for each group of sources, and an array of kinds of
//! events.

use std::collections::BTreeSet;
use std::fmt;

use code_host::check_repository;
use common::event::EventKind;
use common::ids::OrganizationId;
use directory::{Directory, SourceFilter, SourceSelection};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use rest::body::not_null;
use rest::error::ApiError;
use rest::settings::set;

/// Sources of one group: `"all"` or an array of ids.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Selection(SourceSelection);

/// Sources whose events a webhook target receives. An event without a source is delivered only to targets that receive
/// all sources of its group.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookSources)]
pub(crate) struct Sources {
    #[schema(schema_with = crate::schema::source_selection)]
    repositories: Selection,
    #[schema(schema_with = crate::schema::source_selection)]
    applications: Selection,
    #[schema(schema_with = crate::schema::source_selection)]
    agents: Selection,
    #[schema(schema_with = crate::schema::source_selection)]
    infrastructure: Selection,
}

/// Selected sources by group. An omitted group means all of its sources in a creation, and no change in an update.
#[derive(Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewWebhookSources, example = json!({"infrastructure": ["0198a2f4-6c1b-7d3e-9a51-3f2b8c7d6e5f"]}))]
pub(crate) struct SourcesBody {
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = crate::schema::source_selection, required = false)]
    repositories: Option<Selection>,
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = crate::schema::source_selection, required = false)]
    applications: Option<Selection>,
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = crate::schema::source_selection, required = false)]
    agents: Option<Selection>,
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = crate::schema::source_selection, required = false)]
    infrastructure: Option<Selection>,
}

impl From<SourceFilter> for Sources {
    fn from(filter: SourceFilter) -> Self {
        Self {
            repositories: Selection(filter.repositories),
            applications: Selection(filter.applications),
            agents: Selection(filter.agents),
            infrastructure: Selection(filter.infrastructure),
        }
    }
}

impl SourcesBody {
    /// For a target to be.
    pub(super) fn filter(&self) -> SourceFilter {
        let mut filter = SourceFilter::default();
        self.apply(&mut filter);
        filter
    }

    /// Selects the groups that are named.
    pub(super) fn apply(&self, filter: &mut SourceFilter) {
        for (selected, named) in [
            (&mut filter.repositories, &self.repositories),
            (&mut filter.applications, &self.applications),
            (&mut filter.agents, &self.agents),
            (&mut filter.infrastructure, &self.infrastructure),
        ] {
            set(selected, named.as_ref().map(|named| &named.0));
        }
    }
}

/// Refuses repositories that the organization does not have, unless they were selected before: they may be disconnected later.
/// The other groups are checked by the directory.
pub(super) async fn check_repositories(
    directory: &Directory,
    organization: OrganizationId,
    sources: Option<&SourcesBody>,
    stored: Option<&SourceFilter>,
) -> Result<(), ApiError> {
    let named = sources.and_then(|sources| sources.repositories.as_ref());
    let stored = stored.map(|stored| &stored.repositories);
    for id in named.map(|named| named.0.added(stored)).unwrap_or_default() {
        check_repository(directory, organization, "sources.repositories", (Some(id), None)).await?;
    }
    Ok(())
}

impl Serialize for Selection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            SourceSelection::All => serializer.serialize_str("all"),
            SourceSelection::Exactly(ids) => ids.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Selection {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SelectionVisitor).map(Self)
    }
}

struct SelectionVisitor;

impl<'de> Visitor<'de> for SelectionVisitor {
    type Value = SourceSelection;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"all\" or an array of different ids")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<SourceSelection, E> {
        if word == "all" {
            return Ok(SourceSelection::All);
        }
        Err(E::invalid_value(serde::de::Unexpected::Str(word), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut given: A) -> Result<SourceSelection, A::Error> {
        let mut ids = BTreeSet::new();
        while let Some(id) = given.next_element::<String>()? {
            if let Some(twice) = ids.replace(id) {
                return Err(A::Error::invalid_value(serde::de::Unexpected::Str(&twice), &self));
            }
        }
        Ok(SourceSelection::Exactly(ids))
    }
}

/// Kinds of events, each named once.
pub(crate) fn events(given: Vec<EventKind>) -> Result<BTreeSet<EventKind>, ApiError> {
    let count = given.len();
    let events: BTreeSet<EventKind> = given.into_iter().collect();
    if events.len() < count {
        return Err(ApiError::Invalid("events: duplicate event type".into()));
    }
    Ok(events)
}
