//! E-mail addresses, also with letters of other scripts (RFC 5321, RFC 6531).

use super::entity::Entity;
use super::overlap::{Candidate, Rank};
use super::page::Page;
use super::words::is_unspaced;

/// The longest local part (RFC 5321, section 4.5.3.1.1), in characters.
const LONGEST_LOCAL: usize = 64;
/// The longest domain (RFC 5321, section 4.5.3.1.2), in characters.
const LONGEST_DOMAIN: usize = 253;

/// Every address around an `@`. Each of them is looked at within the longest address only.
pub(crate) fn find(page: &Page<'_>, found: &mut Vec<Candidate>) {
    for at in memchr::memchr_iter(b'@', page.bytes()) {
        found.extend(examine(page, at));
    }
}

fn examine(page: &Page<'_>, at: usize) -> Option<Candidate> {
    let local: &str = page.text.get(..at)?;
    let is_local =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '%' | '+' | '-' | '\'');
    // A Latin address may stand directly behind a word of a script without blanks, which is no part of it.
    let joined = local.chars().next_back().is_some_and(|letter| !is_unspaced(letter));
    let start = run_back(local, LONGEST_LOCAL, |letter| is_local(letter) && !(joined && is_unspaced(letter)));
    let local = local.get(start..)?;
    let start = start + (local.len() - local.trim_start_matches(['.', '-', '\'', '%', '+']).len());
    let domain = page.text.get(at + 1..)?;
    let is_domain = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '-');
    // Such a word may also follow. A label of such letters alone is part of the domain.
    let mut within = false;
    let belongs = |letter: &char| {
        let is_next_word = within && is_unspaced(*letter);
        within = letter.is_alphanumeric() && !is_unspaced(*letter);
        is_domain(*letter) && !is_next_word
    };
    let length: usize = domain.chars().take(LONGEST_DOMAIN).take_while(belongs).map(char::len_utf8).sum();
    let domain = domain.get(..length)?.trim_end_matches(['.', '-']);
    let end = at + 1 + domain.len();
    let top = domain.rsplit('.').next()?;
    let is_top =
        top.chars().count() >= 2 && (top.chars().all(char::is_alphabetic) || top.starts_with("xn--"));
    let labels = domain.contains('.') && domain.split('.').all(|label| !label.is_empty());
    // The login of a code host's shell is the same for everybody.
    let shared = page.part(start, at) == "git";
    let credential = start
        .checked_sub(1)
        .and_then(|before| page.bytes().get(before))
        .is_some_and(|byte| matches!(byte, b'/' | b':'));
    let authority = credential
        && page.is_in_url(start, end)
        && !page.part(start.saturating_sub(7), start).ends_with("mailto:");
    let fits = start < at && is_top && labels && !shared && !authority && !page.is_opaque(start, end);
    fits.then_some(Candidate {
        start,
        end,
        entity: Entity::Email,
        reason: "e-mail address",
        rank: Rank::Address,
        distance: 0,
    })
}

/// Start of the run of characters of a class that ends with the text.
fn run_back(text: &str, most: usize, class: impl Fn(char) -> bool) -> usize {
    let run = text.chars().rev().take(most).take_while(|letter| class(*letter));
    text.len() - run.map(char::len_utf8).sum::<usize>()
}
