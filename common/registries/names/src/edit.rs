//! One edit between two names, and whether it is one that a person may overlook.

#[cfg(test)]
mod tests;

use versions::Ecosystem;

/// Shortest names for which an edit counts: among shorter ones honest names are that close.
mod least {
    /// Omission of a letter, by the length of the known name.
    pub(super) const OMISSION: usize = 5;
    /// Repetition of a letter.
    pub(super) const REPETITION: usize = 4;
    /// Insertion of any other letter.
    pub(super) const INSERTION: usize = 7;
    /// Two letters swapped.
    pub(super) const SWAP: usize = 4;
    /// A neighbouring key.
    pub(super) const KEY: usize = 5;
    /// A neighbouring key that was added at the end.
    pub(super) const LAST: usize = 6;
    /// The first letter is missing, or another one is before it: honest names are `react` and `preact`.
    pub(super) const FIRST: usize = 10;
    /// Word in which a letter is replaced by one that is neither alike nor near.
    pub(super) const WORD: usize = 4;
    /// A letter that looks alike.
    pub(super) const HOMOGLYPH: usize = 4;
    /// Any other letter.
    pub(super) const SUBSTITUTION: usize = 8;
    /// Missing or further hyphens, dots, underscores.
    pub(super) const DELIMITER: usize = 5;
    /// The plural or singular.
    pub(super) const PLURAL: usize = 8;
    /// A name with an affix that is joined to it without a delimiter.
    pub(super) const JOINED: usize = 5;
    /// A name with an affix after a delimiter.
    pub(super) const AFFIXED: usize = 3;
}

/// An edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edit {
    /// A letter is missing.
    Omission,
    /// A letter is doubled.
    Repetition,
    /// A letter is added.
    Insertion,
    /// Two neighbouring letters are swapped.
    Swap,
    /// A letter is replaced or accompanied by one of a neighbouring key.
    NeighbouringKey,
    /// Letters are replaced by ones that look alike, such as `rn` for `m`.
    Homoglyph,
    /// A letter is replaced.
    Substitution,
    /// Delimiters differ.
    Delimiter,
    /// The words are in another order.
    WordOrder,
    /// The name of the language is added or left out, as in `node-x` or `x-py`.
    Affix,
    /// The scope or owner is another one, or is joined to the name.
    Scope,
}

/// Rows of a keyboard (QWERTY), each half a key to the right of the one above.
const ROWS: [&[u8]; 4] = [b"1234567890", b"qwertyuiop", b"asdfghjkl", b"zxcvbnm"];

/// Letters that look alike; `i` and `l` also as capitals.
const HOMOGLYPHS: [(u8, u8); 11] = [
    (b'0', b'o'),
    (b'1', b'l'),
    (b'1', b'i'),
    (b'i', b'l'),
    (b'3', b'e'),
    (b'4', b'a'),
    (b'5', b's'),
    (b'7', b't'),
    (b'9', b'g'),
    (b'u', b'v'),
    (b'2', b'z'),
];

/// Pairs of letters that look like one.
const LIGATURES: [(&[u8], &[u8]); 4] = [(b"rn", b"m"), (b"vv", b"w"), (b"cl", b"d"), (b"nn", b"m")];

/// Words that name the language of an ecosystem or claim to be the true package; honest packages name their purpose, which may be
/// another language.
pub(crate) fn affixes(ecosystem: Ecosystem) -> &'static [&'static str] {
    match ecosystem {
        Ecosystem::Npm => {
            &["js", "node", "nodejs", "npm", "javascript", "official", "original", "latest", "real"]
        }
        Ecosystem::Pypi => {
            &["py", "python", "python3", "py3", "pypi", "pip", "official", "original", "latest", "real"]
        }
        Ecosystem::RubyGems => &["rb", "ruby", "gem", "rubygem", "official", "original", "latest", "real"],
        Ecosystem::Go => &["go", "golang", "official", "original", "latest", "real"],
        Ecosystem::Cargo => &["rs", "rust", "crate", "official", "original", "latest", "real"],
        Ecosystem::GitHubAction => &["action", "actions", "github", "official", "original", "latest", "real"],
    }
}

