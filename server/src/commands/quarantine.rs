//! `palisade quarantine`: records that could not be analysed, and sending them again once they can
//! be, as after an upgrade.

use common::hexadecimal;
use common::partition::Partition;
use common::row::{self, QuarantinedRecord};
use http::Method;
use ledger::{Commit, Kind, Ledger, LedgerId, Op, Range};
use thiserror::Error;

use super::client::Client;
use super::{print, table};
use crate::Failure;
use crate::cli::{Common, QuarantineCommand, Serve};
use crate::settings;
use crate::storage::Ledgers;

/// Rows read per call.
const PAGE: usize = 100;
/// Attempts of removing a row despite other writers.
const MOST_ATTEMPTS: u32 = 100;

/// A record was sent again and could not be removed from the list.
#[derive(Debug, Error)]
#[error("record {record} of offset {offset} was sent again, and is still listed: try again")]
struct StillListed {
    offset: u64,
    record: u32,
}

pub(super) fn run(command: QuarantineCommand, common: &Common) -> Result<(), Failure> {
    let partitions = settings::load(common, &Serve::default())?.partitions();
    super::on_ledger(common, async move |ledgers, _| match command {
        QuarantineCommand::List => list(ledgers, partitions).await,
        QuarantineCommand::Replay { key, url } => {
            replay(ledgers, partitions, &Client::new(&url, &key)?).await
        }
    })
}

async fn list(ledgers: &Ledgers, partitions: u16) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for (partition, record) in records(ledgers, partitions).await? {
        let source =
            record.headers.as_ref().map_or_else(|| "-".to_owned(), |headers| headers.source.to_string());
        let received =
            record.headers.as_ref().map_or_else(|| "-".to_owned(), |headers| headers.received_at.to_iso());
        let position = record.position;
        let place = format!("{}/{}/{}", partition.0, position.offset.0, position.record);
        let kept = if record.payload.is_some() { "yes" } else { "no" };
        rows.push(vec![place, source, received, kept.to_owned(), record.cause]);
    }
    print(&table(&["PARTITION/OFFSET/RECORD", "SOURCE", "RECEIVED", "KEPT", "CAUSE"], &rows))
}

async fn replay(ledgers: &Ledgers, partitions: u16, client: &Client) -> Result<(), Failure> {
    let (mut sent, mut lost) = (0, 0);
    for (partition, record) in records(ledgers, partitions).await? {
        let kept = record.headers.as_ref().zip(record.payload.as_deref().and_then(hexadecimal::parse));
        let Some((headers, payload)) = kept else {
            lost += 1;
            continue;
        };
        let path = format!("/infrastructure/sources/{}/v1/logs", headers.source);
        client.send(Method::POST, &path, "application/x-protobuf", payload, 200).await?;
        forget(ledgers, partition, &record).await?;
        sent += 1;
    }
    print(&format!("{sent} records were sent again; {lost} were too large to be stored and remain listed"))
}

async fn records(ledgers: &Ledgers, partitions: u16) -> Result<Vec<(Partition, QuarantinedRecord)>, Failure> {
    let mut found = Vec::new();
    for partition in (0..partitions).map(Partition) {
        let mut after = None;
        loop {
            let range = Range { prefix: row::QUARANTINE_PREFIX, after: after.as_deref(), backwards: false };
            let page = ledgers.ledger.scan(LedgerId::Partition(partition), Kind::State, range, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.key.clone());
            for row in &page {
                found.push((partition, row::decode(&row.body)?));
            }
        }
    }
    Ok(found)
}

async fn forget(ledgers: &Ledgers, partition: Partition, record: &QuarantinedRecord) -> Result<(), Failure> {
    let ledger: &dyn Ledger = ledgers.ledger.as_ref();
    let id = LedgerId::Partition(partition);
    for _ in 0..MOST_ATTEMPTS {
        let seq = ledger.seq(id).await?;
        let op = Op::Delete { kind: Kind::State, key: row::quarantine_key(record.position).into() };
        if let Commit::Done(_) = ledger.commit(id, seq, vec![op]).await? {
            return Ok(());
        }
    }
    Err(StillListed { offset: record.position.offset.0, record: record.position.record }.into())
}
