//! `/infrastructure`.

mod sources;
mod status;