pub(crate) fn is_delimiter(character: char) -> bool {
    matches!(character, '-' | '_' | '.' | '/')
}

/// The edit that leads from a known name to another one, both in lower case; `None` where they are equal or further apart, or so
/// short that honest names are as close.
pub(crate) fn edit(ecosystem: Ecosystem, found: &str, known: &str) -> Option<Edit> {
    if found == known {
        return None;
    }
    if found.len().abs_diff(known.len()) <= 1
        && let Some(edit) = letters(found.as_bytes(), known.as_bytes())
    {
        return Some(edit);
    }
    words(affixes(ecosystem), found, known)
}

/// Edits of letters.
fn letters(found: &[u8], known: &[u8]) -> Option<Edit> {
    let prefix = found.iter().zip(known).take_while(|(a, b)| a == b).count();
    let (rest_found, rest_known) = (&found[prefix..], &known[prefix..]);
    let suffix = rest_found.iter().rev().zip(rest_known.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&rest_found[..rest_found.len() - suffix], &rest_known[..rest_known.len() - suffix]);
    let length = known.len();
    let at_end = suffix == 0;
    let edit = match (a, b) {
        ([], [letter]) | ([letter], []) if is_delimiter(char::from(*letter)) => {
            (Edit::Delimiter, least::DELIMITER)
        }
        // Numbers at the end name another version, as in `through2`.
        ([], [letter]) | ([letter], []) if at_end && letter.is_ascii_digit() => return None,
        ([], [b's']) if at_end => (Edit::Omission, least::PLURAL),
        ([], [_]) if prefix == 0 => (Edit::Omission, least::FIRST),
        ([], [_]) => (Edit::Omission, least::OMISSION),
        ([b's'], []) if at_end && !known.ends_with(b"s") => (Edit::Insertion, least::PLURAL),
        ([letter], []) => inserted(*letter, known, prefix)?,
        ([x], [y]) => replaced(*x, *y, word_length(known, prefix))?,
        ([a, b], [c, d]) if a == d && b == c => (Edit::Swap, least::SWAP),
        (a, b) if is_ligature(a, b) => (Edit::Homoglyph, least::HOMOGLYPH),
        _ => return None,
    };
    (length >= edit.1).then_some(edit.0)
}

/// A letter that was added after `at` letters of a known name.
fn inserted(letter: u8, known: &[u8], at: usize) -> Option<(Edit, usize)> {
    let before = at.checked_sub(1).and_then(|at| known.get(at));
    let neighbours = [before, known.get(at)];
    let mut neighbours = neighbours.into_iter().flatten();
    if neighbours.clone().any(|neighbour| *neighbour == letter) {
        return Some((Edit::Repetition, least::REPETITION));
    }
    let edit = if neighbours.any(|neighbour| are_neighbours(*neighbour, letter)) {
        Edit::NeighbouringKey
    } else {
        Edit::Insertion
    };
    Some(match edit {
        edit if at == 0 => (edit, least::FIRST),
        Edit::NeighbouringKey if at == known.len() => (edit, least::LAST),
        Edit::NeighbouringKey => (edit, least::KEY),
        edit => (edit, least::INSERTION),
    })
}

/// Length of the word around a place.
fn word_length(name: &[u8], at: usize) -> usize {
    let is_end = |letter: &&u8| is_delimiter(char::from(**letter));
    let after = name[at..].iter().take_while(|letter| !is_end(letter)).count();
    let before = name[..at].iter().rev().take_while(|letter| !is_end(letter)).count();
    before + after
}

