//! Matching documents of organizations within a number of steps. A step is the cost of following one state of an expression
//! over one byte, a few nanoseconds; other tests are charged in the same unit by their length. A test that the steps left do
//! not suffice for is neither met nor not met, unless it is met by the part of the value that was searched; conditions are then
//! decided in three values. The same record costs the same steps on every machine.

use super::allowance::Allowance;
use super::lookup::{Found, Lookup, Reading};
use super::three_valued::{all, any};
use super::{Check, Expression, FieldCheck, MOST_REFERENCED, Program, Reference, Test, text_matches};
use crate::document::Author;
use crate::expression::Regex;

/// Bytes that a search for literal text passes over at the cost of one step.
const TEXT_BYTES_PER_STEP: u64 = 32;

/// A document whose steps are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spender {
    /// Index into the rules.
    Rule(usize),
    /// Index into the filters.
    Filter(usize),
}

/// Steps that a document took for one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// The document.
    pub spender: Spender,
    /// Steps.
    pub steps: u64,
    /// Searches that were cut short without a match.
    pub cut_short: u32,
    /// Whether the match of the document stayed undecided.
    pub inconclusive: bool,
}

/// Steps of the documents of an organization for one event.
#[derive(Debug, Default)]
pub(crate) struct Spending {
    allowance: Allowance,
    left: u64,
    spent: Vec<Spent>,
    /// Filters that were evaluated for the event, by their programs, and whether they exclude matches.
    asked: Vec<(usize, bool)>,
}

impl Spending {
    /// Begins with another event.
    pub(crate) fn begin(&mut self, allowance: Allowance) {
        self.allowance = allowance;
        self.left = allowance.organization;
        self.spent.clear();
        self.asked.clear();
    }

    /// Documents that took steps for the event; a document may be listed several times.
    pub(crate) fn spent(&self) -> &[Spent] {
        &self.spent
    }

    /// Whether a filter removes a match of the event; an undecided filter does not. An organization's filter is evaluated once,
    /// however many rules match.
    pub(crate) fn is_filtered(
        &mut self,
        (filter, index): (usize, usize),
        program: &Program,
        lookup: &mut Lookup<'_, '_>,
    ) -> bool {
        if program.author == Author::Operator {
            return program.matches(lookup);
        }
        if let Some((_, filtered)) = self.asked.iter().find(|(known, _)| *known == index) {
            return *filtered;
        }
        let filtered = program.decide(lookup, self, Spender::Filter(filter)) == Some(true);
        self.asked.push((index, filtered));
        filtered
    }
}

/// The steps that are left to a document.
#[derive(Debug)]
pub(super) struct Meter {
    /// Steps allowed in any case.
    left: u64,
    /// Steps that must not be passed, also where each expression searches its least.
    ceiling: u64,
    /// Bytes of the least that expressions have used up, by their addresses.
    least_used: Vec<(*const Regex, u64)>,
    least: u64,
    spent: u64,
    cut_short: u32,
}

impl Meter {
    /// Fixed number of steps, independent of the length of values.
    pub(super) fn limited(steps: u64) -> Self {
        Self { left: steps, ceiling: steps, least_used: Vec::new(), least: 0, spent: 0, cut_short: 0 }
    }

    fn for_record(allowance: Allowance, left_to_organization: u64) -> Self {
        let left = allowance.document.min(left_to_organization);
        Self { ceiling: left_to_organization, least: allowance.least, ..Self::limited(left) }
    }

    fn spend(&mut self, steps: u64) {
        self.left = self.left.saturating_sub(steps);
        self.ceiling = self.ceiling.saturating_sub(steps);
        self.spent = self.spent.saturating_add(steps);
    }

    /// Whether the budget covers a test of this many steps.
    fn affords(&mut self, steps: u64) -> bool {
        if steps > self.left {
            self.cut_short += 1;
            return false;
        }
        self.spend(steps);
        true
    }

    /// Searches as much of a text as the steps suffice for.
    fn search(&mut self, regex: &Regex, text: &str) -> Option<bool> {
        let length = as_steps(text.len());
        let per_byte = regex.steps_per_byte(text);
        let affordable = self.left.checked_div(per_byte).unwrap_or(u64::MAX);
        if length <= affordable {
            self.spend(1 + length.saturating_mul(per_byte));
            return Some(regex.is_match(text));
        }
        let least = self.least_of(regex, affordable, length, per_byte);
        let end = text.floor_char_boundary(usize::try_from(affordable + least).unwrap_or(usize::MAX));
        self.spend(as_steps(end).saturating_mul(per_byte));
        if regex.is_match_before(text, end) {
            return Some(true);
        }
        if end == text.len() {
            return Some(false);
        }
        self.cut_short += 1;
        None
    }

    /// Bytes beyond the affordable ones that an expression searches in any case.
    fn least_of(&mut self, regex: &Regex, affordable: u64, length: u64, per_byte: u64) -> u64 {
        let place = match self.least_used.iter().position(|(known, _)| std::ptr::eq(*known, regex)) {
            Some(place) => place,
            None => {
                self.least_used.push((regex, 0));
                self.least_used.len() - 1
            }
        };
        let Some((_, used)) = self.least_used.get_mut(place) else { return 0 };
        let below_ceiling = self.ceiling.saturating_sub(self.left) / per_byte.max(1);
        let wanted = self.least.saturating_sub(*used).min(length).saturating_sub(affordable);
        let least = wanted.min(below_ceiling);
        *used += affordable + least;
        least
    }
}

