//! Detection of living members, by one member: the time at which it last saw another's beat change.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::config::Config;
use crate::member::{MemberId, Members};

/// Observations of the other members by one member. Times are those of its own monotonic clock.
#[derive(Debug, Default)]
pub(crate) struct Sightings {
    seen: BTreeMap<MemberId, Sighting>,
}

#[derive(Debug)]
struct Sighting {
    beat: u64,
    changed: Duration,
    /// Times it was looked at since, without a change.
    looks: u64,
}

impl Sightings {
    /// Records the rows just read, and returns the dead members: those whose beat has not changed for a
    /// lease *and* in as many looks as a lease has beats. Because of the looks, an outage of the ledger,
    /// or of this member, makes no member dead: the others get the same number of chances afterwards.
    pub(crate) fn look(&mut self, members: &Members, now: Duration, config: &Config) -> Vec<MemberId> {
        self.seen.retain(|id, _| members.contains_key(id));
        let mut dead = Vec::new();
        for (id, member) in members {
            let sighting =
                self.seen.entry(*id).or_insert(Sighting { beat: member.beat, changed: now, looks: 0 });
            if sighting.beat != member.beat {
                *sighting = Sighting { beat: member.beat, changed: now, looks: 0 };
                continue;
            }
            sighting.looks += 1;
            let unchanged = now.saturating_sub(sighting.changed);
            if unchanged >= config.lease() && sighting.looks >= config.beats_in_a_lease() {
                dead.push(*id);
            }
        }
        dead
    }
}
