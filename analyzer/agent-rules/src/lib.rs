//! Sigma rules for the actions of AI agents (`logsource: product: ai_agent`): their attributes beyond the language, and the
//! built-in pack. Pure, no I/O.
//!
//! * [`AgentRule::read`] checks one document: its category, and the attributes `response` and `reason`.
//! * [`built_in`] gives the rules of the pack, in `pack/`.
//! * The rules are matched where the agent runs, against events of its actions. The analysis of logs never matches them: they
//!   apply only to events that state the product (`sigma::RuleLogSource::accepts`).

mod pack;
mod rule;

#[cfg(test)]
mod tests;

pub use pack::{PackError, built_in};
pub use rule::{
    AgentRule, AttributeFault, CATEGORIES, MAX_OPERATOR_BYTES, MAX_OWN_BYTES, MAX_REASON, PRODUCT, Response,
    is_for_agents,
};
