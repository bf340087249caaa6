//! Neighbouring words to hashed features: one, two or three in a row, and pairs with one to three words between them.

use linear_model::Feature;

use crate::Word;

/// Features that end at one word.
pub const GROUPS: usize = 6;

/// A feature, and how many words before its last its first stands.
pub type Group = (Feature, usize);

/// The features whose last word is the one at `place`, fewer at the beginning.
pub fn groups_at(words: &[Word], place: usize) -> impl Iterator<Item = Group> {
    let back = |distance: usize| Some(words.get(place.checked_sub(distance)?)?.feature);
    let last = back(0);
    let pair = back(1).zip(last).map(|(one, two)| one.then(two));
    let triple = back(2).zip(pair).map(|(one, pair)| one.then(pair).tagged(3));
    let apart = |distance: usize| {
        let pair = back(distance).zip(last).map(|(one, two)| one.then(two).tagged(distance as u64 + 2));
        pair.map(|pair| (pair, distance))
    };
    let near = [last.map(|one| (one, 0)), pair.map(|pair| (pair, 1)), triple.map(|triple| (triple, 2))];
    near.into_iter().chain([apart(2), apart(3), apart(4)]).flatten()
}

/// All features of some words, in order, repetitions included.
pub fn groups(words: &[Word]) -> impl Iterator<Item = Feature> {
    (0..words.len()).flat_map(|place| groups_at(words, place).map(|(feature, _)| feature))
}
