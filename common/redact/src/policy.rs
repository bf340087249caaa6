//! What an operator may choose: which types are looked for, and which names count as sensitive or exempt.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::entity::EntityType;

/// The largest number of extra names in one list: each sensitive one is a literal of the scan.
pub const MAX_NAMES: usize = 64;
/// The longest extra name, in bytes; longer names in the text are never looked at in full.
pub const MAX_NAME_LENGTH: usize = 64;
/// The shortest extra sensitive name, in bytes: shorter ones would make the scan stop everywhere.
pub const MIN_NAME_LENGTH: usize = 3;

/// What is looked for. Missing fields take their defaults; unknown fields are refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Types of sensitive data to mask. Default: all except `email`, `phone` and `ip_address`, which detection needs
    /// and which are common in logs.
    pub entities: BTreeSet<EntityType>,
    /// Further names whose values are secret, of 3 to 64 letters, digits, `_`, `-` and `.`; at most 64.
    /// Case is ignored; `x` also covers `prefix_x`, `prefix-x`, `prefix.x`. Default: none.
    pub sensitive_keys: Vec<String>,
    /// Further names whose values are not masked even if they look sensitive, except for private keys, JSON Web Tokens
    /// and vendor tokens in them. Of 1 to 64 letters, digits, `_`, `-` and `.`; at most 64. Whole names are compared,
    /// without case and separators. Default: none.
    pub exempt_keys: Vec<String>,
}

impl Default for Policy {
    fn default() -> Self {
        let by_choice = [EntityType::Email, EntityType::Phone, EntityType::IpAddress];
        Self {
            entities: EntityType::ALL.into_iter().filter(|entity| !by_choice.contains(entity)).collect(),
            sensitive_keys: Vec::new(),
            exempt_keys: Vec::new(),
        }
    }
}

impl Policy {
    /// Checks the bounds of the lists.
    pub(crate) fn validate(&self) -> Result<(), PolicyError> {
        check_names("sensitive_keys", &self.sensitive_keys, MIN_NAME_LENGTH)?;
        check_names("exempt_keys", &self.exempt_keys, 1)
    }
}

/// Why a policy was refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PolicyError {
    /// A list is too long.
    #[error("{list} holds {found} names, at most {MAX_NAMES} are allowed")]
    TooManyNames {
        /// Which list.
        list: &'static str,
        /// How many names it holds.
        found: usize,
    },
    /// A name is too short, too long, or holds other characters.
    #[error(
        "{list} holds the name {name:?}, expected {shortest} to {MAX_NAME_LENGTH} letters, digits, '_', '-' or '.'"
    )]
    InvalidName {
        /// Which list.
        list: &'static str,
        /// The name as given.
        name: String,
        /// The fewest bytes allowed.
        shortest: usize,
    },
}

fn check_names(list: &'static str, names: &[String], shortest: usize) -> Result<(), PolicyError> {
    if names.len() > MAX_NAMES {
        return Err(PolicyError::TooManyNames { list, found: names.len() });
    }
    for name in names {
        let length_fits = (shortest..=MAX_NAME_LENGTH).contains(&name.len());
        let joinable = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let starts_and_ends = [name.bytes().next(), name.bytes().next_back()];
        let is_name = name.bytes().all(joinable)
            && starts_and_ends.into_iter().flatten().all(|byte| byte.is_ascii_alphanumeric());
        if !(length_fits && is_name) {
            return Err(PolicyError::InvalidName { list, name: name.clone(), shortest });
        }
    }
    Ok(())
}
