//! Numbers that stand with words of another number in the passage: "3 in Paris and 5 in Rome" for the reverse.

use std::collections::BTreeMap;

use crate::lexicon::Lexicon;
use crate::terms::Term;

/// Words on each side of a number that belong to it; more belong to other parts of the sentence.
const REACH: usize = 3;

/// Numbers of a claim that are compared with each other: a bound of the quadratic comparison, above the numbers that a
/// sentence usually has. Those of a passage need none: the words around all of them are read once, because they end at the
/// next number.
const MOST: usize = 8;

/// By how much the words of both numbers must fit the other one better: a reordered sentence has some of them nearer to it.
const MARGIN: f32 = 0.5;

/// Words around a number. Near ones weigh more. Words such as "from" and "to" count with their side.
type Around = BTreeMap<u64, f32>;

/// How numbers of a claim are bound to its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bindings {
    /// Place in the claim of a number that is exchanged with another one of the claim.
    pub(crate) exchanged: Option<usize>,
    /// Numbers of the claim whose words stand with a number in the passages that the claim does not have.
    pub(crate) elsewhere: usize,
}

/// Compares the words around the numbers that a claim and the passages share.
pub(crate) fn bindings(claim: &[Term], passages: &[&[Term]], lexicon: &Lexicon) -> Bindings {
    let numbers = |terms: &[Term]| -> Vec<(usize, f64)> {
        let valued = terms.iter().enumerate().filter(|(_, term)| term.content);
        valued.filter_map(|(place, term)| Some((place, term.value?))).collect()
    };
    let mut claimed = numbers(claim);
    claimed.truncate(MOST);
    if claimed.is_empty() {
        return Bindings::default();
    }
    // The same value in several places is one number with all words around them.
    let mut stated: BTreeMap<u64, Around> = BTreeMap::new();
    for passage in passages {
        for (place, value) in numbers(passage) {
            let words = stated.entry(value.to_bits()).or_default();
            for (word, weight) in around(passage, place, lexicon) {
                let known = words.entry(word).or_default();
                *known = known.max(weight);
            }
        }
    }
    let shared: Vec<(usize, u64, Around)> = claimed
        .into_iter()
        .map(|(place, value)| (place, value.to_bits(), around(claim, place, lexicon)))
        .filter(|(_, value, _)| stated.contains_key(value))
        .collect();
    let both = |words: &Around, value: u64| stated.get(&value).map_or(0.0, |other| common(words, other));
    let exchanged = |(one, other): (&(usize, u64, Around), &(usize, u64, Around))| {
        let (own, own_other) = (both(&one.2, one.1), both(&other.2, other.1));
        let (crossed, crossed_other) = (both(&one.2, other.1), both(&other.2, one.1));
        let exceeds = crossed + crossed_other > own + own_other + MARGIN;
        one.1 != other.1 && exceeds && crossed >= own && crossed_other >= own_other
    };
    let pairs = shared
        .iter()
        .enumerate()
        .flat_map(|(place, one)| shared.iter().skip(place + 1).map(move |other| (one, other)));
    let exchanged = pairs.into_iter().find(|pair| exchanged(*pair)).map(|(one, _)| one.0);
    let is_claimed = |value: u64| shared.iter().any(|(_, other, _)| *other == value);
    let is_elsewhere = |(_, value, words): &&(usize, u64, Around)| {
        let others = stated.keys().filter(|other| !is_claimed(**other));
        both(words, *value) == 0.0 && others.into_iter().any(|other| both(words, *other) > 0.0)
    };
    Bindings { exchanged, elsewhere: shared.iter().filter(is_elsewhere).count() }
}

fn common(one: &Around, other: &Around) -> f32 {
    one.iter().filter_map(|(word, weight)| Some(weight * other.get(word)?)).sum()
}

/// The words on both sides of a number, up to the next number or conjunction.
fn around(terms: &[Term], place: usize, lexicon: &Lexicon) -> Around {
    let mut words = Around::new();
    let before = terms.iter().take(place).rev();
    let after = terms.iter().skip(place + 1);
    collect(before, 1, lexicon, &mut words);
    collect(after, 2, lexicon, &mut words);
    words
}

fn collect<'a>(terms: impl Iterator<Item = &'a Term>, side: u64, lexicon: &Lexicon, words: &mut Around) {
    let mut rank = 0_u8;
    for term in terms {
        let meaning = term.meaning(lexicon);
        if term.value.is_some() || meaning.joint || usize::from(rank) == REACH {
            return;
        }
        if meaning.stand_in || !(term.content || meaning.pivot) {
            continue;
        }
        let word = if term.content { term.feature } else { term.feature.rotate_left(8) ^ side };
        rank += 1;
        let weight = words.entry(word).or_default();
        *weight = weight.max(1.0 / f32::from(rank));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::terms;

    fn read(text: &str, lexicon: &Lexicon) -> Vec<Term> {
        terms(text, &(0..text.len()), lexicon)
    }

    /// The number that is exchanged, and how many belong to other numbers of the passage.
    fn bound(claim: &str, passage: &str) -> (Option<f64>, usize) {
        let lexicon = Lexicon::new();
        let claim = read(claim, &lexicon);
        let bindings = bindings(&claim, &[&read(passage, &lexicon)], &lexicon);
        (bindings.exchanged.and_then(|place| claim[place].value), bindings.elsewhere)
    }

    #[test]
    fn numbers_are_bound_to_the_words_beside_them() {
        let shops = "The chain has 3 shops in Paris and 5 hotels in Rome.";
        for (claim, passage, expected) in [
            (shops, shops, (None, 0)),
            ("The chain has 5 hotels in Rome and 3 shops in Paris.", shops, (None, 0)),
            ("The chain has 5 shops in Paris and 3 hotels in Rome.", shops, (Some(5.0), 0)),
            ("Rome has 3 hotels.", shops, (None, 1)),
            ("Rome has 5 hotels.", shops, (None, 0)),
            ("Rome has 7 hotels.", shops, (None, 0)),
            ("Rome has hotels.", shops, (None, 0)),
            ("Pulse fell from 71 to 92.", "Pulse fell from 92 to 71.", (Some(71.0), 0)),
        ] {
            assert_eq!(bound(claim, passage), expected, "{claim}");
        }
    }

    #[test]
    fn a_number_late_in_a_passage_is_bound_like_an_early_one() {
        let early: String = (20..20 + MOST).map(|number| format!("Gate {number} is closed and ")).collect();
        let passage = format!("{early}the tower has 3 bells and 5 clocks.");
        assert_eq!(bound("The tower has 5 bells and 3 clocks.", &passage), (Some(5.0), 0));
    }
}
