//! The meaning of a rule as it is written, spelled out as directly as possible: no compilation, no
//! sharing, no shortcuts, nothing of the matcher it is compared with but how documents are read and
//! what a regular expression is. Slow.

use std::cell::RefCell;
use std::collections::HashMap;

use sigma::document::{
    Comparison, Condition, Detection, Encoding, FieldTest, Flags, Kind, Modifiers, Placement, Quantifier,
    Scalar, Selection, Subject, TimePart,
};
use sigma::expression::{Regex, expression};
use sigma::{Event, Number, Value};

const DASHES: [char; 5] = ['-', '/', '–', '—', '―'];

/// What the oracle takes a placeholder for: whoever compares defines it the same.
pub(crate) fn placeholder_values(name: &str) -> [String; 3] {
    [name.to_owned(), format!("{name}?-x*"), r"a\*\\*".to_owned()]
}

/// Whether an event is what a detection looks for.
pub(crate) fn matches(detection: &Detection, event: &Event<'_>) -> bool {
    condition(&detection.condition, detection, event)
}

fn condition(node: &Condition, detection: &Detection, event: &Event<'_>) -> bool {
    match node {
        Condition::And(parts) => parts.iter().filter(|part| !condition(part, detection, event)).count() == 0,
        Condition::Or(parts) => parts.iter().filter(|part| condition(part, detection, event)).count() > 0,
        Condition::Not(part) => !condition(part, detection, event),
        Condition::Selection(wanted) => {
            let (_, found) = detection.selections.iter().find(|(name, _)| name == wanted).unwrap();
            selection(found, event)
        }
        Condition::Of(quantifier, subject) => {
            let meant = detection.selections.iter().filter(|(name, _)| match subject {
                Subject::Them => !name.starts_with('_'),
                Subject::Named(pattern) => glob(&atoms_of_name(pattern), name, true),
            });
            let results: Vec<bool> = meant.map(|(_, meant)| selection(meant, event)).collect();
            match quantifier {
                Quantifier::Any => results.contains(&true),
                Quantifier::All => !results.contains(&false),
            }
        }
    }
}

fn selection(node: &Selection, event: &Event<'_>) -> bool {
    match node {
        Selection::All(tests) => tests.iter().all(|test| field(test, event)),
        Selection::Any(parts) => parts.iter().any(|part| selection(part, event)),
    }
}

fn field(test: &FieldTest, event: &Event<'_>) -> bool {
    let found = match &test.field {
        None => Some(event.fields.iter().flat_map(|(_, value)| leaves(value, true)).collect()),
        Some(name) => lookup_either(event, name),
    };
    let values = found.clone().unwrap_or_default();
    let modifiers = &test.modifiers;
    let mut results = Vec::new();
    for wanted in &test.values {
        results.push(match (modifiers.kind, wanted) {
            (Kind::Exists, Scalar::Bool(wanted)) => *wanted == found.is_some(),
            (_, Scalar::Null) => values.is_empty() != modifiers.negated,
            _ if values.is_empty() => false,
            (Kind::FieldReference(placement), Scalar::Text(other)) => {
                let others = lookup_either(event, other.trim()).unwrap_or_default();
                let pair = |value: &&Value<'_>| {
                    others.iter().any(|other| refers(value, other, placement, modifiers.cased))
                };
                !others.is_empty() && values.iter().any(pair) != modifiers.negated
            }
            _ => {
                let holds = |value: &&Value<'_>| one(wanted, modifiers, test.field.is_none(), value);
                values.iter().any(holds) != modifiers.negated
            }
        });
    }
    if modifiers.every || modifiers.negated { !results.contains(&false) } else { results.contains(&true) }
}

/// What stands at a name without its spaces, or else with them; `None` where neither is there.
fn lookup_either<'e>(event: &'e Event<'_>, name: &str) -> Option<Vec<&'e Value<'e>>> {
    let (bare, full) = (follow(&event.fields, &name.replace(' ', "")), follow(&event.fields, name));
    match bare {
        Some(values) if values.is_empty() => full.or(Some(values)),
        Some(values) => Some(values),
        None => full,
    }
}

