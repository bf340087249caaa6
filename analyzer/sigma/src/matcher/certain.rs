//! Whether a filter takes away every match of a set of events, of which only the constant fields are known:
//! certainly, certainly not, or it cannot be told. The tests are those that events meet.

use crate::constants::Constants;
use crate::rule_set::{AppliedFilter, RuleSet};
use crate::scratch::ScratchPool;

use super::fields::{FieldIndex, FieldTable};
use super::keys::KeySet;
use super::lookup::Lookup;
use super::metered::Meter;
use super::three_valued::{all, any};
use super::{Check, Expression, FieldCheck, Program, Test};
use crate::document::Author;

/// Steps that asking one filter of an organization may take: under a millisecond, as thousands of incidents may be
/// asked for when rules are adopted, and many times the constants' length, which is bounded.
const MOST_STEPS: u64 = 1 << 18;

impl RuleSet {
    /// Whether any filter applies to the rule: without one [`RuleSet::filters_all`] is always `None`.
    #[must_use]
    pub fn has_filters(&self, rule: usize) -> bool {
        self.rules.get(rule).is_some_and(|rule| !rule.filters.is_empty())
    }

    /// The first filter, an index into [`RuleSet::filters`], that takes away the rule's match of every one of the
    /// events that have these constants, whatever else is in them. `None` also where that cannot be told.
    #[must_use]
    pub fn filters_all(&self, rule: usize, constants: &Constants) -> Option<usize> {
        self.first_certain(&self.rules.get(rule)?.filters, constants, &self.scratches)
    }

    /// The same of filters that are applied to a rule of any set, by programs of this one.
    pub(crate) fn first_certain(
        &self,
        filters: &[AppliedFilter],
        constants: &Constants,
        scratches: &ScratchPool,
    ) -> Option<usize> {
        if filters.is_empty() {
            return None;
        }
        let event = constants.event();
        // Their log source is not among the constants: whatever a filter may ask for is looked at.
        let mut keys = KeySet::default();
        keys.fill();
        let mut scratch = scratches.take();
        let lookup = Lookup::new(&event, &self.fields, &keys, &mut scratch.begin().memory);
        let meter = Meter::limited(MOST_STEPS);
        let mut known = Known { constants, table: &self.fields, lookup, meter };
        let certain = filters.iter().find(|applied| {
            let program = self.program_of(**applied);
            known.meter = Meter::limited(MOST_STEPS);
            program.and_then(|program| known.holds(program, &program.condition)) == Some(true)
        });
        known.lookup.finish();
        scratch.end();
        scratches.give_back(scratch);
        certain.map(|applied| applied.index())
    }
}

/// What is known of the events; an answer is `None` where it cannot be told.
struct Known<'s, 'e> {
    constants: &'e Constants,
    table: &'s FieldTable,
    /// Over an event of the constant fields.
    lookup: Lookup<'s, 'e>,
    /// Steps that are left to a filter of an organization.
    meter: Meter,
}

impl Known<'_, '_> {
    fn holds(&mut self, program: &Program, expression: &Expression) -> Option<bool> {
        match expression {
            Expression::All(parts) => all(parts.iter().map(|part| self.holds(program, part))),
            Expression::Any(parts) => any(parts.iter().map(|part| self.holds(program, part))),
            Expression::Not(part) => self.holds(program, part).map(|holds| !holds),
            Expression::Selection(index) => {
                let selection = program.selections.get(*index);
                selection.map_or(Some(false), |selection| self.meets(selection, program.author))
            }
        }
    }

    fn meets(&mut self, check: &Check, author: Author) -> Option<bool> {
        match check {
            Check::All(checks) => all(checks.iter().map(|check| self.meets(check, author))),
            Check::Any(checks) => any(checks.iter().map(|check| self.meets(check, author))),
            Check::Field(check) => match check.field {
                Some(field) if self.is_read_by(check, field) => self.ask(check, author),
                Some(_) => None,
                None if self.constants.is_whole() => self.ask(check, author),
                None => self.is_said(check, author),
            },
        }
    }

    /// Whether the constants meet a check.
    fn ask(&mut self, check: &FieldCheck, author: Author) -> Option<bool> {
        match author {
            Author::Operator => Some(check.holds(&mut self.lookup)),
            Author::Organization => check.decide(&mut self.lookup, &mut self.meter),
        }
    }

    /// Whether it is known what all events have of everything that a check reads.
    fn is_read_by(&mut self, check: &FieldCheck, field: FieldIndex) -> bool {
        let others = check.tests.iter().filter_map(|test| match test {
            Test::Reference(reference) => Some(reference.field),
            _ => None,
        });
        std::iter::once(field).chain(others).all(|field| self.tells(field))
    }

    /// Of a field's names the first counts that has a value: those before it must be known as well.
    fn tells(&mut self, field: FieldIndex) -> bool {
        for name in self.table.names(field) {
            let name = self.table.text(*name);
            if !self.constants.tells(name) {
                return false;
            }
            if self.constants.has_value(name) {
                return true;
            }
        }
        true
    }

    /// A keyword that a constant field holds is in every event; one that none holds may be in any.
    fn is_said(&mut self, check: &FieldCheck, author: Author) -> Option<bool> {
        let more_cannot_hurt =
            |test: &Test| !matches!(test, Test::Null | Test::Exists(_) | Test::Reference(_));
        let is_growing = !check.negated && check.tests.iter().all(more_cannot_hurt);
        if is_growing { self.ask(check, author).filter(|said| *said) } else { None }
    }
}
