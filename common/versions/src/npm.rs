//! npm: versions and ranges as npm's `semver` 7 reads them, strictly (`loose` off, `includePrerelease` off).
//!
//! Differences: pre-release numbers of more than 15 digits are compared exactly, where JavaScript rounds them.

mod comparator;
mod range;

pub(crate) use range::NpmRange;

use crate::precedence::{Triple, is_build};

/// Largest number: that of JavaScript that is exact (`Number.MAX_SAFE_INTEGER`).
pub(crate) const MAX_NUMBER: u64 = 9_007_199_254_740_991;

/// Reads a version, which may begin with `v`; build metadata is dropped.
pub(crate) fn version(text: &str) -> Option<Triple> {
    let text = trim(text);
    let text = text.strip_prefix('v').unwrap_or(text);
    let text = match text.split_once('+') {
        Some((text, build)) if is_build(build) => text,
        Some(_) => return None,
        None => text,
    };
    Triple::parse(text, MAX_NUMBER)
}

/// White space of JavaScript, which includes the byte order mark.
fn is_space(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}
