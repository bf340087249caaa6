//! Ingestion through its front door: real sockets, a log and a ledger in memory.

#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

#[path = "front/anything.rs"]
mod anything;
#[path = "front/body.rs"]
mod body;
#[path = "front/client.rs"]
mod client;
#[path = "front/connection.rs"]
mod connection;
#[path = "front/durability.rs"]
mod durability;
#[path = "front/harness.rs"]
mod harness;
#[path = "front/log.rs"]
mod log;
#[path = "front/pressure.rs"]
mod pressure;
#[path = "front/statistics.rs"]
mod statistics;
#[path = "front/status.rs"]
mod status;
