//! The target of a finding: it is the anchor, so that all findings of a target lie in one ledger.

use common::event::{EventSource, SourceGroup};
use common::ids::{AgentId, ApplicationId};
use serde::{Deserialize, Serialize};

/// The target of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Target {
    /// A repository of the code host.
    Repository {
        /// Id at the code host, decimal; it stays when the repository is renamed.
        id: String,
        /// `owner/name` when the finding was last observed.
        full_name: String,
    },
    /// An application of the organization.
    Application {
        /// Its id.
        id: ApplicationId,
    },
    /// An agent of the organization.
    Agent {
        /// Its id.
        id: AgentId,
    },
    /// A package of a registry.
    Package {
        /// Ecosystem, for example `npm`.
        ecosystem: String,
        /// Name in the ecosystem.
        name: String,
    },
}

impl Target {
    /// The parts that name the target for good; they decide the shard and are part of the identity of each finding.
    #[must_use]
    pub fn anchor(&self) -> Vec<u8> {
        let (kind, first, second): (&str, &[u8], &[u8]) = match self {
            Self::Repository { id, .. } => ("repository", id.as_bytes(), b""),
            Self::Application { id } => ("application", id.as_bytes(), b""),
            Self::Agent { id } => ("agent", id.as_bytes(), b""),
            Self::Package { ecosystem, name } => ("package", ecosystem.as_bytes(), name.as_bytes()),
        };
        [kind.as_bytes(), b"/", first, b"/", second].concat()
    }

    /// `owner/name` of a repository, otherwise empty.
    #[must_use]
    pub fn repository(&self) -> &str {
        match self {
            Self::Repository { full_name, .. } => full_name,
            _ => "",
        }
    }

    /// The source of events about its findings (specification, Source filters). Packages have no persistent source.
    #[must_use]
    pub fn event_source(&self) -> EventSource {
        let (group, id) = match self {
            Self::Repository { id, .. } => (SourceGroup::Repositories, Some(id.clone())),
            Self::Application { id } => (SourceGroup::Applications, Some(id.to_string())),
            Self::Agent { id } => (SourceGroup::Agents, Some(id.to_string())),
            Self::Package { .. } => (SourceGroup::Repositories, None),
        };
        EventSource { group, id }
    }
}
