//! Boxes of post offices and of armed forces.

use super::Line;
use super::vocabulary::BOXES;
use crate::identifiers::vocabulary::BOX;

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
    // Post offices of the armed forces: `FPO AP 24796`, perhaps with a ship before.
    let ship = matches!(first.as_str(), "uss" | "usns" | "usnv" | "usav") && line.is_capital(index);
    let office = if ship {
        (index + 1..index + 4).find(|at| line.gap(*at).contains('\n')).map_or(index, |at| at + 1)
    } else {
        index
    };
    let state = matches!(line.text(office + 1), "AA" | "AE" | "AP") && line.text(office + 2).len() == 5;
    if matches!(line.text(office), "APO" | "FPO" | "DPO") && state && line.is_number(office + 2) {
        return Some((index, office + 2));
    }
    if !line.has(index, BOX) {
        return None;
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
