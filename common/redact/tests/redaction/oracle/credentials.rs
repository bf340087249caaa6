//! Tokens of vendors, AWS keys, JSON Web Tokens, private keys, URLs.

use redact::EntityType::{ApiKey, Authorization, Jwt, Password, PrivateKey};

use super::{Oracle, Span, alone_behind, mask_behind, regex};

impl Oracle {
    pub(super) fn tokens(&self, text: &[u8], found: &mut Vec<Span>) {
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
            let begins = self.begins(text, start) || text[..start].ends_with(b"bot");
            if begins && self.numbers_begin(text).contains(&start) {
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

    pub(super) fn keys(&self, text: &[u8], found: &mut Vec<Span>) {
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

fn is_aws(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'/' || byte == b'+'
}

fn mixed(key: &[u8]) -> bool {
    key.iter().any(u8::is_ascii_uppercase)
        && key.iter().any(u8::is_ascii_lowercase)
        && key.iter().any(u8::is_ascii_digit)
}
