//! The language through its front door: YAML and events in, matches and refusals out.

#![expect(clippy::unwrap_used, reason = "a test may end where something it needs is not there")]

mod corpus;
