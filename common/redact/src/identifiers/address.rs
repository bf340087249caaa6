//! Postal addresses: a number and a word for a street, or a box, with unit, code, city and country behind it, also
//! across line ends.

mod boxes;
mod eastern;
mod street;
mod tail;
pub(crate) mod vocabulary;

use super::entity::Entity;
use super::overlap::{Candidate, Rank};
use super::page::Page;
use super::vocabulary::Marks;
use super::words::Word;

/// Every address. Each word is looked at with at most a bounded number of words around it.
pub(crate) fn find(page: &Page<'_>, found: &mut Vec<Candidate>) {
    let mut resume = 0;
    for index in 0..page.words.len() {
        let Some(word) = page.words.get(index) else { break };
        if word.start < resume || page.is_in_url(word.start, word.end) || page.is_opaque(word.start, word.end)
        {
            continue;
        }
        let Some((start, end)) = at(page, index) else { continue };
        if start < resume || page.is_opaque(start, end) {
            continue;
        }
        resume = end;
        found.push(Candidate {
            start,
            end,
            entity: Entity::Address,
            reason: "postal address",
            rank: Rank::Place,
            distance: 0,
        });
    }
}

fn at(page: &Page<'_>, index: usize) -> Option<(usize, usize)> {
    let line = Line { page };
    if let Some(east) = eastern::find(page, index) {
        return Some(east);
    }
    let (start, last) = boxes::find(&line, index).or_else(|| street::find(&line, index))?;
    let end = tail::end(&line, last);
    Some((line.word(start)?.start, end))
}

/// Words of a page with the few questions that the parts of an address ask.
#[derive(Clone, Copy)]
struct Line<'a, 'b> {
    page: &'b Page<'a>,
}

impl<'a> Line<'a, '_> {
    fn word(&self, index: usize) -> Option<Word> {
        self.page.words.get(index).copied()
    }

    fn text(&self, index: usize) -> &'a str {
        self.word(index).map_or("", |word| self.page.part(word.start, word.end))
    }

    /// The word in lower case; empty for one longer than any that is listed.
    fn lower(&self, index: usize) -> String {
        let text = self.text(index);
        if text.len() > 40 { String::new() } else { text.to_lowercase() }
    }

    /// Whether the word has one of these meanings.
    fn has(&self, index: usize, marks: Marks) -> bool {
        self.page.has(index, marks)
    }

    /// What stands between a word and the next.
    fn gap(&self, index: usize) -> &'a str {
        let (one, next) = (self.word(index), self.word(index + 1));
        one.zip(next).map_or("\0", |(one, next)| self.page.part(one.end, next.start))
    }

    fn is_capital(&self, index: usize) -> bool {
        self.text(index).chars().next().is_some_and(char::is_uppercase)
    }

    /// A house number: up to five digits, perhaps with a letter.
    fn is_number(&self, index: usize) -> bool {
        let text = self.text(index);
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let rest = text.get(digits..).unwrap_or_default();
        (1..=5).contains(&digits)
            && (rest.is_empty() || (rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_alphabetic())))
    }

    /// `5th`, `22nd`, `3.`
    fn is_ordinal(&self, index: usize) -> bool {
        let text = self.text(index);
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0
            && matches!(text.get(digits..), Some("st" | "nd" | "rd" | "th" | "ST" | "ND" | "RD" | "TH"))
    }
}
