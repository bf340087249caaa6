//! Sigma rules: parse, compile, match, correlate. Pure, no I/O.
//!
//! [`parse`] reads documents and refuses what it does not fully understand; [`RuleSet::compile`]
//! resolves them against each other and against the names events use; [`RuleSet::matches`] finds the
//! rules an event satisfies. The language is the Sigma specification 2.1.0.
//!
//! Where the specification is silent or leaves a choice:
//!
//! - A null is as good as no value: `null` holds for an absent field, a null and an array of nothing
//!   else, and `exists: true` is its opposite.
//! - `neq` holds for a field that is there and has no equal element; several values need `all`.
//! - Text is compared with numbers and booleans as they are written in decimal and as `true` or `false`;
//!   a number is compared with text that writes the same number.
//! - ASCII letters equal their own two cases only; others are folded one character to one.
//! - A rule is tried unless its log source and the event's both state a dimension and differ; a filter
//!   applies only to rules that state everything its own log source states.
//! - A selection is a name or, with `of`, a pattern; `them` leaves out names that begin with `_`.
//! - An event without a value for each group-by field belongs to no group; of several values the
//!   first counts. A correlation that refers to another may group only by what that one groups by.
//! - A rule is silent on its own as soon as one correlation refers to it without `generate`.
//!
//! Not supported yet, and refused by name: the encoding modifiers, `windash`, `fieldref`, `expand`, the
//! time parts; correlation types beyond `event_count`, `value_count` and `temporal_ordered`, and
//! conditions that need the end of a window.

pub mod correlation;
pub mod document;
pub mod event;
pub mod mapping;
pub mod refusal;
pub mod rule;
pub mod rule_set;
pub mod window;

mod compile;
mod matcher;
mod number;
mod yaml;

pub use correlation::{Correlation, GroupField, Reference};
pub use document::{CorrelationKind, Document, parse};
pub use event::{Event, LogSource, Value};
pub use mapping::{FieldMapping, NativeFields};
pub use number::Number;
pub use refusal::{Cause, Origin, Refusal};
pub use rule::{Level, Related, RuleInfo, RuleLogSource, Status};
pub use rule_set::{Filter, Match, Rule, RuleSet};
