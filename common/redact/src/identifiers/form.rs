//! Forms of identifiers as short templates, matched at one place of a text.
//!
//! | sign | stands for |
//! |---|---|
//! | `d`, `a`, `x` | a digit, a letter, either |
//! | `^` | a capital letter, where a word of the language may follow a number |
//! | `~`, `_` | one separator that may be missing, one that may not |
//! | `*6-12/4` | as the whole form: 6 to 12 letters and digits, at least 4 of them digits, in up to five groups |
//! | anything else | itself, letters in either case |

/// A place behind a match is looked at this far: the longest template with separators.
const MOST_GROUPS: usize = 5;

/// End of the form at `start`, in at most as many steps as it has signs.
pub(crate) fn end_of(form: &str, text: &[u8], start: usize) -> Option<usize> {
    if let Some(bounds) = form.strip_prefix('*') {
        return loose_end(bounds, text, start);
    }
    let mut at = start;
    for sign in form.bytes() {
        at += match sign {
            b'~' => separator(text, at),
            b'_' => Some(separator(text, at)).filter(|length| *length > 0)?,
            _ => usize::from(text.get(at).is_some_and(|byte| fits(sign, *byte))).checked_sub(1).map(|_| 1)?,
        };
    }
    Some(at)
}

fn fits(sign: u8, byte: u8) -> bool {
    match sign {
        b'd' => byte.is_ascii_digit(),
        b'a' => byte.is_ascii_alphabetic(),
        b'x' => byte.is_ascii_alphanumeric(),
        b'^' => byte.is_ascii_uppercase(),
        literal => byte.eq_ignore_ascii_case(&literal),
    }
}

/// Length of the separator at `at`: a blank, dash, full stop or slash, also the blanks and dashes of typesetting.
pub(crate) fn separator(text: &[u8], at: usize) -> usize {
    match text.get(at..).unwrap_or_default() {
        [b' ' | b'-' | b'.' | b'/', ..] => 1,
        [0xC2, 0xA0, ..] => 2,
        [0xE2, 0x80, 0x90..=0x93 | 0xAF, ..] => 3,
        _ => 0,
    }
}

/// The first words of a form may have these lengths: up to each separator that may be missing.
pub(crate) fn first_lengths(form: &str) -> Vec<usize> {
    let mut lengths = Vec::new();
    let mut length = 0;
    for sign in form.bytes() {
        match sign {
            b'~' => lengths.push(length),
            b'd' | b'a' | b'x' | b'^' => length += 1,
            letter if letter.is_ascii_alphanumeric() => length += 1,
            _ => {
                lengths.push(length);
                return lengths;
            }
        }
    }
    lengths.push(length);
    lengths
}

/// A run of letters and digits of no fixed form: groups of them, separated once.
fn loose_end(bounds: &str, text: &[u8], start: usize) -> Option<usize> {
    let (range, fewest_digits) = bounds.split_once('/')?;
    let (shortest, longest) = range.split_once('-')?;
    let (shortest, longest): (usize, usize) = (shortest.parse().ok()?, longest.parse().ok()?);
    let fewest_digits: usize = fewest_digits.parse().ok()?;
    let (mut at, mut length, mut digits, mut end) = (start, 0, 0, None);
    for _ in 0..MOST_GROUPS {
        let group = text.get(at..).unwrap_or_default().iter().take(longest + 1);
        let group: &[u8] =
            text.get(at..at + group.take_while(|byte| byte.is_ascii_alphanumeric()).count())?;
        let group_digits = group.iter().filter(|byte| byte.is_ascii_digit()).count();
        let is_code = group_digits > 0 || (group.len() <= 4 && group.iter().all(u8::is_ascii_uppercase));
        if group.is_empty() || !is_code || length + group.len() > longest {
            break;
        }
        (length, digits, at) = (length + group.len(), digits + group_digits, at + group.len());
        if length >= shortest && digits >= fewest_digits && group_digits > 0 {
            end = Some(at);
        }
        let gap = separator(text, at);
        if gap == 0 {
            break;
        }
        at += gap;
    }
    end.filter(|end| !is_date(text.get(start..*end).unwrap_or_default()))
}

/// Whether a run of digits and separators is a date in figures, which stands beside many labels.
fn is_date(run: &[u8]) -> bool {
    let groups: Vec<&[u8]> = run.split(|byte| matches!(byte, b'-' | b'.' | b'/')).collect();
    let digits = groups.iter().all(|group| group.iter().all(u8::is_ascii_digit));
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    digits && matches!(lengths.as_slice(), [4, 1 | 2, 1 | 2] | [1 | 2, 1 | 2, 4 | 2])
}

/// Whether letters, digits and what joins them end at `start` and begin behind `end`, so that the part between is
/// whole.
pub(crate) fn stands_alone(text: &[u8], start: usize, end: usize) -> bool {
    let before = |back: usize| start.checked_sub(back).and_then(|at| text.get(at)).copied().unwrap_or(0);
    let behind = |on: usize| text.get(end + on).copied().unwrap_or(0);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric();
    let joined_before = match before(1) {
        b'_' | b'@' | b'$' | b'+' | b'%' => true,
        b'-' | b'.' | b'/' | b',' => is_word(before(2)),
        _ => false,
    };
    let joined_behind = match behind(0) {
        b'_' | b'@' | b'%' => true,
        b'-' | b'.' | b'/' => is_word(behind(1)),
        byte => is_word(byte),
    };
    !joined_before && !joined_behind
}
