//! Bytes to text: the character set by byte order mark, declaration of the sender, declaration in the page.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Bytes of a page in which its own declaration is looked for (HTML standard, "prescan a byte stream").
const DECLARED_WITHIN: usize = 1024;

/// Text of a page, and the name of its character set. Bytes that are no character become U+FFFD.
pub(crate) fn decode<'a>(content: &'a [u8], declared: Option<&str>) -> (Cow<'a, str>, &'static str) {
    decoded(content, declared.and_then(named).or_else(|| in_page(content)))
}

/// Text of a file without form, in the character set of its byte order mark, else the declared one, else UTF-8 where it is valid, else
/// Windows-1252. Bytes that are no character become U+FFFD.
#[must_use]
pub fn decode_text<'a>(content: &'a [u8], declared: Option<&str>) -> Cow<'a, str> {
    decoded(content, declared.and_then(named)).0
}

/// A character set by its label. Sets that browsers refuse stand for one U+FFFD in place of a whole page (Encoding standard,
/// "replacement"); other programs read the text, so that they count as no declaration.
fn named(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label.trim().as_bytes())
}

fn decoded<'a>(content: &'a [u8], known: Option<&'static Encoding>) -> (Cow<'a, str>, &'static str) {
    if let Some((encoding, mark)) = Encoding::for_bom(content) {
        let (text, _) = encoding.decode_without_bom_handling(content.get(mark..).unwrap_or_default());
        return (text, encoding.name());
    }
    // Line ends and Latin letters in UTF-16 have a zero byte: without one, a program that ignores the declaration reads another text.
    let is_wide = |encoding: &Encoding| encoding == UTF_16BE || encoding == UTF_16LE;
    let encoding = known
        .filter(|encoding| !is_wide(encoding) || content.contains(&0))
        // Without a declaration browsers guess; a text that is valid UTF-8 is hardly ever something else.
        .unwrap_or_else(|| if std::str::from_utf8(content).is_ok() { UTF_8 } else { WINDOWS_1252 });
    let (text, _) = encoding.decode_without_bom_handling(content);
    (text, encoding.name())
}

/// The character set of a header such as `text/html; charset=utf-8`.
#[must_use]
pub fn of_content_type(header: &str) -> Option<&str> {
    let (_, rest) = split_ignoring_case(header, "charset")?;
    let value = rest.trim_start().strip_prefix('=')?.trim_start();
    let value = match value.as_bytes().first() {
        Some(quote @ (b'"' | b'\'')) => value.get(1..)?.split(char::from(*quote)).next()?,
        _ => value.split(|sign: char| sign.is_whitespace() || matches!(sign, ';' | '"' | '\'')).next()?,
    };
    (!value.is_empty()).then_some(value)
}

fn split_ignoring_case<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let at =
        text.as_bytes().windows(word.len()).position(|part| part.eq_ignore_ascii_case(word.as_bytes()))?;
    Some((text.get(..at)?, text.get(at + word.len()..)?))
}

/// The declaration of a page in a `meta` element. A page that can be read so far is not in UTF-16, whatever it says.
fn in_page(content: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(content.get(..DECLARED_WITHIN).unwrap_or(content));
    let mut rest = start.as_ref();
    while let Some((_, after)) = split_ignoring_case(rest, "<meta") {
        let (tag, next) = after.split_once('>').unwrap_or((after, ""));
        if let Some(encoding) = of_content_type(tag).and_then(named) {
            return Some(if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding });
        }
        rest = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_precedes_the_header_and_the_header_the_page() {
        assert_eq!(decode(b"\xef\xbb\xbfa", Some("latin1")), ("a".into(), "UTF-8"));
        assert_eq!(decode(b"\xff\xfea\0", None), ("a".into(), "UTF-16LE"));
        let page = b"<meta charset=koi8-r>\xc1";
        assert_eq!(decode(page, None), ("<meta charset=koi8-r>\u{430}".into(), "KOI8-R"));
        assert_eq!(decode(page, Some("windows-1252")).1, "windows-1252");
        let old = b"<META http-equiv=content-type content='text/html; CHARSET=shift_jis'>";
        assert_eq!(decode(old, None).1, "Shift_JIS");
        assert_eq!(decode(b"<meta charset=utf-16>", None).1, "UTF-8");
        assert_eq!(decode("grün".as_bytes(), None), ("grün".into(), "UTF-8"));
        assert_eq!(decode(b"gr\xfcn", None), ("grün".into(), "windows-1252"));
    }

    #[test]
    fn a_declaration_that_other_programs_ignore_hides_no_text() {
        let page = b"<meta charset=hz-gb-2312><p>Pay now";
        assert_eq!(decode(page, None).0, "<meta charset=hz-gb-2312><p>Pay now");
        assert_eq!(decode(b"Pay now", Some("iso-2022-kr")).0, "Pay now");
        assert_eq!(decode_text(b"Pay now", Some("utf-16le")), "Pay now");
        assert_eq!(decode_text(b"P\0a\0y\0", Some("utf-16le")), "Pay");
        assert_eq!(decode_text(b"\xfe\xff\0P\0a\0y", None), "Pay");
        assert_eq!(decode_text(b"gr\xfcn", None), "gr\u{fc}n");
    }

    #[test]
    fn the_character_set_of_a_header_is_found() {
        for (header, expected) in [
            ("text/html; charset=UTF-8", Some("UTF-8")),
            ("text/html;Charset = \"koi8-r\"; x=y", Some("koi8-r")),
            ("text/html; charset='a b'", Some("a b")),
            ("text/html; charset=", None),
            ("text/html", None),
        ] {
            assert_eq!(of_content_type(header), expected, "{header}");
        }
    }
}
