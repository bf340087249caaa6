//! Cases of honest and malicious code, in `tests/cases`, and properties of any input.

#![expect(clippy::unwrap_used, reason = "tests")]

mod added;
mod cases;
mod declared;
mod properties;
