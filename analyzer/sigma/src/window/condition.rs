//! When the events of a window satisfy a correlation. Conditions that more events never unsatisfy are
//! decided as events come; the others when the window has ended.

use crate::bounds::Bounds;

/// When a correlation is satisfied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// At least so many distinct events (`event_count`).
    Events {
        /// The threshold, at least 1.
        at_least: u64,
    },
    /// Events with at least so many distinct values (`value_count`).
    Values {
        /// The threshold, at least 1.
        at_least: u64,
    },
    /// Events of at least so many steps, each later in the list than the one before; events of the
    /// same moment count as in order (`temporal_ordered`).
    Ordered {
        /// Number of steps, at least 1.
        steps: u16,
    },
    /// Events of at least so many steps in any order (`temporal`).
    Steps {
        /// The threshold, at least 1.
        at_least: u16,
    },
    /// The values of distinct events add up to a sum within bounds that are only from below; values below zero count as zero,
    /// so that a sum never falls (`value_sum`).
    Sum {
        /// The bounds.
        bounds: Bounds,
    },
    /// The steps that are there satisfy a formula without negation (`temporal`).
    Formula(StepFormula),
    /// Everything else: decided once, when the window has ended.
    AtEnd {
        /// The measure.
        measure: Measure,
        /// Its bounds.
        bounds: Bounds,
    },
}

/// Measure of an ended window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Number of distinct events.
    Events,
    /// Number of distinct values.
    Values,
    /// Number of distinct steps.
    Steps,
    /// Most steps in order.
    OrderedSteps,
    /// The sum of values above zero.
    Sum,
    /// The average.
    Average,
    /// The percentile by the nearest rank, from 1 to 100: the least value that so many of a hundred
    /// values do not exceed.
    Percentile(u8),
    /// The value in the middle, or the mean of the two that are.
    Median,
    /// 1 where a formula over steps holds, else 0.
    Formula(StepFormula),
}

/// An expression over steps: which of a correlation's references have matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepFormula {
    /// An event came through this reference.
    Step(u16),
    /// Every part holds.
    All(Vec<StepFormula>),
    /// At least one part holds.
    Any(Vec<StepFormula>),
    /// The part does not hold.
    Not(Box<StepFormula>),
}

/// Steps as a set: a correlation has at most 64 references.
pub(super) fn step_bit(step: u16) -> u64 {
    1_u64.checked_shl(u32::from(step)).unwrap_or(0)
}

impl StepFormula {
    /// Whether it holds for a set of steps.
    pub(super) fn holds(&self, seen: u64) -> bool {
        match self {
            Self::Step(step) => seen & step_bit(*step) != 0,
            Self::All(parts) => parts.iter().all(|part| part.holds(seen)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(seen)),
            Self::Not(part) => !part.holds(seen),
        }
    }

    /// Whether more steps never make it fail.
    #[must_use]
    pub fn grows(&self) -> bool {
        match self {
            Self::Step(_) => true,
            Self::All(parts) | Self::Any(parts) => parts.iter().all(Self::grows),
            Self::Not(_) => false,
        }
    }
}

impl Condition {
    /// Whether it is decided when a window has ended: then windows must be closed.
    #[must_use]
    pub fn is_decided_at_end(&self) -> bool {
        matches!(self, Self::AtEnd { .. })
    }

    /// Whether the values of events are numbers to be measured ([`super::number`]).
    #[must_use]
    pub fn measures_numbers(&self) -> bool {
        match self {
            Self::Sum { .. } => true,
            Self::AtEnd { measure, .. } => {
                matches!(measure, Measure::Sum | Measure::Average | Measure::Percentile(_) | Measure::Median)
            }
            _ => false,
        }
    }

    /// Whether distinct values are counted.
    #[must_use]
    pub fn counts_values(&self) -> bool {
        matches!(self, Self::Values { .. } | Self::AtEnd { measure: Measure::Values, .. })
    }

    /// Number of events, values or steps that satisfies it; 1 for conditions that are decided otherwise.
    pub(crate) fn at_least(&self) -> u64 {
        match self {
            Self::Events { at_least } | Self::Values { at_least } => *at_least,
            Self::Steps { at_least: steps } | Self::Ordered { steps } => u64::from(*steps),
            Self::Sum { .. } | Self::Formula(_) | Self::AtEnd { .. } => 1,
        }
    }

    /// The kept part of an arrival's value.
    pub(super) fn kept(&self, step: u16, value: u64) -> u64 {
        match self {
            Self::Steps { .. } => step.into(),
            _ if self.counts_values() || self.measures_numbers() => value,
            _ => 0,
        }
    }

    /// Reference that an event came through, where that makes it another event: a record that two rules of an `event_count`
    /// match is still one.
    pub(super) fn told_apart(&self, step: u16) -> u16 {
        if self.tells_steps_apart() { step } else { 0 }
    }

    /// Whether a record that comes through several references is as many events; else it is the first of them, and the others
    /// are not kept.
    #[must_use]
    pub fn tells_steps_apart(&self) -> bool {
        let is_one = matches!(self, Self::Events { .. } | Self::AtEnd { measure: Measure::Events, .. });
        !is_one && !self.measures_numbers()
    }
}
