//! Machine-readable zones of travel documents (ICAO Doc 9303, parts 4 to 6).

use super::entity::Entity;
use super::overlap::{Candidate, Rank};
use super::page::Page;
use super::sums::icao;

/// Every zone: two lines of 44 or 36 characters, or three of 30.
pub(crate) fn find(page: &Page<'_>, found: &mut Vec<Candidate>) {
    let mut resume = 0;
    for at in memchr::memmem::find_iter(page.bytes(), b"<<") {
        if at < resume {
            continue;
        }
        if let Some(zone) = examine(page.text, at) {
            resume = zone.end;
            found.push(zone);
        }
    }
}

fn examine(text: &str, at: usize) -> Option<Candidate> {
    let bytes = text.as_bytes();
    let inside = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'<';
    let back = bytes.get(..at)?.iter().rev().take(44).take_while(|byte| inside(byte)).count();
    let mut start = at - back;
    let mut lines = read(bytes, start)?;
    // Where the filler stands in the last line only, the zone began earlier; its first lines hold a document code.
    if lines.len() == 1 {
        let before = text.get(..start)?.trim_end_matches(['\r', '\n', ' ']);
        let length = before.bytes().rev().take(44).take_while(|byte| inside(byte)).count();
        start = before.len() - length;
        lines = read(bytes, start)?;
    }
    let line = |index: usize| lines.get(index).map(|range| bytes.get(range.clone()).unwrap_or_default());
    let end = lines.last()?.end;
    let entity = match (lines.len(), line(0)?.len()) {
        (2, 44) if is_checked(line(1)?, &[(0, 9), (13, 19), (21, 27)]) => Entity::Passport,
        (2, 36) if is_checked(line(1)?, &[(0, 9), (13, 19), (21, 27)]) => Entity::IdCard,
        (3, 30) if is_checked(line(0)?, &[(5, 14)]) && is_checked(line(1)?, &[(0, 6), (8, 14)]) => {
            Entity::IdCard
        }
        _ => return None,
    };
    Some(Candidate { start, end, entity, reason: "machine-readable zone", rank: Rank::Zone, distance: 0 })
}

/// Up to three lines of equal length.
fn read(bytes: &[u8], start: usize) -> Option<Vec<std::ops::Range<usize>>> {
    let inside = |byte: &&u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b'<';
    let mut lines: Vec<std::ops::Range<usize>> = Vec::new();
    let mut at = start;
    while lines.len() < 3 {
        let length = bytes.get(at..)?.iter().take(45).take_while(inside).count();
        if !matches!(length, 30 | 36 | 44) || lines.first().is_some_and(|first| first.len() != length) {
            break;
        }
        lines.push(at..at + length);
        at += length;
        let gap = bytes.get(at..)?.iter().take(4).take_while(|byte| byte.is_ascii_whitespace()).count();
        if gap == 0 {
            break;
        }
        at += gap;
    }
    (!lines.is_empty()).then_some(lines)
}

/// Whether the digit behind each field is its check digit.
fn is_checked(line: &[u8], fields: &[(usize, usize)]) -> bool {
    fields.iter().all(|(start, end)| {
        let digit = line.get(*end).filter(|byte| byte.is_ascii_digit());
        digit.is_some_and(|digit| u32::from(digit - b'0') == icao(line.get(*start..*end).unwrap_or_default()))
    })
}
