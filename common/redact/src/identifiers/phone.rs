//! Telephone numbers by numbering plans: international (ITU-T E.164), North American (NANP), and the national forms that
//! begin with 0 or an area code in brackets; others only beside a label.

use super::entity::Entity;
use super::format::label::{CALL, PHONE};
use super::overlap::{Candidate, Rank};
use super::page::Page;
use super::words::Word;

/// The most groups of digits in a number.
const MOST_GROUPS: usize = 8;
/// The most digits of an international number (E.164).
const MOST_DIGITS: usize = 15;

/// Country codes of one and two digits (E.164 annex); all others have three.
const SHORT_CODES: [u64; 46] = [
    1, 7, 20, 27, 30, 31, 32, 33, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 55, 56, 57,
    58, 60, 61, 62, 63, 64, 65, 66, 81, 82, 84, 86, 90, 91, 92, 93, 94, 95, 98,
];

/// Groups of digits as they are written.
struct Groups {
    start: usize,
    /// Digits and end of each group.
    groups: Vec<(usize, usize)>,
    digits: Vec<u8>,
    plus: bool,
    /// Whether the first group, or the second behind the country code, stands in brackets.
    bracket: bool,
}

/// Every number; each group of digits is looked at once, with at most seven behind it.
pub(crate) fn find(page: &Page<'_>, found: &mut Vec<Candidate>) {
    let mut resume = 0;
    for (index, word) in page.words.iter().enumerate() {
        let digit = page.bytes().get(word.start).is_some_and(u8::is_ascii_digit);
        if word.start < resume || !digit || page.is_in_url(word.start, word.end) {
            continue;
        }
        if let Some(phone) = examine(page, index, word) {
            resume = phone.end;
            found.push(phone);
        }
    }
}

fn examine(page: &Page<'_>, index: usize, word: &Word) -> Option<Candidate> {
    let groups = read(page.bytes(), word.start)?;
    let context = page.context(index);
    let named = context.distance(PHONE, "");
    let called = context.distance(CALL, "");
    for count in (1..=groups.groups.len()).rev() {
        let (_, end) = *groups.groups.get(count - 1)?;
        let plan = groups.plan(count);
        let named = named.or_else(|| page.named_behind(end, PHONE, ""));
        let (rank, distance) = match (plan, named, called) {
            (Plan::None, ..) => continue,
            (Plan::Date, ..) => continue,
            (_, Some(distance), _) => (Rank::Named, distance),
            (Plan::Form | Plan::Grouped, None, Some(distance)) => (Rank::Named, distance),
            (Plan::Form, None, None) if groups.plus => (Rank::Phone, 0),
            (Plan::Form, None, None) if !context.is_other() && !context.names_other_than(PHONE | CALL) => {
                (Rank::Phone, 0)
            }
            _ => continue,
        };
        if !is_whole(page.bytes(), groups.start, end) || page.is_opaque(groups.start, end) {
            continue;
        }
        let end = extension(page.bytes(), end);
        return Some(Candidate {
            start: groups.start,
            end,
            entity: Entity::Phone,
            reason: "telephone number",
            rank,
            distance,
        });
    }
    None
}

/// Reads groups of digits from `start`, with one or two signs between them.
fn read(bytes: &[u8], start: usize) -> Option<Groups> {
    let before = |back: usize| start.checked_sub(back).and_then(|at| bytes.get(at)).copied().unwrap_or(0);
    let bracket = before(1) == b'(';
    let plus = before(1) == b'+' || (bracket && before(2) == b'+');
    let head = start - usize::from(bracket) - usize::from(plus);
    let mut groups = Groups { start: head, groups: Vec::new(), digits: Vec::new(), plus, bracket };
    let mut at = start;
    while groups.groups.len() < MOST_GROUPS {
        let run = bytes.get(at..).unwrap_or_default().iter().take(MOST_DIGITS + 1);
        let run: Vec<u8> = run.take_while(|byte| byte.is_ascii_digit()).copied().collect();
        if run.is_empty() || groups.digits.len() + run.len() > MOST_DIGITS {
            break;
        }
        at += run.len();
        groups.digits.extend_from_slice(&run);
        groups.groups.push((groups.digits.len(), at));
        let gap = joiner(bytes, at);
        if gap == 0 {
            break;
        }
        groups.bracket |= groups.groups.len() == 1 && bytes.get(at..at + gap)?.contains(&b'(');
        at += gap;
    }
    (!groups.groups.is_empty()).then_some(groups)
}

/// Length of what joins two groups: a separator, brackets with blanks beside them.
fn joiner(bytes: &[u8], at: usize) -> usize {
    let mut length = 0;
    for byte in bytes.get(at..).unwrap_or_default().iter().take(4) {
        if !matches!(byte, b' ' | b'-' | b'.' | b'(' | b')' | b'/' | 0xC2 | 0xA0) {
            break;
        }
        length += 1;
    }
    let signs = bytes.get(at..at + length).unwrap_or_default();
    let brackets = signs.iter().any(|byte| matches!(byte, b'(' | b')'));
    let plain = signs == [0xC2, 0xA0] || signs == b" - " || (signs.len() == 1 && signs.is_ascii());
    if plain || (brackets && signs.len() <= 3 && signs.is_ascii()) { length } else { 0 }
}

/// How a run of groups looks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plan {
    /// Not like a telephone number.
    None,
    /// A date or a range of years.
    Date,
    /// As many digits as one, in one group.
    Digits,
    /// In groups as one.
    Grouped,
    /// In a form that other numbers do not have.
    Form,
}

