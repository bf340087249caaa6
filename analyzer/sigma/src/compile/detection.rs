//! Detections into programs: fields get the names events use, conditions the indexes of selections.

use crate::document::{Condition, Detection, FieldTest, Quantifier, Selection, ValueTest};
use crate::mapping::{self, FieldMapping};
use crate::matcher::lookup::FieldTable;
use crate::matcher::text::TextMatcher;
use crate::matcher::{Check, Expression, FieldCheck, Program, Test};
use crate::refusal::{Cause, Fault};
use crate::rule::RuleLogSource;

/// Parts of a condition after `x of pattern` is written out: a few hundred at most in public rules.
const MAX_EXPRESSION_PARTS: usize = 100_000;

pub(super) fn program(
    detection: &Detection,
    log_source: &RuleLogSource,
    mapping: &dyn FieldMapping,
    fields: &mut FieldTable,
) -> Result<Program, Fault> {
    let mut conditions = Conditions { detection, left: MAX_EXPRESSION_PARTS };
    let condition = conditions.expression(&detection.condition).map_err(|fault| fault.within("condition"))?;
    let mut selections = Selections { log_source, mapping, fields };
    let selections = detection.selections.iter().map(|(_, selection)| selections.check(selection)).collect();
    Ok(Program { condition, selections })
}

struct Conditions<'d> {
    detection: &'d Detection,
    left: usize,
}

impl Conditions<'_> {
    fn expression(&mut self, condition: &Condition) -> Result<Expression, Fault> {
        self.spend(1)?;
        Ok(match condition {
            Condition::And(parts) => Expression::All(self.expressions(parts)?),
            Condition::Or(parts) => Expression::Any(self.expressions(parts)?),
            Condition::Not(part) => Expression::Not(Box::new(self.expression(part)?)),
            Condition::Selection(name) => self.selection(name)?,
            Condition::Of(quantifier, subject) => {
                let names = self.detection.selections.iter().enumerate();
                let meant = names.filter(|(_, (name, _))| subject.includes(name));
                let parts: Vec<_> = meant.map(|(index, _)| Expression::Selection(index)).collect();
                self.spend(parts.len())?;
                match quantifier {
                    Quantifier::Any => Expression::Any(parts),
                    Quantifier::All => Expression::All(parts),
                }
            }
        })
    }

    fn expressions(&mut self, conditions: &[Condition]) -> Result<Vec<Expression>, Fault> {
        conditions.iter().map(|condition| self.expression(condition)).collect()
    }

    fn selection(&self, wanted: &str) -> Result<Expression, Fault> {
        let index = self.detection.selections.iter().position(|(name, _)| name == wanted);
        index.map(Expression::Selection).ok_or_else(|| Cause::UnknownSelection(wanted.into()).into())
    }

    fn spend(&mut self, parts: usize) -> Result<(), Fault> {
        let cause = Cause::TooLarge { what: "parts in a condition", limit: MAX_EXPRESSION_PARTS };
        self.left = self.left.checked_sub(parts).ok_or(cause)?;
        Ok(())
    }
}

struct Selections<'c> {
    log_source: &'c RuleLogSource,
    mapping: &'c dyn FieldMapping,
    fields: &'c mut FieldTable,
}

impl Selections<'_> {
    fn check(&mut self, selection: &Selection) -> Check {
        match selection {
            Selection::All(tests) => Check::All(tests.iter().map(|test| self.field(test)).collect()),
            Selection::Any(parts) => Check::Any(parts.iter().map(|part| self.check(part)).collect()),
        }
    }

    fn field(&mut self, test: &FieldTest) -> Check {
        let field = test.field.as_deref().map(|field| {
            let names = mapping::candidates(self.mapping, self.log_source, field);
            self.fields.intern(names)
        });
        let tests = test.values.iter().map(compiled).collect();
        Check::Field(FieldCheck { field, every: test.every, negated: test.negated, tests })
    }
}

fn compiled(test: &ValueTest) -> Test {
    match test {
        ValueTest::Text { pattern, cased } => Test::Text(TextMatcher::new(pattern, *cased)),
        ValueTest::Number(number) => Test::Number(*number),
        ValueTest::Bool(value) => Test::Bool(*value),
        ValueTest::Null => Test::Null,
        ValueTest::Exists(wanted) => Test::Exists(*wanted),
        ValueTest::Regex(regex) => Test::Regex(regex.clone()),
        ValueTest::Network(network) => Test::Network(*network),
        ValueTest::Compare(comparison, number) => Test::Compare(*comparison, *number),
    }
}
