//! Boxes of post offices and of armed forces.

use super::Line;

/// Words before the number of a box, in lower case and without signs.
const BOXES: &[&[&str]] = &[
    &["p", "o", "box"],
    &["po", "box"],
    &["post", "office", "box"],
    &["gpo", "box"],
    &["locked", "bag"],
    &["private", "bag"],
    &["postfach"],
    &["boîte", "postale"],
    &["bp"],
    &["b", "p"],
    &["apartado"],
    &["apartado", "postal"],
    &["apartado", "de", "correos"],
    &["casilla"],
    &["casilla", "de", "correo"],
    &["casella", "postale"],
    &["caixa", "postal"],
    &["postbus"],
    &["skrytka", "pocztowa"],
    &["а", "я"],
    &["абонентский", "ящик"],
    &["posta", "kutusu"],
    &["pk"],
    &["boks"],
    &["postboks"],
    &["postlåda"],
];

/// First and last word of the box that begins with the word `index`.
pub(super) fn find(line: &Line<'_, '_>, index: usize) -> Option<(usize, usize)> {
    let first = line.lower(index);
    if matches!(first.as_str(), "unit" | "psc" | "cmr")
        && line.is_number(index + 1)
        && line.lower(index + 2) == "box"
        && line.is_number(index + 3)
    {
        return Some((index, index + 3));
    }
    for words in BOXES {
        if words.first().copied() != Some(first.as_str()) {
            continue;
        }
        let fits = words.iter().enumerate().all(|(on, word)| line.lower(index + on) == *word);
        let near = (0..words.len())
            .all(|on| matches!(line.gap(index + on), " " | "." | ". " | "/" | " #" | ": " | " n° " | " nº "));
        let last = index + words.len();
        // Abbreviations of two letters are capitals.
        let capitals = words.concat().len() > 2 || line.is_capital(index);
        if fits && near && capitals && line.is_number(last) {
            let more = line.gap(last) == " " && line.text(last + 1).len() <= 3 && line.is_number(last + 1);
            return Some((index, if more { last + 1 } else { last }));
        }
    }
    None
}
