//! Locators: e-mail addresses, URLs, domains, handles and paths of files. Each is one unit, of which no part is a name.

mod drive;

use std::ops::Range;

use redact::identifiers::urls;

use crate::token::is_unspaced;
use drive::{LONGEST_PATH, drive_end, is_drive};

/// Top-level domains that a domain in capitals may have. Others are read as such only in small letters, because a missing
/// blank behind a full stop looks alike: `met Ana.It was late`.
const TOP: &[&str] = &[
    "app", "biz", "cloud", "com", "dev", "edu", "example", "gov", "info", "int", "internal", "invalid", "io",
    "local", "mil", "net", "online", "org", "shop", "site", "test", "xyz",
];

/// A part of a text that is one unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Locator {
    pub(crate) range: Range<usize>,
    /// Whether it is a domain alone, which may be the name of an organization: `Amazon.com`.
    pub(crate) is_domain: bool,
}

/// All locators, sorted and apart. URLs are those of the catalogue. Every word is read a fixed number of times: linear.
pub(crate) fn locators(text: &str) -> Vec<Locator> {
    let mut found: Vec<Locator> = Vec::new();
    let mut urls = urls(text).into_iter().peekable();
    let mut at = 0;
    while at < text.len() {
        let (start, end) = word(text, at, ends_word);
        // URLs within a path are a part of it.
        while urls.next_if(|url| url.start < start).is_some() {}
        if is_drive(text.get(start..end).unwrap_or_default()) {
            at = drive_end(text, start, end);
            // The rest of a longer path is not searched: each word is read once.
            push(&mut found, text, start..at.min(text.floor_char_boundary(start + LONGEST_PATH)));
            continue;
        }
        at = start;
        while let Some(url) = urls.next_if(|url| url.start < end) {
            pieces(text, at..url.start, &mut found);
            at = url.end;
            found.push(Locator { range: url, is_domain: false });
        }
        pieces(text, at..end, &mut found);
        at = at.max(end);
    }
    found
}

fn push(found: &mut Vec<Locator>, text: &str, range: Range<usize>) {
    let written = text.get(range.clone()).unwrap_or_default();
    let end = range.start + written.trim_end_matches(is_closing).len();
    found.push(Locator { range: range.start..end, is_domain: false });
}

/// The next word from `at` on: characters up to one that ends it.
fn word(text: &str, at: usize, ends: impl Fn(char) -> bool) -> (usize, usize) {
    let rest = text.get(at..).unwrap_or_default();
    let start = at + rest.find(|letter| !ends(letter)).unwrap_or(rest.len());
    let rest = text.get(start..).unwrap_or_default();
    (start, start + rest.find(ends).unwrap_or(rest.len()))
}

fn ends_word(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(letter, '<' | '>' | '"' | '`' | '“' | '”' | '„' | '«' | '»' | '，' | '。')
}

/// Ends a part of a word. Letters of scripts without blanks do so, because an address or a domain may stand directly behind
/// a sentence of them.
fn ends_piece(letter: char) -> bool {
    matches!(letter, '(' | ')' | '[' | ']' | '{' | '}' | '|' | ',' | ';' | '=' | '、' | '；' | '：')
        || is_unspaced(letter)
}

fn is_closing(letter: char) -> bool {
    matches!(letter, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '’' | ')' | ']' | '}' | '*')
}

/// Locators among the pieces of a word, which brackets, commas and signs of assignment separate.
fn pieces(text: &str, chunk: Range<usize>, found: &mut Vec<Locator>) {
    let mut at = chunk.start;
    let within = text.get(..chunk.end).unwrap_or_default();
    while at < chunk.end {
        let (start, end) = word(within, at, ends_piece);
        at = end;
        let piece = text.get(start..end).unwrap_or_default();
        let head = piece.len() - piece.trim_start_matches(['\'', '’', '*', ':', '!']).len();
        let piece = piece.get(head..).unwrap_or_default().trim_end_matches(is_closing);
        let start = start + head;
        if let Some(range) = addressed(piece) {
            let range = start + range.start..start + range.end;
            found.push(Locator { range, is_domain: false });
        } else if is_path(piece) {
            found.push(Locator { range: start..start + piece.len(), is_domain: false });
        } else if let Some(domain) = piece.split('/').next().filter(|domain| is_domain(domain)) {
            let is_domain = domain.len() == piece.len();
            found.push(Locator { range: start..start + piece.len(), is_domain });
        }
    }
}

