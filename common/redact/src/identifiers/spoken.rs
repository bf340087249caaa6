//! Passwords in sentences: `my password is hunter2`, which have no sign of a pair between name and value.

use super::entity::Entity;
use super::format::label::PASSWORD;
use super::overlap::{Candidate, Rank};
use super::page::Page;

/// Verbs and signs between the label and the value, in lower case.
const JOINS: [&str; 24] = [
    "is", "was", "ist", "lautet", "war", "est", "es", "è", "é", "to", "be", "set", "as", "=", ":", "to:",
    "jest", "to jest", "on", "är", "er", "of", "wordt", "are",
];
/// The longest value, in bytes.
const LONGEST: usize = 128;

pub(crate) fn find(page: &Page<'_>, found: &mut Vec<Candidate>) {
    for label in page.labels.iter().filter(|label| label.kinds & PASSWORD != 0) {
        found.extend(value(page, label.end));
    }
}

fn value(page: &Page<'_>, end: usize) -> Option<Candidate> {
    let mut at = end;
    let mut joined = false;
    for _ in 0..3 {
        let rest = page.text.get(at..)?;
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let token: &str = rest.get(blanks..)?;
        let length = token.find(char::is_whitespace).unwrap_or(token.len()).min(LONGEST + 1);
        let token = token.get(..length)?;
        let start = at + blanks;
        if JOINS.contains(&token.to_lowercase().as_str()) || (token == ":" && joined) {
            joined = true;
            at = start + token.len();
            continue;
        }
        return joined.then(|| examined(page, start, token))?;
    }
    None
}

/// A value holds a letter and a digit or sign, or stands in quotes; a word of a sentence does not.
fn examined(page: &Page<'_>, start: usize, token: &str) -> Option<Candidate> {
    let trimmed = token.trim_end_matches(['.', ',', ';', '!', '?', ')']);
    let quoted = trimmed.len() > 2 && trimmed.starts_with(['"', '\'', '“', '`']);
    let inner = trimmed.trim_start_matches(['"', '\'', '“', '`', '(']);
    let from = start + trimmed.len() - inner.len();
    let value = inner.trim_end_matches(['"', '\'', '”', '`']);
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let signs = value.chars().filter(|letter| !letter.is_alphanumeric()).count();
    let letters = value.chars().filter(|letter| letter.is_alphabetic()).count();
    let mixed = digits > 0 && letters + signs > 0;
    let odd = signs > 0 && letters > 0 && !value.contains(['/', '\'', '’', '-']) && value.len() >= 6;
    let pin = digits == value.len() && (4..=12).contains(&digits);
    let fits = value.len() >= 4 && value.len() <= LONGEST && (quoted || mixed || odd || pin);
    let end = from + value.len();
    let candidate = Candidate {
        start: from,
        end,
        entity: Entity::Password,
        reason: "password",
        rank: Rank::Secret,
        distance: 1,
    };
    (fits && !page.is_opaque(from, end) && !value.starts_with('<')).then_some(candidate)
}
