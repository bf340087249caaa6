//! Quality of redaction as a whole, with the default kinds: the development set, which training never uses, and texts
//! without personal data.
//!
//! - `redact/errors.rs`: values of a text and what was found to errors by kind.

mod errors;

use std::collections::BTreeMap;
use std::io::Write;

use conceal::{Choice, Concealer, Form};
use serde::Deserialize;

use crate::TrainError;
use crate::data::Data;
use errors::{Error, Given, Gold, Of, errors, meets};

/// Texts without personal data, one on each line, by what they hold.
const LEFT_ALONE: [(&str, &str); 9] = [
    ("companies", include_str!("../../../../common/redact/tests/left_alone/companies.txt")),
    ("job titles", include_str!("../../../../common/redact/tests/left_alone/titles.txt")),
    ("dates and numbers", include_str!("../../../../common/redact/tests/left_alone/dates_numbers.txt")),
    ("orders and tickets", include_str!("../../../../common/redact/tests/left_alone/orders_tickets.txt")),
    ("database ids", include_str!("../../../../common/redact/tests/left_alone/database_ids.txt")),
    ("hashes", include_str!("../../../../common/redact/tests/left_alone/hashes.txt")),
    ("versions", include_str!("../../../../common/redact/tests/left_alone/versions.txt")),
    ("places", include_str!("../../../../common/redact/tests/left_alone/places.txt")),
    ("URLs", include_str!("../../../../common/redact/tests/left_alone/urls.txt")),
];

/// Bytes of a text that are redacted: more than any text of the set has.
const MOST: usize = 1 << 20;
/// Titles of courtesy that the set counts as persons, in small letters and without the full stop.
const COURTESY: [&str; 8] = ["mr", "mrs", "ms", "miss", "mx", "dr", "prof", "sir"];
/// Values that the table of errors shows of each kind, so that a row stays on one line of a terminal.
const EXAMPLES: usize = 5;

/// A text of the development set; the offsets of its values count characters.
#[derive(Deserialize)]
struct Developed {
    text: String,
    spans: Vec<(usize, usize, String)>,
}

#[derive(Clone, Copy, Default)]
struct Count {
    gold: usize,
    found: usize,
    given: usize,
    right: usize,
}

/// Trains the model of names, redacts the development set with it, and prints precision, recall, errors by kind and the
/// unchanged lines.
///
/// # Errors
/// [`TrainError`] where the data cannot be read or the report not be printed.
pub fn report(data: &mut Data, out: &mut dyn Write) -> Result<(), TrainError> {
    let model = crate::names::train(data, crate::trainer::SEED)?;
    let concealer = Concealer::load(&model)?;
    let mut counts: BTreeMap<&'static str, Count> = BTreeMap::new();
    let mut wrong: BTreeMap<Error, Vec<String>> = BTreeMap::new();
    for record in data.records::<Developed>("redact_synth_dev.jsonl")? {
        let gold = gold(&record);
        let given = given(&concealer, &record.text)?;
        count(&gold, &given, &mut counts);
        for (error, range) in errors(&gold, &given) {
            let value = record.text.get(range).unwrap_or_default().replace('\n', " ");
            wrong.entry(error).or_default().push(value);
        }
    }
    quality(&counts, out)?;
    by_error(&wrong, out)?;
    unchanged(&concealer, out)
}

/// The values of a text. Titles of courtesy, which the set counts as persons, are no values.
fn gold(record: &Developed) -> Vec<Gold> {
    let offset = |count: usize| record.text.char_indices().nth(count).map_or(record.text.len(), |(at, _)| at);
    let value = |(start, end, kind): &(usize, usize, String)| {
        let range = offset(*start)..offset(*end);
        let of = match kind.as_str() {
            "PERSON" if is_courtesy(record.text.get(range.clone()).unwrap_or_default()) => Of::Courtesy,
            "PERSON" => Of::Default("NAME"),
            "PHONE_NUMBER" => Of::Default("PHONE"),
            "ADDRESS" => Of::Default("ADDRESS"),
            "TITLE" => Of::JobTitle,
            "ORGANIZATION" => Of::Company,
            "LOCATION" => Of::Place,
            _ => Of::Other,
        };
        Gold { of, range }
    };
    record.spans.iter().map(value).collect()
}

/// Whether a person of the development set is a title of courtesy alone.
pub(crate) fn is_courtesy(person: &str) -> bool {
    let word = person.trim_end_matches('.').to_lowercase();
    COURTESY.contains(&word.as_str())
}

/// The replaced parts, with the word of their kind.
fn given(concealer: &Concealer<'_>, text: &str) -> Result<Vec<Given>, TrainError> {
    let values = concealer.conceal(&[text], &Choice::default(), Form::Placeholders, MOST)?.values;
    let known = values.into_iter().filter_map(|value| Some((value.entity.word()?, value.range)));
    Ok(known.map(|(word, range)| Given { word, range }).collect())
}

