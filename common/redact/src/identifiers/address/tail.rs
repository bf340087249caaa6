//! Parts of an address behind the street: unit, code, city, state and country.

use super::Line;
use super::vocabulary::COUNTRIES;
use crate::identifiers::vocabulary::{PARTICLE, UNIT};

/// The most parts behind a street.
const MOST_PARTS: usize = 9;
/// The most words of a city or country.
const LONGEST_CITY: usize = 6;

/// End, in bytes, of the address whose street ends with the word `last`.
pub(super) fn end(line: &Line<'_, '_>, last: usize) -> usize {
    let mut sure = last;
    // A city on a line of its own counts where a code or a country follows, or a unit came before.
    let mut at = last;
    let mut before = Part::Street;
    let mut placed = 0;
    for _ in 0..MOST_PARTS {
        let Some((part, end)) = next(line, at, before) else { break };
        at = end;
        before = part;
        placed += usize::from(placed > 0 || matches!(part, Part::Unit | Part::Code));
        if part != Part::Perhaps || (1..=3).contains(&placed) {
            sure = end;
        }
    }
    line.word(sure).map_or(0, |word| word.end)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Street,
    Unit,
    Code,
    City,
    /// A city or name on a line of its own.
    Perhaps,
}

fn next(line: &Line<'_, '_>, at: usize, before: Part) -> Option<(Part, usize)> {
    let gap = line.gap(at);
    // A full stop belongs to an abbreviation or ends the sentence.
    let sentence = gap.starts_with('.') && line.text(at).len() > 4;
    if !is_separator(gap) || sentence {
        return None;
    }
    let first = at + 1;
    if let Some(last) = unit(line, at) {
        return Some((Part::Unit, last));
    }
    if let Some(last) = is_code(line, first) {
        let city_next = line.is_capital(last + 1) || before != Part::Street || gap.contains([',', '\n']);
        return city_next.then_some((Part::Code, last));
    }
    let last = city(line, first)?;
    let phrase = phrase(line, first, last);
    if COUNTRIES.contains(&phrase.as_str()) {
        return Some((Part::City, last));
    }
    let joined = gap.contains([',', '\n', '-', '–', '(']);
    let state = last == first
        && (2..=3).contains(&line.text(first).len())
        && line.text(first).bytes().all(|byte| byte.is_ascii_uppercase());
    if state && is_code(line, first + 1).is_some() {
        return Some((Part::City, last));
    }
    match before {
        // `75001 Paris`, `Apt. 892 Brookfield`
        Part::Code | Part::Unit if !gap.contains('\n') || before == Part::Unit => Some((Part::City, last)),
        Part::City if state => Some((Part::City, last)),
        _ if !joined => None,
        _ if gap.contains('\n') => ends_line(line, last).then_some((Part::Perhaps, last)),
        _ if is_followed(line, last) => Some((Part::City, last)),
        _ => None,
    }
}

fn is_separator(gap: &str) -> bool {
    gap.len() <= 12
        && gap.chars().all(|sign| {
            sign.is_whitespace() || matches!(sign, ',' | '.' | '-' | '–' | '#' | ';' | ':' | '(' | '/')
        })
        && gap.matches('\n').count() <= 1
        && gap != "."
}

/// `Apt. 4B`, `#12`, `2nd floor`, `кв. 5`: the last word of it.
fn unit(line: &Line<'_, '_>, at: usize) -> Option<usize> {
    let first = at + 1;
    let gap = line.gap(at);
    let short = |index: usize| {
        let text = line.text(index);
        let digits = text.bytes().any(|byte| byte.is_ascii_digit());
        text.len() <= 5 && (digits || (text.len() == 1 && line.is_capital(index)))
    };
    if gap.ends_with('#') && short(first) {
        return Some(first);
    }
    if (line.is_ordinal(first) || short(first))
        && matches!(line.lower(first + 1).as_str(), "floor" | "étage" | "stock" | "andar" | "piso" | "og")
        && line.gap(first).len() <= 2
    {
        return Some(first + 1);
    }
    // `3º B`
    if line.text(first).ends_with(['º', 'ª', '°']) && line.text(first).len() <= 5 {
        let door = matches!(line.gap(first), " " | "-")
            && line.text(first + 1).len() <= 4
            && !line.is_number(first + 1);
        return Some(if door { first + 1 } else { first });
    }
    let named = line.has(first, UNIT);
    let near = matches!(line.gap(first), " " | ". " | "." | ": " | ":" | " #" | " # " | ". #");
    if !(named && near && short(first + 1)) {
        return None;
    }
    // `Unit 9104 Box 2779`
    let boxed = line.lower(first + 2) == "box" && line.gap(first + 1) == " " && short(first + 3);
    Some(if boxed { first + 3 } else { first + 1 })
}

