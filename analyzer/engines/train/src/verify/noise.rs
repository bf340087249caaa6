//! Changes that leave a claim true: as a writer shortens and rewords a passage. They are applied to true and to false
//! claims alike, so that they tell nothing about the label.

use crate::seeded::Seeded;

/// Function words and other words that may stand for each other or be left out.
const LOOSE: [&str; 40] = [
    "the", "a", "an", "of", "in", "on", "at", "also", "very", "its", "his", "her", "their", "which", "that",
    "who", "has", "have", "had", "been", "was", "were", "is", "are", "still", "even", "however", "then",
    "now", "just", "for", "with", "as", "this", "these", "such", "other", "own", "both", "so",
];

/// Words at which a sentence can be turned round.
const HINGES: [&str; 12] = [
    "because", "after", "before", "when", "while", "although", "since", "with", "where", "in", "during",
    "until",
];

/// One word, without punctuation and in lower case.
#[must_use]
pub fn bare(word: &str) -> String {
    word.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase()
}

/// Whether a word names something or is a number, so that a change of it changes the claim.
#[must_use]
pub fn fixed(words: &[String], place: usize) -> bool {
    let Some(word) = words.get(place) else { return true };
    let capital = place > 0 && word.trim_start_matches(['"', '(', '“']).starts_with(char::is_uppercase);
    capital || word.contains(|char: char| char.is_ascii_digit()) || word.contains('%')
}

/// How far a claim is from the wording of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// Nearly a copy.
    Near,
    /// Shortened, some words exchanged.
    Edited,
    /// Paraphrased: other words in another order.
    Paraphrased,
}

impl Distance {
    /// Share of the words that get another name.
    fn renamed(self) -> f64 {
        match self {
            Self::Near => 0.05,
            Self::Edited => 0.2,
            Self::Paraphrased => 0.4,
        }
    }
}

/// Shortens and rewords a sentence. `others` are words for those that have another name.
pub fn reword(words: &mut Vec<String>, others: &[String], distance: Distance, random: &mut Seeded) {
    if random.chance(0.35) {
        cut(words, random);
    }
    if random.chance(0.5) {
        turn(words, random);
    }
    if distance == Distance::Near {
        rename(words, others, distance.renamed(), random);
        return;
    }
    if distance == Distance::Paraphrased {
        shorten(words, random);
        rearrange(words, random);
        loosen(words, random);
    }
    loosen(words, random);
    rename(words, others, distance.renamed(), random);
    swap_neighbours(words, random);
}

/// Keeps a part of a long sentence.
fn shorten(words: &mut Vec<String>, random: &mut Seeded) {
    let size = 6 + random.below(8);
    let from = random.below(words.len().saturating_sub(size) + 1);
    words.drain(..from);
    words.truncate(size);
}

/// Brings two or three parts of a sentence into another order.
fn rearrange(words: &mut Vec<String>, random: &mut Seeded) {
    let mut parts: Vec<Vec<String>> = Vec::new();
    let mut rest = std::mem::take(words);
    while rest.len() > 5 && parts.len() < 3 {
        let tail = rest.split_off(2 + random.below(4));
        parts.push(std::mem::replace(&mut rest, tail));
    }
    parts.push(rest);
    if random.chance(0.8) {
        random.shuffle(&mut parts);
    }
    *words = parts.concat();
}

/// Leaves out a part between two commas, in brackets, or after the last comma.
fn cut(words: &mut Vec<String>, random: &mut Seeded) {
    let commas: Vec<usize> = places(words, |word| word.ends_with([',', ')', ';']));
    let Some(first) = random.pick(&commas).copied() else { return };
    let next = commas.iter().copied().find(|place| *place > first).unwrap_or(words.len() - 1);
    let rest = words.len().saturating_sub(next - first);
    if rest >= 6 && next - first < words.len() / 2 {
        words.drain(first + 1..=next);
    }
}

/// Moves the part after a comma or a conjunction to the beginning.
fn turn(words: &mut [String], random: &mut Seeded) {
    let hinges = places(words, |word| HINGES.contains(&bare(word).as_str()) || word.ends_with(','));
    let Some(place) = random.pick(&hinges).copied() else { return };
    let place = if words.get(place).is_some_and(|word| word.ends_with(',')) { place + 1 } else { place };
    if (3..words.len().saturating_sub(2)).contains(&place) {
        words.rotate_left(place);
    }
}

fn loosen(words: &mut Vec<String>, random: &mut Seeded) {
    let mut changed = Vec::with_capacity(words.len());
    for word in words.drain(..) {
        let loose = LOOSE.contains(&bare(&word).as_str());
        if !loose || !random.chance(0.4) {
            changed.push(word);
        } else if random.chance(0.5) {
            changed.extend(random.pick(&LOOSE).map(|other| (*other).to_owned()));
        }
    }
    *words = changed;
}

/// Gives some words another name: a paraphrase has words that no list of synonyms knows.
fn rename(words: &mut [String], others: &[String], share: f64, random: &mut Seeded) {
    for place in 0..words.len() {
        if fixed(words, place) || !random.chance(share) {
            continue;
        }
        let Some(word) = words.get_mut(place) else { continue };
        if word.len() > 3 && !LOOSE.contains(&bare(word).as_str()) {
            word.clone_from(random.pick(others).unwrap_or(&String::new()));
        }
    }
}

/// Exchanges two words near each other that name nothing, as the members of a list.
fn swap_neighbours(words: &mut [String], random: &mut Seeded) {
    let place = random.below(words.len());
    let other = place + 1 + random.below(3);
    if other < words.len() && !fixed(words, place) && !fixed(words, other) {
        words.swap(place, other);
    }
}

/// Places of the words that fit.
pub fn places(words: &[String], fits: impl Fn(&str) -> bool) -> Vec<usize> {
    words.iter().enumerate().filter(|(_, word)| fits(word)).map(|(place, _)| place).collect()
}
