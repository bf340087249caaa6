//! Targets of scans: `owner/repository` of an MCP server, `owner/repository/skill` of a skill, URLs of the code host, and URLs of
//! registries of skills, which name owner, repository and skill in their path.
//!
//! Names are compared in lower case, as hosts do. The identifier of a result is the SHA-256 of the canonical name.

use std::fmt;

use code_host::FullName;
use common::hexadecimal;
use sha2::{Digest, Sha256};
use thiserror::Error;
use url::Url;

use super::Kind;
use crate::artifact::Origin;
use crate::record::Subject;

/// Longest target in characters (specification, Limits).
const LONGEST: usize = 2_048;
/// Longest name of a skill and of a revision, in bytes.
const LONGEST_NAME: usize = 100;
const LONGEST_REVISION: usize = 100;
/// Registries of skills whose paths are `/owner/repository/skill`.
const REGISTRIES: [&str; 2] = ["skills.sh", "www.skills.sh"];
/// The name of the default branch of any repository. Every other revision is part of the canonical name, also `main`: only the code host
/// knows whether it is the default branch ([`Target::without_default`]).
const DEFAULT_REVISION: &str = "head";

/// Reason why a target is no name of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum TargetError {
    /// The length.
    #[error("expected 1 to {LONGEST} characters")]
    Length,
    /// No target of an MCP server.
    #[error("expected owner/repository, or an HTTPS URL of a repository of the code host")]
    Server,
    /// No target of a skill.
    #[error("expected owner/repository/skill, or an HTTPS URL of a skill of the code host or of a registry")]
    Skill,
}

/// A content of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Content of the code host.
    Hosted {
        /// Skill or server.
        kind: Kind,
        /// The repository, in lower case.
        repository: FullName,
        /// Name of the skill, in lower case.
        skill: Option<String>,
        /// Revision, where it is not the default branch.
        revision: Option<String>,
    },
    /// A skill of a registry whose URLs do not name a repository, so that it cannot be read.
    Elsewhere(
        /// The URL without query and fragment.
        String,
    ),
}

impl Target {
    /// Reads a target. `web` is the host name of the pages of the code host.
    ///
    /// # Errors
    /// [`TargetError`].
    pub(crate) fn parse(kind: Kind, text: &str, web: &str) -> Result<Self, TargetError> {
        let text = text.trim();
        if !(1..=LONGEST).contains(&text.chars().count()) {
            return Err(TargetError::Length);
        }
        let expected = if kind == Kind::Skill { TargetError::Skill } else { TargetError::Server };
        if !text.contains("://") {
            let parts: Vec<&str> = text.split('/').collect();
            return named(kind, &parts).ok_or(expected);
        }
        let url = Url::parse(text).ok().filter(|url| url.scheme() == "https").ok_or(expected)?;
        let is_plain = url.username().is_empty() && url.password().is_none() && url.port().is_none();
        let host = url.host_str().filter(|_| is_plain).ok_or(expected)?.to_ascii_lowercase();
        let parts: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
        let of_host = host == web || host.strip_prefix("www.") == Some(web);
        match kind {
            Kind::Server if of_host && parts.len() == 2 => named(kind, &parts).ok_or(expected),
            Kind::Server => Err(expected),
            Kind::Skill if of_host || host == format!("raw.{web}") || host == "raw.githubusercontent.com" => {
                skill(&parts, !of_host).ok_or(expected)
            }
            Kind::Skill if REGISTRIES.contains(&host.as_str()) => named(kind, &parts).ok_or(expected),
            Kind::Skill => Ok(Self::Elsewhere(format!("https://{host}{}", url.path().trim_end_matches('/')))),
        }
    }

    /// Reads a canonical name, which [`Target`] prints.
    ///
    /// # Errors
    /// [`TargetError`], as text.
    pub(crate) fn canonical(kind: Kind, text: &str) -> Result<Self, String> {
        // No host: a URL in a canonical name is one of a registry.
        Self::parse(kind, text, "").map_err(|error| error.to_string())
    }

    /// The repository and the revision, where a revision is named.
    pub(crate) fn named_revision(&self) -> Option<(&FullName, &str)> {
        match self {
            Self::Hosted { repository, revision, .. } => Some((repository, revision.as_deref()?)),
            Self::Elsewhere(_) => None,
        }
    }