/// Last word of a postal code that begins with the word `index`.
pub(super) fn is_code(line: &Line<'_, '_>, index: usize) -> Option<usize> {
    let text = line.text(index);
    let next = line.text(index + 1);
    let gap = line.gap(index);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let letters = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_uppercase());
    // ZIP+4, Brazil, Portugal, Japan, Poland.
    let dashed = gap == "-"
        && digits(text)
        && digits(next)
        && matches!((text.len(), next.len()), (5, 4 | 3) | (4, 3) | (3, 4) | (2, 3));
    // Sweden, Czechia, Greece; the Netherlands.
    let spaced = gap == " "
        && ((text.len() == 3 && digits(text) && next.len() == 2 && digits(next))
            || (text.len() == 4 && digits(text) && next.len() == 2 && letters(next)));
    // The United Kingdom and Canada, Ireland.
    let mixed = gap == " "
        && is_outward(text)
        && (2..=4).contains(&next.len())
        && next.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && next.bytes().any(|byte| byte.is_ascii_digit());
    if dashed || spaced || mixed {
        return Some(index + 1);
    }
    // A country before the code: `D-10115`.
    if gap == "-" && text.len() <= 2 && letters(text) && digits(next) && (4..=6).contains(&next.len()) {
        return Some(index + 1);
    }
    (digits(text) && (4..=6).contains(&text.len())).then_some(index)
}

/// The first half of a British, Canadian or Irish code: letters and digits, with a letter first.
fn is_outward(text: &str) -> bool {
    let bytes = text.as_bytes();
    (2..=4).contains(&bytes.len())
        && bytes.first().is_some_and(u8::is_ascii_uppercase)
        && bytes.iter().any(u8::is_ascii_digit)
        && bytes.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// Last word of a name of capitals from the word `first` on.
fn city(line: &Line<'_, '_>, first: usize) -> Option<usize> {
    let mut last = None;
    for at in first..first + LONGEST_CITY {
        let abbreviated = at > first && line.gap(at - 1) == ". " && line.text(at - 1).len() <= 3;
        if at > first && !abbreviated && !matches!(line.gap(at - 1), " " | "-" | "'" | "’") {
            break;
        }
        if line.is_capital(at) && !line.text(at).bytes().any(|byte| byte.is_ascii_digit()) {
            // A state before its code is a part of its own.
            let state = line.text(at).len() == 2 && is_code(line, at + 1).is_some();
            if state && at > first {
                break;
            }
            last = Some(at);
        } else if at == first || !line.has(at, PARTICLE) {
            break;
        }
    }
    last
}

fn phrase(line: &Line<'_, '_>, first: usize, last: usize) -> String {
    let words: Vec<String> = (first..=last).map(|at| line.lower(at)).collect();
    words.join(" ")
}

fn ends_line(line: &Line<'_, '_>, last: usize) -> bool {
    let gap = line.gap(last);
    let state = line.text(last + 1).len() == 2 && is_code(line, last + 2).is_some();
    gap == "\0" || gap.contains(['\n', ',']) || state || is_code(line, last + 1).is_some()
}

/// Whether what follows a city behind a comma shows that it ends there.
fn is_followed(line: &Line<'_, '_>, last: usize) -> bool {
    let gap = line.gap(last);
    let sign = gap == "\0" || gap.chars().any(|sign| !sign.is_whitespace()) || gap.contains('\n');
    let next = line.lower(last + 1);
    let joins = matches!(
        next.as_str(),
        "and"
            | "or"
            | "in"
            | "near"
            | "since"
            | "for"
            | "with"
            | "to"
            | "at"
            | "on"
            | "where"
            | "which"
            | "und"
            | "et"
            | "y"
            | "e"
            | "i"
            | "en"
            | "by"
            | "before"
            | "after"
            | "until"
            | "as"
            | "but"
            | "from"
    );
    let state =
        (2..=3).contains(&next.len()) && line.text(last + 1).bytes().all(|byte| byte.is_ascii_uppercase());
    sign || joins || state || is_code(line, last + 1).is_some()
}