/// The values at a name: the literal field, else every way the path can be taken, in order.
fn follow<'e>(
    entries: &'e [(std::borrow::Cow<'_, str>, Value<'_>)],
    name: &str,
) -> Option<Vec<&'e Value<'e>>> {
    if let Some((_, value)) = entries.iter().find(|(own, _)| own == name) {
        return Some(leaves(value, false));
    }
    let dots = name.match_indices('.').map(|(at, _)| at);
    let mut ways = Vec::new();
    for dot in dots {
        for (position, (own, value)) in entries.iter().enumerate() {
            if *own == name[..dot] && dot + 1 < name.len() {
                ways.push((position, below(value, &name[dot + 1..])));
            }
        }
    }
    ways.sort_by_key(|(position, _)| *position);
    ways.into_iter().find_map(|(_, found)| found)
}

fn below<'e>(value: &'e Value<'_>, name: &str) -> Option<Vec<&'e Value<'e>>> {
    match value {
        Value::Map(entries) => follow(entries, name),
        Value::Array(items) => {
            let found: Vec<_> = items.iter().filter_map(|item| below(item, name)).collect();
            if found.is_empty() { None } else { Some(found.concat()) }
        }
        _ => None,
    }
}

fn leaves<'e>(value: &'e Value<'_>, into_maps: bool) -> Vec<&'e Value<'e>> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(items) => items.iter().flat_map(|item| leaves(item, into_maps)).collect(),
        Value::Map(entries) if into_maps => {
            entries.iter().flat_map(|(_, value)| leaves(value, true)).collect()
        }
        single => vec![single],
    }
}

/// Whether one value of the rule holds for one value of the event.
fn one(wanted: &Scalar, modifiers: &Modifiers, keyword: bool, value: &Value<'_>) -> bool {
    let Some(text) = written(value) else { return false };
    match (modifiers.kind, wanted) {
        (Kind::Regex(flags), Scalar::Text(wanted)) => {
            compiled(wanted, flags).find_iter(&text).next().is_some()
        }
        (Kind::Network, Scalar::Text(wanted)) => value.as_str().is_some_and(|text| within(wanted, text)),
        (Kind::TimePart(part, relation), Scalar::Number(wanted)) => {
            let found = value.as_str().and_then(|text| time_part(text, part));
            found.is_some_and(|found| match relation {
                Some(relation) => compares(relation, found, double(wanted)),
                None => found == double(wanted),
            })
        }
        (Kind::Compare(relation), Scalar::Number(wanted)) => {
            number(value, &text).is_some_and(|own| compares(relation, own, double(wanted)))
        }
        (_, Scalar::Number(Number::Int(wanted))) if keyword => text.contains(&wanted.to_string()),
        (_, Scalar::Number(wanted)) => number(value, &text) == Some(double(wanted)),
        (_, Scalar::Bool(wanted)) => {
            matches!(value, Value::Bool(_) | Value::String(_))
                && text.to_ascii_lowercase() == wanted.to_string()
        }
        (kind, Scalar::Text(wanted)) => alternatives(wanted, modifiers).into_iter().any(|mut atoms| {
            if keyword || matches!(kind, Kind::Contains | Kind::EndsWith) {
                atoms.insert(0, Atom::Run);
            }
            if keyword || matches!(kind, Kind::Contains | Kind::StartsWith) {
                atoms.push(Atom::Run);
            }
            glob(&atoms, &text, modifiers.cased)
        }),
        (_, Scalar::Null) => unreachable!("decided without looking at values"),
    }
}

/// Expressions are the one thing that is remembered: compiling one takes longer than all else together.
fn compiled(text: &str, flags: Flags) -> Regex {
    thread_local!(static KNOWN: RefCell<HashMap<(String, Flags), Regex>> = RefCell::default());
    let fresh = || expression(text, flags).unwrap();
    KNOWN.with_borrow_mut(|known| known.entry((text.to_owned(), flags)).or_insert_with(fresh).clone())
}

fn written(value: &Value<'_>) -> Option<String> {
    match value {
        Value::String(text) => Some(text.to_string()),
        Value::Int(value) => Some(format!("{value}")),
        Value::Double(value) => Some(format!("{value}")),
        Value::Bool(value) => Some(format!("{value}")),
        _ => None,
    }
}

fn refers(value: &Value<'_>, other: &Value<'_>, placement: Placement, cased: bool) -> bool {
    let (Some(text), Some(wanted)) = (written(value), written(other)) else { return false };
    let is_number = |value: &Value<'_>| matches!(value, Value::Int(_) | Value::Double(_));
    if placement == Placement::Whole && (is_number(value) || is_number(other)) {
        let own = number(value, &text);
        return own.is_some() && own == number(other, &wanted);
    }
    let mut atoms: Vec<Atom> = wanted.chars().map(Atom::Same).collect();
    if matches!(placement, Placement::Anywhere | Placement::End) {
        atoms.insert(0, Atom::Run);
    }
    if matches!(placement, Placement::Anywhere | Placement::Start) {
        atoms.push(Atom::Run);
    }
    glob(&atoms, &text, cased)
}

