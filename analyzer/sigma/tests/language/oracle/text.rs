//! The meaning of the text of a rule, and its comparison with a text, character by character.

use sigma::document::Modifiers;

use super::encodings::encoded;

const DASHES: [char; 5] = ['-', '/', '–', '—', '―'];

/// Values of a placeholder in the oracle: tests define the same for the compiler.
pub(crate) fn placeholder_values(name: &str) -> [String; 3] {
    [name.to_owned(), format!("{name}?-x*"), r"a\*\\*".to_owned()]
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Atom {
    Same(char),
    One,
    Run,
    Dash,
    Placeholder(String),
}

/// Every sequence that the text of a rule may match, its changes made one after the other.
pub(super) fn alternatives(text: &str, modifiers: &Modifiers) -> Vec<Vec<Atom>> {
    let mut all = vec![atoms(text, modifiers.expand)];
    while let Some(index) = all.iter().position(|atoms| placeholder(atoms).is_some()) {
        let atoms = all.remove(index);
        let (at, name) = placeholder(&atoms).unwrap();
        for value in placeholder_values(&name) {
            let mut longer = atoms.clone();
            longer.splice(at..=at, self::atoms(&value, false));
            all.push(longer);
        }
    }
    if modifiers.windash {
        all.iter_mut().for_each(|atoms| windash(atoms));
    }
    if modifiers.encodings.is_empty() {
        return all;
    }
    while let Some(index) = all.iter().position(|atoms| atoms.contains(&Atom::Dash)) {
        let atoms = all.remove(index);
        let at = atoms.iter().position(|atom| *atom == Atom::Dash).unwrap();
        for dash in DASHES {
            let mut certain = atoms.clone();
            certain[at] = Atom::Same(dash);
            all.push(certain);
        }
    }
    all.iter().flat_map(|atoms| encoded(atoms, &modifiers.encodings)).collect()
}

fn placeholder(atoms: &[Atom]) -> Option<(usize, String)> {
    atoms.iter().enumerate().find_map(|(at, atom)| match atom {
        Atom::Placeholder(name) => Some((at, name.clone())),
        _ => None,
    })
}

/// Backslashes before a wildcard (or a percent sign): pairs are one each, one left over escapes.
/// Elsewhere: one or two are one, three or four two.
fn atoms(text: &str, placeholders: bool) -> Vec<Atom> {
    let characters: Vec<char> = text.chars().collect();
    let mut atoms = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let backslashes = characters[at..].iter().take_while(|c| **c == '\\').count();
        at += backslashes;
        let next = characters.get(at).copied();
        let special = next.is_some_and(|c| c == '*' || c == '?' || placeholders && c == '%');
        let kept = if special { backslashes / 2 } else { backslashes.div_ceil(2) };
        atoms.extend((0..kept).map(|_| Atom::Same('\\')));
        let Some(next) = next else { break };
        at += 1;
        if !special || backslashes % 2 == 1 {
            atoms.push(Atom::Same(next));
            continue;
        }
        let name: String = characters[at..].iter().take_while(|c| **c != '%').collect();
        let is_name = name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c)) && !name.is_empty();
        let is_closed = at + name.chars().count() < characters.len();
        match next {
            '*' => atoms.push(Atom::Run),
            '?' => atoms.push(Atom::One),
            _ if is_name && is_closed => {
                at += name.chars().count() + 1;
                atoms.push(Atom::Placeholder(name));
            }
            _ => atoms.push(Atom::Same('%')),
        }
    }
    atoms
}

/// A dash after no word character and before one.
fn windash(atoms: &mut [Atom]) {
    let original = atoms.to_vec();
    let is_word =
        |atom: Option<&Atom>| matches!(atom, Some(Atom::Same(c)) if c.is_alphanumeric() || *c == '_');
    for at in 0..atoms.len() {
        let is_dash = matches!(original[at], Atom::Same(c) if DASHES.contains(&c));
        let before = at.checked_sub(1).and_then(|before| original.get(before));
        if is_dash && !is_word(before) && is_word(original.get(at + 1)) {
            atoms[at] = Atom::Dash;
        }
    }
}

pub(super) fn atoms_of_name(pattern: &str) -> Vec<Atom> {
    pattern.chars().map(|c| if c == '*' { Atom::Run } else { Atom::Same(c) }).collect()
}

/// Walks the text with every place in the pattern that may be reached.
pub(super) fn glob(pattern: &[Atom], text: &str, cased: bool) -> bool {
    let mut places = vec![false; pattern.len() + 1];
    places[0] = true;
    skip_runs(pattern, &mut places);
    for character in text.chars() {
        let mut next = vec![false; pattern.len() + 1];
        for at in (0..pattern.len()).filter(|at| places[*at]) {
            match &pattern[at] {
                Atom::Run => next[at] = true,
                Atom::One => next[at + 1] = true,
                Atom::Dash => next[at + 1] |= DASHES.contains(&character),
                Atom::Same(own) => next[at + 1] |= same(*own, character, cased),
                Atom::Placeholder(_) => unreachable!("replaced before"),
            }
        }
        places = next;
        skip_runs(pattern, &mut places);
    }
    places[pattern.len()]
}

fn skip_runs(pattern: &[Atom], places: &mut [bool]) {
    for (at, atom) in pattern.iter().enumerate() {
        if places[at] && *atom == Atom::Run {
            places[at + 1] = true;
        }
    }
}

/// Equal, or equal in lower case where that is one character; ASCII equals ASCII only.
fn same(own: char, other: char, cased: bool) -> bool {
    if cased || own.is_ascii() != other.is_ascii() {
        return own == other;
    }
    let lower = |c: char| if c.to_lowercase().count() == 1 { c.to_lowercase().next().unwrap() } else { c };
    let non_ascii = |c: char| if !c.is_ascii() && lower(c).is_ascii() { c } else { lower(c) };
    non_ascii(own) == non_ascii(other)
}
