//! Discovery of the inventory of a web application, without input and output: requests are returned, and replies are given.
//! Deterministic: the same replies give the same bytes.
//!
//! - `scope.rs`: permission. Asked before every request and redirect.
//! - `crawl.rs`: requests, in batches; replies to state; checkpoints; the inventory.
//! - `frontier.rs`: pages that wait; `template.rs`: routes of many pages.
//! - `parse.rs`: replies to readings, the task of the sandbox (`task.rs`), by
//!   `page.rs` (HTML), `routes.rs` (scripts), `robots.rs`, `sitemap.rs`, `openapi.rs`, `certificate.rs`, `technologies.rs`.
//! - `endpoints.rs`: endpoints of all sources, merged.

pub mod certificate;
pub mod crawl;
pub mod endpoints;
pub mod frontier;
mod inflate;
pub mod openapi;
pub mod page;
pub mod parse;
pub mod robots;
pub mod routes;
pub mod scope;
pub mod sitemap;
mod task;
pub mod technologies;
pub mod template;

pub use task::{READ_REPLIES, sandbox_tasks};
