//! The prefix a container runtime puts before each line it writes to a file (the CRI log format):
//! time, stream, whether the line is whole, then the line.

use std::borrow::Cow;

use super::split;

/// The line as the container wrote it. Text without such a prefix is returned as it is.
pub(super) fn line<'a>(text: &Cow<'a, str>) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(without_prefix(text)),
        Cow::Owned(text) => Cow::Owned(without_prefix(text).to_owned()),
    }
}

fn without_prefix(text: &str) -> &str {
    after_prefix(text).unwrap_or(text)
}

fn after_prefix(text: &str) -> Option<&str> {
    if !text.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let (time, rest) = split::at_byte(text, b' ')?;
    let rest = rest.strip_prefix("stdout ").or_else(|| rest.strip_prefix("stderr "))?;
    // Tags may follow the first, behind a colon.
    let (tags, line) = split::at_byte(rest, b' ')?;
    let is_tagged = matches!(tags.as_bytes(), [b'F' | b'P'] | [b'F' | b'P', b':', ..]);
    if !is_tagged {
        return None;
    }
    time.contains('T').then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_off_the_prefix_and_nothing_else() {
        for (text, line) in [
            ("2026-07-08T09:10:11.012345678Z stdout F GET / 200", "GET / 200"),
            ("2026-07-08T09:10:11.012+02:00 stderr P half a li", "half a li"),
            ("2026-07-08T09:10:11Z stdout F:x a line", "a line"),
            ("today stdout F line", "today stdout F line"),
            ("2026-07-08T09:10:11Z stdout line", "2026-07-08T09:10:11Z stdout line"),
            ("", ""),
        ] {
            assert_eq!(without_prefix(text), line);
        }
    }
}
