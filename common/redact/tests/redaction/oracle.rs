//! The rules once more, slow and by regular expressions, from their documented definitions. It shares no
//! code with the engine: every rule is tried at every place, without literals, blocks or vectors.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::{Ipv4Addr, Ipv6Addr};

use redact::EntityType::{
    self, ApiKey, Authorization, Cookie, CreditCard, Email, Iban, IpAddress, Jwt, Password, Phone,
    PrivateKey, Secret, Ssn,
};
use regex::bytes::Regex;

/// A candidate or a match: start, end, type.
pub(crate) type Span = (usize, usize, EntityType);

pub(crate) struct Oracle {
    tokens: Vec<(Regex, usize)>,
    patterns: Patterns,
}

struct Patterns {
    boundary: Regex,
    escape: Regex,
    jwt: Regex,
    private_key: Regex,
    card: Vec<Regex>,
    issuer: Regex,
    iban: Regex,
    ssn: Regex,
    named_ssn: Regex,
    discord: Regex,
    telegram: Regex,
    sendgrid: Regex,
    aws: Regex,
    url: Regex,
    bearer: Regex,
    name: Regex,
    separator: Regex,
    sensitive: Regex,
    weak: Regex,
    exempt: Regex,
    part: Regex,
    placeholder: Regex,
    next_pair: Regex,
    scheme: Regex,
    crumb: Regex,
    attribute: Regex,
    email: Regex,
    international: Regex,
    american: Regex,
}

thread_local! {
    /// Patterns are compiled once for each thread: there are many, and many texts.
    static COMPILED: RefCell<HashMap<String, Regex>> = RefCell::new(HashMap::new());
}

fn regex(pattern: &str) -> Regex {
    let compile = || Regex::new(&format!("(?s-u){pattern}")).unwrap();
    COMPILED.with_borrow_mut(|compiled| compiled.entry(pattern.to_owned()).or_insert_with(compile).clone())
}

impl Oracle {
    pub(crate) fn new() -> Self {
        Self { tokens: token_patterns(), patterns: Patterns::new() }
    }

    /// All matches with every type on: candidates that overlap are joined.
    pub(crate) fn find(&self, text: &[u8]) -> Vec<Span> {
        let mut candidates = Vec::new();
        self.tokens(text, &mut candidates);
        self.keys(text, &mut candidates);
        self.numbers(text, &mut candidates);
        self.personal(text, &mut candidates);
        self.pairs(text, &mut candidates);
        self.headers(text, &mut candidates);
        self.cookies(text, &mut candidates);
        candidates.retain(|(start, end, _)| start < end);
        join(candidates)
    }

    fn begins(&self, text: &[u8], at: usize) -> bool {
        at == 0 || self.patterns.boundary.is_match(&text[at.saturating_sub(6)..at])
    }

    /// Every match of a pattern at every place, overlapping ones included.
    fn everywhere<'t>(&self, pattern: &'t Regex, text: &'t [u8]) -> impl Iterator<Item = Groups> + 't {
        let mut at = 0;
        std::iter::from_fn(move || {
            let found = pattern.captures_at(text, at)?;
            let group = |index: usize| found.get(index).map(|group| (group.start(), group.end()));
            at = found.get(0)?.start() + 1;
            Some(Groups([group(0), group(1), group(2)]))
        })
    }

    fn tokens(&self, text: &[u8], found: &mut Vec<Span>) {
        let mut here = Vec::new();
        for (pattern, kept) in &self.tokens {
            for groups in self.everywhere(pattern, text) {
                let (start, mut end) = groups.at(0);
                while end > start && text[end - 1] == b'.' {
                    end -= 1;
                }
                let is_whole =
                    pattern.captures(&text[start..end]).is_some_and(|whole| whole[0].len() == end - start);

                if is_whole && alone_behind(text, end) && (*kept > 0 || self.begins(text, start)) {
                    here.push((start + kept, end, ApiKey, start));
                }
            }
        }
        here.sort_by_key(|(.., start)| *start);
        let mut resume = 0;
        for (start, end, entity, from) in here {
            if from >= resume {
                found.push((start, end, entity));
                resume = end;
            }
        }
        for groups in self.everywhere(&self.patterns.sendgrid, text) {
            let (start, end) = groups.at(0);
            if self.begins(text, start) {
                found.push((start, end, ApiKey));
            }
        }
        for groups in self.everywhere(&self.patterns.telegram, text) {
            let (start, end) = groups.at(0);
            if self.numbers_begin(text).contains(&start) {
                found.push((start, end, ApiKey));
            }
        }
        for groups in self.everywhere(&self.patterns.discord, text) {
            let (start, end) = groups.at(0);
            if self.begins(text, start) {
                found.push((start, end, ApiKey));
            }
        }
    }

