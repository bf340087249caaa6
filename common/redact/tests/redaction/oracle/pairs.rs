//! Sensitive names and their values.

use redact::EntityType::{self, Password, Secret};

use super::{Oracle, Span, mask_behind, regex};

impl Oracle {
    pub(super) fn pairs(&self, text: &[u8], found: &mut Vec<Span>) {
        let mut resume = 0;
        for name in self.patterns.name.find_iter(text) {
            if name.start() < resume {
                continue;
            }
            let window = name.start().max(name.end().saturating_sub(64));
            let Some(entity) = self.classify(text, window, name.end()) else { continue };
            let Some((start, end)) = self.pair_value(text, name.start(), name.end()) else { continue };
            let value = &text[start..end];
            if self.patterns.placeholder_begins.is_match(&text[start..]) {
                continue;
            }

            let session =
                text[window..name.end()].to_ascii_lowercase().windows(4).any(|part| part == b"sess");
            let identifier = regex(r"\AA[KS]IA[A-Z0-9]{16}").is_match(value);
            let counter = session && value.len() < 8;
            let counts = !self.is_placeholder(value) && !identifier && !counter;
            resume = if counts || end - start > 64 { end } else { start };
            if counts {
                found.push((start, end, entity));
            }
        }
    }

    /// Splits the name into components and looks at the last of them.
    pub(super) fn classify(&self, text: &[u8], start: usize, end: usize) -> Option<EntityType> {
        let patterns = &self.patterns;
        let name = text[start..end].to_vec();
        if !patterns.part.is_match(&name) {
            return None;
        }
        let with_mark = &text[start.saturating_sub(1)..end];
        let escape =
            patterns.escape.find(with_mark).filter(|_| start > 0).map_or(0, |escape| escape.len() - 1);
        let (head, tail) = name.split_at(escape);
        let tail = components(tail);
        let joined = [components(head), tail.clone()].into_iter().filter(|part| !part.is_empty());
        let joined = joined.collect::<Vec<_>>().join(&b'.');
        if patterns.exempt.is_match(&joined) {
            return None;
        }
        let trim = |joined: &[u8]| {
            let pattern = if joined.last().is_some_and(u8::is_ascii_digit) {
                r"[0-9.]*[0-9]\z"
            } else {
                r"(?:\A|\.)(?:prod|production|staging|stage|dev|test|hash|value|text|plain|new|old|confirm|confirmation)\z"
            };
            regex(pattern).replace(joined, &b""[..]).into_owned()
        };
        self.entity(&joined, &tail).or_else(|| self.entity(&trim(&joined), &trim(&tail)))
    }

    pub(super) fn entity(&self, joined: &[u8], without_escape: &[u8]) -> Option<EntityType> {
        let undotted = |name: &[u8]| name.iter().copied().filter(|byte| *byte != b'.').collect::<Vec<u8>>();
        // The last components, joined: `a.b.c` gives `abc`, `bc` and `c`.
        let tails = |name: &[u8]| {
            let parts: Vec<_> = name.split(|byte| *byte == b'.').map(<[u8]>::to_vec).collect();
            (0..parts.len()).map(|first| parts[first..].concat()).collect::<Vec<_>>()
        };
        let joined = joined.strip_suffix(b".").unwrap_or(joined);
        let strong = self.patterns.sensitive.find(&undotted(joined)).map(|word| word.as_bytes().to_vec());
        let weak = || tails(joined).into_iter().find(|tail| self.patterns.weak.is_match(tail));
        let Some(word) = strong.or_else(weak) else {
            let longer = undotted(without_escape).len() > 4 && tails(joined).contains(&b"pass".to_vec());
            return longer.then_some(Password);
        };
        let is_password = regex(r"(?:password|passwd|passphrase|passcode|pwd)\z").is_match(&word);
        Some(if is_password { Password } else { Secret })
    }

