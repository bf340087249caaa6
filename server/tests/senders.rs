//! The configurations of `docs/senders.md`: each is taken from the page and run by the real sender against a real server,
//! whose rule finds the record that arrives; and a client generated from the interface description. The prerequisites are
//! installed by `senders/install`; without them the tests are skipped with a message, or fail, if
//! `PALISADE_REQUIRE_SENDERS` is 1.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "other processes are waited for on the wall clock")]
#![expect(dead_code, reason = "the support is shared with the other whole-system tests")]

#[path = "support/http.rs"]
mod http;
#[path = "real_input/machine.rs"]
mod machine;
#[path = "support/python.rs"]
mod python;
#[path = "support/server.rs"]
mod server;
#[path = "support/servers.rs"]
mod servers;
#[path = "support/skip.rs"]
mod skip;

#[path = "senders/client.rs"]
mod client;
#[path = "senders/collector.rs"]
mod collector;
#[path = "senders/installed.rs"]
mod installed;
#[path = "senders/journal.rs"]
mod journal;
#[path = "senders/page.rs"]
mod page;
#[path = "senders/receiver.rs"]
mod receiver;
#[path = "senders/sdks.rs"]
mod sdks;
#[path = "senders/shippers.rs"]
mod shippers;
