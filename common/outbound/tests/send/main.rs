//! Requests of any method against real servers, friendly and hostile: caps, policies, redirects, TLS.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the servers of a test end with its runtime")]

mod bodies;
mod policies;
mod redirects;
mod server;
mod tls;
