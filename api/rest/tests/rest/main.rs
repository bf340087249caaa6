//! Routers of a resource crate over the kit, asked over HTTP.

mod harness;
mod shapes;