impl Program {
    /// Whether the event of `lookup` satisfies this detection; `None` where the steps do not suffice to decide. Those of an
    /// operator's are not counted.
    #[inline]
    pub(crate) fn decide(
        &self,
        lookup: &mut Lookup<'_, '_>,
        spending: &mut Spending,
        spender: Spender,
    ) -> Option<bool> {
        match self.author {
            Author::Operator => Some(self.matches(lookup)),
            Author::Organization => self.decide_metered(lookup, spending, spender),
        }
    }

    fn decide_metered(
        &self,
        lookup: &mut Lookup<'_, '_>,
        spending: &mut Spending,
        spender: Spender,
    ) -> Option<bool> {
        if spending.left == 0 {
            spending.spent.push(Spent { spender, steps: 0, cut_short: 1, inconclusive: true });
            return None;
        }
        let mut meter = Meter::for_record(spending.allowance, spending.left);
        let decided = self.decide_part(&self.condition, lookup, &mut meter);
        let Meter { spent: steps, cut_short, .. } = meter;
        spending.left = spending.left.saturating_sub(steps);
        spending.spent.push(Spent { spender, steps, cut_short, inconclusive: decided.is_none() });
        decided
    }

    fn decide_part(
        &self,
        expression: &Expression,
        lookup: &mut Lookup<'_, '_>,
        meter: &mut Meter,
    ) -> Option<bool> {
        match expression {
            Expression::All(parts) => all(parts.iter().map(|part| self.decide_part(part, lookup, meter))),
            Expression::Any(parts) => any(parts.iter().map(|part| self.decide_part(part, lookup, meter))),
            Expression::Not(part) => self.decide_part(part, lookup, meter).map(|holds| !holds),
            Expression::Selection(index) => {
                let selection = self.selections.get(*index);
                selection.map_or(Some(false), |selection| selection.decide(lookup, meter))
            }
        }
    }
}

impl Check {
    fn decide(&self, lookup: &mut Lookup<'_, '_>, meter: &mut Meter) -> Option<bool> {
        match self {
            Self::All(checks) => all(checks.iter().map(|check| check.decide(lookup, meter))),
            Self::Any(checks) => any(checks.iter().map(|check| check.decide(lookup, meter))),
            Self::Field(check) => check.decide(lookup, meter),
        }
    }
}

impl FieldCheck {
    /// As [`FieldCheck::holds`], within the steps of a meter.
    pub(super) fn decide(&self, lookup: &mut Lookup<'_, '_>, meter: &mut Meter) -> Option<bool> {
        let found = lookup.find(self.field);
        let results = self.tests.iter().map(|test| self.decide_test(test, found, lookup, meter));
        if self.every || self.negated { all(results) } else { any(results) }
    }

    fn decide_test(
        &self,
        test: &Test,
        found: Found,
        lookup: &mut Lookup<'_, '_>,
        meter: &mut Meter,
    ) -> Option<bool> {
        let holds = match test {
            Test::Null | Test::Exists(_) => {
                return meter.affords(1).then(|| self.test_holds(test, found, lookup));
            }
            Test::Reference(reference) => {
                let steps = steps_of_reference(*reference, found, lookup);
                return meter.affords(steps).then(|| self.test_holds(test, found, lookup));
            }
            test => any(lookup.readings(found).map(|reading| test.decide(reading, meter))),
        };
        if found.is_empty() { Some(false) } else { holds.map(|holds| holds != self.negated) }
    }
}

impl Test {
    /// As [`Test::holds`], within the steps of a meter.
    fn decide(&self, reading: Reading<'_, '_>, meter: &mut Meter) -> Option<bool> {
        match self {
            Self::Regex(regex, _) => {
                let text = reading.value.to_text();
                text.map_or(Some(false), |text| meter.search(regex, &text))
            }
            Self::Text(matcher) => {
                let length = reading.folded.map_or(0, str::len);
                let steps = 1 + matcher.work(as_steps(length)) / TEXT_BYTES_PER_STEP;
                meter.affords(steps).then(|| text_matches(matcher, reading))
            }
            Self::Any(tests) => any(tests.iter().map(|test| test.decide(reading, meter))),
            other => meter.affords(1).then(|| other.holds(reading)),
        }
    }
}

/// Each value is compared with each of the other field's.
fn steps_of_reference(reference: Reference, found: Found, lookup: &mut Lookup<'_, '_>) -> u64 {
    let others = lookup.find(Some(reference.field));
    let others = as_steps(lookup.readings(others).take(MOST_REFERENCED).count());
    let bytes = lookup.readings(found).map(|reading| reading.folded.map_or(0, str::len) + 1);
    let bytes = as_steps(bytes.sum::<usize>());
    1 + others.saturating_mul(bytes) / TEXT_BYTES_PER_STEP
}

fn as_steps(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
