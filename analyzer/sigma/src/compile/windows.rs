//! The conditions of correlations as windows decide them: as events come where that is possible, else
//! when the window has ended.

use crate::bounds::Bounds;
use crate::correlation::CorrelationKind;
use crate::document::{self, CorrelationCondition, CorrelationDocument, CorrelationType, Quantifier};
use crate::refusal::{Cause, Fault};
use crate::window::{Condition, MOST_HELD, MOST_HELD_UNTIL_END, Measure, StepFormula};

/// The condition of a correlation's windows.
pub(super) fn condition(document: &CorrelationDocument) -> Result<Condition, Fault> {
    let bounds = match &document.condition {
        CorrelationCondition::Bounds(bounds) => bounds,
        CorrelationCondition::Rules(condition) => {
            let formula = formula(condition, &document.rules)?;
            if formula.grows() {
                return Ok(Condition::Formula(formula));
            }
            return Ok(Condition::AtEnd { measure: Measure::Formula(formula), bounds: Bounds::at_least(1) });
        }
    };
    let counts_as_it_goes = bounds.only_from_below();
    let at_least = bounds.least_count().unwrap_or(1);
    let steps = u16::try_from(at_least).unwrap_or(u16::MAX);
    let measure = match document.measure {
        CorrelationType::EventCount if counts_as_it_goes => {
            return counting(Condition::Events { at_least }, bounds);
        }
        CorrelationType::ValueCount if counts_as_it_goes => {
            return counting(Condition::Values { at_least }, bounds);
        }
        CorrelationType::Temporal if counts_as_it_goes => return Ok(Condition::Steps { at_least: steps }),
        CorrelationType::TemporalOrdered if counts_as_it_goes => return Ok(Condition::Ordered { steps }),
        CorrelationType::ValueSum if counts_as_it_goes => {
            return Ok(Condition::Sum { bounds: bounds.clone() });
        }
        CorrelationType::EventCount => Measure::Events,
        CorrelationType::ValueCount => Measure::Values,
        CorrelationType::Temporal => Measure::Steps,
        CorrelationType::TemporalOrdered => Measure::OrderedSteps,
        CorrelationType::ValueSum => Measure::Sum,
        CorrelationType::ValueAverage => Measure::Average,
        CorrelationType::ValuePercentile(rank) => Measure::Percentile(rank),
        CorrelationType::ValueMedian => Measure::Median,
    };
    let is_counting = matches!(measure, Measure::Events | Measure::Values);
    let condition = Condition::AtEnd { measure, bounds: bounds.clone() };
    if is_counting { counting(condition, bounds) } else { Ok(condition) }
}

/// A window that drops counted events could never decide such a condition.
fn counting(condition: Condition, bounds: &Bounds) -> Result<Condition, Fault> {
    let limit = if condition.is_decided_at_end() { MOST_HELD_UNTIL_END } else { MOST_HELD };
    if bounds.largest() > limit as i128 * 1_000 {
        return Err(Cause::TooLarge { what: "events to be counted in one window", limit }.into());
    }
    Ok(condition)
}

fn formula(condition: &document::Condition, rules: &[String]) -> Result<StepFormula, Fault> {
    let all = |parts: &[document::Condition]| {
        parts.iter().map(|part| formula(part, rules)).collect::<Result<Vec<_>, _>>()
    };
    Ok(match condition {
        document::Condition::And(parts) => StepFormula::All(all(parts)?),
        document::Condition::Or(parts) => StepFormula::Any(all(parts)?),
        document::Condition::Not(part) => StepFormula::Not(Box::new(formula(part, rules)?)),
        document::Condition::Selection(name) => {
            let step = rules.iter().position(|rule| rule == name).and_then(|step| u16::try_from(step).ok());
            StepFormula::Step(step.ok_or_else(|| Cause::UnknownReference(name.as_str().into()))?)
        }
        document::Condition::Of(quantifier, _) => {
            let word = if *quantifier == Quantifier::All { "all of" } else { "1 of" };
            return Err(Cause::Condition(format!("`{word}` cannot be applied to rules").into()).into());
        }
    })
}

/// Family of a type.
pub(super) fn kind(measure: CorrelationType) -> CorrelationKind {
    match measure {
        CorrelationType::EventCount => CorrelationKind::EventCount,
        CorrelationType::Temporal | CorrelationType::TemporalOrdered => CorrelationKind::TemporalOrdered,
        _ => CorrelationKind::ValueCount,
    }
}
