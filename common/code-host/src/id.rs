//! Ids of the host.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Largest id: the largest whole number of a JSON number in every client (specification, Dependency updates).
const LARGEST: u64 = 9_007_199_254_740_991;

/// A text is not the decimal form of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a whole number from 1 to {LARGEST} without leading zeros")]
pub struct NotAHostId;

/// Eight bytes in network order, so that rows lie in the order of the numbers.
fn parse(text: &str) -> Result<[u8; 8], NotAHostId> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    let number: u64 = text.parse().map_err(|_| NotAHostId)?;
    if is_plain && number <= LARGEST { Ok(number.to_be_bytes()) } else { Err(NotAHostId) }
}

macro_rules! host_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name([u8; 8]);

        impl $name {
            /// The id whose eight bytes these are.
            #[must_use]
            pub fn from_bytes(bytes: [u8; 8]) -> Self {
                Self(bytes)
            }

            /// The number.
            #[must_use]
            pub fn number(self) -> u64 {
                u64::from_be_bytes(self.0)
            }
        }

        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.number().fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl FromStr for $name {
            type Err = NotAHostId;

            fn from_str(text: &str) -> Result<Self, NotAHostId> {
                parse(text).map(Self)
            }
        }

        impl TryFrom<String> for $name {
            type Error = NotAHostId;

            fn try_from(text: String) -> Result<Self, NotAHostId> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }
    };
}

host_id!(
    /// A repository.
    RepositoryId
);
host_id!(
    /// An installation of the service in an account of the host.
    InstallationId
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_decimal_text_of_a_bounded_number() {
        for text in ["1", "42", "9007199254740991"] {
            assert_eq!(text.parse::<RepositoryId>().unwrap().to_string(), text);
        }
        for text in ["", "0", "007", "-1", "+1", "1.0", "9007199254740992", "99999999999999999999", "a", " 1"]
        {
            assert_eq!(text.parse::<RepositoryId>(), Err(NotAHostId), "{text}");
        }
    }
}
