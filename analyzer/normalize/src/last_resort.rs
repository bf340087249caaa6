//! Reader of last resort: a message of an unknown program that says that a login failed, and from which address.
//!
//! Nothing is known of the program, so the message must say everything: a wording of failure and one of authentication, no
//! wording of success, and one address. Text in quotes and paths are the client's, and their words are not read. Other text may be
//! the client's as well, such as a user name with blanks, so a line with two addresses is not read.

mod gate;
mod peers;
mod tokens;

use std::ops::Range;

use self::tokens::{Token, Tokens};
use super::address;
use super::login_words::{Wording, each_word};
use super::services::header;

/// The longest message that is read, in bytes.
const LONGEST: usize = 1024;
/// Words of a message that none of the known wordings have: more are prose, or a report of something else.
const MOST_OTHER_WORDS: usize = 24;

/// A failed login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure<'t> {
    pub(super) address: &'t str,
    pub(super) user: Option<&'t str>,
}

/// Reads a line; `None` where it does not certainly say that a login from one address failed.
pub(super) fn read(line: &str) -> Option<Failure<'_>> {
    if line.len() > LONGEST || !gate::may_be(line.as_bytes()) {
        return None;
    }
    let message = header::message(line);
    let start = line.len() - message.len();
    let mut scan = Scan::default();
    // Some programs say in brackets or in the name of a category what happened, where others put their thread.
    scan.header(line.get(..start)?);
    scan.message(message, start);
    if !scan.wording.says_failure() || scan.other_words > MOST_OTHER_WORDS {
        return None;
    }
    let (at, address) = peers::only(line)?;
    let is_of_client = scan.of_client.iter().any(|range| range.contains(&at));
    let user = scan.user.filter(|user| !user.contains(address));
    (!is_of_client).then_some(Failure { address, user })
}

/// What the words of a line come to.
#[derive(Default)]
struct Scan<'t> {
    wording: Wording,
    other_words: usize,
    user: Option<&'t str>,
    /// Where text of the client's choice stands: no address in it is the client's own.
    of_client: Vec<Range<usize>>,
}

impl<'t> Scan<'t> {
    fn header(&mut self, header: &str) {
        each_word(header, |word| {
            // A level says nothing of a login beside it, and a number is of a process.
            if !matches!(word, "error" | "err" | "404") {
                self.wording.add(word);
            }
        });
    }

    /// Reads the message, which stands at a place of the line.
    fn message(&mut self, message: &'t str, start: usize) {
        let mut tokens = Tokens::new(message);
        let mut before = "";
        while let Some(token) = tokens.next() {
            let end = start + message.len() - tokens.rest().len();
            match token {
                Token::Word(word) if begins_text_of_client(word, tokens.rest()) => {
                    self.of_client.push(end..usize::MAX);
                    return;
                }
                Token::Path(_) if tokens.rest().starts_with('?') => {
                    self.of_client.push(end..usize::MAX);
                    return;
                }
                Token::Path(path) => {
                    self.of_client.push(end - path.len()..end);
                    before = "";
                }
                Token::Word(word) => {
                    if tokens.is_paused() {
                        self.wording.pause();
                    }
                    let is_named = is_one_of(before, &USER) && is_name(word);
                    // A name such as `ok` says nothing of what happened.
                    if !(is_named && tokens.is_value()) {
                        self.words(word);
                    }
                    if is_named {
                        self.user.get_or_insert(word);
                    }
                    before = word;
                }
                Token::Quoted(text) => {
                    let is_address = address::written(text).is_some();
                    let is_named = is_one_of(before, &USER) || is_one_of(before, &["for", "login"]);
                    if is_named && !text.is_empty() && !is_address {
                        self.user.get_or_insert(text);
                    }
                    if !is_address {
                        self.of_client.push(end - text.len() - 1..end);
                    }
                    before = "";
                }
            }
        }
        if let Some(rest) = tokens.behind_unbalanced() {
            self.of_client.push(start + message.len() - rest..usize::MAX);
        }
    }

    fn words(&mut self, token: &str) {
        let mut is_known = false;
        each_word(token, |word| is_known |= self.wording.add(word));
        let is_prose = token.len() > 2 && token.bytes().all(|byte| byte.is_ascii_alphabetic());
        self.other_words += usize::from(is_prose && !is_known);
    }
}

/// Whether all that follows a word is of the client's choice: the query of a request, or the value of a pair that holds a term
/// of a search, a comment or the like, of which nothing tells where it ends.
fn begins_text_of_client(word: &str, rest: &str) -> bool {
    const NAMES: [&str; 12] = [
        "q",
        "query",
        "search",
        "term",
        "text",
        "comment",
        "subject",
        "url",
        "uri",
        "referer",
        "agent",
        "useragent",
    ];
    rest.starts_with('?') || (rest.starts_with('=') && is_one_of(word, &NAMES))
}

/// Words that a user's name follows.
const USER: [&str; 5] = ["user", "username", "account", "uname", "acct"];

fn is_name(word: &str) -> bool {
    const PROSE: [&str; 36] = [
        "already",
        "yet",
        "from",
        "for",
        "failed",
        "failure",
        "is",
        "was",
        "not",
        "name",
        "and",
        "with",
        "attempt",
        "unknown",
        "authentication",
        "does",
        "has",
        "by",
        "to",
        "denied",
        "error",
        "rejected",
        "on",
        "at",
        "in",
        "via",
        "or",
        "of",
        "attempting",
        "trying",
        "tried",
        "login",
        "password",
        "not",
        "agent",
        "exists",
    ];
    !is_one_of(word, &PROSE) && !word.is_empty() && address::written(word).is_none()
}

fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| word.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod benign;
#[cfg(test)]
mod forged;
#[cfg(test)]
mod left_out;
#[cfg(test)]
mod tests;
