//! Counts of rules and suppressions: read from the ledgers of all partitions, where the analyzers write it.

use common::ids::OrganizationId;
use common::partition::Partition;
use common::row::{self, RuleTally};
use futures_util::{StreamExt, TryStreamExt, stream};
use ledger::{Kind, LedgerId, Range};

use crate::app::App;
use rest::error::ApiError;

/// Ledgers asked at a time for one request.
const AT_ONCE: usize = 16;
/// Rows read at a time: one for each source that a rule found something in.
const PAGE: usize = 1000;

/// Counts of Sigma documents, all of them together, over all partitions and sources; `None` while they came to
/// nothing.
pub(crate) async fn tally(
    app: &App,
    organization: OrganizationId,
    sigma_ids: &[String],
) -> Result<Option<RuleTally>, ApiError> {
    let asked = sigma_ids
        .iter()
        .map(|id| row::rule_tallies_prefix(organization, id))
        .flat_map(|prefix| (0..app.kit.partitions).map(move |number| (Partition(number), prefix.clone())));
    let tallies = stream::iter(asked.collect::<Vec<_>>());
    let tallies = tallies.map(|(partition, prefix)| of_partition(app, partition, prefix)).buffered(AT_ONCE);
    tallies.try_fold(None, async |all, one| Ok(together(all, one))).await
}

async fn of_partition(
    app: &App,
    partition: Partition,
    prefix: Vec<u8>,
) -> Result<Option<RuleTally>, ApiError> {
    let mut all = None;
    let mut last: Option<bytes::Bytes> = None;
    loop {
        let range = Range { prefix: &prefix, after: last.as_deref(), backwards: false };
        let rows = app.kit.ledger.scan(LedgerId::Partition(partition), Kind::State, range, PAGE).await?;
        for row in &rows {
            all = together(all, Some(row::decode(&row.body)?));
        }
        if rows.len() < PAGE {
            return Ok(all);
        }
        last = rows.last().map(|row| row.key.clone());
    }
}

fn together(one: Option<RuleTally>, other: Option<RuleTally>) -> Option<RuleTally> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.plus(other)),
        (one, other) => one.or(other),
    }
}
