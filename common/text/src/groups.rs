//! Neighbouring words to hashed features: one, two in a row, and pairs with one word between them; and the parts of a
//! word.

use linear_model::Feature;

use crate::Word;

/// Features that end at one word.
pub const GROUPS: usize = 3;

/// A feature, and how many words before its last its first stands.
pub type Group = (Feature, usize);

/// The features whose last word is the one at `place`, fewer at the beginning.
pub fn groups_at(words: &[Word], place: usize) -> impl Iterator<Item = Group> {
    let back = |distance: usize| Some(words.get(place.checked_sub(distance)?)?.feature);
    let last = back(0);
    let pair = back(1).zip(last).map(|(one, two)| one.then(two));
    let apart = back(2).zip(last).map(|(one, two)| one.then(two).tagged(4));
    let near = [last.map(|one| (one, 0)), pair.map(|pair| (pair, 1)), apart.map(|pair| (pair, 2))];
    near.into_iter().flatten()
}

/// All features of some words, in order, repetitions included.
pub fn groups(words: &[Word]) -> impl Iterator<Item = Feature> {
    (0..words.len()).flat_map(|place| groups_at(words, place).map(|(feature, _)| feature))
}

/// Letters of the parts of a word.
const PARTS: std::ops::RangeInclusive<usize> = 3..=5;

/// Longest word of which parts are taken, in bytes: longer ones are codes.
const LONGEST: usize = 40;

/// The parts of a word as features: every three to five letters in a row, its ends included, so that words of one stem
/// share most of them. Words of a single letter, words with digits and long codes have none.
pub fn subwords(spelling: &str, features: &mut Vec<Feature>) {
    if spelling.len() > LONGEST || spelling.bytes().any(|byte| byte.is_ascii_digit()) {
        return;
    }
    let mut places: [usize; LONGEST + 1] = [0; LONGEST + 1];
    let mut count = 0;
    for (place, _) in spelling.char_indices() {
        if let Some(slot) = places.get_mut(count) {
            *slot = place;
            count += 1;
        }
    }
    if let Some(slot) = places.get_mut(count) {
        *slot = spelling.len();
    }
    if count < 2 {
        return;
    }
    // The ends count as a letter each: a part that begins or ends there has a tag of its own.
    let at = |place: usize| places.get(place).copied().unwrap_or_default();
    for size in PARTS {
        for start in 0..=(count + 2).saturating_sub(size) {
            let end = start + size;
            if end > count + 2 {
                continue;
            }
            let (first, last) = (start.max(1) - 1, end.min(count + 1) - 1);
            let tag = 32 + u64::from(start == 0) + 2 * u64::from(end == count + 2);
            let part = spelling.get(at(first)..at(last)).unwrap_or_default();
            features.push(Feature::of(part).tagged(tag));
        }
    }
}
