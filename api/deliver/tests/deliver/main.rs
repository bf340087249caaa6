//! The deliverer through its front door: an outbox on one side, receivers on real sockets on the other.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "what a test spawns ends with its runtime")]

mod collector;
mod crashes;
mod disabling;
mod fairness;
mod house;
mod ledgers;
mod load;
mod log;
mod outcomes;
mod payloads;
mod receiver;
mod records;
mod signatures;
mod state_at_send;
mod targets;
mod telemetry;
