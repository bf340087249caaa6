//! The rules once more, slow and by regular expressions, from their documented definitions. It shares no
//! code with the engine: every rule is tried at every place, without literals, blocks or vectors.

mod credentials;
mod headers;
mod numbers;
mod pairs;
mod patterns;

use std::cell::RefCell;
use std::collections::HashMap;

use patterns::{Patterns, token_patterns};
use redact::EntityType;
use regex::bytes::Regex;

/// A candidate or a match: start, end, type.
pub(crate) type Span = (usize, usize, EntityType);

/// Placeholder of removed text: a name of at most 32 bytes in angle brackets.
const PLACEHOLDER: &str = "<[A-Z_]{0,23}_REDACTED>";

pub(crate) struct Oracle {
    tokens: Vec<(Regex, usize)>,
    patterns: Patterns,
    /// Marks of the classes that it does not know.
    unknown: Regex,
}

/// Marks of a secret of a class that only tables of examples check (`tests/classes`): arguments of commands, pairs of
/// name and value, percent-encoded pairs, statements of SQL, hashes, codes, `pass`, `auth`, letters of other scripts; and names,
/// headers and keys of which only tables check the rarer notations.
const UNKNOWN: &str = concat!(
    r#"(?i:pass(?:[^a-z]|\z)|passwd(?:\z|[^a-z])|%(?:25)?(?:3d|3a|22|27)|(?:name|key)[\\"'`]*[ \t]{0,4}[:=]"#,
    r#"|(?:\A|[\x00-\x20"'`])-[a-z0-9_.-]*(?:\\*["'`]|[ \t]*,|[ \t]+)|code|curl|mysql|mariadb|ldap|net|securestring|identified"#,
    r#"|auth(?:[^a-z_.-]|\z)|private-lines|q~|pat|\$|office\.com|password[ \t\n\\(]|eaaa|=[ \t]*n'|:[ \t]*n'"#,
    r#"|identity|private|authori|&quot;|\\/|form-data|chpasswd|sshpass|cookie|value|u003d|#01|%0[ad]"#,
    r#"|atbb|atctt|dp\.|fo1_|fm[12]|hrku|age-secret|pwd|%25)|[\xce-\xff]|\xc2\xad"#,
);

thread_local! {
    /// Patterns are compiled once for each thread: there are many, and many texts.
    static COMPILED: RefCell<HashMap<String, Regex>> = RefCell::new(HashMap::new());
}

fn regex(pattern: &str) -> Regex {
    let compile = || Regex::new(&format!("(?s-u){pattern}")).unwrap();
    COMPILED.with_borrow_mut(|compiled| compiled.entry(pattern.to_owned()).or_insert_with(compile).clone())
}

impl Oracle {
    pub(crate) fn new() -> Self {
        Self { tokens: token_patterns(), patterns: Patterns::new(), unknown: regex(UNKNOWN) }
    }

    /// Whether it knows every class of which there is a mark in the text.
    pub(crate) fn knows(&self, text: &[u8]) -> bool {
        !self.unknown.is_match(text)
    }

    /// All matches with every type on: candidates that overlap are joined.
    pub(crate) fn find(&self, text: &[u8]) -> Vec<Span> {
        let mut candidates = Vec::new();
        self.tokens(text, &mut candidates);
        self.keys(text, &mut candidates);
        self.numbers(text, &mut candidates);
        self.personal(text, &mut candidates);
        self.pairs(text, &mut candidates);
        self.headers(text, &mut candidates);
        self.cookies(text, &mut candidates);
        candidates.retain(|(start, end, _)| start < end);
        join(candidates)
    }

    fn begins(&self, text: &[u8], at: usize) -> bool {
        at == 0 || self.patterns.boundary.is_match(&text[at.saturating_sub(6)..at])
    }

    /// Every match of a pattern at every place, overlapping ones included.
    fn everywhere<'t>(&self, pattern: &'t Regex, text: &'t [u8]) -> impl Iterator<Item = Groups> + 't {
        let mut at = 0;
        std::iter::from_fn(move || {
            let found = pattern.captures_at(text, at)?;
            let group = |index: usize| found.get(index).map(|group| (group.start(), group.end()));
            at = found.get(0)?.start() + 1;
            Some(Groups([group(0), group(1), group(2)]))
        })
    }
}

/// The places of a pattern's groups.
struct Groups([Option<(usize, usize)>; 3]);

impl Groups {
    fn at(&self, index: usize) -> (usize, usize) {
        self.0[index].unwrap()
    }
}

fn alone_behind(text: &[u8], end: usize) -> bool {
    !text.get(end).is_some_and(u8::is_ascii_alphanumeric)
}

fn goes_on_before(text: &[u8], start: usize) -> bool {
    regex(r"(?:[0-9*]|_REDACTED>)[.-]\z").is_match(&text[..start])
}

fn goes_on_behind(text: &[u8], end: usize) -> bool {
    regex(&[r"\A[.-](?:[0-9*]|", PLACEHOLDER, ")"].concat()).is_match(&text[end..])
}

fn mask_before(text: &[u8], start: usize) -> bool {
    regex(r"(?:\*|_REDACTED>)\z").is_match(&text[..start])
}

fn mask_behind(text: &[u8], end: usize) -> bool {
    regex(&[r"\A(?:\*|", PLACEHOLDER, ")"].concat()).is_match(text.get(end..).unwrap_or_default())
}

fn join(mut candidates: Vec<Span>) -> Vec<Span> {
    candidates.sort_unstable();
    let mut joined: Vec<Span> = Vec::new();
    for (start, end, entity) in candidates {
        match joined.last_mut() {
            Some(last) if start < last.1 => *last = (last.0, last.1.max(end), last.2.min(entity)),
            _ => joined.push((start, end, entity)),
        }
    }
    joined
}
