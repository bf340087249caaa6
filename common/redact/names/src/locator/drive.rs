//! Paths with a drive letter, and of shares of a server.

use super::{ends_word, is_closing};

/// Words after a blank in a path with a drive letter among which its next separator is looked for: directories of people
/// have two or three words.
const REACH: usize = 3;
/// The longest path with a drive letter, in bytes, so that no name far behind one stays readable: longer ones end there.
/// Linux allows 4,096 bytes, Windows 260 characters by default.
pub(super) const LONGEST_PATH: usize = 4096;

/// Whether a path with a drive letter or a share of a server begins here.
pub(super) fn is_drive(chunk: &str) -> bool {
    match chunk.as_bytes() {
        [drive, b':', b'\\' | b'/', ..] => drive.is_ascii_alphabetic(),
        [b'\\', b'\\', next, ..] => next.is_ascii_alphanumeric(),
        _ => false,
    }
}

/// End of such a path, whose directories may have blanks: `C:\Users\Ana Pereira\letter.pdf`. `end` is that of its first
/// word. No word that begins behind the longest path is added.
pub(super) fn drive_end(text: &str, start: usize, end: usize) -> usize {
    let first = text.get(start..end).unwrap_or_default();
    // The first two signs of a share are such a pair in any notation.
    let is_escaped = first.get(2..).is_some_and(|rest| rest.contains("\\\\"));
    let mut reached = end;
    while reached - start < LONGEST_PATH {
        let name =
            text.get(start..reached).and_then(|path| path.rsplit(['\\', '/']).next()).unwrap_or_default();
        match next_part(text, reached, name, is_escaped) {
            Some(next) => reached = next,
            None => break,
        }
    }
    reached
}

/// End of the word with the next separator of a path that is read up to `at`. `name` is its last part, which the words
/// before that separator continue. At most [`REACH`] words are read, none beyond the end of the line.
fn next_part(text: &str, at: usize, name: &str, is_escaped: bool) -> Option<usize> {
    let (mut at, mut before) = (at, name);
    for _ in 0..REACH {
        let rest = text.get(at..)?.strip_prefix(' ').filter(|_| !ends_path(before))?;
        let length = rest.find(ends_word).unwrap_or(rest.len());
        let part = rest.get(..length).filter(|part| !part.is_empty() && !is_drive(part))?;
        at += 1 + length;
        if let Some((_, behind)) = part.split_once('\\') {
            let quoted = behind.is_empty() && text.get(at..).is_some_and(|rest| rest.starts_with('"'));
            return (!quoted && is_separator(behind, is_escaped)).then_some(at);
        }
        before = part;
    }
    None
}

/// Whether a word ends a path: nothing, a word with a sign of the sentence, or the name of a file with an extension.
fn ends_path(word: &str) -> bool {
    let extension = word.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
    });
    extension || word.is_empty() || word.ends_with(is_closing)
}

/// Whether a `\` before this text separates directories. It is an escape such as `\n` where the separators of the path are
/// escaped themselves, or where no small letter follows: `\nBob` is the end of a line, `\notes` may be a file.
fn is_separator(behind: &str, is_escaped: bool) -> bool {
    if is_escaped {
        return behind.starts_with('\\');
    }
    match behind.strip_prefix(['n', 't', 'r']) {
        Some(rest) => rest.starts_with(|letter: char| letter.is_lowercase()),
        None => !behind.starts_with(['\'', '/']),
    }
}

#[cfg(test)]
mod tests {
    use super::super::locators;
    use super::LONGEST_PATH;

    #[test]
    fn paths_with_a_drive_go_on_behind_a_blank_within_a_directory_only() {
        for (text, whole) in [
            ("C:\\Users\\Ana Maria de Lima\\x Pereira", "C:\\Users\\Ana Maria de Lima\\x"),
            ("C:\\Users\\Ana Pereira\\notes.txt", "C:\\Users\\Ana Pereira\\notes.txt"),
            ("C:\\\\Users\\\\Ana Pereira\\\\notes.txt", "C:\\\\Users\\\\Ana Pereira\\\\notes.txt"),
            ("C:\\\\tmp Ana Pereira\\nbob", "C:\\\\tmp"),
            ("C:\\tmp\\a.txt Ana Pereira\\nBob said", "C:\\tmp\\a.txt"),
            ("C:\\tmp\\a.txt Ana Pereira\\Bob", "C:\\tmp\\a.txt"),
            ("C:\\tmp report.txt Ana\\Bob", "C:\\tmp"),
            ("C:\\tmp Ana Pereira\\nBob said", "C:\\tmp"),
            ("C:\\tmp Ana Pereira\\t2", "C:\\tmp"),
            ("C:\\tmp Ana Pereira\\r\\n", "C:\\tmp"),
            ("C:\\tmp Ana Pereira\\\" said", "C:\\tmp"),
            ("C:\\tmp, Ana Pereira\\x", "C:\\tmp"),
            ("C:\\tmp\nAna Pereira\\x", "C:\\tmp"),
            ("C:\\tmp  Ana\\x", "C:\\tmp"),
            ("C:\\My Files\\ Ana Pereira\\x", "C:\\My Files\\"),
            ("C:\\a one two three four\\x", "C:\\a"),
        ] {
            let paths: Vec<&str> = locators(text).into_iter().map(|path| &text[path.range]).collect();
            assert_eq!(paths, [whole], "{text}");
        }
        let long = format!("C:\\{}Ana Pereira", "b c\\".repeat(LONGEST_PATH));
        assert_eq!(locators(&long).first().map(|path| path.range.len()), Some(LONGEST_PATH));
    }
}
