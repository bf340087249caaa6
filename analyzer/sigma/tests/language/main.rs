//! The language through its front door: YAML and events in, matches and refusals out.

#![expect(clippy::unwrap_used, reason = "a test may end where something it needs is not there")]

mod agreement;
mod conditions;
mod corpus;
mod correlations;
mod counting;
mod documents;
mod encodings;
mod explain;
mod filters;
mod front_door;
mod hostile;
mod layers;
mod letters;
mod measures;
mod modifiers;
mod oracle;
mod refusals;
mod routing;
mod samples;
mod selections;
mod steps;
mod values;
