//! Trying rules on records: the rules of a YAML text that match them, beside those of the organization.

use common::timestamp::Timestamp;
use directory::{Asked, DocumentRefusal, TrialMatch};
use normalize::normalize;
use normalize::record::records;
use sigma::{Layer, Level, Match, Rule};

use super::Documents;
use super::proposal::Proposal;

/// The rules of `yaml` that match, as specified by [`DocumentCheck::trial`](directory::DocumentCheck::trial).
pub(super) fn run(
    documents: &Documents,
    asked: Asked<'_>,
    yaml: &str,
    payloads: &[Vec<u8>],
    now: Timestamp,
) -> Result<Vec<Vec<TrialMatch>>, DocumentRefusal> {
    let proposal = Proposal::read(yaml)?;
    let tried = proposal.as_rule()?.sigma_ids;
    let layer = documents.in_place(asked, &proposal)?;
    let of_payload = |payload: &Vec<u8>| {
        if (asked.give_up)() {
            return Err(DocumentRefusal::GivenUp);
        }
        Ok(matches(&layer, &tried, payload, now))
    };
    payloads.iter().map(of_payload).collect()
}

/// The tried rules that match any record of a payload, in their order.
fn matches(layer: &Layer, tried: &[String], payload: &[u8], now: Timestamp) -> Vec<TrialMatch> {
    let first = layer.shared().rules().len();
    let (mut matcher, mut found, mut rules) = (layer.matcher(), Vec::new(), Vec::new());
    for record in records(payload) {
        matcher.matches_and_filters(&normalize(&record, now).event, &mut found);
        rules.extend(found.iter().map(|Match { rule, .. }| *rule));
    }
    rules.sort_unstable();
    rules.dedup();
    let own = rules.into_iter().filter_map(|rule| layer.rules().get(rule.checked_sub(first)?));
    own.filter(|rule| tried.contains(&rule.info.id)).map(of_rule).collect()
}

fn of_rule(rule: &Rule) -> TrialMatch {
    TrialMatch {
        sigma_id: rule.info.id.clone(),
        title: rule.info.title.clone(),
        level: rule.info.level.map(Level::as_str),
    }
}
