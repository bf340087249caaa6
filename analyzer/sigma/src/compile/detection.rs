//! Detections into programs: fields get the names events use, conditions the indexes of selections.

use super::order;
use super::values::{MAX_REGEXES, Values};
use crate::document::{Condition, Detection, FieldTest, Modifiers, Quantifier, Relation, Scalar, Selection};
use crate::mapping::{self, FieldMapping};
use crate::matcher::fields::{FieldIndex, FieldTable};
use crate::matcher::{Check, Expression, FieldCheck, Program, Reference, Test};
use crate::refusal::{Cause, Fault};
use crate::rule::RuleLogSource;

/// Parts of a condition after `x of pattern` is written out: a few hundred at most in public rules.
const MAX_EXPRESSION_PARTS: usize = 100_000;

pub(super) fn program(
    detection: &Detection,
    log_source: &RuleLogSource,
    mapping: &dyn FieldMapping,
    fields: &mut FieldTable,
    values: &mut Values<'_, '_, '_>,
) -> Result<Program, Fault> {
    let mut program = in_written_order(detection, log_source, mapping, fields, values)?;
    order::quickest_first(&mut program);
    Ok(program)
}

/// The same with selections, fields and values in the order of the document.
pub(super) fn in_written_order(
    detection: &Detection,
    log_source: &RuleLogSource,
    mapping: &dyn FieldMapping,
    fields: &mut FieldTable,
    values: &mut Values<'_, '_, '_>,
) -> Result<Program, Fault> {
    let mut conditions = Conditions { detection, left: MAX_EXPRESSION_PARTS };
    let condition = conditions.expression(&detection.condition).map_err(|fault| fault.within("condition"))?;
    values.budget().condition(MAX_EXPRESSION_PARTS - conditions.left)?;
    if detection.selections.iter().map(|(_, selection)| regexes(selection)).sum::<usize>() > MAX_REGEXES {
        return Err(Cause::TooLarge { what: "regular expressions", limit: MAX_REGEXES }.into());
    }
    let author = values.author();
    let mut selections = Selections { log_source, mapping, fields, values };
    let check = |(name, selection): &(String, Selection)| {
        selections.check(selection).map_err(|fault| fault.within(name))
    };
    let selections = detection.selections.iter().map(check).collect::<Result<_, Fault>>()?;
    Ok(Program { condition, selections, author })
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

struct Selections<'c, 'p, 'b, 'l> {
    log_source: &'c RuleLogSource,
    mapping: &'c dyn FieldMapping,
    fields: &'c mut FieldTable,
    values: &'c mut Values<'p, 'b, 'l>,
}

impl Selections<'_, '_, '_, '_> {
    fn check(&mut self, selection: &Selection) -> Result<Check, Fault> {
        Ok(match selection {
            Selection::All(tests) => {
                Check::All(tests.iter().map(|test| self.field(test)).collect::<Result<_, _>>()?)
            }
            Selection::Any(parts) => {
                Check::Any(parts.iter().map(|part| self.check(part)).collect::<Result<_, _>>()?)
            }
        })
    }

    fn field(&mut self, test: &FieldTest) -> Result<Check, Fault> {
        let FieldTest { key, field, modifiers, values } = test;
        let test = |value| self.test(field.is_some(), modifiers, value);
        let tests = values.iter().map(test).collect::<Result<_, Fault>>();
        let tests = tests.map_err(|fault| fault.within(key))?;
        let field = field.as_deref().map(|field| self.index(field)).transpose()?;
        Ok(Check::Field(FieldCheck { field, every: modifiers.every, negated: modifiers.negated, tests }))
    }

    fn test(&mut self, has_field: bool, modifiers: &Modifiers, value: &Scalar) -> Result<Test, Fault> {
        match (modifiers.kind, value) {
            (Relation::FieldReference(placement), Scalar::Text(name)) => {
                let field = self.index(name.trim())?;
                Ok(Test::Reference(Reference { field, placement, cased: modifiers.cased }))
            }
            _ if has_field => self.values.test(value, modifiers),
            _ => self.values.keyword(value, modifiers),
        }
    }

    fn index(&mut self, field: &str) -> Result<FieldIndex, Fault> {
        let names = mapping::candidates(self.mapping, self.log_source, field);
        if !self.fields.holds(&names) {
            self.values.budget().field()?;
            self.values.budget().names(&names)?;
        }
        Ok(self.fields.intern(names))
    }
}

/// Number of regular expressions, counted before the first is compiled.
fn regexes(selection: &Selection) -> usize {
    match selection {
        Selection::All(tests) => {
            let regexes = tests.iter().filter(|test| matches!(test.modifiers.kind, Relation::Regex(_)));
            regexes.map(|test| test.values.len()).sum()
        }
        Selection::Any(parts) => parts.iter().map(regexes).sum(),
    }
}