/// A letter that replaced another one in a word.
fn replaced(found: u8, known: u8, word: usize) -> Option<(Edit, usize)> {
    let both = |is: fn(char) -> bool| is(char::from(found)) && is(char::from(known));
    if both(is_delimiter) {
        return Some((Edit::Delimiter, least::DELIMITER));
    }
    if HOMOGLYPHS.iter().any(|(a, b)| (*a, *b) == (found, known) || (*b, *a) == (found, known)) {
        return Some((Edit::Homoglyph, least::HOMOGLYPH));
    }
    // Digits name versions, and delimiters separate words.
    if !both(|character| character.is_ascii_lowercase()) {
        return None;
    }
    if are_neighbours(found, known) {
        return Some((Edit::NeighbouringKey, least::KEY));
    }
    (word >= least::WORD).then_some((Edit::Substitution, least::SUBSTITUTION))
}

fn is_ligature(a: &[u8], b: &[u8]) -> bool {
    LIGATURES.iter().any(|(two, one)| (a == *two && b == *one) || (a == *one && b == *two))
}

/// Whether two keys touch.
fn are_neighbours(a: u8, b: u8) -> bool {
    let place = |key: u8| {
        ROWS.iter()
            .enumerate()
            .find_map(|(row, keys)| Some((row, keys.iter().position(|found| *found == key)?)))
    };
    let (Some(a), Some(b)) = (place(a), place(b)) else { return false };
    let (upper, lower) = if a.0 <= b.0 { (a, b) } else { (b, a) };
    match lower.0 - upper.0 {
        0 => upper.1.abs_diff(lower.1) == 1,
        // A key touches the two above it.
        1 => upper.1 == lower.1 || upper.1 == lower.1 + 1,
        _ => false,
    }
}

/// Edits of words. Almost all pairs are compared without an allocation.
fn words(affixes: &[&str], found: &str, known: &str) -> Option<Edit> {
    if without(found, is_delimiter).eq(without(known, is_delimiter)) {
        return (without(known, is_delimiter).count() >= least::DELIMITER).then_some(Edit::Delimiter);
    }
    if found.len() == known.len() && found.contains(is_delimiter) && sorted(found) == sorted(known) {
        return Some(Edit::WordOrder);
    }
    if looks_alike(found, known) {
        return Some(Edit::Homoglyph);
    }
    is_affixed(affixes, found, known).then_some(Edit::Affix)
}

fn without(name: &str, removed: fn(char) -> bool) -> impl Iterator<Item = char> {
    name.chars().filter(move |character| !removed(*character))
}

fn sorted(name: &str) -> Vec<&str> {
    let mut words: Vec<&str> = name.split(is_delimiter).filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words
}

/// Whether several letters look alike.
fn looks_alike(found: &str, known: &str) -> bool {
    let is_replaced = |character| "rnmvw1il0o5s3e".contains(character);
    if known.len() < least::KEY || !without(found, is_replaced).eq(without(known, is_replaced)) {
        return false;
    }
    let folded = |name: &str| {
        let name = name.replace("rn", "m").replace("vv", "w");
        name.replace(['1', 'i'], "l").replace('0', "o").replace('5', "s").replace('3', "e")
    };
    folded(found) == folded(known)
}

/// Whether the name of the language was added, left out or replaced.
fn is_affixed(affixes: &[&str], found: &str, known: &str) -> bool {
    let is_added = |long: &str, short: &str| {
        let rest = long.strip_prefix(short).or_else(|| long.strip_suffix(short));
        rest.is_some_and(|rest| {
            let affix = rest.trim_matches(is_delimiter);
            let least = if affix.len() < rest.len() { least::AFFIXED } else { least::JOINED };
            short.len() >= least && affixes.contains(&affix)
        })
    };
    if is_added(found, known) || is_added(known, found) {
        return true;
    }
    let stems = (stem(affixes, found), stem(affixes, known));
    matches!(stems, (Some(found), Some(known)) if found == known && known.len() >= least::AFFIXED)
}

/// The rest of a name that begins or ends with the name of the language.
fn stem<'a>(affixes: &[&str], name: &'a str) -> Option<&'a str> {
    let is_affix = |word: &str| affixes.contains(&word);
    let first = name.split_once(is_delimiter).and_then(|(first, rest)| is_affix(first).then_some(rest));
    first.or_else(|| {
        let at = name.rfind(is_delimiter)?;
        is_affix(&name[at + 1..]).then_some(&name[..at])
    })
}
