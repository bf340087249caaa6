//! Black-box load and failure tools: HTTP only, no internal crate.
