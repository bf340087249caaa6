//! Cases of honest and malicious code, in `tests/cases`, and properties of any input.

mod cases;
mod properties;
