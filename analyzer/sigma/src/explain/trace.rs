//! The trace of one rule over one event: the outcome of every item of its detection, and the single items whose outcome
//! decides against a match.

use super::miss::Miss;
use crate::document::{Detection, FieldTest, Selection};
use crate::matcher::fields::FieldTable;
use crate::matcher::lookup::Lookup;
use crate::matcher::{Check, Expression, FieldCheck, Program};

/// Items that are tried for one rule: of a list of alternatives each is one.
const MOST_TRIED: usize = 64;
/// A detection with its items numbered in the order of the document.
#[derive(Debug)]
pub(super) struct Traced {
    condition: Expression,
    selections: Vec<(String, Part)>,
    items: Vec<Item>,
    /// The wanted selections: the condition names them outside `not`.
    wanted: Vec<bool>,
}

/// A selection or a part of it.
#[derive(Debug)]
enum Part {
    All(Vec<Part>),
    Any(Vec<Part>),
    Item(usize),
}

#[derive(Debug)]
struct Item {
    selection: usize,
    check: FieldCheck,
    written: FieldTest,
}

/// Result of a rule for an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It matches.
    Holds,
    /// Another outcome of any one of these items would make it match.
    Near {
        /// Items of wanted selections that hold, each by a value of the event.
        held: usize,
        /// The items.
        misses: Vec<usize>,
    },
    /// More than one item prevents the match.
    Far,
}

/// Items that must change for a part to hold, or not to hold.
enum Change {
    /// None.
    None,
    /// Any one of these.
    One(Vec<usize>),
    /// More than one.
    Many,
}

impl Traced {
    /// A detection, and the program it was compiled to, which has the same order.
    pub(super) fn of(detection: &Detection, program: Program) -> Self {
        let mut items = Vec::new();
        let written = detection.selections.iter().zip(program.selections).enumerate();
        let selections = written
            .map(|(index, ((name, written), check))| (name.clone(), part(written, check, index, &mut items)))
            .collect();
        let mut wanted = vec![false; detection.selections.len()];
        mark_wanted(&program.condition, true, &mut wanted);
        Self { condition: program.condition, selections, items, wanted }
    }

    pub(super) fn trace(&self, lookup: &mut Lookup<'_, '_>) -> Outcome {
        let mut outcomes: Vec<bool> = self.items.iter().map(|item| item.check.holds(lookup)).collect();
        if self.holds(&self.condition, &outcomes) {
            return Outcome::Holds;
        }
        let Change::One(candidates) = self.change(&self.condition, true, &outcomes) else {
            return Outcome::Far;
        };
        let held = self.items.iter().zip(&outcomes).filter(|(item, holds)| **holds && self.is_wanted(item));
        let held = held.filter(|(item, _)| item.is_met_by_value(lookup)).count();
        // A selection may be named several times: it may help in one place and hurt in another.
        let is_enough = |item: &usize| self.holds_with_other(*item, &mut outcomes);
        let misses: Vec<usize> = candidates.into_iter().take(MOST_TRIED).filter(is_enough).collect();
        if misses.is_empty() { Outcome::Far } else { Outcome::Near { held, misses } }
    }

    /// Describes an item that decides against a match.
    pub(super) fn miss(&self, item: usize, fields: &FieldTable, lookup: &mut Lookup<'_, '_>) -> Miss {
        let Item { selection, check, written } = &self.items[item];
        Miss::of(&self.selections[*selection].0, check, written, fields, lookup)
    }

    fn is_wanted(&self, item: &Item) -> bool {
        self.wanted.get(item.selection).copied().unwrap_or(false)
    }

    fn holds_with_other(&self, item: usize, outcomes: &mut [bool]) -> bool {
        let Some(outcome) = outcomes.get(item).copied() else { return false };
        outcomes[item] = !outcome;
        let holds = self.holds(&self.condition, outcomes);
        outcomes[item] = outcome;
        holds
    }

    fn holds(&self, expression: &Expression, outcomes: &[bool]) -> bool {
        match expression {
            Expression::All(parts) => parts.iter().all(|part| self.holds(part, outcomes)),
            Expression::Any(parts) => parts.iter().any(|part| self.holds(part, outcomes)),
            Expression::Not(part) => !self.holds(part, outcomes),
            Expression::Selection(index) => {
                self.selections.get(*index).is_some_and(|(_, part)| part.holds(outcomes))
            }
        }
    }