impl Groups {
    fn plan(&self, count: usize) -> Plan {
        let total = self.groups.get(count - 1).map_or(0, |(digits, _)| *digits);
        let digits = self.digits.get(..total).unwrap_or_default();
        let mut lengths = [0; MOST_GROUPS];
        let mut before = 0;
        for (length, (until, _)) in lengths.iter_mut().zip(self.groups.iter().take(count)) {
            *length = until - before;
            before = *until;
        }
        let lengths = lengths.get(..count).unwrap_or_default();
        let first = |length: usize| {
            digits.iter().take(length).fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
        };
        if self.plus {
            let code = if SHORT_CODES.contains(&first(1)) {
                1
            } else if SHORT_CODES.contains(&first(2)) {
                2
            } else {
                3
            };
            let national = total.saturating_sub(code);
            let fits = if first(1) == 1 { national == 10 } else { (6..=12).contains(&national) };
            return if fits && digits.first() != Some(&b'0') { Plan::Form } else { Plan::None };
        }
        if matches!(
            lengths,
            [4, 2, 2]
                | [2, 2, 4]
                | [1, 2, 4]
                | [2, 1, 4]
                | [1, 1, 4]
                | [4, 4]
                | [4, 2]
                | [4, 1, 2]
                | [4, 1, 1]
        ) && (matches!(first(2), 19 | 20) || self.is_day_month(lengths))
        {
            return if matches!(lengths, [4, 4]) && !matches!(first(2), 19 | 20) {
                Plan::Grouped
            } else {
                Plan::Date
            };
        }
        if lengths.iter().any(|length| *length < 2)
            && !matches!(lengths, [1, 3, 3, 4])
            && !(self.bracket && lengths.len() <= 4)
        {
            return if matches!(lengths.split_first(), Some((1, rest)) if rest.iter().all(|length| *length >= 2))
                && (7..=12).contains(&total)
            {
                Plan::Grouped
            } else {
                Plan::None
            };
        }
        if self.is_north_american(lengths, digits) || self.is_trunk(lengths, digits) {
            return Plan::Form;
        }
        match (total, count) {
            (7..=15, 2..=6) => Plan::Grouped,
            (7..=15, 1) => Plan::Digits,
            _ => Plan::None,
        }
    }

    fn is_day_month(&self, lengths: &[usize]) -> bool {
        let day = self
            .digits
            .iter()
            .take(lengths.first().copied().unwrap_or(0))
            .fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
        lengths.len() == 3 && lengths.last() == Some(&4) && (1..=31).contains(&day)
    }

    /// `ddd-ddd-dddd` with a 1 before it at most; area and exchange begin with 2 to 9.
    fn is_north_american(&self, lengths: &[usize], digits: &[u8]) -> bool {
        let local = match lengths {
            [3, 3, 4] => digits,
            [1, 3, 3, 4] if digits.first() == Some(&b'1') => digits.get(1..).unwrap_or_default(),
            _ => return false,
        };
        local.first().is_some_and(|digit| *digit >= b'2') && local.get(3).is_some_and(|digit| *digit >= b'2')
    }

    /// National numbers with the trunk prefix 0 or an area code in brackets, in at least two groups.
    fn is_trunk(&self, lengths: &[usize], digits: &[u8]) -> bool {
        let zero = digits.first() == Some(&b'0') && digits.get(1).is_some_and(|digit| *digit != b'0');
        let international = digits.starts_with(b"00") && digits.get(2).is_some_and(|digit| *digit != b'0');
        let total = digits.len();
        let first = lengths.first().copied().unwrap_or(0);
        let pairs = lengths.iter().all(|length| *length == 2);
        match lengths.len() {
            0 | 1 => false,
            _ if international => {
                (10..=15).contains(&total) && lengths.iter().skip(1).all(|length| *length >= 2)
            }
            _ if self.bracket => (2..=5).contains(&first) && (8..=11).contains(&total),
            4 if matches!(lengths, [3, 3, 3, 2]) => false,
            2 => zero && (3..=5).contains(&first) && (9..=12).contains(&total),
            _ => zero && (9..=11).contains(&total) && (pairs || (2..=5).contains(&first)),
        }
    }
}

/// Whether no letter, digit or sign of a number joins either side.
fn is_whole(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = |back: usize| start.checked_sub(back).and_then(|at| bytes.get(at)).copied().unwrap_or(0);
    let behind = |on: usize| bytes.get(end + on).copied().unwrap_or(0);
    let joined_before = match before(1) {
        b'_' | b'@' | b'$' | b'+' | b'%' | b'#' => true,
        b'-' | b'.' | b'/' | b',' | b':' => {
            before(2).is_ascii_alphanumeric() && (before(1) != b':' || before(2).is_ascii_digit())
        }
        byte => byte.is_ascii_alphanumeric(),
    };
    let joined_behind = match behind(0) {
        b'_' | b'@' | b'%' => true,
        b'-' | b'.' | b'/' | b',' | b':' => behind(1).is_ascii_digit(),
        byte => byte.is_ascii_alphabetic() && !bytes.get(end..).is_some_and(|rest| rest.starts_with(b"x")),
    };
    !joined_before && !joined_behind
}

/// End of an extension behind a number: `ext. 12`, `x12`.
fn extension(bytes: &[u8], end: usize) -> usize {
    let rest = bytes.get(end..).unwrap_or_default();
    let blanks = rest.iter().take(2).take_while(|byte| matches!(byte, b' ' | b',')).count();
    let word = rest.get(blanks..).unwrap_or_default();
    let head = [&b"extension "[..], b"ext. ", b"ext.", b"ext ", b"ext", b"x"]
        .into_iter()
        .find(|head| word.get(..head.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(head)));
    let Some(head) = head else { return end };
    let digits = word
        .get(head.len()..)
        .unwrap_or_default()
        .iter()
        .take(7)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if (1..=6).contains(&digits) { end + blanks + head.len() + digits } else { end }
}
