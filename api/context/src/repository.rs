//! Origins `skill` and `mcp`: content of public repositories of the code host. Public: results are shared by all organizations.
//!
//! - `target.rs`: names, URLs of the host and of registries → owner, repository, skill.
//! - `select.rs`: files of a tree → the files that are read, by priority and within the bounds of a snapshot.
//! - `read.rs`, `code.rs`: files → texts with their roles, facts about code, unread parts (`reading.rs`); on hostile input, so in the
//!   sandbox (`archive.rs`).
//! - `markdown.rs`, `data.rs`: parts of text files that a reader does not see; descriptions in JSON.
//! - `directives.rs`, `rules.rs`: sentences that ask an agent for something harmful, `setting.rs`: where they are none; `foreign.rs`:
//!   tools of other servers.
//! - `outsiders.rs`: accounts of others that a skill gives access, copies or content.
//! - `handlers.rs`: tools that do what their descriptions do not say.
//! - `receivers.rs`, `addresses.rs`: addresses in the code that the documentation does not name.
//! - `skill.rs`, `server.rs`: the checks of the two origins; `judge.rs`, `behavior.rs`: those that they share.
//! - `identity.rs`: owner, repository, signatures, releases.
//! - `host.rs`: requests to the code host, `failure.rs`: their failures; `scan.rs`: the tiers of a scan; `folder.rs`: a folder without a server.

mod addresses;
mod archive;
mod behavior;
mod code;
pub(crate) mod directives;
mod data;
mod failure;
mod folder;
mod host;
mod foreign;
mod handlers;
mod identity;
mod judge;
mod markdown;
mod outsiders;
mod read;
mod reading;
mod receivers;
mod rules;
mod scan;
mod select;
mod server;
mod setting;
mod skill;
mod target;

pub(crate) use archive::SNAPSHOT;
pub use archive::read_repository;
pub(crate) use failure::HostFailure;
pub(crate) use failure::NO_INSTALLATION;
pub use folder::scan_repository_folder;
pub use host::Repositories;
pub(crate) use host::{Files, Public};
pub(crate) use identity::Facts;
pub(crate) use judge::assess;
pub(crate) use read::read;
pub(crate) use reading::{Reading, SnapshotFile};
pub(crate) use scan::{preliminary, unread, whole};
pub(crate) use select::{Candidate, select};
pub(crate) use target::Target;

use serde::{Deserialize, Serialize};

/// Which of the two origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// A skill.
    Skill,
    /// An MCP server.
    Server,
}

#[cfg(test)]
mod tests;
