//! Origin `package`: a release of a package of a registry. Public: results are shared by all organizations. Nothing of it is executed.
//!
//! - `target.rs`: `ecosystem:name@version` → canonical spelling.
//! - `scan.rs`: the look-ups of a scan, in order, and its tiers.
//! - `download.rs`: archives of a release.
//! - `identity.rs`, `names.rs`, `advisory.rs`: metadata of the registry, name, advisories → checks.
//! - `archive.rs`, `collect.rs`, `rank.rs`, `contents.rs`, `hooks.rs`, `prose.rs`: archive → files → chains of code, scripts, texts; in the sandbox.
//! - `actions.rs`, `steps.rs`: actions, whose registry is the code host, and the commands of their steps.
//! - `link.rs`: links of registries → host and repository; `connected.rs`: comparison with it, `built.rs`: files that a build makes.
//! - `behavior.rs`: contents → checks.
//! - `folder.rs`: an unpacked package, without a registry.

mod actions;
mod advisory;
mod archive;
mod behavior;
mod built;
mod collect;
mod connected;
mod contents;
mod download;
mod folder;
mod hooks;
mod identity;
mod link;
mod names;
mod pickle;
mod payload;
mod prose;
mod rank;
mod scan;
mod steps;
mod target;

pub(crate) use archive::ARCHIVE;
pub use archive::{read_package, sandbox_tasks};
pub(crate) use folder::{assess_folder, target_of_folder};
pub(crate) use scan::{preliminary, resolve, unscannable, whole};
pub(crate) use target::Target;
