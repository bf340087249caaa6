//! Findings as the API shows them.

pub(crate) mod detail;
pub(crate) mod summary;
pub(crate) mod target;