fn compares(relation: Comparison, own: f64, wanted: f64) -> bool {
    match relation {
        Comparison::Less => own < wanted,
        Comparison::LessOrEqual => own <= wanted,
        Comparison::Greater => own > wanted,
        Comparison::GreaterOrEqual => own >= wanted,
    }
}

/// Enough for the numbers of the tests, which doubles hold exactly.
fn number(value: &Value<'_>, text: &str) -> Option<f64> {
    let digits = text.chars().last().is_some_and(|last| last.is_ascii_digit());
    let writes_one = matches!(value, Value::Int(_) | Value::Double(_)) || digits;
    if writes_one && !matches!(value, Value::Bool(_)) { text.parse().ok() } else { None }
}

#[expect(clippy::cast_precision_loss, reason = "the tests use small numbers")]
fn double(number: &Number) -> f64 {
    match number {
        Number::Int(value) => *value as f64,
        Number::Double(value) => *value,
    }
}

/// The leading bits of both addresses are the same; IPv4 written as IPv6 counts as both.
fn within(network: &str, address: &str) -> bool {
    let bits = |address: std::net::IpAddr| -> Vec<bool> {
        let bytes = match address {
            std::net::IpAddr::V4(address) => address.octets().to_vec(),
            std::net::IpAddr::V6(address) => address.octets().to_vec(),
        };
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1)).collect()
    };
    let (first, length) = network.split_once('/').unwrap_or((network, "128"));
    let first = bits(first.parse().unwrap());
    let length = first.len().min(length.parse().unwrap());
    let Ok(address) = address.parse::<std::net::IpAddr>() else { return false };
    [address, address.to_canonical()].into_iter().any(|address| {
        let address = bits(address);
        address.len() == first.len() && address[..length] == first[..length]
    })
}

/// Reads `YYYY-MM-DD`, then perhaps `T` or a space and `HH:MM`, and whatever is no letter or digit.
fn time_part(text: &str, part: TimePart) -> Option<f64> {
    let characters: Vec<char> = text.chars().collect();
    let digits = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits: Vec<i64> =
            characters.get(range)?.iter().map(|c| c.to_digit(10).map(i64::from)).collect::<Option<_>>()?;
        Some(digits.iter().fold(0, |number, digit| number * 10 + digit))
    };
    let is = |at: usize, allowed: &[char]| characters.get(at).is_some_and(|c| allowed.contains(c));
    let (year, month, day) = (digits(0..4)?, digits(5..7)?, digits(8..10)?);
    let date_is_whole = is(4, &['-']) && is(7, &['-']) && (1..=12).contains(&month);
    if !date_is_whole || day < 1 || day > days_of(year, month) {
        return None;
    }
    let mut time = (None, None);
    if characters.len() > 10 {
        time = (Some(digits(11..13)?), Some(digits(14..16)?));
        let ends = characters.get(16).is_none_or(|c| !c.is_ascii_alphanumeric() || "Zz".contains(*c));
        if !is(10, &['T', 't', ' ']) || !is(13, &[':']) || !ends || time.0 > Some(23) || time.1 > Some(59) {
            return None;
        }
    }
    let found = match part {
        TimePart::Minute => time.1?,
        TimePart::Hour => time.0?,
        TimePart::Day => day,
        TimePart::Week => week(year, month, day),
        TimePart::Month => month,
        TimePart::Year => year,
    };
    Some(double(&Number::Int(found.into())))
}

