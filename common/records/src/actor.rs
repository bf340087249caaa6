//! The actor of a change, as histories and the audit log name it.

use common::ids::{KeyId, RecordId};
use common::words;
use serde::{Deserialize, Serialize};

words!(
    /// Kind of an actor.
    ActorKind {
        /// A person who is signed in.
        User = "user",
        /// An API key.
        Key = "key",
        /// A security report.
        Report = "report",
        /// The service itself, for example automated triage.
        System = "system",
    }
);

/// The actor of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// Its kind.
    pub kind: ActorKind,
    /// Its id as the API prints it; empty for the service itself.
    pub id: String,
    /// Its name at that time.
    pub name: String,
}

impl Actor {
    /// An API key.
    #[must_use]
    pub fn key(id: KeyId, name: &str) -> Self {
        Self { kind: ActorKind::Key, id: id.to_string(), name: name.to_owned() }
    }

    /// A report.
    #[must_use]
    pub fn report(id: RecordId, name: &str) -> Self {
        Self { kind: ActorKind::Report, id: id.to_string(), name: name.to_owned() }
    }

    /// A part of the service.
    #[must_use]
    pub fn system(name: &str) -> Self {
        Self { kind: ActorKind::System, id: String::new(), name: name.to_owned() }
    }
}
