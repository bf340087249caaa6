//! Cards, bank accounts, social security numbers, mail, telephones and addresses.

use std::net::{Ipv4Addr, Ipv6Addr};

use redact::EntityType::{CreditCard, Email, Iban, IpAddress, Phone, Ssn};

use super::{Oracle, Span, alone_behind, goes_on_before, goes_on_behind, mask_before, mask_behind, regex};

impl Oracle {
    pub(super) fn numbers(&self, text: &[u8], found: &mut Vec<Span>) {
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

    /// Starts of runs of digits: behind another byte, or behind an escape sequence.
    pub(super) fn numbers_begin(&self, text: &[u8]) -> Vec<usize> {
        let inside = |at: usize| at > 0 && text[at - 1].is_ascii_digit();
        let escaped = |at: usize| {
            regex(r"(?:%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})\z").is_match(&text[at.saturating_sub(6)..at])
        };
        (0..text.len()).filter(|at| text[*at].is_ascii_digit() && (!inside(*at) || escaped(*at))).collect()
    }

    pub(super) fn is_card(&self, text: &[u8], start: usize, end: usize) -> bool {
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

    pub(super) fn is_iban(&self, text: &[u8], start: usize, end: usize) -> bool {
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

    pub(super) fn is_ssn(&self, text: &[u8], start: usize, end: usize) -> bool {
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

    pub(super) fn personal(&self, text: &[u8], found: &mut Vec<Span>) {
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
            // Digits behind a plus sign are an international number, or none; a bracket there is a bracket.
            let plus = start > 0 && text[start - 1] == b'+' && text[start] != b'(';
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

    pub(super) fn email(&self, text: &[u8], at: usize) -> Option<Span> {
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

    pub(super) fn addresses(&self, text: &[u8], found: &mut Vec<Span>) {
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
            if valid
                && &text[start..end] != b"::"
                && !masked
                && self.begins(text, start)
                && alone_behind(text, end)
            {
                found.push((start, end, IpAddress));
            }
        }
    }
}

const IBAN_LENGTHS: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 \
    DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 \
    JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 \
    PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 \
    XK20 YE30";
