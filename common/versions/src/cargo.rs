//! Cargo: the grammar of the crate `semver`, which Cargo itself uses.

use std::cmp::Ordering;

use semver::{Version, VersionReq};

pub(crate) fn version(text: &str) -> Option<Version> {
    Version::parse(text.trim()).ok()
}

/// Precedence without build metadata, as Semantic Versioning defines it.
pub(crate) fn compare(a: &Version, b: &Version) -> Ordering {
    a.cmp_precedence(b)
}

pub(crate) fn range(text: &str) -> Option<VersionReq> {
    VersionReq::parse(text.trim()).ok()
}
