//! Roles of a process, and their names in a setting.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserializer, Serialize};
use thiserror::Error;

/// A role of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// Takes logs in.
    Ingest,
    /// Turns them into incidents.
    Analyzer,
    /// Answers the REST API.
    Api,
    /// Runs background jobs.
    Worker,
}

impl Role {
    /// Every role.
    pub(crate) const ALL: [Self; 4] = [Self::Ingest, Self::Analyzer, Self::Api, Self::Worker];

    fn as_str(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Analyzer => "analyzer",
            Self::Api => "api",
            Self::Worker => "worker",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The word is not a role.
#[derive(Debug, Error)]
#[error(
    "unknown role {found:?}, expected one or more of ingest, analyzer, api and worker, separated by commas, for example ingest,api"
)]
pub(crate) struct UnknownRole {
    found: String,
}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let role = Self::ALL.into_iter().find(|role| role.as_str() == word);
        role.ok_or_else(|| UnknownRole { found: word.to_owned() })
    }
}

/// Reads roles from a list of names, or from one text in which commas separate them.
///
/// # Errors
/// [`UnknownRole`], or when it is neither.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Role>, D::Error> {
    deserializer.deserialize_any(Roles)
}

struct Roles;

impl<'de> Visitor<'de> for Roles {
    type Value = Vec<Role>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("roles, for example ingest,api")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        text.split(',').map(|word| word.trim().parse().map_err(E::custom)).collect()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut words: A) -> Result<Self::Value, A::Error> {
        let mut roles = Vec::new();
        while let Some(word) = words.next_element::<String>()? {
            roles.push(word.parse().map_err(A::Error::custom)?);
        }
        Ok(roles)
    }
}
