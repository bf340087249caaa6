//! Addresses of files (RFC 3986) as paths.

/// An address, by its form.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// Absolute path of a file on the machine of the tool, with a leading `/` except before the letter of a drive.
    File(String),
    /// Path relative to a base.
    Relative(String),
    /// Address with another scheme, unchanged.
    Other(String),
}

/// Most bytes of an address that are read: enough for `Limits::NAME` characters, each of four bytes in percent encoding.
const MAX_BYTES: usize = 12 * crate::Limits::NAME;

impl Address {
    /// Reads an address. Windows paths are accepted in place of addresses, since tools write them.
    pub(super) fn read(uri: &str) -> Self {
        let uri = uri.trim();
        let uri = &uri[..uri.floor_char_boundary(MAX_BYTES)];
        if let Some((scheme, rest)) = scheme(uri) {
            if !scheme.eq_ignore_ascii_case("file") {
                return Self::Other(uri.to_owned());
            }
            // The host of a file is of no use elsewhere.
            let path =
                rest.strip_prefix("//").map_or(rest, |rest| &rest[rest.find('/').unwrap_or(rest.len())..]);
            let path = decode(path).replace('\\', "/");
            let path = path.strip_prefix('/').filter(|path| has_drive(path)).unwrap_or(&path);
            return Self::File(path.to_owned());
        }
        let path = decode(uri).replace('\\', "/");
        if is_absolute(&path) { Self::File(path) } else { Self::Relative(path) }
    }
}

/// The scheme and the text behind its colon. A single letter is a drive.
fn scheme(uri: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = uri.split_once(':')?;
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then_some((scheme, rest))
}

/// A normalized absolute path: with a leading `/`, except before the letter of a drive, which is written large, since tools
/// write it in either case.
pub(super) fn absolute(path: &str) -> String {
    let mut normal = normalize(path);
    if path.starts_with('/') {
        normal.insert(0, '/');
    } else if has_drive(&normal) {
        normal[..1].make_ascii_uppercase();
    }
    normal
}

/// Whether a path is absolute, on Unix or Windows.
pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || has_drive(path)
}

fn has_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':'
}

/// Decodes percent encoding. Control characters stay encoded, since a path is shown on one line; so does a text that would not
/// be UTF-8.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let decoded = match rest {
            [b'%', high, low, ..] => hex(*high).zip(hex(*low)).map(|(high, low)| high * 16 + low),
            _ => None,
        };
        match decoded.filter(|byte| !byte.is_ascii_control()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[3..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// A path without `.`, `..` and empty segments. `..` at the root is dropped, so that no path leaves it.
pub(super) fn normalize(path: &str) -> String {
    let mut segments = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            segment => segments.push(segment),
        }
    }
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::{Address, MAX_BYTES, normalize};

    #[test]
    fn addresses_are_told_apart_by_their_form() {
        let file = |path: &str| Address::File(path.to_owned());
        let relative = |path: &str| Address::Relative(path.to_owned());
        assert_eq!(Address::read("file:///src/a.py"), file("/src/a.py"));
        assert_eq!(Address::read("FILE://host/src/a.py"), file("/src/a.py"));
        assert_eq!(Address::read("file:///C:/src/a.cs"), file("C:/src/a.cs"));
        assert_eq!(Address::read("C:\\src\\a.cs"), file("C:/src/a.cs"));
        assert_eq!(Address::read("/src/a.py"), file("/src/a.py"));
        assert_eq!(Address::read("src\\a.py"), relative("src/a.py"));
        let page = "https://shop.example/a%20b?c=../d";
        assert_eq!(Address::read(page), Address::Other(page.to_owned()));
    }

    #[test]
    fn percent_encoding_is_decoded_except_for_control_characters_and_broken_text() {
        let decoded = |uri: &str| match Address::read(uri) {
            Address::Relative(path) => path,
            other => panic!("{other:?}"),
        };
        assert_eq!(decoded("a%20b/%C3%BC%2fc.py"), "a b/ü/c.py");
        assert_eq!(decoded("a%0Ab%00"), "a%0Ab%00");
        assert_eq!(decoded("100%.py%2"), "100%.py%2");
        assert_eq!(decoded("a%FFb%20"), "a%FFb%20");
    }

    #[test]
    fn paths_do_not_leave_the_root() {
        assert_eq!(normalize("./a//b/../c.py"), "a/c.py");
        assert_eq!(normalize("../../etc/passwd"), "etc/passwd");
        assert_eq!(normalize("a/../.."), "");
    }

    #[test]
    fn a_long_address_is_read_to_its_bound() {
        let long = "ü".repeat(MAX_BYTES);
        assert_eq!(Address::read(&long), Address::Relative("ü".repeat(MAX_BYTES / 2)));
    }
}