    /// The same content by its shorter name, where the revision is the default branch of the repository.
    pub(crate) fn without_default(self, default_branch: &str) -> Self {
        match self {
            Self::Hosted { kind, repository, skill, revision } => {
                let revision = revision.filter(|revision| revision != default_branch);
                Self::Hosted { kind, repository, skill, revision }
            }
            elsewhere @ Self::Elsewhere(_) => elsewhere,
        }
    }

    /// Skill or server.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Hosted { kind, .. } => *kind,
            Self::Elsewhere(_) => Kind::Skill,
        }
    }

    /// Its origin.
    pub(crate) fn origin(&self) -> Origin {
        match self.kind() {
            Kind::Skill => Origin::Skill,
            Kind::Server => Origin::Mcp,
        }
    }

    /// Identifier and label. Nothing of them comes from the host, so that they show no repository which is not public.
    pub(crate) fn subject(&self) -> Subject {
        let name = self.to_string();
        let identifier = hexadecimal::print(&Sha256::digest(name.as_bytes()));
        Subject { origin: self.origin(), identifier, name, url: None }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (repository, skill, revision) = match self {
            Self::Elsewhere(url) => return f.write_str(url),
            Self::Hosted { repository, skill, revision, .. } => (repository, skill, revision),
        };
        f.write_str(repository.as_str())?;
        skill.iter().try_for_each(|skill| write!(f, "/{skill}"))?;
        revision.iter().try_for_each(|revision| write!(f, "@{revision}"))
    }
}

fn is_name(text: &str, most: usize) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=most).contains(&text.len()) && text.bytes().all(plain) && text != "." && text != ".."
}

fn repository(owner: &str, name: &str) -> Option<FullName> {
    let name = name.strip_suffix(".git").unwrap_or(name);
    format!("{owner}/{name}").to_ascii_lowercase().parse().ok()
}

/// `owner/repository` of a server, `owner/repository/skill` of a skill, with `@revision` behind the last part.
fn named(kind: Kind, parts: &[&str]) -> Option<Target> {
    let (owner, name, skill) = match (kind, parts) {
        (Kind::Server, [owner, name]) => (owner, name, None),
        (Kind::Skill, [owner, name, skill]) => (owner, name, Some(*skill)),
        _ => return None,
    };
    let (skill, revision) = match skill.map(|skill| skill.split_once('@').unwrap_or((skill, ""))) {
        None => (None, ""),
        Some((skill, revision)) => (Some(skill), revision),
    };
    if !skill.is_none_or(|skill| is_name(skill, LONGEST_NAME)) {
        return None;
    }
    let repository = repository(owner, name)?;
    Some(Target::Hosted {
        kind,
        repository,
        skill: skill.map(str::to_ascii_lowercase),
        revision: other(revision)?,
    })
}

/// A revision that is not the default one; none for a text that is no revision.
fn other(revision: &str) -> Option<Option<String>> {
    if revision.is_empty() || revision.eq_ignore_ascii_case(DEFAULT_REVISION) {
        return Some(None);
    }
    is_name(revision, LONGEST_REVISION).then(|| Some(revision.to_owned()))
}

/// `/owner/repository/tree/revision/path/of/skill`, `…/blob/…/SKILL.md`, and the same without `tree` for raw files.
fn skill(parts: &[&str], is_raw: bool) -> Option<Target> {
    let (owner, name, rest) = match parts {
        [owner, name, rest @ ..] => (owner, name, rest),
        _ => return None,
    };
    let rest = match rest {
        [] => &[][..],
        ["tree" | "blob" | "raw", rest @ ..] if !is_raw && !rest.is_empty() => rest,
        ["refs", "heads" | "tags", rest @ ..] if is_raw => rest,
        rest if is_raw => rest,
        _ => return None,
    };
    let (revision, path) = rest.split_first().map_or(("", rest), |(first, path)| (*first, path));
    let path = match path {
        [folders @ .., last] if last.eq_ignore_ascii_case("skill.md") => folders,
        path => path,
    };
    // A repository that is one skill is called like it.
    let skill = path.last().copied().unwrap_or_else(|| name.strip_suffix(".git").unwrap_or(name));
    if !is_name(skill, LONGEST_NAME) {
        return None;
    }
    let repository = repository(owner, name)?;
    let (skill, revision) = (Some(skill.to_ascii_lowercase()), other(revision)?);
    Some(Target::Hosted { kind: Kind::Skill, repository, skill, revision })
}

#[cfg(test)]
mod tests;
