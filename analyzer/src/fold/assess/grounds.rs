//! What is known of all members through one rule or correlation: for each rule that matched them, in which fields
//! they agree. By it a filter that is added later takes back what it certainly would have taken away.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sigma::Constants;

use super::Knowledge;
use crate::fold::ground::Ground;
use crate::note::bounded;
use crate::plan::Plan;

/// Bytes kept for one rule or correlation of an incident. Beyond, nothing is known of its members any more.
const MOST_BYTES: usize = 16 * 1024;
/// Bytes kept for all of an incident, which are part of one row.
const MOST_BYTES_OF_ALL: usize = 64 * 1024;
/// Most bytes of a filter's id, and of its title.
const NAME_BYTES: usize = 200;
/// Filters that are named where several together took a rule back.
const MOST_NAMED: usize = 8;

/// Fields in which the members agree, by the id of the rule that matched them. `None` when that is not known: of
/// members that were held back too long, or joined before it was kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Grounds(Option<BTreeMap<String, Arc<Constants>>>);

/// A filter that took back what a rule said.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Suppressor {
    /// The filter's id.
    pub id: String,
    /// Its title.
    pub title: String,
}

impl Knowledge {
    /// Adds what a member through a rule rests on; tells whether less is known of the rule's members than before.
    pub(crate) fn rest_on(&mut self, rule: &str, ground: Option<&Ground>) -> bool {
        let changed = self.contributors.get_mut(rule).is_some_and(|known| known.grounds.add(ground));
        if changed
            && self.grounds_cost() > MOST_BYTES_OF_ALL
            && let Some(known) = self.contributors.get_mut(rule)
        {
            known.grounds.forget();
        }
        changed
    }

    /// About how many bytes what is known of members takes.
    pub(crate) fn grounds_cost(&self) -> usize {
        self.contributors.values().map(|known| known.grounds.cost()).sum()
    }

    /// Lets rules count for nothing all of whose members a filter takes away. Tells whether there is one.
    pub(crate) fn suppress(&mut self, plan: &Plan) -> bool {
        let mut changed = false;
        for rule in self.contributors.values_mut().filter(|rule| rule.stands()) {
            rule.suppressed_by = rule.grounds.filtered_by(plan).unwrap_or_default();
            changed |= !rule.suppressed_by.is_empty();
        }
        changed
    }

    /// Whether [`Self::suppress`] would change anything.
    pub(crate) fn is_suppressed(&self, plan: &Plan) -> bool {
        self.rules().any(|rule| rule.grounds.filtered_by(plan).is_some())
    }

    /// About how many bytes the names take of the filters that took rules back.
    pub(crate) fn suppressors_cost(&self) -> usize {
        let named = self.contributors.values().flat_map(|rule| &rule.suppressed_by);
        named.map(|filter| 32 + filter.id.len() + filter.title.len()).sum()
    }

    /// Ids of the rules that filters took back, with those filters.
    pub(crate) fn suppressed(&self) -> BTreeMap<String, Vec<Suppressor>> {
        let suppressed = self.contributors.iter().filter(|(_, rule)| !rule.suppressed_by.is_empty());
        suppressed.map(|(id, rule)| (id.clone(), rule.suppressed_by.clone())).collect()
    }
}

impl Grounds {
    /// Of no members.
    pub(super) fn of_none() -> Self {
        Self(Some(BTreeMap::new()))
    }

    /// Adds a member; tells whether less is known than before.
    pub(super) fn add(&mut self, ground: Option<&Ground>) -> bool {
        let Some(known) = &mut self.0 else { return false };
        let Some(ground) = ground.filter(|ground| !ground.rules.is_empty()) else { return self.forget() };
        let mut changed = false;
        for rule in ground.rules.iter() {
            match known.get_mut(rule) {
                // Shared with the windows that hold the record, for as long as there is one alone.
                Some(constants) if *constants == ground.fields => {}
                Some(constants) => changed |= Arc::make_mut(constants).meet(&ground.fields),
                None => {
                    known.insert(rule.clone(), Arc::clone(&ground.fields));
                    changed = true;
                }
            }
        }
        changed && (self.cost() <= MOST_BYTES || self.forget())
    }

    /// From here on nothing is known of the members; tells whether anything was.
    pub(super) fn forget(&mut self) -> bool {
        self.0.take().is_some()
    }

    /// The filters that take away every match of every member, if there are such.
    pub(super) fn filtered_by(&self, plan: &Plan) -> Option<Vec<Suppressor>> {
        let known = self.0.as_ref().filter(|known| !known.is_empty() && plan.has_filters())?;
        let filter = |(rule, constants): (&String, &Arc<Constants>)| {
            let info = plan.filters_all(rule, constants)?;
            Some(Suppressor { id: bounded(&info.id, NAME_BYTES), title: bounded(&info.title, NAME_BYTES) })
        };
        let mut filters: Vec<Suppressor> = known.iter().map(filter).collect::<Option<_>>()?;
        filters.sort_unstable();
        filters.dedup();
        filters.truncate(MOST_NAMED);
        Some(filters)
    }

    /// About how many bytes it takes.
    pub(super) fn cost(&self) -> usize {
        let known = self.0.iter().flatten();
        16 + known.map(|(rule, constants)| rule.len() + 8 + constants.cost()).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use sigma::event::{Event, Value};

    use super::*;

    fn ground(rule: &str, user: &str) -> Arc<Ground> {
        let mut event = Event::default();
        event.push("client.address", Value::String("203.0.113.9".into()));
        event.push("user.name", Value::String(user.to_owned().into()));
        Ground::of([rule.to_owned()], &Arc::new(Constants::of(&event, &[])))
    }

    #[test]
    fn less_is_known_with_each_member_and_nothing_of_one_that_is_not() {
        let mut grounds = Grounds::of_none();
        assert!(grounds.add(Some(&ground("a", "eve"))));
        assert!(!grounds.add(Some(&ground("a", "eve"))), "the same again");
        assert!(grounds.add(Some(&ground("b", "eve"))) && grounds.add(Some(&ground("a", "bob"))));
        let written = serde_json::to_string(&grounds).unwrap();
        assert_eq!(serde_json::from_str::<Grounds>(&written).unwrap(), grounds);
        assert!(grounds.add(None));
        assert_eq!(grounds, Grounds::default());
        assert!(!grounds.add(Some(&ground("a", "eve"))), "and never again");
    }

    #[test]
    fn what_many_rules_matched_is_bounded() {
        let mut grounds = Grounds::of_none();
        for number in 0..1_000 {
            grounds.add(Some(&ground(&format!("rule {number}"), "eve")));
            assert!(grounds.cost() <= MOST_BYTES);
        }
        assert_eq!(grounds, Grounds::default());
    }
}