fn days_of(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The week belongs to the year that its Thursday is in, and is that year's how many-th Thursday.
fn week(year: i64, month: i64, day: i64) -> i64 {
    let year_days = |year| (1..=12).map(|month| days_of(year, month)).sum::<i64>();
    let of_year = (1..month).map(|month| days_of(year, month)).sum::<i64>() + day;
    // 1 January of the year 0 was a Saturday: five days after a Monday.
    let since_monday = ((0..year).map(year_days).sum::<i64>() + of_year - 1 + 5) % 7;
    let thursday = of_year - since_monday + 3;
    let within = if thursday < 1 {
        thursday + year_days(year - 1)
    } else if thursday > year_days(year) {
        thursday - year_days(year)
    } else {
        thursday
    };
    (within + 6) / 7
}

#[derive(Clone, Debug, PartialEq)]
enum Atom {
    Same(char),
    One,
    Run,
    Dash,
    Placeholder(String),
}

/// Every sequence the text of a rule stands for, its changes made one after the other.
fn alternatives(text: &str, modifiers: &Modifiers) -> Vec<Vec<Atom>> {
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

#[derive(Clone)]
enum Byte {
    Known(u8),
    One,
    Run,
}

fn encoded(atoms: &[Atom], encodings: &[Encoding]) -> Vec<Vec<Atom>> {
    let mut all: Vec<Vec<Byte>> = vec![Vec::new()];
    for atom in atoms {
        all[0].extend(match atom {
            Atom::Same(c) => c.to_string().bytes().map(Byte::Known).collect(),
            Atom::One => vec![Byte::One],
            _ => vec![Byte::Run],
        });
    }
    for encoding in encodings {
        all = all.iter().flat_map(|bytes| encode(bytes, *encoding)).collect();
    }
    let atom = |byte: &Byte| match byte {
        Byte::Known(byte) => Atom::Same(char::from(*byte)),
        Byte::One => Atom::One,
        Byte::Run => Atom::Run,
    };
    let ends_wide = encodings.last() == Some(&Encoding::Utf16);
    all.iter()
        .map(|bytes| {
            let mut atoms: Vec<Atom> = bytes.iter().map(atom).collect();
            if ends_wide {
                atoms.splice(0..2, [Atom::Same('\u{feff}')]);
            }
            atoms
        })
        .collect()
}

fn encode(bytes: &[Byte], encoding: Encoding) -> Vec<Vec<Byte>> {
    let known = || -> Vec<u8> {
        let known = |byte: &Byte| match byte {
            Byte::Known(byte) => Some(*byte),
            _ => None,
        };
        bytes.iter().filter_map(known).collect()
    };
    let characters = |bits: &[bool]| -> Vec<Byte> {
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let index = |six: &[bool]| six.iter().fold(0, |index, bit| index * 2 + usize::from(*bit));
        bits.chunks(6).map(|six| Byte::Known(alphabet[index(six)])).collect()
    };
    match encoding {
        Encoding::Base64 => {
            let mut bits = bits_of(&known());
            bits.resize(bits.len().div_ceil(6) * 6, false);
            let mut whole = characters(&bits);
            whole.resize(whole.len().div_ceil(4) * 4, Byte::Known(b'='));
            vec![whole]
        }
        Encoding::Base64Offset => {
            // Characters hold six bits each, from the start of a longer text; only those that hold no
            // bit of a neighbour are sure.
            let bits = bits_of(&known());
            let own = |offset: usize| {
                let skipped = (6 - offset * 8 % 6) % 6;
                let sure = (bits.len() - skipped) / 6 * 6;
                characters(&bits[skipped..skipped + sure])
            };
            vec![own(0), own(1), own(2)]
        }
        Encoding::Utf16 => {
            let mark = [Byte::Known(0xff), Byte::Known(0xfe)];
            vec![mark.into_iter().chain(wide(bytes, false)).collect()]
        }
        Encoding::Utf16Le => vec![wide(bytes, false)],
        Encoding::Utf16Be => vec![wide(bytes, true)],
    }
}

fn bits_of(bytes: &[u8]) -> Vec<bool> {
    bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1)).collect()
}

fn wide(bytes: &[Byte], big_endian: bool) -> Vec<Byte> {
    let mut wide = Vec::new();
    let mut pending = Vec::new();
    for byte in bytes {
        match byte {
            Byte::Known(byte) => {
                pending.push(*byte);
                let Ok(text) = std::str::from_utf8(&pending) else { continue };
                for unit in text.encode_utf16() {
                    let (low, high) = ((unit & 255) as u8, (unit >> 8) as u8);
                    let pair = if big_endian { [high, low] } else { [low, high] };
                    wide.extend(pair.map(Byte::Known));
                }
                pending.clear();
            }
            Byte::One => wide.extend([Byte::One, Byte::One]),
            Byte::Run => wide.push(Byte::Run),
        }
    }
    wide
}

fn atoms_of_name(pattern: &str) -> Vec<Atom> {
    pattern.chars().map(|c| if c == '*' { Atom::Run } else { Atom::Same(c) }).collect()
}

/// Walks the text with every place in the pattern that may be reached.
fn glob(pattern: &[Atom], text: &str, cased: bool) -> bool {
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
