//! Sigma rules: parse, compile, match, correlate. Pure, no I/O.
//!
//! [`parse`] reads documents and refuses those it does not fully understand; [`RuleSet::compile`] resolves them against each
//! other and against the names of event fields; [`RuleSet::matcher`] finds the rules that events satisfy. The language is the
//! Sigma specification 2.1.0.
//!
//! `README.md` beside this crate states the decisions where the specification is silent or leaves a choice.

pub mod bounds;
pub mod correlation;
pub mod document;
pub mod event;
pub mod explain;
pub mod expression;
pub mod layer;
pub mod mapping;
pub mod refusal;
pub mod rule;
pub mod rule_set;
pub mod window;

mod candidates;
mod compile;
mod matcher;
mod number;
mod pattern;
mod scratch;
mod taxonomy;
mod yaml;

pub use bounds::{Bounds, Operator};
pub use compile::{CompileOptions, Limits, Placeholders};
pub use correlation::{Correlation, CorrelationKind, Counted, GroupField, Reference};
pub use document::{Author, Document, parse};
pub use event::{Event, LogSource, Value};
pub use layer::Layer;
pub use mapping::{FieldMapping, NativeFields};
pub use matcher::allowance::{Allowance, LEAST_SEARCHED, ORGANIZATION_RECORD_STEPS, RECORD_STEPS};
pub use matcher::metered::{Spender, Spent};
pub use number::Number;
pub use refusal::{Cause, Origin, Refusal};
pub use rule::{Level, Related, RuleInfo, RuleLogSource, Status};
pub use rule_set::{Filter, Match, Matcher, Rule, RuleSet};
