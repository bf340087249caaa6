//! The suite that every implementation of [`Ledger`] passes: the contract, clause by clause. It panics where a
//! clause is broken.

mod commits;
mod contention;
mod feeds;
mod reads;

use std::sync::Arc;

use bytes::Bytes;
use common::ids::OrganizationId;

use crate::{Changes, Commit, Kind, Ledger, LedgerError, LedgerId, Op, Range, Row, Seq};

pub use contention::race;

/// Number of commits in the feeds of the store under test: small enough for the suite to exceed it.
pub const FEED_COMMITS: u32 = 300;

/// Runs all of it, on an unused store, with feeds of [`FEED_COMMITS`] commits. Needs a runtime with
/// several threads.
pub async fn run(ledger: Arc<dyn Ledger>) {
    commits::compare_and_append(fresh(&ledger, 1)).await;
    commits::later_operations_win(fresh(&ledger, 2)).await;
    commits::all_or_nothing(fresh(&ledger, 3)).await;
    commits::bounds(fresh(&ledger, 4)).await;
    commits::not_allowed(fresh(&ledger, 5)).await;
    commits::deletes(fresh(&ledger, 6)).await;
    reads::scans(fresh(&ledger, 7)).await;
    reads::unsigned_order(fresh(&ledger, 8)).await;
    reads::kinds_do_not_mix(fresh(&ledger, 9)).await;
    reads::ledgers_do_not_see_each_other(&ledger).await;
    reads::never_half_a_commit(fresh(&ledger, 10)).await;
    feeds::follows(fresh(&ledger, 11)).await;
    feeds::pages(fresh(&ledger, 12)).await;
    feeds::gap(fresh(&ledger, 13)).await;
    feeds::ahead_is_a_gap(fresh(&ledger, 14)).await;
    reads::limits(fresh(&ledger, 16)).await;
    race(vec![Arc::clone(&ledger), ledger], LedgerId::Organization(organization(15))).await;
}

/// A ledger of its own for each clause, and short names for the calls of the suite.
#[derive(Clone)]
struct Subject {
    ledger: Arc<dyn Ledger>,
    id: LedgerId,
}

fn fresh(ledger: &Arc<dyn Ledger>, number: u8) -> Subject {
    Subject { ledger: Arc::clone(ledger), id: LedgerId::Organization(organization(number)) }
}

fn organization(number: u8) -> OrganizationId {
    OrganizationId::from_bytes([number; 16])
}

impl Subject {
    async fn seq(&self) -> Seq {
        self.ledger.seq(self.id).await.expect("the sequence number can be read")
    }

    async fn commit(&self, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        self.ledger.commit(self.id, at, ops).await
    }

    /// Commits at the current sequence number, which must succeed.
    async fn append(&self, ops: Vec<Op>) -> Seq {
        let at = self.seq().await;
        let commit = self.commit(at, ops).await.expect("the commit is allowed");
        assert_eq!(commit, Commit::Done(Seq(at.0 + 1)), "a commit raises the sequence number by one");
        Seq(at.0 + 1)
    }

    async fn get(&self, kind: Kind, key: &[u8]) -> Option<Bytes> {
        self.ledger.get(self.id, kind, key).await.expect("a row can be read")
    }

    async fn scan(&self, kind: Kind, range: Range<'_>, limit: usize) -> Vec<Row> {
        self.ledger.scan(self.id, kind, range, limit).await.expect("rows can be read")
    }

    async fn changes(&self, after: Seq) -> Changes {
        self.ledger.changes(self.id, after).await.expect("the feed can be read")
    }

    /// Everything but the feed, to check that nothing has changed.
    async fn everything(&self) -> (Seq, Vec<Vec<Row>>) {
        let mut rows = Vec::new();
        for kind in [Kind::Head, Kind::History, Kind::Outbox, Kind::State, Kind::Detail] {
            rows.push(self.scan(kind, Range::default(), usize::MAX).await);
        }
        (self.seq().await, rows)
    }
}

fn put(kind: Kind, key: impl AsRef<[u8]>, body: impl AsRef<[u8]>) -> Op {
    Op::Put { kind, key: Bytes::copy_from_slice(key.as_ref()), body: Bytes::copy_from_slice(body.as_ref()) }
}

fn delete(kind: Kind, key: impl AsRef<[u8]>) -> Op {
    Op::Delete { kind, key: Bytes::copy_from_slice(key.as_ref()) }
}
