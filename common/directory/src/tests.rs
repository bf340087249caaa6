//! The directory on the ledger in memory, with a clock that is moved by hand and a ledger that can be
//! made to misbehave.

mod authentication;
mod deployment;
mod detection;
mod first_run;
mod keys;
mod lookup;
mod one_time;
mod organizations;
mod pairing;
mod policies;
mod receivers;
mod sources;
mod table;
mod targets;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use common::clock::ManualClock;
use common::ids::OrganizationId;
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use ledger::memory::MemoryLedger;
use ledger::wrapped::Wrapper;
use ledger::{Commit, Kind, Ledger, LedgerError, LedgerId, Op, Range, Row, Seq};

use crate::{Authenticator, Directory, NewKey, SourceLookup};

/// The ledger in memory, watched and disturbed.
#[derive(Default)]
struct Watched {
    memory: MemoryLedger,
    /// Calls of `get` so far.
    gets: AtomicUsize,
    /// Calls of `scan` so far.
    scans: AtomicUsize,
    /// Somebody else commits before each of the next commits, this many times.
    rivals: AtomicUsize,
    /// Calls of `get` never end.
    hangs: AtomicBool,
    /// Commits to ledgers of organizations fail.
    organizations_fail: AtomicBool,
    /// Before each call, other tasks have their turn.
    yields: AtomicBool,
    /// The next read of an API key waits with its answer until it is released.
    parks: AtomicBool,
    released: tokio::sync::Notify,
}

impl Watched {
    async fn turn(&self) {
        if self.yields.load(Ordering::SeqCst) {
            tokio::task::yield_now().await;
        }
    }
}

#[async_trait]
impl Wrapper for Watched {
    fn inner(&self) -> &dyn Ledger {
        &self.memory
    }

    async fn on_seq(&self, ledger: LedgerId) -> Result<Seq, LedgerError> {
        self.turn().await;
        self.memory.seq(ledger).await
    }

    async fn on_commit(&self, ledger: LedgerId, at: Seq, ops: Vec<Op>) -> Result<Commit, LedgerError> {
        self.turn().await;
        let rivals = self.rivals.load(Ordering::SeqCst);
        if rivals > 0 {
            self.rivals.store(rivals - 1, Ordering::SeqCst);
            self.memory.commit(ledger, self.memory.seq(ledger).await?, Vec::new()).await?;
        }
        if matches!(ledger, LedgerId::Organization(_)) && self.organizations_fail.load(Ordering::SeqCst) {
            return Err(LedgerError::Unavailable { cause: "a failure that was asked for".to_owned() });
        }
        self.memory.commit(ledger, at, ops).await
    }

    async fn on_get(&self, ledger: LedgerId, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError> {
        self.turn().await;
        self.gets.fetch_add(1, Ordering::SeqCst);
        if self.hangs.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        let read = self.memory.get(ledger, kind, key).await;
        if key.starts_with(b"key/") && self.parks.swap(false, Ordering::SeqCst) {
            self.released.notified().await;
        }
        read
    }

    async fn on_scan(
        &self,
        ledger: LedgerId,
        kind: Kind,
        range: Range<'_>,
        limit: usize,
    ) -> Result<Vec<Row>, LedgerError> {
        self.turn().await;
        self.scans.fetch_add(1, Ordering::SeqCst);
        self.memory.scan(ledger, kind, range, limit).await
    }
}

/// A directory with one organization.
struct Fixture {
    ledger: Arc<Watched>,
    clock: Arc<ManualClock>,
    directory: Arc<Directory>,
    organization: OrganizationId,
}

impl Fixture {
    async fn new() -> Self {
        let mut fixture = Self::empty();
        fixture.organization = fixture.directory.create_organization("Acme").await.unwrap().id;
        fixture
    }

    /// Without any organization.
    fn empty() -> Self {
        let ledger = Arc::new(Watched::default());
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_800_000_000_000)));
        let shared = Arc::clone(&ledger);
        let directory = Arc::new(Directory::new(shared, clock.clone(), Pepper::new([1; 32])));
        Self { ledger, clock, directory, organization: OrganizationId::from_bytes([0; 16]) }
    }

    /// The directory of another process on the same ledger.
    fn elsewhere(&self) -> Directory {
        Directory::new(self.ledger.clone(), self.clock.clone(), Pepper::new([1; 32]))
    }

    fn authenticator(&self) -> Authenticator {
        Authenticator::new(Arc::clone(&self.directory), self.clock.clone())
    }

    fn lookup(&self) -> SourceLookup {
        SourceLookup::new(Arc::clone(&self.directory))
    }

    fn gets(&self) -> usize {
        self.ledger.gets.load(Ordering::SeqCst)
    }
}

fn named(name: &str) -> NewKey {
    NewKey { name: name.to_owned(), ..NewKey::default() }
}
