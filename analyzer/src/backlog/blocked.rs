//! Partitions that cannot be analysed, and the reasons: reported by the workers of this process, by those of others through the
//! rows that they renew anyway, or inferred from a position that does not move.

use std::collections::BTreeMap;
use std::time::Duration;

use common::partition::Partition;
use ownership::Observer;

use super::{Backlog, Sources};

/// Time without progress before a partition counts as stalled, or as left by all processes: well above a lease and the longest
/// pause after a failure, so that a partition that moves to another process is not reported.
const STANDSTILL: Duration = Duration::from_secs(30);
/// Partitions that a summary names: with thousands blocked the full list is of no use.
const MOST_NAMED: usize = 20;

/// Reason why a partition cannot be analysed. The first that holds is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// A row of its ledger is damaged.
    Damaged,
    /// Its next batches are no longer in the log, or damaged, or the log is another one.
    Halted,
    /// Its worker fails again and again at the same place.
    Failing,
    /// No living process works on it.
    Unowned,
    /// Batches wait, and its position has not moved for half a minute.
    Stalled,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 5] = [Self::Damaged, Self::Halted, Self::Failing, Self::Unowned, Self::Stalled];

    /// The word for it in metrics and texts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Damaged => "damaged",
            Self::Halted => "halted",
            Self::Failing => "failing",
            Self::Unowned => "unowned",
            Self::Stalled => "stalled",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == word)
    }
}

/// A partition that cannot be analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// Number of the partition.
    pub partition: Partition,
    /// The reason.
    pub reason: Reason,
    /// Whether this process should be analysing it, or no process does.
    pub is_ours: bool,
}

/// Assignment of partitions to processes.
pub enum Sharing {
    /// This process alone, where it plays that role.
    Alone {
        /// Whether it analyses.
        analyses: bool,
    },
    /// Every process that holds a lease.
    Leases(Observer),
}

/// Since when partitions have had no owner.
#[derive(Default)]
pub(super) struct Sightings {
    unowned_since: BTreeMap<Partition, Duration>,
}

impl Sightings {
    /// Partitions that others cannot analyse, or that have had no owner for too long; none when that could not be found
    /// out.
    pub(super) async fn look(&mut self, sources: &Sources) -> Option<BTreeMap<Partition, Reason>> {
        let observer = match &sources.sharing {
            Sharing::Leases(observer) => observer,
            Sharing::Alone { analyses: true } => return Some(BTreeMap::new()),
            // Nobody else can come.
            Sharing::Alone { analyses: false } => {
                let all = (0..sources.partitions).map(Partition);
                return Some(all.map(|partition| (partition, Reason::Unowned)).collect());
            }
        };
        let leases = match observer.look().await {
            Ok(leases) => leases,
            Err(error) => {
                tracing::debug!(%error, "the leases on partitions cannot be read");
                return None;
            }
        };
        let now = sources.clock.monotonic();
        self.unowned_since.retain(|partition, _| leases.unowned.contains(partition));
        for partition in leases.unowned {
            self.unowned_since.entry(partition).or_insert(now);
        }
        let reason = |word: &String| Reason::of_word(word).unwrap_or(Reason::Failing);
        let mut blocked: BTreeMap<_, _> =
            leases.troubles.iter().map(|(partition, word)| (*partition, reason(word))).collect();
        let unowned =
            self.unowned_since.iter().filter(|(_, since)| now.saturating_sub(**since) >= STANDSTILL);
        blocked.extend(unowned.map(|(partition, _)| (*partition, Reason::Unowned)));
        Some(blocked)
    }
}

impl Backlog {
    /// The partitions that cannot be analysed, as far as this process knows.
    #[must_use]
    pub fn blocked(&self) -> Vec<Blocked> {
        let workers = &self.sources.workers;
        let (troubles, working) = (workers.troubles(), workers.working());
        let now = self.sources.clock.monotonic();
        let seen = self.lock();
        let blocked = |partition: Partition| {
            let standing = seen.partitions.get(&partition);
            let damaged = standing.is_some_and(|standing| standing.is_damaged);
            let stalled = standing
                .and_then(|standing| standing.oldest)
                .is_some_and(|oldest| now.saturating_sub(oldest.seen_at) >= STANDSTILL);
            let reason = damaged
                .then_some(Reason::Damaged)
                .or_else(|| troubles.get(&partition).copied())
                .or_else(|| seen.elsewhere.get(&partition).copied())
                .or_else(|| stalled.then_some(Reason::Stalled))?;
            let is_ours = working.contains(&partition) || reason == Reason::Unowned;
            Some(Blocked { partition, reason, is_ours })
        };
        (0..self.sources.partitions).map(Partition).filter_map(blocked).collect()
    }
}

/// Blocked partitions in a line that anybody may read; nothing when there are none.
#[must_use]
pub fn summary(blocked: &[Blocked]) -> Option<String> {
    if blocked.is_empty() {
        return None;
    }
    let named: Vec<String> = blocked
        .iter()
        .take(MOST_NAMED)
        .map(|blocked| format!("{} {}", blocked.partition.0, blocked.reason.as_str()))
        .collect();
    let more = blocked.len().saturating_sub(MOST_NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!(
        "partitions that cannot be analysed: {}{rest}; see the log of the analyzers and `palisade \
        partition list`",
        named.join(", ")
    ))
}
