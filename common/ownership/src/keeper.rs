//! The keeper of a membership: once a beat it reads all members, decides which partitions its process
//! should hold, and writes that in one commit at the sequence number read.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use common::clock::SharedClock;
use common::partition::Partition;
use ledger::{Commit, Ledger, LedgerId, Work};

use crate::config::Config;
use crate::member::{self, MOST_MEMBERS, Member, MemberError, MemberId, Members};
use crate::quota::target;
use crate::share::{Desk, Share, share};
use crate::sighting::Sightings;

/// Times a beat is tried against the commits of other members before it is left for the next.
const ATTEMPTS: u32 = 10;
/// Longest pause between two attempts: far below a beat, and unlike the pause of others that met the same conflict.
const LONGEST_PAUSE_MILLISECONDS: u64 = 40;
/// Rows of dead members that one beat removes, at most: a commit has a bound.
const BURIED_AT_ONCE: usize = 500;

/// The shared work, and its members.
pub struct Membership {
    /// Ledger of the members' rows.
    pub ledger: Arc<dyn Ledger>,
    /// Measures leases.
    pub clock: SharedClock,
    /// Name of the shared work.
    pub work: Work,
    /// Number of its partitions.
    pub partitions: u16,
    /// This member.
    pub id: MemberId,
    /// Beat and lease.
    pub config: Config,
}

/// Keeps one process's membership.
pub struct Keeper {
    membership: Membership,
    desk: Desk,
    sightings: Sightings,
    beat: u64,
    /// Whether the last beat failed: logged once per change.
    failing: bool,
}

/// Outcome of one attempt.
enum Attempt {
    Done,
    /// Another member wrote at the same moment.
    Conflict,
    /// Unknown; it is read at the next beat.
    Unknown,
    /// The row was missing: others hold our partitions. Joining again has to wait until none of
    /// them is worked on any more.
    Lost,
}

impl Keeper {
    /// A keeper, and the share that it manages. Nothing is wanted before it runs.
    #[must_use]
    pub fn new(membership: Membership) -> (Self, Share) {
        metrics::describe_counter!(
            "palisade_ownership_leases_lost_total",
            "Leases that this process lost to another one."
        );
        metrics::describe_gauge!(
            "palisade_ownership_members",
            "Live processes that share a kind of work, as seen by this one."
        );
        metrics::describe_counter!(
            "palisade_ownership_beats_missed_total",
            "Lease renewals that this process missed."
        );
        metrics::counter!("palisade_ownership_leases_lost_total").increment(0);
        metrics::counter!("palisade_ownership_beats_missed_total").increment(0);
        let (desk, share) = share();
        let sightings = Sightings::default();
        (Self { membership, desk, sightings, beat: 0, failing: false }, share)
    }