    fn keys(&self, text: &[u8], found: &mut Vec<Span>) {
        let patterns = &self.patterns;
        let mut resume = 0;
        for groups in self.everywhere(&patterns.jwt, text) {
            let (start, end) = groups.at(0);
            if start >= resume && self.begins(text, start) {
                found.push((start, end, Jwt));
                resume = end;
            }
        }
        for groups in self.everywhere(&patterns.private_key, text) {
            let (start, body) = groups.at(0);
            found.push((start, private_key_end(text, body), PrivateKey));
        }
        for groups in self.everywhere(&patterns.aws, text) {
            let (start, _) = groups.at(0);
            let (key, end) = groups.at(2);
            let (_, named) = groups.at(1);
            let is_id =
                text[start].is_ascii_uppercase() && matches!(text[start..].get(..4), Some(b"AKIA" | b"ASIA"));
            let whole = !text.get(end).is_some_and(|byte| is_aws(*byte)) && mixed(&text[key..end]);
            let bounded = !is_id || (self.begins(text, start) && alone_behind(text, named));
            let near = key - named <= 48 && !is_aws(text[key - 1]) || key == named;
            if whole && bounded && near && !mask_behind(text, end) {
                found.push((key, end, ApiKey));
            }
        }
        for groups in self.everywhere(&patterns.url, text) {
            let (start, end) = groups.at(1);
            let holds_mask = regex(r"\*\*\*|_REDACTED>").is_match(&text[start..end]);
            if !holds_mask && !self.is_placeholder(&text[start..end]) {
                found.push((start, end, Password));
            }
        }
        for groups in self.everywhere(&patterns.bearer, text) {
            let ((at, _), (start, mut end)) = (groups.at(0), groups.at(1));
            while end > start && text[end - 1] == b'.' {
                end -= 1;
            }
            let credential = &text[start..end];
            if self.begins(text, at) && credential.len() >= 16 && credential.iter().any(u8::is_ascii_digit) {
                found.push((start, end, Authorization));
            }
        }
    }

    fn numbers(&self, text: &[u8], found: &mut Vec<Span>) {
        let patterns = &self.patterns;
        for start in self.numbers_begin(text) {
            let cards = patterns
                .card
                .iter()
                .filter_map(|card| card.find(&text[start..]))
                .map(|card| start + card.end());
            let valid = |end: &usize| self.is_card(text, start, *end);
            if let Some(end) = cards.filter(valid).max() {
                found.push((start, end, CreditCard));
            }
        }
        for groups in self.everywhere(&patterns.iban, text) {
            let (start, end) = groups.at(0);
            for end in start + 15..=end {
                if self.is_iban(text, start, end) {
                    found.push((start, end, Iban));
                }
            }
        }
        for groups in self.everywhere(&patterns.ssn, text) {
            let (start, end) = groups.at(0);
            if self.is_ssn(text, start, end) {
                found.push((start, end, Ssn));
            }
        }
        for groups in self.everywhere(&patterns.named_ssn, text) {
            let ((at, _), (start, end)) = (groups.at(0), groups.at(2));
            let name_begins = at == 0 || !text[at - 1].is_ascii_alphabetic() || self.begins(text, at);
            if name_begins && self.is_ssn(text, start, end) {
                found.push((start, end, Ssn));
            }
        }
    }

    /// Where runs of digits begin: behind another byte, or behind an escape sequence.
    fn numbers_begin(&self, text: &[u8]) -> Vec<usize> {
        let inside = |at: usize| at > 0 && text[at - 1].is_ascii_digit();
        let escaped = |at: usize| {
            regex(r"(?:%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})\z").is_match(&text[at.saturating_sub(6)..at])
        };
        (0..text.len()).filter(|at| text[*at].is_ascii_digit() && (!inside(*at) || escaped(*at))).collect()
    }

