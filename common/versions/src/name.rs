//! Names of packages: which texts are names, and their canonical spelling.
//!
//! Sources: npm `package.json` documentation ("name"), PEP 503, the Go Modules Reference ("Module paths"), the naming rules of
//! RubyGems and of crates.io, and GitHub's rules for owners and repositories.

use crate::MAX_NAME;
use crate::ecosystem::Ecosystem;
use crate::error::{ParseError, Part};

/// Longest name of npm, scope included.
const MAX_NPM: usize = 214;
/// Longest name of a crate.
const MAX_CRATE: usize = 64;
/// Longest owner of GitHub.
const MAX_OWNER: usize = 39;
/// Longest repository name of GitHub.
const MAX_REPOSITORY: usize = 100;

/// The canonical spelling of a name: equal for spellings that the registry takes for the same package.
///
/// PyPI: lower case, runs of `-`, `_` and `.` to one hyphen. Actions: owner and repository in lower case. npm, Go, RubyGems and
/// Cargo keep the spelling, because their registries answer to the exact one only.
///
/// # Errors
/// [`ParseError`].
pub fn normalized_name(ecosystem: Ecosystem, text: &str) -> Result<String, ParseError> {
    ParseError::bound(Part::Name, text, MAX_NAME)?;
    let (name, expected) = match ecosystem {
        Ecosystem::Npm => (npm(text), "name or @scope/name, at most 214 characters"),
        Ecosystem::Pypi => (pypi(text), "letters, digits and inner hyphens, underscores, dots"),
        Ecosystem::Go => (go(text), "a module path such as example.com/module"),
        Ecosystem::RubyGems => (gem(text), "letters, digits, hyphens, underscores, dots"),
        Ecosystem::Cargo => (krate(text), "a letter, then letters, digits, hyphens, underscores"),
        Ecosystem::GitHubAction => (action(text), "owner/repository or owner/repository/path"),
    };
    name.ok_or_else(|| ParseError::malformed(ecosystem, Part::Name, expected, text))
}

fn npm(text: &str) -> Option<String> {
    let fits = |word: &str| {
        let bytes = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~!'()*".contains(&byte);
        !word.is_empty() && word.bytes().all(bytes)
    };
    let (scope, name) = match text.strip_prefix('@') {
        Some(rest) => rest.split_once('/').map(|(scope, name)| (Some(scope), name))?,
        None => (None, text),
    };
    let begins_well = scope.is_some() || !name.starts_with(['.', '_', '-']);
    let is_reserved =
        scope.is_none() && matches!(name.to_ascii_lowercase().as_str(), "node_modules" | "favicon.ico");
    let is_dots = |word: &str| word == "." || word == "..";
    let good = text.len() <= MAX_NPM
        && fits(name)
        && scope.is_none_or(|scope| fits(scope) && !is_dots(scope))
        && begins_well
        && !is_reserved
        && !is_dots(name);
    good.then(|| text.to_owned())
}

fn pypi(text: &str) -> Option<String> {
    let is_edge =
        |character: Option<char>| character.is_some_and(|character| character.is_ascii_alphanumeric());
    let is_delimiter = |character: char| matches!(character, '-' | '_' | '.');
    let fits = text.chars().all(|character| character.is_ascii_alphanumeric() || is_delimiter(character));
    if !fits || !is_edge(text.chars().next()) || !is_edge(text.chars().next_back()) {
        return None;
    }
    let words = text.split(is_delimiter).filter(|word| !word.is_empty());
    Some(words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-"))
}

fn go(text: &str) -> Option<String> {
    // The standard library and the toolchain have advisories under these names.
    if matches!(text, "stdlib" | "toolchain") {
        return Some(text.to_owned());
    }
    let element = |element: &str| {
        let byte = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        !element.is_empty()
            && !element.starts_with('.')
            && !element.ends_with('.')
            && element.bytes().all(byte)
    };
    let host = text.split('/').next()?;
    let host_byte = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    let is_host = host.contains('.') && !host.starts_with('-') && host.bytes().all(host_byte);
    (is_host && text.split('/').all(element)).then(|| text.to_owned())
}

fn gem(text: &str) -> Option<String> {
    let byte = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let good = !text.is_empty()
        && text.bytes().all(byte)
        && !text.starts_with(['-', '_', '.'])
        && text.bytes().any(|byte| byte.is_ascii_alphabetic());
    good.then(|| text.to_owned())
}

fn krate(text: &str) -> Option<String> {
    let byte = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    let good = text.len() <= MAX_CRATE
        && text.starts_with(|character: char| character.is_ascii_alphabetic())
        && text.bytes().all(byte);
    good.then(|| text.to_owned())
}

fn action(text: &str) -> Option<String> {
    let (owner, rest) = text.split_once('/')?;
    let (repository, path) = rest.split_once('/').map_or((rest, None), |(name, path)| (name, Some(path)));
    let owner_byte = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let repository_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_dots = |word: &str| word == "." || word == "..";
    let element = |element: &str| {
        let bad = |character: char| character.is_control() || matches!(character, '\\' | '@' | ' ');
        !element.is_empty() && !is_dots(element) && !element.contains(bad)
    };
    let good = (1..=MAX_OWNER).contains(&owner.len())
        && owner.bytes().all(owner_byte)
        && (1..=MAX_REPOSITORY).contains(&repository.len())
        && repository.bytes().all(repository_byte)
        && !is_dots(repository)
        && path.is_none_or(|path| path.split('/').all(element));
    let mut name = format!("{}/{}", owner.to_ascii_lowercase(), repository.to_ascii_lowercase());
    if let Some(path) = path {
        name.push('/');
        name.push_str(path);
    }
    good.then_some(name)
}
