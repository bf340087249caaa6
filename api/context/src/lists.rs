//! Lists of names of the operator, from the directory `context.lists_dir`. An entry is a signal with evidence: the check that finds a name
//! reports the file, the line and the comment of the entry.
//!
//! A file is called `KIND-LISTING.txt`, for example `domains-block.txt` or `npm-private.txt`, where
//!
//! * KIND is `domains`, `repositories` (`owner/repository`), `npm`, `pypi`, `go`, `rubygems` or `github-action`;
//! * LISTING is `allow`, `block`, `known` (well-known names, which others are compared with) or `private` (names that the organization
//!   uses internally, so that a public package of that name is dependency confusion).
//!
//! A line is a name; `#` begins a comment. A final `*` stands for the rest of a name: `@acme/*`. A domain includes its subdomains.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use common::words;
use thiserror::Error;
use versions::{Ecosystem, normalized_name};

use crate::check::{Check, Spec};

/// Most bytes of a file, and entries of it: as many names as can be known of an ecosystem.
const MOST_BYTES: u64 = 2 * 1024 * 1024;
const MOST_ENTRIES: usize = 20_000;
/// Longest comment that is evidence, in characters.
const MOST_COMMENT: usize = 160;

words! {
    /// Meaning of a list.
    Listing {
        /// The operator trusts the name.
        Allow = "allow",
        /// The operator refuses the name.
        Block = "block",
        /// A well-known name.
        Known = "known",
        /// A name of the operator's own, which no public registry should have.
        Private = "private",
    }
}

/// Kind of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// A domain and its subdomains, in the form of DNS (A-labels).
    Domain,
    /// A repository of the code host: `owner/repository`.
    Repository,
    /// A package.
    Package(Ecosystem),
}

/// Reason why the lists cannot be used.
#[derive(Debug, Error)]
pub enum ListsError {
    /// A file or the directory cannot be read.
    #[error("the list {} cannot be read", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// A file has a name without a meaning.
    #[error(
        "expected KIND-LISTING.txt with domains, repositories, npm, pypi, go, rubygems or github-action, and allow, block, known or \
         private, found {}",
        path.display()
    )]
    Name {
        /// The path.
        path: PathBuf,
    },
    /// A file is too large.
    #[error("expected at most {most} {unit} in {}, found more", path.display())]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// The limit.
        most: u64,
        /// Its unit.
        unit: &'static str,
    },
    /// A line is no name of its kind.
    #[error("expected one name of {kind} in {} line {line}, found {found:?}", path.display())]
    Entry {
        /// The path.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// The kind.
        kind: &'static str,
        /// The text, cut after 64 characters.
        found: String,
    },
}

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name of the file.
    pub file: String,
    /// Number of the line, from 1.
    pub line: usize,
    /// Comment, at most 160 characters.
    pub comment: Option<String>,
}

impl Entry {
    /// Evidence: `npm-block.txt line 3 (reason)`.
    #[must_use]
    pub fn evidence(&self) -> String {
        let Self { file, line, comment } = self;
        let comment = comment.as_ref().map_or_else(String::new, |comment| format!(" ({comment})"));
        format!("{file} line {line}{comment}")
    }
}

/// Names of one file: whole ones, and beginnings of names.
#[derive(Debug, Default)]
struct List {
    names: BTreeMap<String, Entry>,
    beginnings: BTreeMap<String, Entry>,
}

/// The lists of the operator.
#[derive(Debug, Default)]
pub struct Lists(BTreeMap<(Named, Listing), List>);

impl Named {
    const ALL: [Self; 7] = [
        Self::Domain,
        Self::Repository,
        Self::Package(Ecosystem::Npm),
        Self::Package(Ecosystem::Pypi),
        Self::Package(Ecosystem::Go),
        Self::Package(Ecosystem::RubyGems),
        Self::Package(Ecosystem::GitHubAction),
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Domain => "domains",
            Self::Repository => "repositories",
            Self::Package(ecosystem) => ecosystem.name(),
        }
    }

    /// The spelling by which names are compared; none for a text that is no name.
    fn canonical(self, name: &str) -> Option<String> {
        match self {
            Self::Domain => {
                let ascii = idna::domain_to_ascii(name.trim_end_matches('.')).ok()?;
                let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
                (ascii.contains('.') && ascii.bytes().all(is_letter)).then_some(ascii)
            }
            Self::Repository => {
                let (owner, repository) = name.split_once('/')?;
                let is_whole = !owner.is_empty() && !repository.is_empty() && !repository.contains('/');
                is_whole.then(|| name.to_ascii_lowercase())
            }
            Self::Package(ecosystem) => normalized_name(ecosystem, name).ok(),
        }
    }
}

impl Named {
    /// The spelling of the beginning of a name by which names are compared: that of a name with one letter more.
    fn beginning(self, start: &str) -> String {
        let whole = self.canonical(&format!("{start}a"));
        let canonical = whole.and_then(|name| name.strip_suffix('a').map(str::to_owned));
        canonical.unwrap_or_else(|| start.to_ascii_lowercase())
    }
}

