//! Addresses, names and redirections as attributes write them.

use super::super::Refresh;

/// Bytes of an address or name at most.
const MOST_ADDRESS_BYTES: usize = 8 << 10;
const MOST_NAME_BYTES: usize = 256;

/// An address as browsers read it: without control characters, and without spaces around it.
pub(super) fn address(text: &str) -> String {
    let text = text.trim_matches(|sign: char| sign <= ' ');
    let kept: String = text.chars().filter(|sign| !matches!(sign, '\t' | '\n' | '\r')).collect();
    cut(&kept, MOST_ADDRESS_BYTES)
}

pub(super) fn name_of(text: &str) -> String {
    cut(text, MOST_NAME_BYTES)
}

pub(super) fn cut(text: &str, most: usize) -> String {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default().to_owned()
}

/// `5; url=https://…` in the forms that browsers accept.
pub(super) fn refresh(content: &str) -> Option<Refresh> {
    let content = content.trim_start();
    let digits = content.len() - content.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
    let seconds = content.get(..digits)?;
    if seconds.is_empty() && !content.starts_with('.') {
        return None;
    }
    let rest = content.get(digits..)?.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
    let rest = rest.trim_start_matches([';', ',', ' ', '\t', '\n']);
    let target = match rest.get(..3) {
        Some(word) if word.eq_ignore_ascii_case("url") => {
            rest.get(3..)?.trim_start().strip_prefix('=').map_or(rest, str::trim_start)
        }
        _ => rest,
    };
    let target = match target.chars().next() {
        Some(quote @ ('"' | '\'')) => target.get(1..)?.split(quote).next()?,
        _ => target,
    };
    Some(Refresh { seconds: seconds.parse().unwrap_or_default(), target: address(target) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirection_is_read_in_every_notation() {
        for (content, seconds, target) in [
            ("0;url=https://a.test/", 0, "https://a.test/"),
            ("5; URL='/b'", 5, "/b"),
            (" 1 , url = \"c\" d", 1, "c"),
            ("0.5;https://d.test", 0, "https://d.test"),
            ("30", 30, ""),
        ] {
            assert_eq!(refresh(content), Some(Refresh { seconds, target: target.to_owned() }), "{content}");
        }
        assert_eq!(refresh("url=x"), None);
    }
}
