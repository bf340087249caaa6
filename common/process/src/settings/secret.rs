//! A secret setting: readable by the code that was given it, never printed.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use zeroize::Zeroizing;

/// A text that is never printed: `Debug` and `Serialize` write `[redacted]`. Wiped from memory when
/// dropped.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// The text itself. Every call is a place where it could leak.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(Zeroizing::new(text))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret([redacted])")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("[redacted]")
    }
}
