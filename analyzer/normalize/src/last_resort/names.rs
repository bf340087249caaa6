//! Names without quotes, if their place determines their end: `login failed for NAME from ADDRESS`. Clients choose names, so
//! a name such as `ok` or `198.51.100.1` is no evidence of the login.

use super::super::address;
use super::is_one_of;
use crate::word_list::words;

/// Words that a user's name follows.
pub(super) const USER: [&str; 5] = ["user", "username", "account", "uname", "acct"];
/// Words behind a name, before the client.
const ENDS: [&str; 2] = [" from ", " via "];
/// Words of a name at most: more are a sentence.
const MOST_WORDS: usize = 4;
/// Words that join parts of a sentence.
const JOINING: [&str; 8] = ["and", "but", "by", "is", "now", "then", "to", "was"];

/// The name at the start of a text behind a word that names follow, and its place; `None` if its end is not certain.
pub(super) fn at_start(rest: &str) -> Option<(usize, &str)> {
    let text = rest.trim_start_matches([' ', '[', '<', '(', ':']);
    let start = rest.len() - text.len();
    let word = text.split([' ', ',', ';', ')', ']', '>', '|']).next()?.trim_end_matches([':', '.']);
    if word.is_empty() || is_prose(word) {
        return None;
    }
    let behind = text.get(word.len()..)?;
    if !behind.starts_with(' ') || starts_with_address(behind) {
        return Some((start, word));
    }
    let end = ENDS.iter().filter_map(|end| text.find(end)).min()?;
    let name = text.get(..end)?;
    let is_clause = || name.contains([',', ';', ':', '(', ')']) || name.contains(". ");
    let is_sentence =
        || name.split(' ').count() > MOST_WORDS || name.split(' ').any(|word| is_one_of(word, &JOINING));
    let is_certain = name == word || !(is_clause() || is_sentence());
    is_certain.then_some((start, name))
}

/// Whether a name is an address and the client follows: `user 198.51.100.1 from 203.0.113.9`.
pub(super) fn is_address_before_client(name: &str, behind: &str) -> bool {
    let is_client = || ENDS.iter().any(|end| behind.strip_prefix(end).is_some_and(starts_with_address));
    address::written(name).is_some() && is_client()
}

fn starts_with_address(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '[', '<', '(', '/']);
    let word = text.split([' ', ',', ')', ']', '>']).next().unwrap_or_default();
    address::written(word.trim_end_matches([':', '.'])).is_some()
}

/// Whether a word can be a name.
pub(super) fn is_name(word: &str) -> bool {
    !word.is_empty() && !is_prose(word) && address::written(word).is_none()
}

/// Whether a word continues the sentence instead of naming a user.
fn is_prose(word: &str) -> bool {
    const PROSE: [&str; 35] = words(
        "already yet from for failed failure is was not name and with attempt unknown authentication does has
         by to denied error rejected on at in via or of attempting trying tried login password agent exists",
    );
    is_one_of(word, &PROSE)
}