    fn is_card(&self, text: &[u8], start: usize, end: usize) -> bool {
        let digits: Vec<u8> = text[start..end].iter().copied().filter(u8::is_ascii_digit).collect();
        let luhn: u32 = (0..digits.len())
            .map(|index| {
                let digit = u32::from(digits[digits.len() - 1 - index] - b'0');
                if index % 2 == 0 { digit } else { [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][digit as usize] }
            })
            .sum();
        let alone = self.begins(text, start)
            && alone_behind(text, end)
            && !goes_on_before(text, start)
            && !goes_on_behind(text, end);
        alone && luhn.is_multiple_of(10) && self.patterns.issuer.is_match(&digits)
    }

    fn is_iban(&self, text: &[u8], start: usize, end: usize) -> bool {
        let written: Vec<u8> = text[start..end].iter().copied().filter(|byte| *byte != b' ').collect();
        let country = &text[start..start + 2];
        let grouped = written.chunks(4).collect::<Vec<_>>().join(&b' ') == text[start..end];
        let contiguous = written == text[start..end];
        let moved = [&written[4..], &written[..4]].concat();
        let decimal: String =
            moved.iter().map(|byte| (*byte as char).to_digit(36).unwrap_or(0).to_string()).collect();
        let remainder = decimal.bytes().fold(0, |sum, digit| (sum * 10 + u32::from(digit - b'0')) % 97);
        let length = IBAN_LENGTHS.split(' ').find(|entry| entry.as_bytes().starts_with(country));
        length.is_some_and(|entry| entry[2..].parse() == Ok(written.len()))
            && (grouped || contiguous)
            && remainder == 1
            && self.begins(text, start)
            && alone_behind(text, end)
    }

    fn is_ssn(&self, text: &[u8], start: usize, end: usize) -> bool {
        let digits: Vec<u8> = text[start..end].iter().copied().filter(u8::is_ascii_digit).collect();
        let issued = regex("^(?:00[1-9]|0[1-9][0-9]|[1-578][0-9][0-9]|6[0-57-9][0-9]|66[0-57-9])")
            .is_match(&digits)
            && &digits[3..5] != b"00"
            && &digits[5..] != b"0000";
        issued
            && self.begins(text, start)
            && alone_behind(text, end)
            && !goes_on_before(text, start)
            && !goes_on_behind(text, end)
    }

    fn personal(&self, text: &[u8], found: &mut Vec<Span>) {
        let patterns = &self.patterns;
        for (at, _) in text.iter().enumerate().filter(|(_, byte)| **byte == b'@') {
            found.extend(self.email(text, at));
        }
        for groups in self.everywhere(&patterns.international, text) {
            let (start, end) = groups.at(0);
            let digits = text[start..end].iter().filter(|byte| byte.is_ascii_digit()).count();
            let joiners = text[end..].iter().take(2).take_while(|byte| b" .()-".contains(byte)).count();
            let masked = mask_before(text, start) || mask_behind(text, end + joiners);
            let alone = alone_behind(text, end) && self.begins(text, start);
            if (8..=15).contains(&digits) && alone && !masked {
                found.push((start, end, Phone));
            }
        }
        for groups in self.everywhere(&patterns.american, text) {
            let (start, end) = groups.at(0);
            let starts_digits = text[start] == b'(' || self.numbers_begin(text).contains(&start);
            let plus = start > 0 && text[start - 1] == b'+';
            let alone = self.begins(text, start)
                && alone_behind(text, end)
                && !goes_on_before(text, start)
                && !goes_on_behind(text, end);
            if starts_digits
                && !plus
                && alone
                && !(text[start] == b'(' && mask_before(text, start))
                && (text[start + 3] == text[end - 5] || text[start] == b'(')
            {
                found.push((start, end, Phone));
            }
        }
        self.addresses(text, found);
    }

    fn email(&self, text: &[u8], at: usize) -> Option<Span> {
        let run = regex(r"\A@[A-Za-z0-9.-]*").find(&text[at..])?.as_bytes();
        let address = &run[..run.iter().rposition(|byte| !b".-".contains(byte))? + 1];
        let end = at + address.len();
        let run_length = run.len();
        if !self.patterns.email.is_match(address) {
            return None;
        }
        let mut run = at;
        while run > 0 && (text[run - 1].is_ascii_alphanumeric() || b"._%+-".contains(&text[run - 1])) {
            run -= 1;
        }
        if end - at - 1 > 253 || mask_behind(text, at + run_length) {
            return None;
        }
        let run = run.max(at.saturating_sub(64));

        let mut start =
            (run..at).find(|index| text[*index].is_ascii_alphanumeric() && self.begins(text, *index))?;
        if start > 0 && text[start - 1] == b'\\' && b"nrtbf".contains(&text[start]) {
            start += 1;
        }
        (start < at).then_some((start, end, Email))
    }