    /// Keeps the membership until `stop` returns; then waits until nothing is worked on, and leaves, so
    /// that others need not wait for the lease to end.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        loop {
            self.beat().await;
            let waiting = self.gives_something_up();
            tokio::select! {
                biased;
                () = &mut stop => break,
                // A partition that is given up may belong to another member at once.
                Ok(()) = self.desk.working.changed(), if waiting => {}
                () = tokio::time::sleep(self.membership.config.beat()) => {}
            }
        }
        self.leave().await;
    }

    /// One beat: renews our row, with the partitions that we hold.
    pub(crate) async fn beat(&mut self) {
        // One look per beat, however many attempts: dead members are detected by the number of looks.
        let mut looked = None;
        for attempt in 1..=ATTEMPTS {
            let limit = self.membership.config.longest_try();
            let tried = tokio::time::timeout(limit, self.attempt(&mut looked)).await;
            match tried.unwrap_or(Err(MemberError::Slow { limit })) {
                Ok(Attempt::Conflict) => self.pause(attempt).await,
                Ok(Attempt::Done) => return self.note(None),
                Ok(Attempt::Lost) => return self.lose(),
                Ok(Attempt::Unknown) => break,
                Err(error) => return self.note(Some(&error)),
            }
        }
        metrics::counter!("palisade_ownership_beats_missed_total").increment(1);
    }

    async fn pause(&self, attempt: u32) {
        let spread = self.membership.id.spread().rotate_left(attempt * 7) % LONGEST_PAUSE_MILLISECONDS;
        tokio::time::sleep(Duration::from_millis(spread)).await;
    }

    async fn attempt(&mut self, looked: &mut Option<BTreeSet<MemberId>>) -> Result<Attempt, MemberError> {
        let ledger = Arc::clone(&self.membership.ledger);
        let id = self.ledger_id();
        let seq = ledger.seq(id).await?;
        let mut living = member::read(ledger.as_ref(), id).await?;
        let me = self.membership.id;
        let mine = living.remove(&me);
        let is_idle = self.desk.working.borrow().is_empty() && self.desk.wanted.borrow().is_empty();
        if mine.is_none() && !is_idle {
            return Ok(Attempt::Lost);
        }
        let dead = looked.get_or_insert_with(|| self.look(&living));
        living.retain(|id, _| !dead.contains(id));
        if mine.is_none() && living.len() >= MOST_MEMBERS {
            return Err(MemberError::TooMany);
        }
        let held = mine.unwrap_or_default().partitions;
        let target = target(me, &held, &living, self.membership.partitions);
        // Released partitions are stopped first, then given up; new ones are taken first, then begun.
        self.want(held.intersection(&target).copied().collect());
        // Read after that: a worker that named a partition while it was still wanted is seen here.
        let working = self.desk.working.borrow().clone();
        let partitions = target.iter().copied().chain(working.intersection(&held).copied()).collect();
        self.beat += 1;
        let troubles = self.desk.troubles.borrow().clone();
        let mut ops = vec![member::put(me, &Member { beat: self.beat, partitions, troubles })?];
        ops.extend(dead.iter().take(BURIED_AT_ONCE).copied().map(member::delete));
        Ok(match ledger.commit(id, seq, ops).await? {
            Commit::Done(_) => {
                self.want(target);
                Attempt::Done
            }
            Commit::Conflict(_) => Attempt::Conflict,
            // Until the outcome is known nothing new is begun.
            Commit::Unknown => Attempt::Unknown,
        })
    }

    /// Other members that are dead.
    fn look(&mut self, others: &Members) -> BTreeSet<MemberId> {
        let now = self.membership.clock.monotonic();
        let dead: BTreeSet<MemberId> =
            self.sightings.look(others, now, &self.membership.config).into_iter().collect();
        for id in &dead {
            let partitions = others.get(id).map_or(0, |member| member.partitions.len());
            tracing::warn!(member = %id, partitions, "a member is dead: its partitions are reassigned");
        }
        let work = match self.membership.work {
            Work::Analysis => "analysis",
            Work::Delivery => "delivery",
            Work::Jobs => "jobs",
        };
        #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
        metrics::gauge!("palisade_ownership_members", "work" => work)
            .set((others.len() - dead.len() + 1) as f64);
        dead
    }

    fn want(&self, wanted: BTreeSet<Partition>) {
        self.desk.wanted.send_if_modified(|before| {
            let changed = *before != wanted;
            *before = wanted;
            changed
        });
    }

    fn lose(&mut self) {
        if self.desk.wanted.borrow().is_empty() {
            return;
        }
        metrics::counter!("palisade_ownership_leases_lost_total").increment(1);
        tracing::warn!(member = %self.membership.id, "declared dead by other members: rejoining");
        self.want(BTreeSet::new());
    }

    fn note(&mut self, error: Option<&MemberError>) {
        match error {
            Some(error) if !self.failing => tracing::error!(%error, "the leases cannot be renewed"),
            None if self.failing => tracing::info!("the leases are renewed again"),
            _ => {}
        }
        self.failing = error.is_some();
    }

    fn gives_something_up(&self) -> bool {
        !self.desk.working.borrow().is_subset(&self.desk.wanted.borrow())
    }

    async fn leave(&mut self) {
        self.want(BTreeSet::new());
        // An error means that the worker has ended.
        let _ = self.desk.working.wait_for(BTreeSet::is_empty).await;
        let id = self.ledger_id();
        for _ in 0..ATTEMPTS {
            let Ok(seq) = self.membership.ledger.seq(id).await else { break };
            let ops = vec![member::delete(self.membership.id)];
            match self.membership.ledger.commit(id, seq, ops).await {
                Ok(Commit::Conflict(_)) => {}
                Ok(Commit::Done(_)) => return,
                Ok(Commit::Unknown) | Err(_) => break,
            }
        }
        tracing::warn!("the lease was not released: other members wait until it expires");
    }

    fn ledger_id(&self) -> LedgerId {
        LedgerId::Ownership(self.membership.work)
    }
}
