//! International bank account numbers, whole or in groups, of the length that their country has.

use super::code::Code;
use super::entity::Entity;
use super::form::{separator, stands_alone};
use super::national::finance::{iban, iban_length};
use super::overlap::{Candidate, Rank};
use super::page::Page;

pub(crate) fn find(page: &Page<'_>, found: &mut Vec<Candidate>) {
    for word in &page.words {
        if word.has_digit {
            found.extend(examine(page, word.start));
        }
    }
}

fn examine(page: &Page<'_>, start: usize) -> Option<Candidate> {
    let bytes = page.bytes();
    let head = bytes.get(start..start + 4)?;
    if !(head.iter().take(2).all(u8::is_ascii_alphabetic) && head.iter().skip(2).all(u8::is_ascii_digit)) {
        return None;
    }
    let length = iban_length(head.get(..2)?)?;
    let (mut at, mut count) = (start, 0);
    // Each round reads a character, perhaps behind one separator.
    while count < length {
        let gap = if count == 0 { 0 } else { separator(bytes, at) };
        if !bytes.get(at + gap)?.is_ascii_alphanumeric() {
            return None;
        }
        at += gap + 1;
        count += 1;
    }
    let code = Code::of(page.part(start, at))?;
    let whole = iban(&code) && stands_alone(bytes, start, at);
    let candidate =
        Candidate { start, end: at, entity: Entity::Iban, reason: "IBAN", rank: Rank::Checked, distance: 0 };
    whole.then_some(candidate)
}
