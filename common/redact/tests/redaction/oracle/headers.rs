//! Authorization and cookies.

use redact::EntityType::{Authorization, Cookie};

use super::pairs::{prose, unquoted_length, value};
use super::{Oracle, Span, regex};

impl Oracle {
    pub(super) fn headers(&self, text: &[u8], found: &mut Vec<Span>) {
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

    /// Start of the value behind a header name.
    pub(super) fn after_separator(&self, text: &[u8], end: usize) -> Option<(usize, bool)> {
        let separator = self.patterns.separator.captures(&text[end..])?;
        let mark = separator.get(1)?;
        let behind = &text[end + mark.end()..];
        let refused = matches!(behind.first(), Some(b'=' | b':'))
            || (mark.as_bytes() == b":" && behind.starts_with(b"//"));
        (!refused).then_some((end + separator[0].len(), !separator[2].is_empty()))
    }

    pub(super) fn cookies(&self, text: &[u8], found: &mut Vec<Span>) {
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

    pub(super) fn crumbs(
        &self,
        text: &[u8],
        start: usize,
        limit: usize,
        sets: bool,
        found: &mut Vec<Span>,
    ) -> usize {
        let mut at = start;
        let mut first = true;
        while let Some(crumb) = text.get(at..limit).and_then(|rest| self.patterns.crumb.captures(rest)) {
            if crumb[1].windows(3).any(|bytes| bytes == b"***") {
                break;
            }
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
