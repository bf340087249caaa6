//! The index of incidents: their lists, counts over time and by value, with the names of their sources.

mod filter;
mod incidents;
mod list;
mod source_names;
mod summary;

use std::sync::Arc;

use common::ids::OrganizationId;
use common::incident::IncidentHead;
use common::timestamp::Timestamp;
use index::{Index, Opened};
use ledger::Seq;
use rest::error::ApiError;
use rest::kit::Kit;

pub(crate) use filter::{Filter, State};
pub(crate) use incidents::Row;
pub(crate) use list::{Part, Sort};
pub(crate) use summary::{FacetCounts, Histogram};

use filter::SourceNames;
use incidents::{Incidents, OrganizationIndex};

/// The indexes of all organizations in use.
pub(crate) struct IncidentIndex {
    kit: Arc<Kit>,
    index: Arc<Index<Incidents>>,
}

/// A part of an organization's list.
#[derive(Debug)]
pub(crate) struct ListedIncidents {
    /// The incidents with the names of their sources; `None` for a source that was deleted.
    pub(crate) rows: Vec<(Arc<Row>, Option<Arc<str>>)>,
    /// Exact number of incidents that match.
    pub(crate) total: usize,
    /// Whether the oldest incidents are missing for want of memory.
    pub(crate) truncated: bool,
}

/// An answer from an index.
pub(crate) struct Answer<A> {
    pub(crate) answer: A,
    /// The names of the organization's sources.
    pub(crate) names: Arc<SourceNames>,
    /// Whether the oldest incidents are missing for want of memory.
    pub(crate) truncated: bool,
}

impl IncidentIndex {
    /// The indexes over the ledger of a kit; none is loaded.
    pub(crate) fn new(kit: Arc<Kit>, settings: &index::Settings) -> Self {
        let (ledger, clock) = (Arc::clone(&kit.ledger), Arc::clone(&kit.clock));
        let index = Arc::new(Index::new(ledger, clock, kit.partitions, settings.limits()));
        Self { kit, index }
    }

    /// Keeps loaded indexes fresh and memory within bounds, for as long as it is polled.
    pub(crate) fn follow(&self) -> impl Future<Output = ()> + Send + 'static {
        Arc::clone(&self.index).follow()
    }

    /// Shows a change that this process committed as `seq` of its partition at once.
    pub(crate) fn apply(&self, head: &IncidentHead, seq: Seq) {
        self.index.apply(head, seq);
    }

    /// A part of an organization's list, loading its index where needed.
    pub(crate) async fn list(
        &self,
        organization: OrganizationId,
        filter: &Filter,
        part: Part,
    ) -> Result<ListedIncidents, ApiError> {
        let read = |index: &OrganizationIndex, names: &SourceNames| list::list(index, filter, names, part);
        let Answer { answer: (rows, total), names, truncated } = self.ask(organization, read).await?;
        let named = |row: Arc<Row>| {
            let name = names.get(&row.source).cloned();
            (row, name)
        };
        Ok(ListedIncidents { rows: rows.into_iter().map(named).collect(), total, truncated })
    }

    /// The incidents that match between two times by last activity, in `spans` spans (at least one).
    pub(crate) async fn histogram(
        &self,
        organization: OrganizationId,
        filter: &Filter,
        times: (Timestamp, Timestamp),
        spans: usize,
    ) -> Result<Answer<Histogram>, ApiError> {
        self.ask(organization, |index, names| summary::histogram(index, filter, names, times, spans)).await
    }

    /// The incidents that match by each value.
    pub(crate) async fn facets(
        &self,
        organization: OrganizationId,
        filter: &Filter,
    ) -> Result<Answer<FacetCounts>, ApiError> {
        self.ask(organization, |index, names| summary::facets(index, filter, names)).await
    }

    async fn ask<A>(
        &self,
        organization: OrganizationId,
        read: impl FnOnce(&OrganizationIndex, &SourceNames) -> A,
    ) -> Result<Answer<A>, ApiError> {
        let opened: Opened<Incidents> = self.index.open(organization).await?;
        let names = opened.beside().latest(organization, &self.kit).await?;
        let index = opened.read();
        Ok(Answer { answer: read(&index, &names), truncated: index.is_truncated(), names })
    }
}

#[cfg(test)]
mod million;
#[cfg(test)]
mod tests;