    pub(super) fn pair_value(&self, text: &[u8], name: usize, end: usize) -> Option<(usize, usize)> {
        let patterns = &self.patterns;
        if let Some(separator) = patterns.separator.captures(&text[end..]) {
            let at = end + separator[0].len();
            let mark = separator.get(1).map(|mark| mark.as_bytes()).unwrap_or_default();
            let loose = !separator[2].is_empty();
            let doubled = matches!(text.get(end + separator.get(1).unwrap().end()), Some(b'=' | b':'));
            let url = mark == b":" && regex(r"\A//").is_match(&text[end + separator.get(1).unwrap().end()..]);
            if !doubled && !url {
                let object = regex(r"\A\{(?:[^{]|\z)").is_match(&text[at..]);
                let window = name.max(end.saturating_sub(64));
                let behind_bracket = regex(r"(?:[(*]|_REDACTED>)\z").is_match(&text[..window]);
                let bracket = mark == b":" && !loose && behind_bracket;
                if object || bracket || (loose && patterns.next_pair.is_match(&text[at..])) {
                    return None;
                }
                let (start, value_end, quoted) = value(text, at);
                let prose = mark == b":" && loose && !quoted && prose(text, start, value_end);
                return (!prose).then_some((start, value_end));
            }
        }
        let window = name.max(end.saturating_sub(64));
        if text.get(end) == Some(&b'>') && window > 0 && b"<:".contains(&text[window - 1]) {
            let mut value_end = end + 1;
            while text.get(value_end).is_some_and(|byte| *byte != b'<' && unquoted(*byte)) {
                value_end += 1;
            }
            return Some((end + 1, value_end));
        }
        let begins = window == 0 || text[window - 1] <= b' ' || b"\"'`".contains(&text[window - 1]);
        let option = text[window] == b'-' && begins;

        let blank = regex(r"\A[ \t]{1,4}").find(&text[end..])?.end();
        if !option || text.get(end + blank) == Some(&b'-') {
            return None;
        }
        let (start, value_end, _) = value(text, end + blank);
        Some((start, value_end))
    }

    pub(super) fn is_placeholder(&self, value: &[u8]) -> bool {
        let same = |fillers: &[u8]| value.iter().all(|byte| *byte == value[0]) && fillers.contains(&value[0]);
        value.is_empty()
            || self.patterns.placeholder.is_match(value)
            || same(b"-*")
            || (value.len() >= 3 && same(b"xX._?"))
    }
}

/// The value at a place, read byte by byte: start, end, whether in quotes.
pub(super) fn value(text: &[u8], at: usize) -> (usize, usize, bool) {
    let Some(opening) = regex(r#"\A\\{0,7}["'`]"#).find(&text[at..]) else {
        return (at, at + unquoted_length(&text[at..]), false);
    };
    let (start, depth, mark) = (at + opening.end(), opening.end() - 1, text[at + opening.end() - 1]);
    for index in start..text.len() {
        if matches!(text[index], b'\n' | b'\r') {
            return if mark == b'"' {
                (start, index, true)
            } else {
                (start, start + unquoted_length(&text[start..]), false)
            };
        }
        let backslashes = text[start..index].iter().rev().take_while(|byte| **byte == b'\\').count();
        if text[index] == mark && backslashes % (2 * depth + 2) <= depth {
            return (start, index - backslashes % (2 * depth + 2), true);
        }
    }
    if mark == b'"' {
        (start, text.len(), true)
    } else {
        (start, start + unquoted_length(&text[start..]), false)
    }
}

/// The components of a name in lower case, joined by full stops.
pub(super) fn components(name: &[u8]) -> Vec<u8> {
    let split = |name: &[u8], pattern: &str| regex(pattern).replace_all(name, &b"$1.$2"[..]).into_owned();
    let name = split(name, "([A-Z])([A-Z][a-z])");
    let name = split(&name, "([a-z])([A-Z])");
    let name = split(&name, "([0-9])([A-Za-z])").to_ascii_lowercase();
    name.split(|byte| b"._-".contains(byte)).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(&b'.')
}

/// One word, then another that is no name.
pub(super) fn prose(text: &[u8], start: usize, end: usize) -> bool {
    let word = text[start..end].iter().all(u8::is_ascii_alphabetic);
    let Some((b' ', rest)) = text.get(end..).and_then(|rest| rest.split_first()) else { return false };
    let next = rest.iter().take(32).take_while(|byte| byte.is_ascii_alphabetic()).count();
    word && mask_behind(text, end + 1) || word && next > 0 && !matches!(rest.get(next), Some(b':' | b'='))
}

pub(super) fn unquoted(byte: u8) -> bool {
    byte > 0x20 && byte != 0x7f && !b"\"'`,;&)]}".contains(&byte)
}

/// Up to a delimiter, or to backslashes before a letter or quote that make an escape sequence.
pub(super) fn unquoted_length(text: &[u8]) -> usize {
    let escape = regex(r#"\A\\+[nrtu"']"#);
    let ends = |index: &usize| !unquoted(text[*index]) || escape.is_match(&text[*index..]);
    (0..text.len()).find(ends).unwrap_or(text.len())
}
