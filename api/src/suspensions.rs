//! Rules and suppressions of an organization that are left out: those that analyzers suspended because of the steps they
//! took, read from the ledgers of all partitions, where the analyzers write it; and those that cannot be used any more.

use std::collections::BTreeMap;

use common::ids::OrganizationId;
use common::partition::Partition;
use common::row::{self, SuspendedDocument};
use directory::{ALL_DOCUMENTS, UnusableDocuments};
use futures_util::{StreamExt, TryStreamExt, stream};
use ledger::{Kind, LedgerId, Range};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use rest::error::ApiError;

/// Ledgers asked at a time for one request.
const AT_ONCE: usize = 16;
/// Rows read of one partition: an organization has at most so many rules.
const MOST_ROWS: usize = 1_000;

/// Suspended documents.
#[derive(Debug, Default)]
pub(crate) struct Suspensions {
    /// The earliest suspension of each Sigma document in any partition.
    suspended: BTreeMap<String, SuspendedDocument>,
    unusable: UnusableDocuments,
}

/// A suspension of a rule or suppression.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Suspension)]
pub(crate) struct SuspensionView {
    /// The reason, in English.
    reason: String,
    /// When it was suspended; if it exceeded its processing steps, by the acceptance time of the records.
    #[schema(format = DateTime)]
    since: String,
}

impl Suspensions {
    /// Reads all suspensions of an organization.
    pub(crate) async fn read(app: &App, organization: OrganizationId) -> Result<Self, ApiError> {
        let prefix = row::suspensions_prefix(organization);
        let asked = (0..app.kit.partitions).map(Partition).map(|partition| (partition, prefix.clone()));
        let read = stream::iter(asked.collect::<Vec<_>>());
        let read = read.map(|(partition, prefix)| of_partition(app, partition, prefix)).buffered(AT_ONCE);
        let unusable = app.kit.directory.unusable_documents(organization).await?;
        let all = Self { unusable, ..Self::default() };
        read.try_fold(all, async |mut all, found| {
            found.into_iter().for_each(|document| all.add(document));
            Ok(all)
        })
        .await
    }

    /// The suspension of the rule or suppression with this id, which holds these Sigma documents.
    pub(crate) fn of(&self, id: &str, sigma_ids: &[String]) -> Option<SuspensionView> {
        let unusable = self.unusable.get(id).or_else(|| self.unusable.get(ALL_DOCUMENTS));
        let unusable = unusable.map(|unusable| (&unusable.reason, unusable.since));
        let suspended = || self.first_of(sigma_ids).map(|suspended| (&suspended.reason, suspended.since));
        let (reason, since) = unusable.or_else(suspended)?;
        Some(SuspensionView { reason: reason.clone(), since: since.to_iso() })
    }

    /// Whether one of these Sigma documents is suspended because of the steps that it took.
    pub(crate) fn is_suspended(&self, sigma_ids: &[String]) -> bool {
        self.first_of(sigma_ids).is_some()
    }

    fn first_of(&self, sigma_ids: &[String]) -> Option<&SuspendedDocument> {
        sigma_ids.iter().find_map(|id| self.suspended.get(&id.to_lowercase()))
    }

    fn add(&mut self, document: SuspendedDocument) {
        let id = document.sigma_id.to_lowercase();
        match self.suspended.get(&id) {
            Some(known) if known.since <= document.since => {}
            _ => drop(self.suspended.insert(id, document)),
        }
    }
}

async fn of_partition(
    app: &App,
    partition: Partition,
    prefix: Vec<u8>,
) -> Result<Vec<SuspendedDocument>, ApiError> {
    let range = Range { prefix: &prefix, after: None, backwards: false };
    let rows = app.kit.ledger.scan(LedgerId::Partition(partition), Kind::State, range, MOST_ROWS).await?;
    rows.iter().map(|row| Ok(row::decode(&row.body)?)).collect()
}
