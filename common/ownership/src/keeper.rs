//! The keeper of a membership: once a beat it reads all members, decides what its process should hold, and
//! writes that down in one commit at what it read.

use std::collections::BTreeSet;
use std::sync::Arc;

use common::clock::SharedClock;
use common::partition::Partition;
use ledger::{Commit, Ledger, LedgerId, Work};

use crate::config::Config;
use crate::member::{self, Member, MemberError, MemberId, Members};
use crate::quota::target;
use crate::share::{Desk, Share, share};
use crate::sighting::Sightings;

/// Times a beat is tried against the commits of other members before it is left for the next.
const ATTEMPTS: u32 = 10;

/// Which work is shared, by whom.
pub struct Membership {
    /// Where the members' rows are.
    pub ledger: Arc<dyn Ledger>,
    /// Measures leases.
    pub clock: SharedClock,
    /// What is shared out.
    pub work: Work,
    /// How many partitions it has.
    pub partitions: u16,
    /// Who we are.
    pub id: MemberId,
    /// How often and how long.
    pub config: Config,
}

/// Keeps one process's membership.
pub struct Keeper {
    membership: Membership,
    desk: Desk,
    sightings: Sightings,
    beat: u64,
    /// Whether the last beat failed: said once per change.
    failing: bool,
}

/// How one attempt ended.
enum Attempt {
    Done,
    /// Somebody else wrote at the same moment.
    Conflict,
    /// The row was gone: others hold what was ours. Joining anew has to wait until nothing of it is
    /// worked on any more.
    Lost,
}

impl Keeper {
    /// A keeper, and the share that it hands out. Nothing is wanted before it runs.
    #[must_use]
    pub fn new(membership: Membership) -> (Self, Share) {
        metrics::describe_counter!("ownership_leases_lost_total", "Times this process was taken for dead.");
        metrics::describe_gauge!(
            "ownership_members",
            "Living processes that share the work, as seen by this one."
        );
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
                // What is given up may be somebody else's at once.
                _ = self.desk.working.changed(), if waiting => {}
                () = tokio::time::sleep(self.membership.config.beat()) => {}
            }
        }
        self.leave().await;
    }

    /// One beat: our row says again that we are alive, and what we hold.
    pub(crate) async fn beat(&mut self) {
        for _ in 0..ATTEMPTS {
            match self.attempt().await {
                Ok(Attempt::Conflict) => {}
                Ok(Attempt::Done) => return self.note(None),
                Ok(Attempt::Lost) => return self.lose(),
                Err(error) => return self.note(Some(&error)),
            }
        }
    }

    async fn attempt(&mut self) -> Result<Attempt, MemberError> {
        let ledger = Arc::clone(&self.membership.ledger);
        let id = self.ledger_id();
        let seq = ledger.seq(id).await?;
        let members = member::read(ledger.as_ref(), id).await?;
        let me = self.membership.id;
        let mine = members.get(&me).cloned();
        let working = self.desk.working.borrow().clone();
        if mine.is_none() && !(working.is_empty() && self.desk.wanted.borrow().is_empty()) {
            return Ok(Attempt::Lost);
        }
        let (living, dead) = self.tell_apart(members);
        let held = mine.unwrap_or_default().partitions;
        let target = target(me, &held, &living, self.membership.partitions);
        // Stopped first, given up when it has stopped; taken first, begun when it is ours.
        self.want(held.intersection(&target).copied().collect());
        let partitions = target.iter().copied().chain(working.intersection(&held).copied()).collect();
        self.beat += 1;
        let mut ops = vec![member::put(me, &Member { beat: self.beat, partitions })?];
        ops.extend(dead.into_iter().map(member::delete));
        match ledger.commit(id, seq, ops).await? {
            Commit::Done(_) => {
                self.want(target);
                Ok(Attempt::Done)
            }
            Commit::Conflict(_) => Ok(Attempt::Conflict),
            // What took effect is read at the next beat; until then nothing new is begun.
            Commit::Unknown => Ok(Attempt::Done),
        }
    }

    /// Who is alive beside us, and who is not.
    fn tell_apart(&mut self, mut members: Members) -> (Members, Vec<MemberId>) {
        members.remove(&self.membership.id);
        let now = self.membership.clock.monotonic();
        let dead = self.sightings.look(&members, now, &self.membership.config);
        for id in &dead {
            let partitions = members.remove(id).map_or(0, |member| member.partitions.len());
            tracing::warn!(member = %id, partitions, "a member is dead: what it held is shared out");
        }
        #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
        metrics::gauge!("ownership_members").set((members.len() + 1) as f64);
        (members, dead)
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
        metrics::counter!("ownership_leases_lost_total").increment(1);
        tracing::warn!(member = %self.membership.id, "taken for dead by others: joining anew");
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
        // An error means that whoever worked is gone.
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
        tracing::warn!("the lease was not given back: others wait for its end");
    }

    fn ledger_id(&self) -> LedgerId {
        LedgerId::Ownership(self.membership.work)
    }
}
