//! Letters that are spaced, dotted or one per line, joined to words.

use crate::{Map, Vocabulary};

/// Single letters in a row from which on they are taken for a word.
const MIN_RUN: usize = 5;

/// Letters of one word where no wider gap shows its end.
const MAX_WORD: usize = 24;

/// A single character that a word has between others, and where it stands.
#[derive(Clone, Copy)]
struct Letter {
    start: usize,
    end: usize,
    char: char,
}

/// The text with spaced letters joined, or nothing where it has none. `count` grows by the words that were joined.
pub(super) fn join(source: &str, vocabulary: &Vocabulary, count: &mut usize) -> Option<(String, Map)> {
    let mut text = String::new();
    let mut map = Map::default();
    let mut copied = 0;
    let mut run: Vec<Letter> = Vec::new();
    let end = [(source.len(), None)];
    let tokens = tokens(source).map(|letter| (letter.0, letter.1)).chain(end);
    for (place, letter) in tokens {
        if let Some(letter) = letter {
            run.push(letter);
            continue;
        }
        let (Some(first), Some(last)) = (run.first().copied(), run.last().copied()) else { continue };
        if run.len() >= MIN_RUN && is_spaced(source, &run) {
            let before = source.get(copied..first.start)?;
            text.push_str(before);
            map.even(before.len());
            joined(source, &run, vocabulary, &mut text, &mut map, count);
            copied = last.end;
        }
        run.clear();
        debug_assert!(place >= last.end);
    }
    if copied == 0 {
        return None;
    }
    let rest = source.get(copied..)?;
    text.push_str(rest);
    map.even(rest.len());
    Some((text, map))
}

/// Whether one gap separates at least half of the letters. The parts of a query (`a?b=c&d`) are letters with other marks between.
fn is_spaced(source: &str, run: &[Letter]) -> bool {
    let gaps: Vec<&str> =
        run.windows(2).filter_map(|pair| source.get(pair.first()?.end..pair.get(1)?.start)).collect();
    let most = gaps.iter().take(MAX_WORD).map(|gap| gaps.iter().filter(|other| *other == gap).count()).max();
    most.unwrap_or_default().saturating_mul(2) >= gaps.len()
}

/// Words of one letter, and a place without letter for each longer word.
fn tokens(source: &str) -> impl Iterator<Item = (usize, Option<Letter>)> {
    let mut chars = source.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, char) = chars.find(|(_, char)| char.is_alphanumeric())?;
        let mut end = start.saturating_add(char.len_utf8());
        let mut single = true;
        while let Some((place, next)) = chars.next_if(|(_, next)| next.is_alphanumeric()) {
            end = place.saturating_add(next.len_utf8());
            single = false;
        }
        Some((start, single.then_some(Letter { start, end, char })))
    })
}

/// Writes the words of a run of letters.
fn joined(
    source: &str,
    run: &[Letter],
    vocabulary: &Vocabulary,
    text: &mut String,
    map: &mut Map,
    count: &mut usize,
) {
    let gap = |one: &Letter, two: &Letter| source.get(one.end..two.start).unwrap_or_default();
    let shortest =
        run.windows(2).filter_map(|pair| Some(gap(pair.first()?, pair.get(1)?).len())).min().unwrap_or(0);
    // A wider gap, or one with another mark, is the end of a word.
    let mut words: Vec<&[Letter]> = run
        .chunk_by(|one, two| {
            let gap = gap(one, two);
            gap.len() <= shortest
        })
        .collect();
    let single = words.len() == 1;
    let mut segmented = Vec::new();
    if single {
        segment(run, vocabulary, &mut segmented);
        words = segmented;
    }
    let mut from = run.first().map_or(0, |letter| letter.start);
    for (number, word) in words.iter().enumerate() {
        let end = word.last().map_or(from, |letter| letter.end);
        let length = text.len();
        if number > 0 {
            text.push(' ');
        }
        text.extend(word.iter().map(|letter| letter.char));
        map.uneven(text.len().saturating_sub(length), end.saturating_sub(from));
        from = end;
    }
    *count += words.len();
}

/// Cuts letters into the fewest words outside the vocabulary and, of these cuts, the fewest words: one pass, each step
/// over at most [`MAX_WORD`] letters.
fn segment<'a>(run: &'a [Letter], vocabulary: &Vocabulary, words: &mut Vec<&'a [Letter]>) {
    let longest = vocabulary.longest().min(MAX_WORD);
    // Least cost of the letters up to a place, and the start of the last word.
    let mut best: Vec<(usize, usize)> = vec![(0, 0)];
    let mut spelling = String::new();
    for end in 1..=run.len() {
        let mut cheapest = (usize::MAX, end - 1);
        for start in (end.saturating_sub(longest)..end).rev() {
            spelling.clear();
            spelling.extend(run.get(start..end).unwrap_or_default().iter().map(|letter| letter.char));
            let length = end - start;
            let cost = if vocabulary.has(&spelling) { 1 } else { length.saturating_mul(3) };
            let total = best.get(start).map_or(usize::MAX, |(before, _)| before.saturating_add(cost));
            if total < cheapest.0 {
                cheapest = (total, start);
            }
        }
        best.push(cheapest);
    }
    let mut end = run.len();
    while let Some((_, start)) = best.get(end).copied().filter(|_| end > 0) {
        words.extend(run.get(start..end));
        end = start;
    }
    words.reverse();
}