impl Lists {
    /// Reads the lists of a directory; hidden files and folders are left out.
    ///
    /// # Errors
    /// [`ListsError`], which names the file and line: an entry that is left out would be a check that is not made.
    pub fn load(directory: &Path) -> Result<Self, ListsError> {
        let unreadable = |path: &Path, cause| ListsError::Unreadable { path: path.to_owned(), cause };
        let mut lists = BTreeMap::new();
        for entry in std::fs::read_dir(directory).map_err(|cause| unreadable(directory, cause))? {
            let path = entry.map_err(|cause| unreadable(directory, cause))?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if name.starts_with('.') || path.is_dir() {
                continue;
            }
            let (kind, listing) = meaning(&name).ok_or_else(|| ListsError::Name { path: path.clone() })?;
            let mut text = String::new();
            let file = File::open(&path).map_err(|cause| unreadable(&path, cause))?;
            let bytes = file
                .take(MOST_BYTES + 1)
                .read_to_string(&mut text)
                .map_err(|cause| unreadable(&path, cause))?;
            if bytes as u64 > MOST_BYTES {
                return Err(ListsError::TooLarge { path, most: MOST_BYTES, unit: "bytes" });
            }
            lists.insert((kind, listing), List::read((&path, &name), kind, &text)?);
        }
        Ok(Self(lists))
    }

    /// The entry of a name.
    #[must_use]
    pub fn find(&self, kind: Named, listing: Listing, name: &str) -> Option<&Entry> {
        let list = self.0.get(&(kind, listing))?;
        let name = kind.canonical(name)?;
        if kind == Named::Domain {
            let parents = std::iter::successors(Some(name.as_str()), |name| Some(name.split_once('.')?.1));
            return parents.into_iter().find_map(|parent| list.names.get(parent));
        }
        list.names.get(&name).or_else(|| {
            // Beginnings are few; each is compared.
            list.beginnings.iter().find(|(start, _)| name.starts_with(start.as_str())).map(|(_, entry)| entry)
        })
    }

    /// The checks of the lists `allow` and `block`. Trust is earned only by an authentic name: that of an authenticated sender or host,
    /// or of a package in its registry.
    pub(crate) fn checks(
        &self,
        (kind, name): (Named, Option<&str>),
        (allowed, blocked): (&'static Spec, &'static Spec),
        is_authentic: bool,
    ) -> [Check; 2] {
        let find = |listing| self.find(kind, listing, name?);
        let noun = if kind == Named::Domain { "domain" } else { "name" };
        let allowed = match find(Listing::Allow) {
            Some(entry) if is_authentic => {
                allowed.passed_by(format!("the operator allows the {noun}: {}", entry.evidence()))
            }
            _ => allowed.neutral(),
        };
        let blocked = match find(Listing::Block) {
            Some(entry) => blocked.failed(format!("the operator blocks the {noun}: {}", entry.evidence())),
            None => blocked.passed(),
        };
        [allowed, blocked]
    }

    /// The whole names of a list.
    pub fn names(&self, kind: Named, listing: Listing) -> impl Iterator<Item = &str> {
        self.0.get(&(kind, listing)).into_iter().flat_map(|list| list.names.keys().map(String::as_str))
    }
}

/// Kind and listing that a file name states.
fn meaning(name: &str) -> Option<(Named, Listing)> {
    let (kind, listing) = name.strip_suffix(".txt")?.rsplit_once('-')?;
    Some((Named::ALL.into_iter().find(|named| named.word() == kind)?, Listing::parse(listing)?))
}

impl List {
    fn read((path, file): (&Path, &str), kind: Named, text: &str) -> Result<Self, ListsError> {
        let mut list = Self::default();
        for (line, number) in text.lines().zip(1..) {
            let (name, comment) = line.split_once('#').unwrap_or((line, ""));
            let (name, comment) = (name.trim(), comment.trim());
            if name.is_empty() {
                continue;
            }
            let comment = (!comment.is_empty()).then(|| comment.chars().take(MOST_COMMENT).collect());
            let entry = Entry { file: file.to_owned(), line: number, comment };
            let beginning = name.strip_suffix('*').filter(|start| kind != Named::Domain && !start.is_empty());
            let canonical = match beginning {
                Some(start) if !start.contains(char::is_whitespace) => Some(kind.beginning(start)),
                Some(_) => None,
                None => kind.canonical(name),
            };
            let Some(canonical) = canonical else {
                let found = name.chars().take(64).collect();
                return Err(ListsError::Entry {
                    path: path.to_owned(),
                    line: number,
                    kind: kind.word(),
                    found,
                });
            };
            let names = if beginning.is_some() { &mut list.beginnings } else { &mut list.names };
            names.entry(canonical).or_insert(entry);
            if list.names.len() + list.beginnings.len() > MOST_ENTRIES {
                let most = MOST_ENTRIES as u64;
                return Err(ListsError::TooLarge { path: path.to_owned(), most, unit: "entries" });
            }
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests;
