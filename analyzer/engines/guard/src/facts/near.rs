//! Facts from words that stand near each other: one pass over the hits, no backtracking.

use text::{Hit, View};

use super::Fact;
use super::rules::{RULES, Rule};
use crate::lexicon::CLASSES;

/// The rules that need a class, one bit each, by the number of the class: a hit is compared with these rules only.
const NEEDING: [u64; CLASSES] = needing();

const fn needing() -> [u64; CLASSES] {
    let mut needing = [0; CLASSES];
    let mut number = 0;
    while number < RULES.len() {
        let needs = RULES[number].needs;
        let mut place = 0;
        while place < needs.len() {
            needing[needs[place] as usize] |= 1 << number;
            place += 1;
        }
        number += 1;
    }
    needing
}

/// Facts of a rule that overlap or touch are one.
pub(super) fn facts(view: &View, hits: &[Hit]) -> Vec<Fact> {
    let mut found = Vec::new();
    let mut last_fact: [Option<usize>; RULES.len()] = [None; RULES.len()];
    // First word of the latest hit of each class.
    let mut seen: [Option<usize>; CLASSES] = [None; CLASSES];
    for hit in hits {
        let mut rules = 0;
        for class in ones(hit.classes) {
            if let Some((latest, needing)) = seen.get_mut(class).zip(NEEDING.get(class)) {
                *latest = Some(hit.first);
                rules |= needing;
            }
        }
        for number in ones(rules) {
            let Some((rule, last)) = RULES.get(number).zip(last_fact.get_mut(number)) else { continue };
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
        }
    }
    found
}

/// The places of the bits that are one, lowest first.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = bits.checked_ilog2().map(|_| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(lowest)
    })
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