/// The part of a piece that is a handle or an address: around its first `@`, up to its end. The catalogue finds e-mail
/// addresses, but none of a login at a host without a top-level domain: `ana@localhost`.
fn addressed(piece: &str) -> Option<Range<usize>> {
    let at = piece.find('@')?;
    let named =
        piece.get(at + 1..)?.chars().next().is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    let is_local =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '%' | '+' | '-' | '\'');
    let head = piece.get(..at)?.trim_end_matches(is_local).len();
    named.then_some(head..piece.len())
}

/// A path from the root, the home or the current directory, or one that ends with a file that has an extension. Other
/// words with a slash are alternatives: `Ana/Pedro`.
fn is_path(piece: &str) -> bool {
    let rooted = ["~/", "./", "../"].iter().any(|root| piece.starts_with(root));
    let mut parts = piece.split('/').filter(|part| !part.is_empty());
    let several = parts.clone().nth(1).is_some();
    let extension =
        parts.next_back().and_then(|file| file.rsplit_once('.')).is_some_and(|(stem, extension)| {
            !stem.is_empty()
                && (1..=5).contains(&extension.len())
                && extension.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        });
    rooted || (piece.starts_with('/') && (several || extension)) || (several && extension)
}

/// Labels of letters, digits and hyphens, the last of which is a top-level domain. A port may follow.
fn is_domain(piece: &str) -> bool {
    let host = piece.split(':').next().unwrap_or_default();
    let Some((rest, top)) = host.rsplit_once('.') else { return false };
    let is_label = |label: &str| {
        !label.is_empty()
            && label.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
    };
    let known = TOP.iter().any(|known| top.eq_ignore_ascii_case(known));
    let small = top.len() == 2 && top.bytes().all(|byte| byte.is_ascii_lowercase());
    let written_small = !rest.chars().any(char::is_uppercase) || rest.contains('.');
    rest.split('.').all(is_label) && (known || (small && written_small))
}

#[cfg(test)]
mod tests {
    use super::locators;

    fn found(text: &str) -> Vec<&str> {
        locators(text).into_iter().map(|locator| &text[locator.range]).collect()
    }

    #[test]
    fn addresses_urls_domains_handles_and_paths_are_units() {
        for (text, whole) in [
            ("write to ana.pereira@mail.example.", "ana.pereira@mail.example"),
            ("Ana <Ana.Pereira@mail.example>", "Ana.Pereira@mail.example"),
            ("(mailto:ana_pereira+x@mail.example)", "ana_pereira+x@mail.example"),
            (
                "see https://social.example/Ana(Pereira),1?x=Ana.",
                "https://social.example/Ana(Pereira),1?x=Ana",
            ),
            ("at www.Ana-Pereira.example/about!", "www.Ana-Pereira.example/about"),
            ("site Ana-Pereira.com, new", "Ana-Pereira.com"),
            ("host ana.pereira.de:8080 is up", "ana.pereira.de:8080"),
            ("profile network.example/in/Ana-Pereira;", "network.example/in/Ana-Pereira"),
            ("ask @Ana_Pereira!", "@Ana_Pereira"),
            ("in /home/Ana/Pereira,", "/home/Ana/Pereira"),
            ("~/Pereira/x", "~/Pereira/x"),
            ("see letters/Pereira.pdf now", "letters/Pereira.pdf"),
            ("open C:\\Users\\Ana Pereira\\letter.pdf now", "C:\\Users\\Ana Pereira\\letter.pdf"),
            ("on \\\\files\\Pereira\\x", "\\\\files\\Pereira\\x"),
            ("user=ana.pereira@mail.example", "ana.pereira@mail.example"),
            ("login ana.pereira@localhost", "ana.pereira@localhost"),
            ("1,https://x.example/a,Ana,Pereira", "https://x.example/a"),
            ("1;www.x.example/a,b;Ana;Pereira", "www.x.example/a,b"),
            ("https://x.example|Ana|Pereira", "https://x.example"),
            ("我叫张伟邮箱zw@mail.example", "zw@mail.example"),
            ("邮箱zw@mail.example谢谢", "zw@mail.example"),
            ("我叫张伟网站zw.com谢谢", "zw.com"),
            ("C:\\www.x.example\\Pereira now", "C:\\www.x.example\\Pereira"),
        ] {
            assert_eq!(found(text), [whole], "{text}");
        }
    }

    #[test]
    fn words_with_signs_of_sentences_are_no_units() {
        for text in [
            "Ana/Pedro agreed",
            "Dear Dr.Pereira, met Ana.It was late",
            "J.Pereira and A.M. Lee",
            "either/or, 3/4, 24/7, and/or",
            "Hello\\nAna Pereira",
            "@ 5 pm, a @ b",
            "Yes.No",
            "",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
