//! Routers of a resource crate over the kit, asked over HTTP.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod harness;
mod shapes;
