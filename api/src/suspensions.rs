//! Rules of an organization that analyzers suspended because of the steps they took: read from the ledgers of all
//! partitions, where the analyzers write it.

use std::collections::BTreeMap;

use common::ids::OrganizationId;
use common::partition::Partition;
use common::row::{self, SuspendedDocument};
use futures_util::{StreamExt, TryStreamExt, stream};
use ledger::{Kind, LedgerId, Range};

use crate::app::App;
use crate::error::ApiError;

/// Ledgers asked at a time for one request.
const AT_ONCE: usize = 16;
/// Rows read of one partition: an organization has at most so many rules.
const MOST_ROWS: usize = 1_000;

/// What is suspended, the earliest suspension of each document in any partition.
#[derive(Debug, Default)]
pub(crate) struct Suspensions(BTreeMap<String, SuspendedDocument>);

impl Suspensions {
    /// Reads all suspensions of an organization.
    pub(crate) async fn read(app: &App, organization: OrganizationId) -> Result<Self, ApiError> {
        let prefix = row::suspensions_prefix(organization);
        let asked = (0..app.partitions).map(Partition).map(|partition| (partition, prefix.clone()));
        let read = stream::iter(asked.collect::<Vec<_>>());
        let read = read.map(|(partition, prefix)| of_partition(app, partition, prefix)).buffered(AT_ONCE);
        read.try_fold(Self::default(), async |mut all, found| {
            found.into_iter().for_each(|document| all.add(document));
            Ok(all)
        })
        .await
    }

    /// The suspension of the first of these documents that is suspended.
    pub(crate) fn first_of(&self, sigma_ids: &[String]) -> Option<&SuspendedDocument> {
        sigma_ids.iter().find_map(|id| self.0.get(&id.to_lowercase()))
    }

    fn add(&mut self, document: SuspendedDocument) {
        let id = document.sigma_id.to_lowercase();
        match self.0.get(&id) {
            Some(known) if known.since <= document.since => {}
            _ => drop(self.0.insert(id, document)),
        }
    }
}

async fn of_partition(
    app: &App,
    partition: Partition,
    prefix: Vec<u8>,
) -> Result<Vec<SuspendedDocument>, ApiError> {
    let range = Range { prefix: &prefix, after: None, backwards: false };
    let rows = app.ledger.scan(LedgerId::Partition(partition), Kind::State, range, MOST_ROWS).await?;
    rows.iter().map(|row| Ok(row::decode(&row.body)?)).collect()
}
