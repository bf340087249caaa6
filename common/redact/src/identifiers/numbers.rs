//! Identifiers of the tables: at each word the forms that may begin there.

use super::code::Code;
use super::form::{end_of, first_lengths, stands_alone};
use super::format::{Format, Proof};
use super::national::TABLES;
use super::overlap::{Candidate, Rank};
use super::page::{Context, Page};

/// Words longer than this begin no identifier.
const LONGEST_WORD: usize = 20;

/// One way to write one identifier.
#[derive(Clone, Copy)]
struct Entry {
    format: &'static Format,
    form: &'static str,
}

/// The forms by the length of their first word.
pub(crate) struct NumberSearch {
    by_length: Vec<Vec<Entry>>,
    /// Forms of no fixed length.
    loose: Vec<Entry>,
}

impl NumberSearch {
    pub(crate) fn new() -> Self {
        let mut search = Self { by_length: vec![Vec::new(); LONGEST_WORD + 1], loose: Vec::new() };
        for format in TABLES.iter().flat_map(|table| table.iter()) {
            for form in format.forms {
                let entry = Entry { format, form };
                if form.starts_with('*') {
                    search.loose.push(entry);
                    continue;
                }
                for length in first_lengths(form) {
                    search.by_length.get_mut(length).into_iter().for_each(|entries| entries.push(entry));
                }
            }
        }
        search
    }

    pub(crate) fn find(&self, page: &Page<'_>, found: &mut Vec<Candidate>) {
        for (index, word) in page.words.iter().enumerate() {
            let next = page.words.get(index + 1);
            // Letters begin an identifier where its digits follow, behind one more group of letters at most.
            let near = next.is_some_and(|next| {
                let second = page.words.get(index + 2).filter(|_| word.end - word.start <= 3);
                let digits = next.has_digit
                    || second.is_some_and(|second| second.has_digit && second.start <= next.end + 1);
                digits && next.start <= word.end + 3
            });
            let length = word.end - word.start;
            let letters = !word.has_digit && is_code_of_letters(page, word.start, word.end);
            if !(word.has_digit || near || letters) || length > LONGEST_WORD {
                continue;
            }
            if page.is_in_url(word.start, word.end) || page.is_opaque(word.start, word.end) {
                continue;
            }
            let context = page.context(index);
            for entry in self.by_length.get(length).into_iter().flatten() {
                found.extend(examine(page, word.start, *entry, &context));
            }
            if !context.is_empty() || word.has_digit {
                found.extend(
                    self.loose.iter().filter_map(|entry| examine(page, word.start, *entry, &context)),
                );
            }
        }
    }
}

/// Whether a word may be a code of capital letters alone, as most codes of banks are: 8 or 11 of them (ISO 9362).
fn is_code_of_letters(page: &Page<'_>, start: usize, end: usize) -> bool {
    let word = page.bytes().get(start..end).unwrap_or_default();
    matches!(word.len(), 8 | 11) && word.iter().all(u8::is_ascii_uppercase)
}

/// Examines one form at one place.
fn examine(page: &Page<'_>, start: usize, entry: Entry, context: &Context) -> Option<Candidate> {
    let format = entry.format;
    let end = end_of(entry.form, page.bytes(), start)?;
    if !stands_alone(page.bytes(), start, end) || page.is_opaque(start, end) || touches_letter(page, end) {
        return None;
    }
    let code = Code::of(page.part(start, end))?;
    if !(format.check)(&code) {
        return None;
    }
    let named = context
        .distance(format.labels, format.country)
        .or_else(|| page.named_behind(end, format.labels, format.country));
    let (rank, distance) = match (named, format.proof) {
        (Some(distance), _) => (Rank::Named, distance),
        // A number that a label names as that of a person or a company passes the check of cards by chance.
        (None, Proof::Form) if format.country.is_empty() && context.names_number_of_state() => {
            (Rank::Form, 0)
        }
        (None, Proof::Form) if format.country.is_empty() => (Rank::Checked, 0),
        (None, Proof::Form) if !context.is_other() => (Rank::Form, 0),
        _ => return None,
    };
    let candidate = Candidate { start, end, entity: format.entity, reason: format.name, rank, distance };
    Some(candidate)
}

/// Whether a letter that is not ASCII continues the word behind `end`; scripts without blanks do not.
fn touches_letter(page: &Page<'_>, end: usize) -> bool {
    let index = page.word_from(end);
    index.checked_sub(1).and_then(|index| page.words.get(index)).is_some_and(|word| word.end > end)
}
