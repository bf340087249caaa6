//! Reader of last resort: a message of an unknown program that reports a failed login, and its address.
//!
//! Nothing is known of the program, so the message must say everything: a wording of failure and one of authentication, no
//! wording of success, and an address. Text in quotes, paths and names are the client's, and their words are not read. Other text
//! may be the client's as well, such as a user name with blanks, so of a line with two addresses none is taken: the failure counts
//! without one, since a client that names itself after an address must not hide it.

mod gate;
mod names;
mod peers;
mod tokens;

use std::ops::Range;

use self::names::{USER, is_name};
use self::peers::Peer;
use self::tokens::{Token, Tokens};
use super::address;
use super::header;
use super::login_words::{Kind, Wording, each_word, kind};
use crate::word_list::words;

/// The longest message that is read, in bytes.
const LONGEST: usize = 1024;
/// Words of a message that none of the known wordings have: more are prose, or a report of something else.
const MOST_OTHER_WORDS: usize = 24;

/// A failed login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure<'t> {
    /// `None` if text of the client's choice may hold the address.
    pub(super) address: Option<&'t str>,
    pub(super) user: Option<&'t str>,
}

/// Reads a line; `None` if it does not certainly say that the login of a peer failed.
pub(super) fn read(line: &str) -> Option<Failure<'_>> {
    if line.len() > LONGEST || !gate::may_be(line.as_bytes()) {
        return None;
    }
    let message = header::message(line);
    let start = line.len() - message.len();
    let mut scan = Scan::default();
    // Some programs name the event in brackets or in a category's name, where others put their thread.
    scan.header(line.get(..start)?);
    scan.message(message, start);
    if !scan.wording.says_failure() || scan.other_words > MOST_OTHER_WORDS {
        return None;
    }
    let user = scan.user;
    let address = match peers::of(line, &scan.address_as_name) {
        Peer::None => return None,
        Peer::At(at, _) if scan.of_client.iter().any(|range| range.contains(&at)) => return None,
        // Behind a quote that does not end all text may be the client's, or only its name.
        Peer::At(at, address) if scan.open_quote.is_none_or(|quote| at < quote) => Some(address),
        Peer::At(..) | Peer::Disputed => None,
    };
    let is_known = |user: &&str| address.is_some_and(|address| user.contains(address));
    Some(Failure { address, user: user.filter(|user| !is_known(user)) })
}

/// Result for a line's words.
#[derive(Default)]
struct Scan<'t> {
    wording: Wording,
    other_words: usize,
    user: Option<&'t str>,
    /// Ranges of text of the client's choice: no address in it is its own.
    of_client: Vec<Range<usize>>,
    /// Offset of a quote that does not end.
    open_quote: Option<usize>,
    /// Range of a user name that is an address.
    address_as_name: Range<usize>,
}

impl<'t> Scan<'t> {
    fn header(&mut self, header: &str) {
        each_word(header, |word| {
            // A level is unrelated to a login beside it, and a number is of a process.
            if !matches!(word, "error" | "err" | "404") {
                self.wording.add(word);
            }
        });
    }

    /// Reads the message, which stands at a place of the line.
    fn message(&mut self, message: &'t str, start: usize) {
        let mut tokens = Tokens::new(message);
        let mut before = "";
        let mut name_end = 0;
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
                    if !(is_named && tokens.is_value()) {
                        self.words(word, end <= name_end);
                    }
                    if is_named {
                        self.user.get_or_insert(word);
                    }
                    if let Some(end) = self.end_of_name(word, tokens.rest(), end) {
                        name_end = end;
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
        self.open_quote = tokens.behind_unbalanced().map(|rest| start + message.len() - rest);
    }

    /// End of the user name that stands behind a word, at a place of the line, if the failure was said before.
    fn end_of_name(&mut self, word: &str, rest: &str, at: usize) -> Option<usize> {
        let is_user = is_one_of(word, &USER);
        if !is_user && !word.eq_ignore_ascii_case("for") {
            return None;
        }
        let (start, name) = names::at_start(rest)?;
        let behind = rest.get(start + name.len()..)?;
        let end = at + start + name.len();
        if is_user && names::is_address_before_client(name, behind) {
            self.address_as_name = at + start..end;
        }
        let is_heading = is_user && behind.trim_start().starts_with(':');
        // A colon is part of a word.
        let marks = behind.len() - behind.trim_start_matches([':', '.']).len();
        (is_heading || self.wording.says_failure()).then_some(end + marks)
    }

    /// Reads the words of a token. A name such as `ok` does not say that a login succeeded.
    fn words(&mut self, token: &str, is_name: bool) {
        let mut is_known = false;
        each_word(token, |word| {
            let is_of_name = is_name && matches!(kind(word), Kind::Success | Kind::Passed);
            is_known |= !is_of_name && self.wording.add(word);
        });
        let is_prose = token.len() > 2 && token.bytes().all(|byte| byte.is_ascii_alphabetic());
        self.other_words += usize::from(is_prose && !is_known);
    }
}

/// Whether all that follows a word is of the client's choice: the query of a request, or the value of a pair that holds a term
/// of a search, a comment or the like, whose end is unknown.
fn begins_text_of_client(word: &str, rest: &str) -> bool {
    const NAMES: [&str; 12] =
        words("q query search term text comment subject url uri referer agent useragent");
    rest.starts_with('?') || (rest.starts_with('=') && is_one_of(word, &NAMES))
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
