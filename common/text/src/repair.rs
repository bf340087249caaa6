//! Leetspeak, spaced letters and shuffled letters back to words, in a folded text.

mod letters;

use crate::{Folded, Map, Vocabulary};

/// What was repaired, in words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Repairs {
    pub(crate) leet: usize,
    pub(crate) spaced: usize,
    pub(crate) shuffled: usize,
}

/// Words of leetspeak that are key words, from which on all words with figures are read as leetspeak.
const LEET_TEXT: usize = 3;

/// Longest piece between spaces that is looked at, in bytes; longer ones are no words.
const MAX_PIECE: usize = 48;

/// The text with words repaired, or nothing where none was.
pub(crate) fn repair(folded: &Folded, vocabulary: &Vocabulary) -> Option<(String, Map, Repairs)> {
    let mut repairs = Repairs::default();
    let joined = letters::join(&folded.text, vocabulary, &mut repairs.spaced);
    let source = joined.as_ref().map_or(folded.text.as_str(), |(text, _)| text.as_str());
    let spelled = spell(source, vocabulary, &mut repairs);
    let (text, map) = match (spelled, joined) {
        (Some((text, map)), Some((_, below))) => (text, map.over(&below)),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return None,
    };
    Some((text, map.over(&folded.map), repairs))
}

/// Repairs single words.
fn spell(source: &str, vocabulary: &Vocabulary, repairs: &mut Repairs) -> Option<(String, Map)> {
    let is_leet = |piece: &&str| leet(piece, vocabulary).is_some_and(|word| vocabulary.has(&word));
    let all_leet =
        pieces(source).map(|(_, piece)| piece).filter(is_leet).take(LEET_TEXT).count() == LEET_TEXT;
    let mut text = String::new();
    let mut map = Map::default();
    let mut copied = 0;
    for (place, piece) in pieces(source) {
        let Some(word) = respelled(piece, vocabulary, all_leet, repairs) else { continue };
        let before = source.get(copied..place)?;
        text.push_str(before);
        map.even(before.len());
        text.push_str(&word);
        map.uneven(word.len(), piece.len());
        copied = place.saturating_add(piece.len());
    }
    if copied == 0 {
        return None;
    }
    let rest = source.get(copied..)?;
    text.push_str(rest);
    map.even(rest.len());
    Some((text, map))
}

fn respelled(piece: &str, vocabulary: &Vocabulary, all_leet: bool, repairs: &mut Repairs) -> Option<String> {
    if let Some(word) = leet(piece, vocabulary) {
        let accepted = all_leet || vocabulary.has(&word);
        repairs.leet += usize::from(accepted);
        return accepted.then_some(word);
    }
    let word = vocabulary.shuffled(piece).filter(|_| !vocabulary.has(piece))?;
    repairs.shuffled += 1;
    Some(word.to_owned())
}

/// Pieces between white space, without the marks at their ends, with their places. Only short ones of ASCII.
fn pieces(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let inner = |char: char| char.is_ascii_alphanumeric() || matches!(char, '@' | '$' | '|' | '+');
    source.split_ascii_whitespace().filter_map(move |piece| {
        let piece = piece.trim_matches(|char| !inner(char));
        let is_word = (2..=MAX_PIECE).contains(&piece.len()) && piece.is_ascii();
        is_word.then(|| (piece.as_ptr().addr().saturating_sub(source.as_ptr().addr()), piece))
    })
}

/// A piece of letters and figures, read as letters.
fn leet(piece: &str, vocabulary: &Vocabulary) -> Option<String> {
    let is_figure = |byte: &u8| matches!(byte, b'0'..=b'9' | b'@' | b'$' | b'!' | b'|' | b'+');
    let figures = piece.bytes().filter(|byte| is_figure(byte)).count();
    let letters = piece.bytes().filter(u8::is_ascii_alphabetic).count();
    if figures == 0 || letters == 0 || figures + letters != piece.len() {
        return None;
    }
    let read = |one: char| -> String { piece.chars().map(|char| figure(char, one)).collect() };
    let word = read('i');
    if vocabulary.has(&word) || !piece.contains('1') {
        return Some(word);
    }
    Some(read('l')).filter(|word| vocabulary.has(word)).or(Some(word))
}

fn figure(char: char, one: char) -> char {
    match char {
        '0' => 'o',
        '1' | '|' => one,
        '!' => 'i',
        '2' => 'z',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '6' | '9' => 'g',
        '7' | '+' => 't',
        '8' => 'b',
        other => other,
    }
}
