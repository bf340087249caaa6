//! Names at the host, checked before they become part of a URL.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Longest login, in characters, without `[bot]`.
const MAX_LOGIN: usize = 39;
/// Longest name of a repository, in characters.
const MAX_NAME: usize = 100;
/// Longest name of an owner: those of enterprise accounts have a suffix behind the login.
const MAX_OWNER: usize = 100;

/// A text is not a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NameError {
    /// Not a name of a repository.
    #[error("expected owner/name of a repository: letters, digits, `-`, `_` and `.`")]
    Repository,
    /// Not a login.
    #[error("expected a login: 1 to {MAX_LOGIN} letters, digits and `-`, optionally followed by [bot]")]
    Login,
}

/// Name of a repository, `owner/name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FullName {
    text: String,
    slash: usize,
}

/// Name of an account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Login(String);

impl FullName {
    /// The account.
    #[must_use]
    pub fn owner(&self) -> &str {
        self.text.get(..self.slash).unwrap_or_default()
    }

    /// The name below it.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text.get(self.slash + 1..).unwrap_or_default()
    }

    /// `owner/name`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Login {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a text is a part of a path and nothing else: no separator, and no `.` or `..`, which URLs resolve.
fn is_part(text: &str, most: usize) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !text.is_empty() && text.len() <= most && text.bytes().all(plain) && text != "." && text != ".."
}

impl FromStr for FullName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let (owner, name) = text.split_once('/').ok_or(NameError::Repository)?;
        if !is_part(owner, MAX_OWNER) || !is_part(name, MAX_NAME) {
            return Err(NameError::Repository);
        }
        Ok(Self { text: text.to_owned(), slash: owner.len() })
    }
}

impl FromStr for Login {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let login = text.strip_suffix("[bot]").unwrap_or(text);
        // Enterprise accounts have an underscore before the short code of the enterprise.
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if login.is_empty() || login.len() > MAX_LOGIN || !login.bytes().all(plain) {
            return Err(NameError::Login);
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for FullName {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<FullName> for String {
    fn from(name: FullName) -> Self {
        name.text
    }
}

impl fmt::Display for FullName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl TryFrom<String> for Login {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<Login> for String {
    fn from(login: Login) -> Self {
        login.0
    }
}

impl fmt::Display for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parts_of_a_path_and_nothing_else() {
        for text in ["acme/shop", "a/b.c_d-e", "Acme-1/.github"] {
            let name: FullName = text.parse().unwrap();
            assert_eq!(format!("{}/{}", name.owner(), name.name()), text);
        }
        for text in
            ["", "shop", "/shop", "acme/", "acme/..", "./shop", "a/b/c", "a b/c", "a/b?x", "a%2f/b", "ä/b"]
        {
            assert_eq!(text.parse::<FullName>(), Err(NameError::Repository), "{text}");
        }
        for text in ["octocat", "dependabot[bot]", "a-1", "name_corp"] {
            assert_eq!(text.parse::<Login>().unwrap().as_str(), text);
        }
        for text in ["", "[bot]", "a/b", "a b", "a[bot]x", "..", &"a".repeat(40)] {
            assert_eq!(text.parse::<Login>(), Err(NameError::Login), "{text}");
        }
    }
}
