//! What a record is a member for: the rules that matched it, and what is kept of its fields, so that a filter which
//! is added later can be asked about it. Until a record is a member it is held back with others, whose fields are
//! mostly the same. What members have in common is `assess`'s.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sigma::{Constants, Difference};

use crate::plan::Plan;

/// The rules that matched a record, and its fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "GroundRow")]
pub(crate) struct Ground {
    /// Ids of rules of one record: of those that a correlation counts, where it is a member through that.
    pub rules: Arc<BTreeSet<String>>,
    /// Its fields.
    pub fields: Arc<Constants>,
    #[serde(skip)]
    cost: u32,
}

/// [`Ground`] as it is read.
#[derive(Deserialize)]
struct GroundRow {
    rules: Arc<BTreeSet<String>>,
    fields: Arc<Constants>,
}

/// The ground of a record that is held back, as it differs from that of the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HeldGround {
    /// Absent where they are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rules: Option<Arc<BTreeSet<String>>>,
    fields: Difference,
}

/// The ground of the first record that was held back with others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FirstGround {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ground: Option<Arc<Ground>>,
    /// Whether there was more than there is room for. Then nothing is held any more: what all members have in common
    /// cannot be known without some of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    given_up: bool,
}

impl Ground {
    /// Of a record that these rules matched.
    pub(crate) fn of(rules: impl IntoIterator<Item = String>, fields: &Arc<Constants>) -> Arc<Self> {
        Arc::new(Self::new(Arc::new(rules.into_iter().collect()), Arc::clone(fields)))
    }

    fn new(rules: Arc<BTreeSet<String>>, fields: Arc<Constants>) -> Self {
        let cost = 64 + rules.iter().map(|rule| rule.len() + 4).sum::<usize>() + fields.cost();
        Self { rules, fields, cost: u32::try_from(cost).unwrap_or(u32::MAX) }
    }

    /// The same, of rules and fields that are the same.
    pub(crate) fn of_same(&self, rules: Arc<BTreeSet<String>>, fields: Arc<Constants>) -> Self {
        Self { rules, fields, cost: self.cost }
    }

    /// Whether filters take away every match.
    fn is_filtered(&self, plan: &Plan) -> bool {
        let is_filtered = |rule: &String| plan.filters_all(rule, &self.fields).is_some();
        !self.rules.is_empty() && self.rules.iter().all(is_filtered)
    }

    /// About how many bytes it takes, at most.
    pub(crate) fn cost(&self) -> usize {
        self.cost as usize
    }
}

impl From<GroundRow> for Ground {
    fn from(GroundRow { rules, fields }: GroundRow) -> Self {
        Self::new(rules, fields)
    }
}

impl FirstGround {
    /// The same, of a ground that is the same.
    pub(crate) fn of_same(self, same: impl FnOnce(Arc<Ground>) -> Arc<Ground>) -> Self {
        Self { ground: self.ground.map(same), ..self }
    }

    /// What is to be held of a record's ground; `None` when there is no room.
    pub(crate) fn hold(&mut self, ground: &Arc<Ground>) -> Option<HeldGround> {
        if self.given_up {
            return None;
        }
        self.ground.get_or_insert_with(|| Arc::clone(ground));
        self.held(ground)
    }

    /// A record's ground as it differs from the first; `None` when nothing is held.
    pub(crate) fn held(&self, ground: &Ground) -> Option<HeldGround> {
        let first = self.ground.as_ref()?;
        Some(HeldGround {
            rules: (first.rules != ground.rules).then(|| Arc::clone(&ground.rules)),
            fields: first.fields.difference(&ground.fields),
        })
    }

    /// The ground of a record that is held; `None` when it was given up.
    pub(crate) fn whole(&self, held: &HeldGround) -> Option<Arc<Ground>> {
        let first = self.ground.as_ref()?;
        let rules = Arc::clone(held.rules.as_ref().unwrap_or(&first.rules));
        Some(Arc::new(Ground::new(rules, Arc::new(first.fields.with(&held.fields)))))
    }

    /// Whether filters take away every match of a record that is held; what is given up is not.
    pub(crate) fn is_filtered(&self, held: &HeldGround, plan: &Plan) -> bool {
        let Some(first) = &self.ground else { return false };
        // Most rules have no filter: the fields are put together only where one is asked for them.
        let rules = held.rules.as_ref().unwrap_or(&first.rules);
        let may_be = rules.iter().all(|rule| plan.has_filters_of(rule));
        may_be && self.whole(held).is_some_and(|ground| ground.is_filtered(plan))
    }

    /// Gives all of them up.
    pub(crate) fn give_up(&mut self) {
        *self = Self { ground: None, given_up: true };
    }

    /// About how many bytes it takes.
    pub(crate) fn cost(&self) -> usize {
        self.ground.as_ref().map_or(0, |ground| ground.cost())
    }

    /// Whether nothing was ever held.
    pub(crate) fn is_unused(&self) -> bool {
        self.ground.is_none() && !self.given_up
    }
}

impl HeldGround {
    /// About how many bytes it takes.
    pub(crate) fn cost(&self) -> usize {
        let rules =
            self.rules.iter().flat_map(|rules| rules.iter()).map(|rule| rule.len() + 4).sum::<usize>();
        16 + rules + self.fields.cost()
    }
}

#[cfg(test)]
mod tests {
    use sigma::event::{Event, Value};

    use super::*;

    fn ground(rule: &str, port: i64) -> Arc<Ground> {
        let mut event = Event::default();
        event.push("client.address", Value::String("203.0.113.9".into()));
        event.push("client.port", Value::Int(port));
        Ground::of([rule.to_owned()], &Arc::new(Constants::of(&event, &[])))
    }

    #[test]
    fn what_is_held_comes_back_whole_and_costs_little_more_than_it_differs() {
        let mut first = FirstGround::default();
        let grounds = [ground("a", 1), ground("a", 2), ground("b", 1)];
        let held = grounds.each_ref().map(|ground| first.hold(ground).unwrap());
        for (held, ground) in held.iter().zip(&grounds) {
            let written = serde_json::to_string(held).unwrap();
            let read: HeldGround = serde_json::from_str(&written).unwrap();
            assert_eq!(first.whole(&read).as_ref(), Some(ground));
        }
        assert!(held[0].cost() < held[1].cost() && held[1].cost() < first.cost());
        first.give_up();
        assert_eq!((first.whole(&held[0]), first.hold(&grounds[0]), first.cost()), (None, None, 0));
    }
}
