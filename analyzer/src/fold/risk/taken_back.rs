//! What is taken back of an entity's risk: what a rule said that turned out to be a habit, and what filters that were
//! added since would have taken away; and what does not add up any more without it.

use std::collections::BTreeSet;

use common::timestamp::Timestamp;

use super::entity::Risk;
use super::spans::{lies_in, qualifying_spans};
use crate::fold::ground::{FirstGround, HeldGround};
use crate::plan::Plan;

impl Risk {
    /// Forgets what a rule said at some times; `None` where it said nothing then. Returns the families of what had
    /// been made known and does not add up any more without it.
    pub(super) fn withdraw(
        &mut self,
        plan: &Plan,
        rule: &str,
        is_none: impl Fn(Timestamp) -> bool,
    ) -> Option<BTreeSet<String>> {
        let is_known = self.by_rule.values().flatten().any(|contribution| contribution.joined);
        let contributions = self.by_rule.get_mut(rule)?;
        let before = contributions.len();
        contributions.retain(|contribution| !is_none(contribution.event_time));
        if contributions.len() == before {
            return None;
        }
        self.forget_rules_without_any();
        if !is_known {
            return Some(BTreeSet::new());
        }
        Some(self.no_longer_add_up(plan, [rule].into_iter()))
    }

    /// Forgets what filters take away; `None` where that is nothing. Returns the same as [`Self::withdraw`].
    pub(super) fn suppress(&mut self, plan: &Plan) -> Option<BTreeSet<String>> {
        let (mut changed, mut is_known) = (BTreeSet::new(), false);
        for (rule, contributions) in &mut self.by_rule {
            let Some(first) = self.first_grounds.get(rule) else { continue };
            let before = contributions.len();
            contributions.retain(|contribution| {
                let held = contribution.ground.as_ref();
                let is_filtered = held.is_some_and(|held| first.is_filtered(held, plan));
                is_known |= is_filtered && contribution.joined;
                !is_filtered
            });
            if contributions.len() < before {
                changed.insert(rule.clone());
            }
        }
        if changed.is_empty() {
            return None;
        }
        self.forget_rules_without_any();
        if !is_known {
            return Some(BTreeSet::new());
        }
        Some(self.no_longer_add_up(plan, changed.iter().map(String::as_str)))
    }

    /// After something was taken from what had been made known: the families of `rules` and of what does not add up
    /// any more; none where something still does.
    fn no_longer_add_up<'r>(
        &mut self,
        plan: &Plan,
        rules: impl Iterator<Item = &'r str>,
    ) -> BTreeSet<String> {
        let subjects = rules.filter_map(|rule| plan.find_subject(rule));
        let mut families: BTreeSet<String> = subjects.map(|own| own.risk_family.clone()).collect();
        let counting = self.counting(plan);
        let times = self.by_rule.values().flatten().map(|contribution| contribution.event_time);
        let spans = qualifying_spans(&counting, times.collect(), None);
        for (rule, contributions) in &mut self.by_rule {
            let Some(subject) = plan.find_subject(rule) else { continue };
            for contribution in contributions.iter_mut().filter(|contribution| contribution.joined) {
                if lies_in(&spans, contribution.event_time) {
                    return BTreeSet::new();
                }
                contribution.joined = false;
                families.insert(subject.risk_family.clone());
            }
        }
        families
    }

    /// Bytes of what it keeps for filters that are added later.
    pub(super) fn ground_bytes(&self) -> usize {
        let held = self.by_rule.values().flatten().filter_map(|contribution| contribution.ground.as_ref());
        let first: usize = self.first_grounds.values().map(FirstGround::cost).sum();
        first + held.map(HeldGround::cost).sum::<usize>()
    }

    /// Keeps nothing for such filters any more.
    pub(super) fn give_up_grounds(&mut self) {
        self.first_grounds.values_mut().for_each(FirstGround::give_up);
        self.by_rule.values_mut().flatten().for_each(|contribution| contribution.ground = None);
    }

    /// Forgets rules that say nothing any more.
    pub(super) fn forget_rules_without_any(&mut self) {
        let by_rule = &mut self.by_rule;
        by_rule.retain(|_, contributions| !contributions.is_empty());
        self.first_grounds.retain(|rule, _| by_rule.contains_key(rule));
    }
}
