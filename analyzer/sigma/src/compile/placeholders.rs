//! The lists of values of `%name%` in values with `expand`. Reading them is the caller's task; a rule with a name that is not
//! in the table is refused.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// Named lists of values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placeholders {
    lists: BTreeMap<String, Vec<String>>,
}

impl Placeholders {
    /// Defines a placeholder, or replaces its definition. Upper and lower case in names are different; values are texts as
    /// rules write them, wildcards and escapes included. A placeholder without values matches nothing.
    pub fn define(&mut self, name: impl Into<String>, values: impl IntoIterator<Item = impl Into<String>>) {
        self.lists.insert(name.into(), values.into_iter().map(Into::into).collect());
    }

    /// The values of a placeholder.
    #[must_use]
    pub fn values(&self, name: &str) -> Option<&[String]> {
        self.lists.get(name).map(Vec::as_slice)
    }

    /// SHA-256 over all names and values; none where nothing is defined.
    pub(super) fn digest(&self) -> Option<[u8; 32]> {
        if self.lists.is_empty() {
            return None;
        }
        let mut hasher = Sha256::new();
        for (name, values) in &self.lists {
            for text in [name].into_iter().chain(values) {
                hasher.update((text.len() as u64).to_be_bytes());
                hasher.update(text);
            }
            hasher.update(u64::MAX.to_be_bytes());
        }
        Some(hasher.finalize().into())
    }
}
