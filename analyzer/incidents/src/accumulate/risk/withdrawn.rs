//! Withdrawal of a rule's contributions from an entity's risk, because the rule turned out to be widespread, and
//! of the contributions that do not qualify any more without them.

use std::collections::BTreeSet;

use common::timestamp::Timestamp;

use super::entity::Risk;
use super::spans::{lies_in, qualifying_spans};
use crate::plan::Plan;

impl Risk {
    /// Removes the signs of a rule at some times; `None` where it has none then. Returns the families of the members that no
    /// longer reach the threshold without them.
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
        self.by_rule.retain(|_, contributions| !contributions.is_empty());
        if !is_known {
            return Some(BTreeSet::new());
        }
        Some(self.no_longer_add_up(plan, rule))
    }

    /// After contributions of `withdrawn` were taken from those that had been made known: its family and the families
    /// of those that do not add up any more; none where some still do.
    fn no_longer_add_up(&mut self, plan: &Plan, withdrawn: &str) -> BTreeSet<String> {
        let subject = plan.find_subject(withdrawn);
        let mut families: BTreeSet<String> = subject.map(|own| own.risk_family.clone()).into_iter().collect();
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
}
