//! The number and the name of a street, as ranges of words.

use super::Line;
use super::tail::is_code;
use super::vocabulary::{ENDINGS, WEAK_ENDINGS};
use crate::identifiers::vocabulary::{
    PARTICLE, STOP_WORD, STREET_AFTER, STREET_BEFORE, STREET_BEHIND, STREET_PLAIN, UNIT,
};

/// The most words of a name.
const LONGEST_NAME: usize = 5;

/// First and last word of the street that begins with the word `index`.
pub(super) fn find(line: &Line<'_, '_>, index: usize) -> Option<(usize, usize)> {
    if line.is_number(index) || line.is_ordinal(index) {
        return number_first(line, index);
    }
    name_first(line, index)
}

fn is_blank(gap: &str) -> bool {
    matches!(gap, " " | ". " | "\u{A0}" | "-" | "'" | "’" | "  ")
}

/// `12 High Street`, `12 bis rue de la Paix`, `36 29 Hornsey Road`, `12 Rosewood, Apt 4`.
fn number_first(line: &Line<'_, '_>, start: usize) -> Option<(usize, usize)> {
    let mut first = start + 1;
    // A second number, a range, or a suffix.
    let joined = matches!(line.gap(start), " " | "-" | "/" | "–" | " - ");
    if joined
        && (line.is_number(first) || matches!(line.text(first), "bis" | "ter" | "quater" | "A" | "B" | "C"))
        && !line.is_capital(start)
    {
        first += 1;
    }
    if !matches!(line.gap(first - 1), " " | ", " | "\u{A0}") {
        return None;
    }
    if line.has(first, STREET_BEFORE)
        && let Some(last) = name_end(line, first + 1, LONGEST_NAME)
    {
        let french = !line.is_capital(first) || !line.has(first + 1, STREET_BEHIND);
        if is_blank(line.gap(first)) && french {
            return Some((start, last));
        }
    }
    if line.gap(first - 1) == ", " {
        return None;
    }
    street_behind(line, start, first)
}

/// The word for a street behind one to four words.
fn street_behind(line: &Line<'_, '_>, start: usize, first: usize) -> Option<(usize, usize)> {
    let (mut capitals, mut plain) = (true, true);
    for at in first..first + LONGEST_NAME {
        let named = at > first;
        let street = named && line.has(at, STREET_BEHIND);
        if street && capitals && line.is_capital(at) {
            return Some((start, direction(line, last_street_word(line, at))));
        }
        if named && plain && line.has(at, STREET_PLAIN) {
            return Some((start, direction(line, at)));
        }
        let counted = line.has(at, STOP_WORD) && !line.has(at, PARTICLE);
        capitals &= (line.is_capital(at) && !counted) || line.is_ordinal(at) || line.has(at, PARTICLE);
        plain &= !line.has(at, STOP_WORD) && line.text(at).bytes().all(|byte| byte.is_ascii_alphanumeric());
        if at == first && line.is_capital(at) && line.lower(at) == "broadway" {
            return Some((start, at));
        }
        if capitals && line.is_capital(at) && is_unit_next(line, at) {
            return Some((start, at));
        }
        if !is_blank(line.gap(at)) || !(capitals || plain) {
            return None;
        }
    }
    None
}

/// `Main Street Way`: two words for streets in a row.
fn last_street_word(line: &Line<'_, '_>, at: usize) -> usize {
    let next = line.gap(at) == " " && line.is_capital(at + 1) && line.has(at + 1, STREET_BEHIND);
    if next { at + 1 } else { at }
}

/// Includes a direction behind the street: `Main St NW`.
fn direction(line: &Line<'_, '_>, last: usize) -> usize {
    let next = line.lower(last + 1);
    let is_direction = matches!(
        next.as_str(),
        "n" | "s" | "e" | "w" | "ne" | "nw" | "se" | "sw" | "north" | "south" | "east" | "west"
    );
    if is_direction && matches!(line.gap(last), " " | ". ") { last + 1 } else { last }
}

/// Whether a part of a building with its number follows: a street without a word for one.
fn is_unit_next(line: &Line<'_, '_>, at: usize) -> bool {
    let near = line.gap(at).len() <= 4 && line.has(at + 1, UNIT);
    near && line.is_capital(at + 1) && line.text(at + 2).bytes().any(|byte| byte.is_ascii_digit())
}