/// A value counts as found where a part of it is replaced as its kind, and a replaced part counts as right where it lies on a
/// value of its kind. Parts that lie on titles of courtesy alone count neither as right nor as wrong, because the set and the
/// product differ in them.
fn count(gold: &[Gold], given: &[Given], counts: &mut BTreeMap<&'static str, Count>) {
    let same = |one: &Gold, span: &Given| one.of == Of::Default(span.word) && meets(&one.range, &span.range);
    for one in gold {
        let Of::Default(word) = one.of else { continue };
        let count = counts.entry(word).or_default();
        count.gold += 1;
        count.found += usize::from(given.iter().any(|span| same(one, span)));
    }
    for span in given {
        let mut on = gold.iter().filter(|one| meets(&one.range, &span.range)).peekable();
        if on.peek().is_some() && on.all(|one| one.of == Of::Courtesy) {
            continue;
        }
        let count = counts.entry(span.word).or_default();
        count.given += 1;
        count.right += usize::from(gold.iter().any(|one| same(one, span)));
    }
}

fn quality(counts: &BTreeMap<&'static str, Count>, out: &mut dyn Write) -> Result<(), TrainError> {
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    writeln!(out, "| kind | values | replaced | precision | recall |\n|---|---|---|---|---|")?;
    let mut all = Count::default();
    let rows = counts.iter().map(|(word, count)| (*word, *count));
    for (_, count) in rows.clone() {
        all.gold += count.gold;
        all.found += count.found;
        all.given += count.given;
        all.right += count.right;
    }
    for (word, count) in rows.chain([("all", all)]) {
        let (precision, recall) = (share(count.right, count.given), share(count.found, count.gold));
        writeln!(out, "| {word} | {} | {} | {precision:.3} | {recall:.3} |", count.gold, count.given)?;
    }
    writeln!(out)?;
    Ok(())
}

fn by_error(wrong: &BTreeMap<Error, Vec<String>>, out: &mut dyn Write) -> Result<(), TrainError> {
    writeln!(out, "| error | values | examples |\n|---|---|---|")?;
    for (error, values) in wrong {
        let examples: Vec<&str> = values.iter().take(EXAMPLES).map(String::as_str).collect();
        writeln!(out, "| {} | {} | {} |", error.name(), values.len(), examples.join("; "))?;
    }
    writeln!(out)?;
    Ok(())
}

fn unchanged(concealer: &Concealer<'_>, out: &mut dyn Write) -> Result<(), TrainError> {
    writeln!(out, "| lines without personal data | lines | unchanged |\n|---|---|---|")?;
    let (mut lines, mut kept) = (0, 0);
    for (name, file) in LEFT_ALONE {
        let of_file = file.lines().count();
        let mut same = 0;
        for line in file.lines() {
            same += usize::from(given(concealer, line)?.is_empty());
        }
        writeln!(out, "| {name} | {of_file} | {same} |")?;
        (lines, kept) = (lines + of_file, kept + same);
    }
    writeln!(out, "| all | {lines} | {kept} |")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Count, Developed, Given, Gold, Of, count, gold};

    #[test]
    fn titles_of_courtesy_are_told_from_short_names() {
        let spans = ["Mr.", "dr.", "Ana", "Lee", "Kim"];
        let text = spans.join(" ");
        let span = |name: &&str| {
            (text.find(name).unwrap(), text.find(name).unwrap() + name.len(), "PERSON".to_owned())
        };
        let record = Developed { spans: spans.iter().map(span).collect(), text: text.clone() };
        let of: Vec<Of> = gold(&record).into_iter().map(|one| one.of).collect();
        let name = Of::Default("NAME");
        assert_eq!(of, [Of::Courtesy, Of::Courtesy, name, name, name]);
    }

    #[test]
    fn other_kinds_and_job_titles_are_wrong_and_titles_of_courtesy_do_not_count() {
        let name = Of::Default("NAME");
        for (of, word, (found, given, right)) in [
            (name, "NAME", (1, 1, 1)),
            (name, "PHONE", (0, 0, 0)),
            (Of::JobTitle, "NAME", (0, 1, 0)),
            (Of::Company, "NAME", (0, 1, 0)),
            (Of::Courtesy, "NAME", (0, 0, 0)),
        ] {
            let mut counts: BTreeMap<&'static str, Count> = BTreeMap::new();
            count(&[Gold { of, range: 0..9 }], &[Given { word, range: 2..9 }], &mut counts);
            let count = counts.get("NAME").copied().unwrap_or_default();
            assert_eq!((count.found, count.given, count.right), (found, given, right), "{of:?}, {word}");
        }
    }
}