    fn change(&self, expression: &Expression, wanted: bool, outcomes: &[bool]) -> Change {
        let parts = |parts: &[Expression]| {
            parts.iter().map(|part| self.change(part, wanted, outcomes)).collect::<Vec<_>>()
        };
        match expression {
            Expression::All(all) => combined(wanted, parts(all)),
            Expression::Any(any) => combined(!wanted, parts(any)),
            Expression::Not(part) => self.change(part, !wanted, outcomes),
            Expression::Selection(index) => {
                let part = self.selections.get(*index);
                part.map_or(Change::Many, |(_, part)| part.change(wanted, outcomes))
            }
        }
    }
}

impl Item {
    /// Whether the event has a value for it: a test that holds because a field is absent says nothing about the event.
    fn is_met_by_value(&self, lookup: &mut Lookup<'_, '_>) -> bool {
        self.check.field.is_none() || !lookup.find(self.check.field).is_empty()
    }
}

impl Part {
    fn holds(&self, outcomes: &[bool]) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(outcomes)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(outcomes)),
            Self::Item(item) => outcomes.get(*item).copied().unwrap_or(false),
        }
    }

    fn change(&self, wanted: bool, outcomes: &[bool]) -> Change {
        let parts =
            |parts: &[Self]| parts.iter().map(|part| part.change(wanted, outcomes)).collect::<Vec<_>>();
        match self {
            Self::All(all) => combined(wanted, parts(all)),
            Self::Any(any) => combined(!wanted, parts(any)),
            Self::Item(item) if outcomes.get(*item) == Some(&wanted) => Change::None,
            Self::Item(item) => Change::One(vec![*item]),
        }
    }
}

/// The change for several parts, each of which must change, or any.
fn combined(each: bool, parts: Vec<Change>) -> Change {
    if each { of_each(parts) } else { of_any(parts) }
}

fn of_each(parts: Vec<Change>) -> Change {
    let mut all = Change::None;
    for part in parts {
        all = match (all, part) {
            (Change::Many, _) | (_, Change::Many) => return Change::Many,
            (Change::None, other) | (other, Change::None) => other,
            (Change::One(mut items), Change::One(others)) => {
                items.retain(|item| others.contains(item));
                if items.is_empty() {
                    return Change::Many;
                }
                Change::One(items)
            }
        };
    }
    all
}

fn of_any(parts: Vec<Change>) -> Change {
    let mut items = Vec::new();
    for part in parts {
        match part {
            Change::None => return Change::None,
            Change::One(own) => items.extend(own),
            Change::Many => {}
        }
    }
    if items.is_empty() { Change::Many } else { Change::One(items) }
}

fn part(written: &Selection, check: Check, selection: usize, items: &mut Vec<Item>) -> Part {
    match (written, check) {
        (Selection::All(tests), Check::All(checks)) => {
            let each = tests.iter().zip(checks);
            Part::All(each.map(|(test, check)| item(test, check, selection, items)).collect())
        }
        (Selection::Any(parts), Check::Any(checks)) => {
            let each = parts.iter().zip(checks);
            Part::Any(each.map(|(written, check)| part(written, check, selection, items)).collect())
        }
        // The compiler makes no others.
        _ => Part::Any(Vec::new()),
    }
}

fn item(test: &FieldTest, check: Check, selection: usize, items: &mut Vec<Item>) -> Part {
    let Check::Field(check) = check else { return Part::Any(Vec::new()) };
    items.push(Item { selection, check, written: test.clone() });
    Part::Item(items.len() - 1)
}

fn mark_wanted(expression: &Expression, is_wanted: bool, wanted: &mut [bool]) {
    match expression {
        Expression::All(parts) | Expression::Any(parts) => {
            parts.iter().for_each(|part| mark_wanted(part, is_wanted, wanted));
        }
        Expression::Not(part) => mark_wanted(part, !is_wanted, wanted),
        Expression::Selection(index) => {
            if let Some(selection) = wanted.get_mut(*index) {
                *selection |= is_wanted;
            }
        }
    }
}