    fn addresses(&self, text: &[u8], found: &mut Vec<Span>) {
        let parse = |start: usize, end: usize| String::from_utf8_lossy(&text[start..end]).into_owned();
        for start in self.numbers_begin(text) {
            let end = start + regex(r"\A[0-9.]*").find(&text[start..]).unwrap().end();
            let free = (start == 0 || text[start - 1] != b'.') && !mask_behind(text, end);
            let end = if text[end - 1] == b'.' { end - 1 } else { end };

            let valid = parse(start, end).parse::<Ipv4Addr>().is_ok();
            if free && valid && self.begins(text, start) && alone_behind(text, end) {
                found.push((start, end, IpAddress));
            }
        }
        for run in regex(r"[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*").find_iter(text) {
            let first_colon = run.start() + text[run.range()].iter().position(|byte| *byte == b':').unwrap();
            let mut start = first_colon;
            while start > 0 && text[start - 1].is_ascii_hexdigit() {
                start -= 1;
            }
            let tail = regex(r"(?:[^:]:|\.)\z").find(&text[start..run.end()]);
            let end = if tail.is_some() { run.end() - 1 } else { run.end() };
            let valid = parse(start, end).parse::<Ipv6Addr>().is_ok();
            let masked = mask_before(text, start) || mask_behind(text, run.end());
            if valid && !masked && self.begins(text, start) && alone_behind(text, end) {
                found.push((start, end, IpAddress));
            }
        }
    }

    fn pairs(&self, text: &[u8], found: &mut Vec<Span>) {
        let mut resume = 0;
        for name in self.patterns.name.find_iter(text) {
            if name.start() < resume {
                continue;
            }
            let window = name.start().max(name.end().saturating_sub(64));
            let Some(entity) = self.classify(text, window, name.end()) else { continue };
            let Some((start, end)) = self.pair_value(text, name.start(), name.end()) else { continue };
            resume = end.max(start);
            let value = &text[start..end];
            let session =
                text[window..name.end()].to_ascii_lowercase().windows(4).any(|part| part == b"sess");
            let identifier = regex(r"\AA[KS]IA[A-Z0-9]{16}").is_match(value);
            if !self.is_placeholder(value) && !identifier && !(session && value.len() < 8) {
                found.push((start, end, entity));
            }
        }
    }

