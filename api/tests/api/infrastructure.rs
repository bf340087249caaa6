//! `/infrastructure`.

mod sources;
