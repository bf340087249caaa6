//! Facts from words that stand near each other: one pass over the hits, no backtracking.

use text::View;

use super::Fact;
use super::rules::{RULES, Rule};
use crate::lexicon::{CLASSES, Hit};

/// Facts of a rule that overlap or touch are one.
pub(super) fn facts(view: &View, hits: &[Hit]) -> Vec<Fact> {
    let mut found = Vec::new();
    let mut last_fact: [Option<usize>; RULES.len()] = [None; RULES.len()];
    // First word of the latest hit of each class.
    let mut seen: [Option<usize>; CLASSES] = [None; CLASSES];
    for hit in hits {
        for (class, latest) in seen.iter_mut().enumerate() {
            if hit.classes & (1 << class) != 0 {
                *latest = Some(hit.first);
            }
        }
        for ((number, rule), last) in RULES.iter().enumerate().zip(&mut last_fact) {
            if !rule.mentions(hit.classes) {
                continue;
            }
            let Some(start) = start(rule, hit, &seen) else { continue };
            let words = start..(hit.last + 1).min(view.words.len());
            let before = last.and_then(|place| found.get_mut(place));
            match before.filter(|fact: &&mut Fact| fact.words.end >= words.start) {
                Some(fact) => fact.words.end = fact.words.end.max(words.end),
                None => {
                    *last = Some(found.len());
                    found.push(rule.fact(words));
                }
            }
            debug_assert!(number < RULES.len());
        }
    }
    found
}

/// First word of the latest hits of all classes of a rule, where they lie close together.
fn start(rule: &Rule, hit: &Hit, seen: &[Option<usize>; CLASSES]) -> Option<usize> {
    let mut start = hit.first;
    for class in rule.needs {
        let latest = (*seen.get(*class as usize)?)?;
        if hit.last.saturating_sub(latest) > rule.within {
            return None;
        }
        start = start.min(latest);
    }
    Some(start)
}
