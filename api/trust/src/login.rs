//! Logins in paths.

use std::fmt;
use std::str::FromStr;

use code_host::Login;
use http::Method;
use rest::error::ApiError;
use rest::path::PathParameter;
use serde::{Deserialize, Serialize};

/// Longest login without `[bot]`, in characters (GitHub).
const MAX_LOGIN: usize = 39;

/// A login of a contributor: 1 to 39 letters, digits and `-`, optionally followed by `[bot]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct ContributorLogin(Login);

/// A text is not a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("login: expected 1 to {MAX_LOGIN} letters, digits and `-`, optionally followed by [bot]")]
pub(crate) struct NotALogin;

impl ContributorLogin {
    /// As the code host reads it.
    pub(crate) fn hosted(&self) -> &Login {
        &self.0
    }

    /// The login in lower case: the code host does not distinguish cases.
    pub(crate) fn key(&self) -> String {
        self.0.as_str().to_ascii_lowercase()
    }
}

impl FromStr for ContributorLogin {
    type Err = NotALogin;

    fn from_str(text: &str) -> Result<Self, NotALogin> {
        let name = text.strip_suffix("[bot]").unwrap_or(text);
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return Err(NotALogin);
        }
        text.parse().map(Self).map_err(|_| NotALogin)
    }
}

impl fmt::Display for ContributorLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TryFrom<String> for ContributorLogin {
    type Error = NotALogin;

    fn try_from(text: String) -> Result<Self, NotALogin> {
        text.parse()
    }
}

impl From<ContributorLogin> for String {
    fn from(login: ContributorLogin) -> Self {
        login.0.into()
    }
}

/// A contributor in a path.
pub(crate) enum ContributorPath {}

impl PathParameter for ContributorPath {
    type Id = ContributorLogin;
    const NAME: &'static str = "contributor";

    fn malformed(_: &Method) -> ApiError {
        ApiError::Invalid(NotALogin.to_string().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_has_letters_digits_and_hyphens_and_may_name_an_app() {
        for text in
            ["octocat", "A-1", "dependabot[bot]", &"a".repeat(39), &format!("{}[bot]", "a".repeat(39))]
        {
            assert_eq!(text.parse::<ContributorLogin>().unwrap().to_string(), *text);
        }
        for text in
            ["", "[bot]", "a_b", "a.b", "a b", "a/b", "a[bot]x", "[bot]a", "ä", "a[Bot]", &"a".repeat(40)]
        {
            assert_eq!(text.parse::<ContributorLogin>(), Err(NotALogin), "{text}");
        }
        let (one, other): (ContributorLogin, ContributorLogin) =
            ("Octo".parse().unwrap(), "oCTO".parse().unwrap());
        assert_eq!(one.key(), other.key());
    }
}
