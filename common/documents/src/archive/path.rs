//! Paths of entries.

/// A path within the archive, with `/` between its parts; `None` if it is absolute, leaves the folder or has no name.
pub(super) fn within(raw: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(raw);
    let is_drive =
        text.as_bytes().get(1) == Some(&b':') && text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    if text.starts_with(['/', '\\']) || is_drive || text.contains('\0') {
        return None;
    }
    let mut parts = Vec::new();
    for part in text.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => return None,
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// Name of the file in gzip data (RFC 1952), or a word for it.
pub(super) fn of_gzip(content: &[u8]) -> String {
    const HAS_EXTRA: u8 = 4;
    const HAS_NAME: u8 = 8;
    let flags = content.get(3).copied().unwrap_or_default();
    let mut at = 10;
    if flags & HAS_EXTRA != 0 {
        let length =
            content.get(10..12).map_or(0, |bytes| usize::from(bytes[0]) | usize::from(bytes[1]) << 8);
        at += 2 + length;
    }
    let name = content
        .get(at..)
        .filter(|_| flags & HAS_NAME != 0)
        .and_then(|rest| rest.split(|byte| *byte == 0).next());
    name.and_then(|name| within(name.get(..255).unwrap_or(name))).unwrap_or_else(|| "content".to_owned())
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn paths_stay_in_the_folder() {
        for (raw, expected) in [
            ("a/b.txt", Some("a/b.txt")),
            ("./a//b/./c", Some("a/b/c")),
            ("a\\b", Some("a/b")),
            ("a/..b", Some("a/..b")),
            ("/etc/passwd", None),
            ("\\\\host\\share", None),
            ("C:\\x", None),
            ("c:x", None),
            ("a/../../x", None),
            ("a\\..\\x", None),
            ("a\0b", None),
            ("./", None),
            ("", None),
        ] {
            assert_eq!(within(raw.as_bytes()).as_deref(), expected, "{raw:?}");
        }
    }
}