/// Last word of the name that begins with the word `first`: capitals, and particles between them.
fn name_end(line: &Line<'_, '_>, first: usize, most: usize) -> Option<usize> {
    let mut last = None;
    for at in first..first + most {
        if at > first && !is_blank(line.gap(at - 1)) {
            break;
        }
        if line.is_capital(at) || line.is_ordinal(at) {
            last = Some(at);
        } else if !line.has(at, PARTICLE) && !is_digits(line.text(at)) {
            break;
        }
    }
    last
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `Hauptstraße 5`, `Calle Mayor, 12`, `ul. Długa 3`, `Atatürk Caddesi No: 12`, `Kossuth utca 12`.
fn name_first(line: &Line<'_, '_>, index: usize) -> Option<(usize, usize)> {
    if line.has(index, STREET_BEFORE)
        && let Some(found) = street_before(line, index)
    {
        return Some(found);
    }
    if line.text(index).len() < 2 {
        return None;
    }
    compound(line, index).or_else(|| street_after(line, index))
}

fn street_before(line: &Line<'_, '_>, index: usize) -> Option<(usize, usize)> {
    if !matches!(line.gap(index), " " | ". " | "." | "/" | "/ ") {
        return None;
    }
    // Streets with numbers for names: `Calle 12 # 34-56`.
    if is_digits(line.text(index + 1)) && matches!(line.gap(index + 1), " # " | " #" | " No. ") {
        let end = if line.gap(index + 2) == "-" { index + 3 } else { index + 2 };
        return Some((index, end));
    }
    let last = name_end(line, index + 1, LONGEST_NAME)?;
    number_behind(line, last).map(|number| (index, number))
}

/// The number behind the word `last`, perhaps behind `No`, `n.º` or `Nr`.
fn number_behind(line: &Line<'_, '_>, last: usize) -> Option<usize> {
    let gap = line.gap(last);
    if !matches!(gap, " " | ", " | ". " | " nº " | " n° " | ", nº " | ", n° ") {
        return None;
    }
    let sign = matches!(
        line.lower(last + 1).as_str(),
        "no" | "nr" | "n" | "nº" | "n°" | "numero" | "número" | "д" | "дом" | "буд" | "num" | "number"
    );
    let at = last + 1 + usize::from(sign);
    if sign && line.gap(last + 1).len() > 3 {
        return None;
    }
    if !line.is_number(at) || is_year_in_prose(line, at) {
        return None;
    }
    // A range or an entrance: `12-14`, `12/3`.
    let more = matches!(line.gap(at), "-" | "/" | "–") && line.is_number(at + 1);
    Some(if more { at + 1 } else { at })
}

/// A number such as 2019 is a year more often than a house.
fn is_year_in_prose(line: &Line<'_, '_>, at: usize) -> bool {
    let text = line.text(at);
    text.len() == 4 && (text.starts_with("19") || text.starts_with("20"))
}

/// One word that ends with a word for a street, and a number.
fn compound(line: &Line<'_, '_>, index: usize) -> Option<(usize, usize)> {
    if !line.is_capital(index) {
        return None;
    }
    // Parts joined by dashes are one name: `Karl-Marx-Straße`.
    let mut last = index;
    while last < index + 4 && line.gap(last) == "-" && line.is_capital(last + 1) {
        last += 1;
    }
    let number = number_behind(line, last)?;
    let lower = line.lower(last);
    let ends = |endings: &[&str]| {
        endings
            .iter()
            .any(|ending| lower.ends_with(ending) && (lower.len() >= ending.len() + 3 || last > index))
    };
    let strong = ends(ENDINGS);
    if !strong && !ends(WEAK_ENDINGS) {
        return None;
    }
    (strong || is_code(line, number + 1).is_some()).then_some((index, number))
}

/// One to three capitals, a word for a street, and a number.
fn street_after(line: &Line<'_, '_>, index: usize) -> Option<(usize, usize)> {
    if !line.is_capital(index) {
        return None;
    }
    for at in index + 1..index + 4 {
        if !matches!(line.gap(at - 1), " " | ". ") {
            return None;
        }
        if line.has(at, STREET_AFTER) {
            let after = if matches!(line.gap(at), " " | ". " | ", ") { at } else { return None };
            return number_behind(line, after)
                .or_else(|| number_sign(line, after))
                .map(|number| (index, number));
        }
        if !line.is_capital(at) {
            return None;
        }
    }
    None
}

/// `No:12`, `No: 12`.
fn number_sign(line: &Line<'_, '_>, at: usize) -> Option<usize> {
    let sign = line.lower(at + 1) == "no" && matches!(line.gap(at + 1), ":" | ": " | "." | ". " | " ");
    (sign && line.is_number(at + 2)).then_some(at + 2)
}
