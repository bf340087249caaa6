//! Sigma rules: parse, compile, match, correlate. Pure, no I/O.

pub mod event;
pub mod window;
