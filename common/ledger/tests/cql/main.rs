//! The ledger in a cluster while its server is killed, started, frozen and resumed. Needs
//! `PALISADE_TEST_CQL`, the server's address, and `PALISADE_TEST_CQL_CONTROL`, a command that takes `kill`,
//! `start`, `pause` and `resume`. Without them the tests report a skip, or fail when
//! `PALISADE_REQUIRE_SERVERS` is 1.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod kill;
mod pause;
mod server;
mod writers;
