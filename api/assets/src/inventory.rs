//! The inventory of an application: assets and the latest discovery run, as records in one shard, so that a chunk of assets and
//! the numbers of the run are one commit.
//!
//! `asset.rs` and `run.rs` are the records; `merge.rs` decides the effect of a run on an asset, `found.rs` makes assets of the
//! result of a crawl; `runs.rs` starts and ends runs, `apply.rs` commits assets, `scope.rs` sets scope statuses, `remove.rs`
//! deletes everything; `listed.rs` answers lists, `view.rs` and `routes.rs` the API.

pub(crate) mod apply;
pub(crate) mod asset;
pub(crate) mod coverage;
pub(crate) mod found;
pub(crate) mod listed;
pub(crate) mod merge;
pub(crate) mod remove;
pub(crate) mod routes;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod scope;
pub(crate) mod view;

#[cfg(test)]
mod tests;
