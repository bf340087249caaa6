//! The sources whose events a receiver gets.

use std::collections::BTreeSet;

use common::event::{EventSource, SourceGroup};
use serde::{Deserialize, Serialize};

use crate::error::DirectoryError;
use crate::fields::check_text;

/// Most exact sources of a receiver, all groups together.
const MAX_SOURCES: usize = 1_000;
/// Longest id of an exact source, in characters.
const MAX_SOURCE_ID: usize = 100;

/// The sources whose events a receiver gets (specification, Source filters). By default all.
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

/// Selected sources of one group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceSelection {
    /// Every one, future ones too.
    #[default]
    All,
    /// These, by id.
    Exactly(BTreeSet<String>),
}

impl SourceSelection {
    /// Ids of exact sources, none for all of the group.
    pub fn exact(&self) -> impl Iterator<Item = &str> {
        let ids = match self {
            Self::All => None,
            Self::Exactly(ids) => Some(ids),
        };
        ids.into_iter().flatten().map(String::as_str)
    }

    /// Exact sources that `before` does not have.
    #[must_use]
    pub fn added<'a>(&'a self, before: Option<&Self>) -> Vec<&'a str> {
        let has = |id: &str| matches!(before, Some(Self::Exactly(ids)) if ids.contains(id));
        self.exact().filter(|id| !has(id)).collect()
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

    /// An event without a persistent source goes only to receivers of all sources of its group.
    pub(crate) fn admits(&self, source: &EventSource) -> bool {
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

    /// Refuses too many exact sources, and ids that cannot be one.
    pub(crate) fn check(&self) -> Result<(), DirectoryError> {
        let mut count = 0;
        for (field, selection) in self.groups() {
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
}
