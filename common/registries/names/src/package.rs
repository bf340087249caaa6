//! Packages that resemble well-known ones.

use std::collections::{BTreeMap, BTreeSet};

use versions::{Ecosystem, MAX_NAME, normalized_name};

use crate::edit::{Edit, edit};
use crate::lists::{self, ListError, MAX_ADDED};

/// Hosts of Go modules whose first path element is an account.
const CODE_HOSTS: [&str; 5] = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "git.sr.ht"];
/// Shortest owner of which a lookalike counts by itself.
const LEAST_OWNER: usize = 4;
/// Shortest scope of which a lookalike counts with any package name.
const LEAST_SCOPE: usize = 5;
/// Prefixes of npm names that stand for a scope by convention: packages of the time before scopes.
const JOINED_BY_CONVENTION: [&str; 5] = ["babel-", "vue-", "angular-", "storybook-", "rollup-"];

/// Well-known packages of all ecosystems.
#[derive(Clone, Debug)]
pub struct Names {
    known: BTreeMap<Ecosystem, BTreeSet<String>>,
}

/// A well-known package that another one resembles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookalike {
    /// The well-known package.
    pub known: String,
    /// The edit from it.
    pub edit: Edit,
}

impl Names {
    /// The built-in lists.
    #[must_use]
    pub fn built_in() -> Self {
        let list = |ecosystem| {
            lists::words(lists::built_in(ecosystem))
                .map(|name| canonical(ecosystem, name))
                .collect::<BTreeSet<_>>()
        };
        Self { known: Ecosystem::ALL.into_iter().map(|ecosystem| (ecosystem, list(ecosystem))).collect() }
    }

    /// Adds names, for example those of connected lock files, or the text of a list (words, `#` before comments).
    ///
    /// # Errors
    /// [`ListError`]; then none are added.
    pub fn add<'a>(
        &mut self,
        ecosystem: Ecosystem,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), ListError> {
        let known = self.known.entry(ecosystem).or_default();
        let mut added = known.clone();
        for name in names.into_iter().flat_map(lists::words) {
            if name.len() > MAX_NAME {
                return Err(ListError::TooLong { found: name.len() });
            }
            added.insert(canonical(ecosystem, name));
            if added.len() > MAX_ADDED {
                return Err(ListError::TooMany { most: MAX_ADDED, found: added.len() });
            }
        }
        *known = added;
        Ok(())
    }

    /// Number of known names of an ecosystem.
    #[must_use]
    pub fn count(&self, ecosystem: Ecosystem) -> usize {
        self.known.get(&ecosystem).map_or(0, BTreeSet::len)
    }

    /// Whether a name is known.
    #[must_use]
    pub fn is_known(&self, ecosystem: Ecosystem, name: &str) -> bool {
        self.known.get(&ecosystem).is_some_and(|known| known.contains(&canonical(ecosystem, name)))
    }

    /// The known package of another owner that a name resembles by one edit; of several the first in alphabetical order.
    #[must_use]
    pub fn lookalike(&self, ecosystem: Ecosystem, name: &str) -> Option<Lookalike> {
        let known = self.known.get(&ecosystem)?;
        let name = canonical(ecosystem, name);
        if name.len() > MAX_NAME || known.contains(&name) {
            return None;
        }
        let found = Parts::of(ecosystem, &name);
        let listed = known.iter().find_map(|candidate| {
            let edit = match ecosystem {
                Ecosystem::Npm => npm(&found, &Parts::of(ecosystem, candidate)),
                Ecosystem::Go | Ecosystem::GitHubAction => {
                    owned(ecosystem, &found, &Parts::of(ecosystem, candidate))
                }
                Ecosystem::Pypi | Ecosystem::RubyGems | Ecosystem::Cargo => edit(ecosystem, &name, candidate),
            }?;
            Some(Lookalike { known: candidate.clone(), edit })
        });
        listed.or_else(|| if ecosystem == Ecosystem::Npm { scope(&found, known) } else { None })
    }
}

/// Canonical spelling in lower case, which people do not tell apart from others.
fn canonical(ecosystem: Ecosystem, name: &str) -> String {
    let name = normalized_name(ecosystem, name).unwrap_or_else(|_| name.to_owned()).to_ascii_lowercase();
    match ecosystem {
        Ecosystem::Go => without_major(&name).to_owned(),
        // Actions below one repository have one owner and one name.
        Ecosystem::GitHubAction => {
            let end = name.match_indices('/').nth(1).map_or(name.len(), |(at, _)| at);
            name[..end].to_owned()
        }
        _ => name,
    }
}

