//! Versions, ranges and names of packages, by the grammar of each ecosystem. Pure.
//!
//! # Contract
//!
//! * **Order.** [`Version::compare`] is a total order on the versions of one ecosystem, and [`Range::matches`] says which
//!   versions a range admits. Both agree with the tool of the ecosystem: npm's `semver`, Python's `packaging`, `cargo`, `go`
//!   and RubyGems. Actions have no such tool; `actions.rs` defines their order.
//! * **Pre-releases.** npm and Cargo exclude them by the grammar of ranges, and so does [`Range::matches`]. Other ecosystems
//!   leave it to the installer: there a pre-release matches, and callers ask [`Version::is_prerelease`].
//! * **Names.** [`Target`] is `ecosystem:name@version` in one canonical spelling, so that equal packages have equal texts.
//! * **Bounds.** Longer texts than [`MAX_VERSION`], [`MAX_RANGE`], [`MAX_NAME`] and [`MAX_TARGET`] are refused before they
//!   are read. Reading is linear in the length, matching in the number of comparators.
//!
//! | file | content |
//! |---|---|
//! | `ecosystem.rs` | names and aliases of ecosystems |
//! | `version.rs`, `range.rs` | the interface |
//! | `precedence.rs` | precedence of pre-releases by Semantic Versioning, for npm and Go |
//! | `npm.rs`, `npm/`, `pypi.rs`, `cargo.rs`, `golang.rs`, `rubygems.rs`, `actions.rs` | one grammar each |
//! | `name.rs`, `target.rs` | names and targets |

mod actions;
mod cargo;
mod ecosystem;
mod error;
mod golang;
mod name;
mod npm;
mod precedence;
mod pypi;
mod range;
mod rubygems;
mod target;
#[cfg(test)]
mod tests;
mod version;

pub use actions::is_commit;
pub use ecosystem::{Ecosystem, UnknownEcosystem};
pub use error::{ParseError, Part};
pub use golang::{PseudoVersion, escaped_module};
pub use name::normalized_name;
pub use range::Range;
pub use target::{Target, TargetError};
pub use version::Version;

/// Longest version, in bytes: the limit of npm, the strictest one that is documented.
pub const MAX_VERSION: usize = 256;
/// Longest range, in bytes. Ranges in manifests are shorter than 256; some list dozens of alternatives.
pub const MAX_RANGE: usize = 4_096;
/// Longest name of a package, in bytes: paths of Go modules are the longest names.
pub const MAX_NAME: usize = 512;
/// Longest target, in bytes.
pub const MAX_TARGET: usize = 2_048;