    /// Splits the name into components and looks at the last of them.
    fn classify(&self, text: &[u8], start: usize, end: usize) -> Option<EntityType> {
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

    fn entity(&self, joined: &[u8], without_escape: &[u8]) -> Option<EntityType> {
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

    fn pair_value(&self, text: &[u8], name: usize, end: usize) -> Option<(usize, usize)> {
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

    fn is_placeholder(&self, value: &[u8]) -> bool {
        let same = |fillers: &[u8]| value.iter().all(|byte| *byte == value[0]) && fillers.contains(&value[0]);
        value.is_empty()
            || self.patterns.placeholder.is_match(value)
            || same(b"-*")
            || (value.len() >= 3 && same(b"xX._?"))
    }

    fn headers(&self, text: &[u8], found: &mut Vec<Span>) {
        let mut resume = 0;
        for name in self.patterns.name.find_iter(text) {
            let named = name.as_bytes().to_ascii_lowercase().ends_with(b"authorization");
            let Some((at, _)) = named.then(|| self.after_separator(text, name.end())).flatten() else {
                continue;
            };
            if name.end() - b"authorization".len() < resume {
                continue;
            }
            let (start, end, quoted) = value(text, at);
            let rest = &text[start..];
            let line = if quoted {
                end
            } else {
                start + regex(r"\A(?:[^\\\n\r]|\\[^nr]|\\\z)*").find(rest).unwrap().end()
            };
            let scheme = self.patterns.scheme.captures(rest);
            let (from, to, next) = match scheme {
                Some(scheme) if scheme.get(1).is_some() => {
                    let from = start + scheme[0].len();
                    let to = if quoted { end } else { from + unquoted_length(&text[from..]) };
                    (from, to, to)
                }
                Some(scheme) if scheme.get(2).is_some() => (start + scheme[0].len(), line, line),
                Some(scheme) => {
                    let from = start + scheme[0].len();
                    let signed = regex("Signature=([0-9A-Fa-f]*)")
                        .captures(text.get(from..line).unwrap_or_default())
                        .map(|signed| signed.get(1).unwrap().range());
                    signed.map_or((line, line, line), |signed| (from + signed.start, from + signed.end, line))
                }
                None => {
                    if (!quoted && prose(text, start, end)) || end - start < 8 {
                        (end, end, end)
                    } else {
                        (start, end, end)
                    }
                }
            };
            resume = next;
            if from < to && !self.is_placeholder(&text[from..to]) {
                found.push((from, to, Authorization));
            }
        }
    }

    /// Where the value behind a header name begins.
    fn after_separator(&self, text: &[u8], end: usize) -> Option<(usize, bool)> {
        let separator = self.patterns.separator.captures(&text[end..])?;
        let mark = separator.get(1)?;
        let behind = &text[end + mark.end()..];
        let refused = matches!(behind.first(), Some(b'=' | b':'))
            || (mark.as_bytes() == b":" && behind.starts_with(b"//"));
        (!refused).then_some((end + separator[0].len(), !separator[2].is_empty()))
    }

    fn cookies(&self, text: &[u8], found: &mut Vec<Span>) {
        let mut resume = 0;
        for name in self.patterns.name.find_iter(text) {
            let spelled = name.as_bytes().to_ascii_lowercase();
            let named = spelled.ends_with(b"cookie") && name.end() - 6 >= resume;
            let Some((at, _)) = named.then(|| self.after_separator(text, name.end())).flatten() else {
                continue;
            };
            let sets = spelled.ends_with(b"set-cookie") || spelled.ends_with(b"set_cookie");
            let (start, end, quoted) = value(text, at);
            let limit = if quoted { end } else { text.len() };
            resume = self.crumbs(text, start, limit, sets, found);
            if quoted {
                resume = limit;
            }
        }
    }

    fn crumbs(&self, text: &[u8], start: usize, limit: usize, sets: bool, found: &mut Vec<Span>) -> usize {
        let mut at = start;
        let mut first = true;
        while let Some(crumb) = text.get(at..limit).and_then(|rest| self.patterns.crumb.captures(rest)) {
            let attribute = sets && !first && self.patterns.attribute.is_match(&crumb[1]);
            first = false;
            let name_end = at + crumb[1].len();
            if attribute {
                at = name_end + regex(r#"\A[^\x00-\x1f;"'\\]*"#).find(&text[name_end..limit]).unwrap().end();
            } else if name_end < limit && text[name_end] == b'=' {
                let (start, mut end, quoted) = value(text, name_end + 1);
                while !quoted && matches!(text.get(end), Some(b'&' | b')' | b']' | b'}')) {
                    end += 1;
                    end += unquoted_length(&text[end..]);
                }
                let end = end.min(limit);
                if start < end && !self.is_placeholder(&text[start..end]) {
                    found.push((start, end, Cookie));
                }
                let closing = regex(r#"\A\\{0,8}["'`]"#).find(&text[end..]).filter(|_| quoted);
                at = (end + closing.map_or(0, |closing| closing.len())).min(limit);
            } else {
                at = name_end;
            }
            let Some(next) = regex(r"\A;[ \t]{0,4}").find(&text[at..limit]) else { break };
            at += next.end();
        }
        at
    }
}

/// The places of a pattern's groups.
struct Groups([Option<(usize, usize)>; 3]);

impl Groups {
    fn at(&self, index: usize) -> (usize, usize) {
        self.0[index].unwrap()
    }
}

/// The value at a place, read byte by byte: start, end, whether in quotes.
fn value(text: &[u8], at: usize) -> (usize, usize, bool) {
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
fn components(name: &[u8]) -> Vec<u8> {
    let split = |name: &[u8], pattern: &str| regex(pattern).replace_all(name, &b"$1.$2"[..]).into_owned();
    let name = split(name, "([A-Z])([A-Z][a-z])");
    let name = split(&name, "([a-z])([A-Z])");
    let name = split(&name, "([0-9])([A-Za-z])").to_ascii_lowercase();
    name.split(|byte| b"._-".contains(byte)).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(&b'.')
}

/// One word, then another that is no name.
fn prose(text: &[u8], start: usize, end: usize) -> bool {
    let word = text[start..end].iter().all(u8::is_ascii_alphabetic);
    let Some((b' ', rest)) = text.get(end..).and_then(|rest| rest.split_first()) else { return false };
    let next = rest.iter().take(32).take_while(|byte| byte.is_ascii_alphabetic()).count();
    word && mask_behind(text, end + 1) || word && next > 0 && !matches!(rest.get(next), Some(b':' | b'='))
}

fn unquoted(byte: u8) -> bool {
    byte > 0x20 && byte != 0x7f && !b"\"'`,;&)]}".contains(&byte)
}

/// Up to a delimiter, or to backslashes before a letter or quote that make an escape sequence.
fn unquoted_length(text: &[u8]) -> usize {
    let escape = regex(r#"\A\\+[nrtu"']"#);
    let ends = |index: &usize| !unquoted(text[*index]) || escape.is_match(&text[*index..]);
    (0..text.len()).find(ends).unwrap_or(text.len())
}

fn private_key_end(text: &[u8], body: usize) -> usize {
    let class = regex(r"\A[A-Za-z0-9 \t\n\r\x0c+/=\\:,.()@-]*").find(&text[body..]).unwrap().as_bytes();
    let length = class.windows(2).position(|pair| pair == b"--").unwrap_or(class.len());
    let end = body + length;
    if let Some(closing) = regex(r"\A-----END [A-Z0-9 ]{0,64}-----").find(&text[end..]) {
        return end + closing.end();
    }
    let kept = class[..length].iter().rposition(|byte| *byte != b'\\' && !byte.is_ascii_whitespace());
    body + kept.map_or(0, |kept| kept + 1)
}

fn alone_behind(text: &[u8], end: usize) -> bool {
    !text.get(end).is_some_and(u8::is_ascii_alphanumeric)
}

fn goes_on_before(text: &[u8], start: usize) -> bool {
    regex(r"(?:[0-9*]|_REDACTED>)[.-]\z").is_match(&text[..start])
}

fn goes_on_behind(text: &[u8], end: usize) -> bool {
    regex(r"\A[.-](?:[0-9*]|<[A-Z_]{0,22}_REDACTED>)").is_match(&text[end..])
}

fn mask_before(text: &[u8], start: usize) -> bool {
    regex(r"(?:\*|_REDACTED>)\z").is_match(&text[..start])
}

fn mask_behind(text: &[u8], end: usize) -> bool {
    regex(r"\A(?:\*|<[A-Z_]{0,22}_REDACTED>)").is_match(text.get(end..).unwrap_or_default())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn is_aws(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'/' || byte == b'+'
}

fn mixed(key: &[u8]) -> bool {
    key.iter().any(u8::is_ascii_uppercase)
        && key.iter().any(u8::is_ascii_lowercase)
        && key.iter().any(u8::is_ascii_digit)
}

fn join(mut candidates: Vec<Span>) -> Vec<Span> {
    candidates.sort_unstable();
    let mut joined: Vec<Span> = Vec::new();
    for (start, end, entity) in candidates {
        match joined.last_mut() {
            Some(last) if start < last.1 => *last = (last.0, last.1.max(end), last.2.min(entity)),
            _ => joined.push((start, end, entity)),
        }
    }
    joined
}

/// The forms of vendors: the pattern, and how many of its first bytes are not part of the secret.
fn token_patterns() -> Vec<(Regex, usize)> {
    let whole = [
        "pal_live_[A-Za-z0-9]{20,}",
        "gh[pousr]_[A-Za-z0-9]{36,}",
        "github_pat_[A-Za-z0-9_-]{36,}",
        "gl(?:pat|rt)-[A-Za-z0-9_.-]{20,}",
        "gl(?:dt|cbt|soat)-[A-Za-z0-9_-]{20,}",
        "glptt-[A-Za-z0-9_-]{40,}",
        "npm_[A-Za-z0-9]{36,}",
        "pypi-AgE[A-Za-z0-9_-]{40,}",
        "rubygems_[a-f0-9]{48}",
        "dckr_[op]at_[A-Za-z0-9_-]{20,}",
        "xox[baprseoc]-[A-Za-z0-9_-]{16,}",
        r"xoxe\.xox[A-Za-z0-9_.-]{16,}",
        "xoxd-[A-Za-z0-9_+/=%-]{16,}",
        "xapp-[A-Za-z0-9_-]{16,}",
        "key-[a-f0-9]{32}",
        "xkeysib-[A-Za-z0-9_-]{64,}",
        "[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
        "whsec_[A-Za-z0-9_+/=%-]{16,}",
        "shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}",
        "sq0csp-[A-Za-z0-9_-]{40,}",
        "sq0atp-[A-Za-z0-9_-]{20,}",
        "AIza[A-Za-z0-9_-]{35,}",
        r"ya29\.[A-Za-z0-9_.-]{20,}",
        "GOCSPX-[A-Za-z0-9_-]{20,}",
        "1//0[A-Za-z0-9_-]{40,}",
        "do[opr]_v1_[a-f0-9]{64}",
        r"hv[sbr]\.[A-Za-z0-9_-]{20,}",
        "dapi[a-f0-9]{32}",
        "glsa_[A-Za-z0-9_-]{32,}",
        "NRAK-[A-Za-z0-9]{27}",
        "sntrys_[A-Za-z0-9_+/=%-]{40,}",
        "ATATT3x[A-Za-z0-9_+/=%-]{100,}",
        "lin_api_[A-Za-z0-9]{40}",
        "hf_[A-Za-z0-9]{30,}",
        "gsk_[A-Za-z0-9]{40,}",
        "SK[a-f0-9]{32}",
    ];
    let kept = [
        ("hooks.slack.com/services/", "[A-Za-z0-9_/-]{20,}"),
        ("hooks.slack.com/workflows/", "[A-Za-z0-9_/-]{20,}"),
        ("hooks.slack.com/triggers/", "[A-Za-z0-9_/-]{20,}"),
        ("discord.com/api/webhooks/", "[A-Za-z0-9_/-]{40,}"),
        ("discordapp.com/api/webhooks/", "[A-Za-z0-9_/-]{40,}"),
        ("sig=", "[A-Za-z0-9_+/=%-]{40,}"),
    ];
    // Sixty-four bytes hold a digit: either within the run, or none counts.
    let digit = (0..64).map(|letters| {
        format!("[A-Za-z_-]{{{letters}}}[0-9][A-Za-z0-9_-]{{{},}}", 19_usize.saturating_sub(letters))
    });
    let digit = digit.collect::<Vec<_>>().join("|");
    let with_digit = format!("(?:sk-|tskey-)(?:{digit})");
    let whole = whole.iter().map(|pattern| (regex(pattern), 0)).chain([(regex(&with_digit), 0)]);
    let kept = kept.iter().map(|(prefix, body)| (regex(&(regex::escape(prefix) + body)), prefix.len()));
    whole.chain(kept).collect()
}

impl Patterns {
    fn new() -> Self {
        let word = "[A-Za-z0-9_-]";
        let card = [
            r"\A[0-9]{13,19}",
            r"\A[0-9]{4}(?: [0-9]{4}){3}",
            r"\A[0-9]{4}(?:-[0-9]{4}){3}",
            r"\A[0-9]{4}(?: [0-9]{4}){3} [0-9]{3}",
            r"\A[0-9]{4}(?:-[0-9]{4}){3}-[0-9]{3}",
            r"\A[0-9]{4} [0-9]{6} [0-9]{5}",
            r"\A[0-9]{4}-[0-9]{6}-[0-9]{5}",
            r"\A[0-9]{4} [0-9]{6} [0-9]{4}",
            r"\A[0-9]{4}-[0-9]{6}-[0-9]{4}",
        ];
        let exempt = "access.key.id|principal.id|user.name|user|user.id|user.arn|arn|account.id|trace.id|span.id|\
            request.id|correlation.id|event.id|token.type|terminal.session.id|logon.id|logon.guid|process.guid";
        Self {
            boundary: regex(r"(?:[^A-Za-z0-9]|\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})\z"),
            escape: regex(r"\A(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})"),
            jwt: regex(&format!(r"eyJ[h0r4ljq6p]{word}{{8,}}\.{word}{{12,}}(?:\.{word}+){{0,3}}")),
            private_key: regex(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"),
            card: card.iter().map(|pattern| regex(pattern)).collect(),
            issuer: regex(
                r"\A(?:4(?:.{12}|.{15}|.{18})|3[47].{13}|5[1-5].{14}|(?:222[1-9]|22[3-9].|2[3-6]..|27[01].|2720).{12}|(?:3[689]..|30[0-5].|3095).{10,15}|(?:352[89]|35[3-8].|6011|220[0-4]|6[25]..|64[4-9].).{12,15}|(?:5018|5020|5038|5893|6304|6759|676[123]).{9,15})\z",
            ),
            iban: regex("[A-Z]{2}[0-9]{2}[A-Z0-9 ]{0,40}"),
            ssn: regex("[0-9]{3}-[0-9]{2}-[0-9]{4}"),
            named_ssn: regex(
                r#"(?i:(ssn|social[ _-]security)(?:[ _-]?(?:number|num|no))?)[ :="'\\#.(]{1,6}([0-9]{9}|[0-9]{3} [0-9]{2} [0-9]{4})"#,
            ),
            discord: regex(&format!(r"[MNO]{word}{{23,27}}\.{word}{{6}}\.{word}{{27,}}")),
            telegram: regex(&format!("[0-9]{{8,10}}:AA{word}{{33,}}")),
            sendgrid: regex(&format!(r"SG\.{word}{{22}}\.{word}{{43,}}")),
            aws: regex(
                r#"((?:AKIA|ASIA)[A-Z0-9]{16}|(?i:secret[ _.-]?(?:access[ _.-]?)?key))(?:[A-Za-z\s:,;="'\\|_.>-]*[\s:,;="'\\|_.>-])?([A-Za-z0-9/+]{40})"#,
            ),
            url: regex(r#"[A-Za-z0-9]://[^\x00-\x20\x7f/?#"'`\\:@]*:([^\x00-\x20\x7f/?#"'`\\]+)@"#),
            bearer: regex("(?i:bearer )([A-Za-z0-9._~+/=-]+)"),
            name: regex("[A-Za-z0-9_.-]+"),
            separator: regex(
                r#"\A(?:\\{0,7}["'`])?(?:\]|%5[Dd])?[ \t]{0,16}(=>|:=|=|:)([ \t]{0,16})(?:\[[ \t]{0,16})?"#,
            ),
            sensitive: regex(
                r"(?:password|passwd|passphrase|passcode|apikey|authkey|secretkey|secretaccesskey|sharedaccesskey|accountkey|privatekey|encryptionkey|signingkey|clientsecret|accesstoken|refreshtoken|authtoken|sessiontoken|securitytoken|bearertoken|sessionid|sessionkey|sessid|secretkeybase)\z",
            ),
            weak: regex(r"\A(?:pwd|secret|token|idtoken|credentials?|amzsignature|googsignature)\z"),
            exempt: regex(&format!(r"(?:\A|\.)(?:{})\z", exempt.replace('.', r"\.?"))),
            part: regex(
                "(?i:pass|pwd|secret|token|credential|sess|private|api[_.-]?key|auth[_-]?key|account[_-]?key|shared_?access|encryption|signing|amz[_-]signature|goog[_-]signature)",
            ),
            placeholder: regex(
                r"\A(?:\*\*\*|<[A-Z_]{0,22}_REDACTED>|\$\{|\$\(|\{\{|%\{|<.*>\z|\$[A-Z][A-Z0-9_]*\z|%[A-Z][A-Z0-9_]*%\z|[\[(<{]?(?i:null|nil|none|undefined|true|false|redacted|filtered|masked|hidden|removed|omitted)[\])>}]?\z)",
            ),
            next_pair: regex(r#"\A[A-Za-z0-9_.-]{1,32}=[^\x00-\x20\x7f"'`,;&)\]}=]"#),
            scheme: regex(
                r"\A(?:((?i:basic|bearer|token|apikey|api-key|key|negotiate|ntlm|kerberos|bot|dpop|ssws|sharedkey|sharedkeylite|genie-key|aws))|((?i:digest|hawk|oauth|mac|signature|scram-sha-1|scram-sha-256))|(?i:aws4-hmac-sha256))[ \t]{1,4}",
            ),
            crumb: regex(r"\A([A-Za-z0-9_.!$%*+~|-]{1,256})"),
            attribute: regex(r"\A(?i:path|domain|expires|max-age|samesite|version|priority|comment|port)\z"),
            email: regex(r"\A@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}\z"),
            international: regex(r"\+[0-9](?:[ .()-]{0,2}[0-9])*"),
            american: regex(
                r"(?:\([2-9][0-9]{2}\) ?[2-9][0-9]{2}-[0-9]{4}|[2-9][0-9]{2}[.-][2-9][0-9]{2}[.-][0-9]{4})",
            ),
        }
    }
}

const IBAN_LENGTHS: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 \
    DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 \
    JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 \
    PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 \
    XK20 YE30";
