//! The faults of a run: drawn from the seed before the run, each process and each store in turn,
//! then shuffled.

use std::collections::BTreeMap;
use std::time::Duration;

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

/// Faults on each store, if there are enough faults.
const FEWEST_ON_A_STORE: usize = 4;
/// At most one fault in this many is on a store; most failures are of processes.
const STORES_SHARE: usize = 3;
/// One pause in this many is a long one.
const LONG_PAUSE: u32 = 4;
/// Usual pauses, milliseconds: some shorter than any timeout, some longer than most.
const PAUSE_MS: std::ops::Range<u64> = 1_000..8_000;
/// Long pauses, milliseconds: longer than a lease, so that another process takes over from one
/// that will resume.
const LONG_PAUSE_MS: std::ops::Range<u64> = 12_000..16_000;
/// Downtime after a kill, milliseconds.
const DOWN_MS: std::ops::Range<u64> = 100..3_000;
/// One fault in this many does not wait for the end of the one before.
const OVERLAPPING: u32 = 4;

/// Victim of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Victim {
    /// A process of the deployment, by its number.
    Process(usize),
    /// A store that can be controlled, by its number.
    Store(usize),
}

/// Action on the victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// SIGKILL; started again after a while.
    Kill { down: Duration },
    /// SIGSTOP; SIGCONT after a while.
    Pause { length: Duration },
    /// SIGTERM; started again at once.
    Restart,
}

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) victim: Victim,
    pub(crate) action: Action,
    /// Whether the next fault may begin before the end of this one.
    pub(crate) overlaps: bool,
}

impl Action {
    /// Name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Kill { .. } => "kill",
            Self::Pause { .. } => "pause",
            Self::Restart => "restart",
        }
    }
}

/// Draws faults on the processes and on the stores that can be controlled.
pub(crate) fn draw(count: usize, processes: usize, stores: usize, chance: &mut StdRng) -> Vec<Fault> {
    let on_a_store = (count / STORES_SHARE / stores.max(1)).min(FEWEST_ON_A_STORE);
    let mut victims = Vec::new();
    for store in 0..stores {
        victims.extend(std::iter::repeat_n(Victim::Store(store), on_a_store));
    }
    let mut next = 0..;
    while victims.len() < count {
        // Every process in turn, so that none is spared.
        victims.extend(next.next().map(|number: usize| Victim::Process(number % processes.max(1))));
    }
    let mut turns: Vec<(Victim, usize)> = Vec::new();
    for victim in victims {
        let turn = turns.iter().filter(|(other, _)| *other == victim).count();
        turns.push((victim, turn));
    }
    turns.shuffle(chance);
    turns.into_iter().map(|(victim, turn)| fault(victim, turn, chance)).collect()
}

/// The fault of a victim's turn: kill, pause and restart one after the other, so that each has each.
fn fault(victim: Victim, turn: usize, chance: &mut StdRng) -> Fault {
    let milliseconds = |range, chance: &mut StdRng| Duration::from_millis(chance.random_range(range));
    let action = match turn % 3 {
        0 => Action::Kill { down: milliseconds(DOWN_MS, chance) },
        1 if chance.random_ratio(1, LONG_PAUSE) => {
            Action::Pause { length: milliseconds(LONG_PAUSE_MS, chance) }
        }
        1 => Action::Pause { length: milliseconds(PAUSE_MS, chance) },
        _ => Action::Restart,
    };
    Fault { victim, action, overlaps: chance.random_ratio(1, OVERLAPPING) }
}

/// Number of faults of each kind, by victim's name and action.
pub(crate) type Tallied = BTreeMap<(String, &'static str), u64>;

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn everything_has_its_share_and_every_action_occurs() {
        let faults = draw(60, 8, 2, &mut StdRng::seed_from_u64(7));
        assert_eq!(faults.len(), 60);
        let on = |victim| faults.iter().filter(|fault| fault.victim == victim).collect::<Vec<_>>();
        for victim in (0..8).map(Victim::Process).chain((0..2).map(Victim::Store)) {
            let of_it = on(victim);
            assert!(of_it.len() >= FEWEST_ON_A_STORE, "{victim:?}: {}", of_it.len());
            for name in ["kill", "pause", "restart"] {
                assert!(of_it.iter().any(|fault| fault.action.name() == name), "{victim:?}: no {name}");
            }
        }
        assert_eq!(faults, draw(60, 8, 2, &mut StdRng::seed_from_u64(7)));
    }

    #[test]
    fn a_few_faults_are_drawn_too() {
        assert_eq!(draw(1, 8, 2, &mut StdRng::seed_from_u64(7)).len(), 1);
        let few = draw(6, 8, 2, &mut StdRng::seed_from_u64(7));
        assert_eq!(few.iter().filter(|fault| fault.victim == Victim::Store(0)).count(), 1);
        assert_eq!(draw(6, 1, 0, &mut StdRng::seed_from_u64(7)).len(), 6);
    }
}
