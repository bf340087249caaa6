//! Links in a text, in linear time.

use super::Link;
use crate::text::Passage;

/// Beginnings of URLs; also of targets that are executed instead of opened.
const SCHEMES: [&str; 7] =
    ["http://", "https://", "ftp://", "javascript:", "vbscript:", "data:text/html", "www."];
/// Longest URL in bytes; a longer one is cut.
const LONGEST: usize = 2_048;
/// Longest text of a link of Markdown.
const LONGEST_TEXT: usize = 512;

/// The links of a passage in its order. A link of Markdown has its text.
pub(crate) fn find(passage: &Passage) -> Vec<Link> {
    let text = passage.text.as_str();
    let mut links = Vec::new();
    let mut from = 0;
    // Characters before a place of the text, counted once.
    let (mut counted, mut characters) = (0, 0);
    while let Some(start) = next(text, from) {
        let end = end(text, start);
        let target = text.get(start..end).unwrap_or_default();
        let target = target.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '"', '*', '_']);
        if target.len() > 8 || target.starts_with("www.") {
            characters += text.get(counted..start).map_or(0, |part| part.chars().count());
            counted = start;
            let last = characters + target.chars().count();
            let place = format!("in {}, characters {} to {last}", passage.name, characters + 1);
            links.push(Link { shown: shown(text, start), target: target.to_owned(), place });
        }
        from = end.max(start + 1);
    }
    links
}

/// Start of the next URL. Letters before it join it to another word.
fn next(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let begins = |place: &usize| {
        let joined =
            place.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(u8::is_ascii_alphanumeric);
        let rest = bytes.get(*place..).unwrap_or_default();
        !joined
            && SCHEMES.iter().any(|scheme| {
                rest.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme.as_bytes()))
            })
    };
    let candidates = (from..bytes.len()).filter(|place| {
        matches!(bytes.get(*place).map(u8::to_ascii_lowercase), Some(b'h' | b'f' | b'j' | b'v' | b'd' | b'w'))
    });
    candidates.into_iter().find(begins)
}

fn end(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let mut open = 0_usize;
    for (place, char) in rest.char_indices() {
        match char {
            '(' => open += 1,
            ')' if open == 0 => return start + place,
            ')' => open -= 1,
            _ if char.is_whitespace() || matches!(char, '<' | '>' | '"' | '`' | '|' | '[' | ']') => {
                return start + place;
            }
            _ => {}
        }
        if place >= LONGEST {
            return start + place;
        }
    }
    text.len()
}

/// Text of a link of Markdown: `[text](URL)`.
fn shown(text: &str, start: usize) -> Option<String> {
    let front = text.get(..start)?.strip_suffix("](")?;
    let from = (front.len().saturating_sub(LONGEST_TEXT)..=front.len())
        .find(|place| front.is_char_boundary(*place))?;
    let (_, shown) = front.get(from..)?.rsplit_once('[')?;
    Some(shown.split_whitespace().collect::<Vec<_>>().join(" "))
}
