//! Telephone numbers: international with a plus sign (ITU-T E.164), or North American in its usual forms.

use super::Secret;
use super::card::{continues_before, continues_behind};
use super::text::Text;
use crate::entity::EntityType;

/// The fewest and the most digits of an international number (E.164: 15).
const SHORTEST: usize = 8;
const LONGEST: usize = 15;

/// Examines the number whose first run of digits begins at `digits`.
pub(super) fn examine(text: &Text<'_>, digits: usize) -> Option<Secret> {
    if text.before(digits) == b'+' {
        return international(text, digits - 1);
    }
    north_american(text, digits)
}

/// `+`, then digits with single blanks, dashes, full stops or brackets between.
fn international(text: &Text<'_>, plus: usize) -> Option<Secret> {
    if !text.begins_word(plus) || text.masked_before(plus) {
        return None;
    }
    let (mut at, mut end, mut count) = (plus + 1, plus + 1, 0);
    while count <= LONGEST {
        if text.at(at).is_ascii_digit() {
            count += 1;
            at += 1;
            end = at;
            continue;
        }
        let joined = text.run_at_most(at, 2, is_joiner);
        if joined == at || !text.at(joined).is_ascii_digit() {
            break;
        }
        at = joined;
    }
    let goes_on = text.masked_at(text.run_at_most(end, 2, is_joiner));
    let fits = (SHORTEST..=LONGEST).contains(&count) && text.ends_word(end) && !goes_on;
    fits.then_some(Secret { start: plus, end, entity: EntityType::Phone })
}

/// `(ddd) ddd-dddd`, `ddd-ddd-dddd` or `ddd.ddd.dddd`; area and exchange begin with 2 to 9.
fn north_american(text: &Text<'_>, area: usize) -> Option<Secret> {
    let digits = |from: usize, length: usize| {
        text.run_at_most(from, length, |byte| byte.is_ascii_digit()) == from + length
    };
    let bracket = text.before(area) == b'(' && text.at(area + 3) == b')';
    let (start, exchange, separator) = if bracket {
        let blank = usize::from(text.at(area + 4) == b' ');
        (area - 1, area + 4 + blank, b'-')
    } else {
        (area, area + 4, text.at(area + 3))
    };
    let end = exchange + 8;
    let fits = digits(area, 3)
        && matches!(separator, b'-' | b'.')
        && digits(exchange, 3)
        && text.at(exchange + 3) == separator
        && digits(exchange + 4, 4);
    let plausible = text.at(area) >= b'2' && text.at(exchange) >= b'2';
    let apart = !(bracket && text.masked_before(start));
    let alone = apart
        && text.begins_word(start)
        && text.ends_word(end)
        && !continues_before(text, start)
        && !continues_behind(text, end);
    (fits && plausible && alone).then_some(Secret { start, end, entity: EntityType::Phone })
}

fn is_joiner(byte: u8) -> bool {
    matches!(byte, b' ' | b'-' | b'.' | b'(' | b')')
}
