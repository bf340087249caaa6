//! Every row of the tables: generated values with right and wrong check digits, in sentences whose words were not used
//! to write the tables.

use super::super::code::Code;
use super::super::entity::{Entity, EntitySet};
use super::super::format::{Format, Proof};
use super::super::national::TABLES;
use super::wordings::wordings;
use super::{Catalogue, Seeded};

/// Sentences around a label and a value.
const FRAMES: [&str; 10] = [
    "Could you check whether {label} {value} is still valid?",
    "{label}: {value}",
    "Hi team, the {label} on the form was {value}, please correct it.",
    "{\"name\": \"x\", \"{label}\": \"{value}\"}",
    "As discussed, {label} = {value}.",
    "<td>{label}</td><td>{value}</td>",
    "My {label} is {value} and I need a copy.",
    "{value} ({label})",
    "- {label} – {value}\n- next line",
    "Caller confirmed {label} number {value}; callback arranged.",
];

/// A value in a form: random where the form leaves it open.
fn filled(form: &str, random: &mut Seeded) -> String {
    if let Some(bounds) = form.strip_prefix('*') {
        let (range, fewest) = bounds.split_once('/').unwrap();
        let (low, high) = range.split_once('-').unwrap();
        let (low, high): (usize, usize) = (low.parse().unwrap(), high.parse().unwrap());
        let fewest: usize = fewest.parse().unwrap();
        let length = low + random.below(high - low + 1);
        return (0..length)
            .map(|index| if index == 0 && fewest < length { 'K' } else { digit(random) })
            .collect();
    }
    let mut value = String::new();
    for sign in form.chars() {
        match sign {
            'd' => value.push(digit(random)),
            'a' | '^' => value.push(letter(random)),
            'x' => value.push(if random.below(3) == 0 { letter(random) } else { digit(random) }),
            '~' => value.push_str(["", " ", "-"][random.below(2)]),
            '_' => value.push(' '),
            other => value.push(other),
        }
    }
    value
}

fn digit(random: &mut Seeded) -> char {
    char::from(b'0' + random.below(10) as u8)
}

fn letter(random: &mut Seeded) -> char {
    char::from(b'A' + random.below(26) as u8)
}

/// A value that passes the check, or none in a million tries.
fn valid(format: &Format, form: &str, random: &mut Seeded) -> Option<String> {
    (0..1_000_000)
        .map(|_| filled(form, random))
        .find(|value| Code::of(value).is_some_and(|code| (format.check)(&code)))
}

/// The value with its last characters changed until the check refuses it.
fn invalid(format: &Format, value: &str, random: &mut Seeded) -> Option<String> {
    let places: Vec<usize> = (0..value.len()).filter(|at| value.as_bytes()[*at].is_ascii_digit()).collect();
    if places.is_empty() {
        return None;
    }
    (0..50)
        .map(|_| {
            let mut changed = value.as_bytes().to_vec();
            let place = places[places.len() - 1 - random.below(2.min(places.len()))];
            changed[place] = digit(random) as u8;
            String::from_utf8(changed).unwrap()
        })
        .find(|changed| Code::of(changed).is_some_and(|code| !(format.check)(&code)))
}

#[derive(Default)]
struct Count {
    found: usize,
    cases: usize,
    kept: usize,
    wrong: usize,
    other: usize,
    examples: Vec<String>,
}

/// Whether what was found is another row than the one that refused the value: one that has no check, or a check of another
/// country.
fn is_of_other_format(format: &Format, entity: Entity, reason: &str) -> bool {
    let rows = TABLES.iter().flat_map(|table| table.iter());
    let mut named = rows.filter(|row| row.name == reason && row.entity == entity);
    named.any(|row| row.country != format.country || !std::ptr::fn_addr_eq(row.check, format.check))
}

fn judge(catalogue: &Catalogue, format: &Format, random: &mut Seeded) -> Count {
    let wanted = EntitySet::of(Entity::all());
    let mut count = Count::default();
    for round in 0..30 {
        let form = format.forms[round % format.forms.len()];
        let Some(value) = valid(format, form, random) else { continue };
        let words = wordings(format);
        let label = words[random.below(words.len())];
        // Most rows are written with a label; those that need none also without.
        let frame = if format.proof == Proof::Form && round % 3 == 0 {
            "We received {value} today."
        } else {
            FRAMES[round % FRAMES.len()]
        };
        let text = frame.replace("{label}", label).replace("{value}", &value);
        let at = text.find(&value).unwrap();
        let covers = |text: &str, value: &str| {
            let at = text.find(value).unwrap();
            let spans = catalogue.find(text, &wanted);
            spans.iter().any(|span| span.range.start <= at && at + value.len() <= span.range.end)
        };
        count.cases += 1;
        if covers(&text, &value) {
            count.found += 1;
        } else {
            count.examples.push(format!("missed at {at}: {text}"));
        }
        let Some(changed) = invalid(format, &value, random) else { continue };
        let text = frame.replace("{label}", label).replace("{value}", &changed);
        let at = text.find(&changed).unwrap();
        let spans = catalogue.find(&text, &wanted);
        let found = spans.iter().find(|span| span.range.start <= at && at + changed.len() <= span.range.end);
        // Another format that the same label names may hold the value.
        if found.is_some_and(|span| is_of_other_format(format, span.entity, span.reason)) {
            count.other += 1;
            continue;
        }
        count.wrong += 1;
        if let Some(found) = found {
            count.examples.push(format!("not left as {}: {text}", found.reason));
        } else {
            count.kept += 1;
        }
    }
    count
}

#[test]
fn identifiers_with_right_check_digits_are_found_and_others_left() {
    let catalogue = Catalogue::new().unwrap();
    let mut random = Seeded(7);
    let mut failures = Vec::new();
    let (mut found, mut cases, mut kept, mut wrong, mut other) = (0, 0, 0, 0, 0);
    for format in TABLES.iter().flat_map(|table| table.iter()) {
        let count = judge(&catalogue, format, &mut random);
        (found, cases, kept, wrong) =
            (found + count.found, cases + count.cases, kept + count.kept, wrong + count.wrong);
        other += count.other;
        let enough = count.cases > 0 && count.found * 100 >= count.cases * 95;
        let left = count.kept * 100 >= count.wrong * 95;
        if !(enough && left) {
            let examples = count.examples.iter().take(3).cloned().collect::<Vec<_>>().join("\n      ");
            failures.push(format!(
                "{} {} {}: {}/{} found, {}/{} left\n      {examples}",
                format.country,
                format.name,
                format.forms[0],
                count.found,
                count.cases,
                count.kept,
                count.wrong
            ));
        }
    }
    println!("{found} of {cases} found, {kept} of {wrong} left, {other} are of another format");
    assert!(failures.is_empty(), "{} rows:\n{}", failures.len(), failures.join("\n"));
}
