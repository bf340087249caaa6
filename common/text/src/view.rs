//! An input to its views: the folded text, and the text that was hidden in it.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use crate::decode::decode;
use crate::repair::repair;
use crate::turned::{Turn, turn, turned};
use crate::unescape::unescape;
use crate::{Map, Vocabulary, Word, fold, words};

/// Most bytes that are decoded from one input, over all depths.
pub const MAX_DECODED: usize = 64 << 10;

/// Most encodings inside each other that are decoded.
pub const MAX_DEPTH: usize = 3;

/// Words that have to be repaired before a text counts as disguised.
const MIN_REPAIRED: usize = 2;

/// Escaped characters from which on a text counts as disguised: fewer are ordinary in links and code.
const MIN_ESCAPED: usize = 8;

/// How a text was hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names of encodings")]
pub enum Disguise {
    Base64,
    Base32,
    Base85,
    Hexadecimal,
    Binary,
    Decimal,
    Percent,
    Entities,
    Escapes,
    Rot13,
    /// The letters in reverse order.
    Reversed,
    /// Figures for letters.
    Leet,
    /// Letters of other scripts that look the same.
    Homoglyphs,
    /// Characters without width between letters.
    ZeroWidth,
    /// Characters of the block of tags, which no font shows.
    Tags,
    /// Letters with marks, spaces or line ends between them.
    Spaced,
    /// Letters of words in another order.
    Shuffled,
}

/// A text as a classifier reads it.
#[derive(Clone, Debug)]
pub struct View {
    /// Folded and repaired.
    pub text: String,
    /// Its words.
    pub words: Vec<Word>,
    /// What was removed to get it, outermost first. Empty for an input without disguise.
    pub disguises: Vec<Disguise>,
    /// Whether all of it was decoded, so that the input shows none of it.
    pub is_decoded: bool,
    /// Characters without width that stood in it.
    pub invisible: usize,
    /// Characters of the block of tags that stood in it.
    pub tags: usize,
    maps: Vec<Arc<Map>>,
}

impl View {
    /// The part of the input, in bytes, that a part of the view was made from.
    #[must_use]
    pub fn source(&self, range: &Range<usize>) -> Range<usize> {
        self.maps.iter().rev().fold(range.clone(), |range, map| map.source(&range))
    }

    /// The part of the input that words of the view were made from.
    #[must_use]
    pub fn source_of_words(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.words.get(range.start).map_or(0, |word| word.start as usize);
        let last = range.end.checked_sub(1).and_then(|last| self.words.get(last));
        self.source(&(start..last.map_or(start, |word| word.end as usize)))
    }
}

/// A text that is yet to be made a view.
struct Hidden {
    text: String,
    maps: Vec<Arc<Map>>,
    disguises: Vec<Disguise>,
    depth: usize,
}

/// The views of an input: first the input itself, then what was decoded from it.
#[must_use]
pub fn views(input: &str, vocabulary: &Vocabulary) -> Vec<View> {
    let mut views = Vec::new();
    let mut budget = MAX_DECODED;
    let first = Hidden { text: input.to_owned(), maps: Vec::new(), disguises: Vec::new(), depth: 0 };
    let mut waiting = VecDeque::from([first]);
    while let Some(hidden) = waiting.pop_front() {
        let hidden = unescaped(hidden);
        for inner in decode(&hidden.text, if hidden.depth < MAX_DEPTH { budget } else { 0 }) {
            budget = budget.saturating_sub(inner.text.len());
            let map = Map::block(&inner.source, inner.text.len());
            waiting.push_back(below(
                &hidden.maps,
                &hidden.disguises,
                hidden.depth,
                inner.text,
                map,
                inner.how,
            ));
        }
        let view = view(hidden, vocabulary, &mut budget, &mut waiting);
        views.push(view);
    }
    views
}

fn below(
    maps: &[Arc<Map>],
    disguises: &[Disguise],
    depth: usize,
    text: String,
    map: Map,
    how: Disguise,
) -> Hidden {
    let maps = maps.iter().cloned().chain([Arc::new(map)]).collect();
    let disguises = disguises.iter().copied().chain([how]).collect();
    Hidden { text, maps, disguises, depth: depth.saturating_add(1) }
}

/// Replaces escapes, and escapes that appear thereby.
fn unescaped(mut hidden: Hidden) -> Hidden {
    for _ in 0..MAX_DEPTH {
        let Some((text, map, counts)) = unescape(&hidden.text) else { break };
        hidden.text = text;
        hidden.maps.push(Arc::new(map));
        let kinds = [
            (counts.percent, Disguise::Percent),
            (counts.entities, Disguise::Entities),
            (counts.escapes, Disguise::Escapes),
        ];
        hidden.disguises.extend(kinds.iter().filter(|(count, _)| *count >= MIN_ESCAPED).map(|(_, how)| *how));
    }
    hidden
}

fn view(hidden: Hidden, vocabulary: &Vocabulary, budget: &mut usize, waiting: &mut VecDeque<Hidden>) -> View {
    let Hidden { text, mut maps, mut disguises, depth } = hidden;
    let mut folded = fold(&text);
    let mut signs = vec![
        (folded.alike, MIN_REPAIRED, Disguise::Homoglyphs),
        (folded.invisible, MIN_ESCAPED, Disguise::ZeroWidth),
        (folded.tags, MIN_ESCAPED, Disguise::Tags),
    ];
    if let Some((text, map, repairs)) = repair(&folded, vocabulary) {
        (folded.text, folded.map) = (text, map);
        signs.push((repairs.leet, MIN_REPAIRED, Disguise::Leet));
        signs.push((repairs.spaced, 1, Disguise::Spaced));
        signs.push((repairs.shuffled, MIN_REPAIRED, Disguise::Shuffled));
    }
    let is_decoded = depth > 0;
    disguises.extend(signs.iter().filter(|(count, least, _)| count >= least).map(|(_, _, how)| *how));
    maps.push(Arc::new(folded.map));

    let words = words(&folded.text);
    for (way, how) in [(Turn::Rot13, Disguise::Rot13), (Turn::Reversed, Disguise::Reversed)] {
        if depth >= MAX_DEPTH {
            break;
        }
        for part in turned(&folded.text, &words, vocabulary, way) {
            let Some(source) = folded.text.get(part.clone()).filter(|source| source.len() <= *budget) else {
                break;
            };
            *budget = budget.saturating_sub(source.len());
            let text = turn(source, way);
            let map = Map::block(&part, text.len());
            waiting.push_back(below(&maps, &disguises, depth, text, map, how));
        }
    }
    View {
        text: folded.text,
        words,
        disguises,
        is_decoded,
        invisible: folded.invisible,
        tags: folded.tags,
        maps,
    }
}
