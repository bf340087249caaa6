//! Whole crawls of sites in memory.
#![expect(clippy::unwrap_used, reason = "tests")]

mod checkpoints;
mod discovery;
mod hostile;
mod measure;
mod refusals;
mod site;