/// A module path without the suffix of its major version.
fn without_major(path: &str) -> &str {
    match path.rsplit_once("/v") {
        Some((rest, digits)) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            rest
        }
        _ => path,
    }
}

/// A name and the owner in it.
#[derive(Debug)]
struct Parts<'a> {
    owner: &'a str,
    name: &'a str,
}

impl<'a> Parts<'a> {
    fn of(ecosystem: Ecosystem, text: &'a str) -> Self {
        let (owner, name) = match ecosystem {
            Ecosystem::Npm => {
                text.strip_prefix('@').and_then(|rest| rest.split_once('/')).unwrap_or(("", text))
            }
            Ecosystem::Go => {
                let host = text.split('/').next().unwrap_or_default();
                let depth = usize::from(is_code_host(host));
                let end = text.match_indices('/').nth(depth).map_or(text.len(), |(at, _)| at);
                (&text[..end], text[end..].trim_start_matches('/'))
            }
            Ecosystem::GitHubAction => text.split_once('/').unwrap_or(("", text)),
            Ecosystem::Pypi | Ecosystem::RubyGems | Ecosystem::Cargo => ("", text),
        };
        Self { owner, name }
    }
}

/// Whether a host has accounts, or resembles one that has.
fn is_code_host(host: &str) -> bool {
    CODE_HOSTS.iter().any(|known| host == *known || edit(Ecosystem::Go, host, known).is_some())
}

/// npm: scopes are owners.
fn npm(found: &Parts<'_>, known: &Parts<'_>) -> Option<Edit> {
    match (found.owner, known.owner) {
        ("", "") => edit(Ecosystem::Npm, found.name, known.name),
        // A scope is owned by one account, so that its names cannot be taken; other scopes may hold forks.
        ("", scope) => is_joined(found.name, scope, known.name).then_some(Edit::Scope),
        (_, "") => None,
        (a, b) => (found.name == known.name && is_similar_owner(Ecosystem::Npm, a, b)).then_some(Edit::Scope),
    }
}

/// Whether an unscoped name is scope and name joined.
fn is_joined(found: &str, scope: &str, name: &str) -> bool {
    let rest = found.strip_prefix(scope).map(|rest| rest.trim_start_matches(['-', '_', '.']));
    rest == Some(name) && !JOINED_BY_CONVENTION.iter().any(|prefix| found.starts_with(prefix))
}

/// npm: a scope that resembles a well-known one, with any package name.
fn scope(found: &Parts<'_>, known: &BTreeSet<String>) -> Option<Lookalike> {
    if found.owner.is_empty() {
        return None;
    }
    let scopes = known.iter().map(|name| (name, Parts::of(Ecosystem::Npm, name).owner));
    let mut scopes = scopes.filter(|(_, scope)| !scope.is_empty());
    // A well-known scope is honest, also where it resembles another one.
    if scopes.clone().any(|(_, scope)| scope == found.owner) {
        return None;
    }
    let (name, _) = scopes.find(|(_, scope)| {
        scope.len() >= LEAST_SCOPE && edit(Ecosystem::Npm, found.owner, scope).is_some()
    })?;
    Some(Lookalike { known: name.clone(), edit: Edit::Scope })
}

/// Go and actions: the same name of an owner that resembles the known one.
fn owned(ecosystem: Ecosystem, found: &Parts<'_>, known: &Parts<'_>) -> Option<Edit> {
    if found.owner == known.owner || found.name != known.name {
        return None;
    }
    if let Some(edit) = edit(ecosystem, found.owner, known.owner) {
        return Some(edit);
    }
    is_similar_owner(ecosystem, found.owner, known.owner).then_some(Edit::Scope)
}

/// Whether one of two owners is the other with one edit of the account behind the host.
fn is_similar_owner(ecosystem: Ecosystem, a: &str, b: &str) -> bool {
    let ((host_a, a), (host_b, b)) = (split(a), split(b));
    host_a == host_b && b.len() >= LEAST_OWNER && edit(ecosystem, a, b).is_some()
}

/// Host and account of an owner.
fn split(owner: &str) -> (&str, &str) {
    owner.rsplit_once('/').unwrap_or(("", owner))
}
