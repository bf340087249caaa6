//! Every row of the tables on sentences of many forms: values by the rules of their issuers, written independently of the
//! checks of the catalogue, and numbers that resemble them.

use std::collections::{BTreeMap, BTreeSet};

use super::super::code::Code;
use super::super::entity::{Entity, EntitySet};
use super::super::form::end_of;
use super::super::format::Format;
use super::super::national::TABLES;
use super::super::national::finance::iban;
use super::draw::Draw;
use super::sentences::{BARE, NUMBERS, OF_OTHERS, UNNAMED, named};
use super::{Catalogue, Seeded, americas, asia, eastern, papers, western};

/// How an identifier is generated and written.
pub(super) struct Row {
    entity: Entity,
    country: &'static str,
    name: &'static str,
    language: &'static str,
    labels: &'static [&'static str],
    /// `#` stands for the next character of the value. `!` before a notation: it needs no label.
    notations: &'static [&'static str],
    value: fn(&mut Draw) -> Option<String>,
    /// A value that a form alone must not show; the value with another last digit where none is given.
    wrong: Option<fn(&mut Draw) -> String>,
    /// Whether the value is found even behind a label that names something else.
    is_sure: bool,
}

/// A row. Its values are those of the issuer, without separators.
pub(super) fn row(
    entity: Entity,
    country: &'static str,
    name: &'static str,
    language: &'static str,
    labels: &'static [&'static str],
    notations: &'static [&'static str],
    value: fn(&mut Draw) -> Option<String>,
) -> Row {
    Row { entity, country, name, language, labels, notations, value, wrong: None, is_sure: false }
}

impl Row {
    pub(super) fn wrong(self, wrong: fn(&mut Draw) -> String) -> Self {
        Self { wrong: Some(wrong), ..self }
    }

    pub(super) fn sure(self) -> Self {
        Self { is_sure: true, ..self }
    }

    fn valid(&self, draw: &mut Draw) -> String {
        (0..1000).find_map(|_| (self.value)(draw)).unwrap()
    }

    /// The notation of a round among all, or among those that need no label.
    fn notation(&self, round: usize, plain: bool) -> Option<&'static str> {
        let fits = |notation: &&&str| !plain || notation.starts_with('!');
        let notations: Vec<&&str> = self.notations.iter().filter(fits).collect();
        notations.get(round % notations.len().max(1)).map(|notation| notation.trim_start_matches('!'))
    }

    /// A number that is not the identifier, as it stands in a text.
    fn resembling(&self, round: usize, draw: &mut Draw) -> String {
        match self.wrong {
            Some(wrong) => written(self.notation(round, false).unwrap(), &wrong(draw)),
            None => self.altered(round, draw).unwrap(),
        }
    }

    /// A value with another last digit, as it stands in a text, unless it has no digit.
    fn altered(&self, round: usize, draw: &mut Draw) -> Option<String> {
        let notation = self.notation(round, false).unwrap();
        let mut value = self.valid(draw);
        let at = value.rfind(|sign: char| sign.is_ascii_digit())?;
        let digit = value[at..=at].parse::<usize>().unwrap();
        value.replace_range(at..=at, &((digit + 1 + draw.below(9)) % 10).to_string());
        Some(written(notation, &value))
    }

    /// Whether the formats of this row in the tables accept a value.
    fn accepts(&self, value: &str) -> bool {
        let fits = |format: &Format| {
            let is_form = |form: &&str| end_of(form, value.as_bytes(), 0) == Some(value.len());
            format.forms.iter().any(is_form) && Code::of(value).is_some_and(|code| (format.check)(&code))
        };
        let key = (self.entity, self.country, self.name);
        let mut formats = TABLES.iter().flat_map(|table| table.iter());
        let is_iban = self.entity == Entity::Iban && Code::of(value).is_some_and(|code| iban(&code));
        is_iban || formats.any(|format| (format.entity, format.country, format.name) == key && fits(format))
    }

    /// Whether another last digit always makes a value wrong.
    fn has_check_digit(&self, draw: &mut Draw) -> bool {
        (0..100).all(|round| self.altered(round, draw).is_some_and(|value| !self.accepts(&value)))
    }
}

/// A value in a notation, or as it is where they do not fit together.
fn written(notation: &str, value: &str) -> String {
    if notation.matches('#').count() != value.chars().count() {
        return value.to_owned();
    }
    let mut signs = value.chars();
    notation.chars().map(|sign| if sign == '#' { signs.next().unwrap() } else { sign }).collect()
}

/// Turns over the numbers that resemble a row. One in ten of them is by chance another identifier in the same form, and a rate
/// of a few per cent needs more than one number in each sentence.
const TURNS: usize = 3;

/// Texts of a group, and those of them that stay as they are.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    texts: usize,
    left: usize,
}

#[derive(Default)]
struct Count {
    cases: usize,
    found: usize,
    others: usize,
    left: usize,
    failures: Vec<String>,
}

/// Whether a value of one kind may be found as another: the number of a person serves as tax number and on the identity card in
/// many countries, and the labels are used for each other.
fn is_same(one: Entity, other: Entity) -> bool {
    let of_states = [Entity::Ssn, Entity::NationalId, Entity::TaxId, Entity::IdCard];
    one == other || (of_states.contains(&one) && of_states.contains(&other))
}

fn judge_named(row: &Row, catalogue: &Catalogue, draw: &mut Draw, count: &mut Count) {
    let all = EntitySet::of(Entity::all());
    let sentences = named(row.language);
    let plain = row.notation(0, true).is_some();
    let bare = if plain { BARE.to_vec() } else { Vec::new() };
    for (round, sentence) in sentences.iter().chain(&bare).enumerate() {
        let is_bare = round >= sentences.len();
        let mut value = written(row.notation(round, is_bare).unwrap(), &row.valid(draw));
        let mut label = row.labels[round % row.labels.len()].to_owned();
        if sentence.starts_with("my ") {
            (value, label) = (value.to_lowercase(), label.to_lowercase());
        }
        let text = sentence.replace("{label}", &label).replace("{value}", &value);
        let start = text.rfind(&value).unwrap();
        let spans = catalogue.find(&text, &all);
        let found = spans
            .iter()
            .any(|span| span.range == (start..start + value.len()) && is_same(span.entity, row.entity));
        count.cases += 1;
        count.found += usize::from(found);
        if !found {
            count.failures.push(format!("missed {value} in {text:?}, found {spans:?}"));
        }
    }
}

fn judge_others(row: &Row, catalogue: &Catalogue, draw: &mut Draw, count: &mut Count) {
    let wanted = EntitySet::of([row.entity]);
    let rounds = UNNAMED.iter().chain(&OF_OTHERS).chain(&NUMBERS).enumerate();
    for (round, sentence) in rounds {
        let value = if round < UNNAMED.len() || row.is_sure {
            row.resembling(round, draw)
        } else {
            written(row.notation(round, false).unwrap(), &row.valid(draw))
        };
        let text: String = if sentence.contains("{value}") {
            sentence.replace("{value}", &value)
        } else {
            sentence.chars().map(|sign| if sign == '#' { draw.digits(1).remove(0) } else { sign }).collect()
        };
        let spans = catalogue.find(&text, &wanted);
        count.others += 1;
        count.left += usize::from(spans.is_empty());
        if !spans.is_empty() {
            count.failures.push(format!("not left alone: {text:?}, found {spans:?}"));
        }
    }
}

/// Values with a wrong check digit in sentences with the label of the row.
fn judge_miskeyed(row: &Row, catalogue: &Catalogue, draw: &mut Draw, kept: &mut Kept) {
    let wanted = EntitySet::of([row.entity]);
    for (round, sentence) in named(row.language).into_iter().enumerate() {
        let value = row.altered(round, draw).unwrap();
        let text =
            sentence.replace("{label}", row.labels[round % row.labels.len()]).replace("{value}", &value);
        kept.texts += 1;
        kept.left += usize::from(catalogue.find(&text, &wanted).is_empty());
    }
}

/// Right values in sentences without a label.
fn judge_unnamed(row: &Row, catalogue: &Catalogue, draw: &mut Draw, kept: &mut Kept) {
    let wanted = EntitySet::of([row.entity]);
    for (round, sentence) in UNNAMED.iter().cycle().take(UNNAMED.len() * TURNS).enumerate() {
        let value = written(row.notation(round, false).unwrap(), &row.valid(draw));
        kept.texts += 1;
        kept.left += usize::from(catalogue.find(&sentence.replace("{value}", &value), &wanted).is_empty());
    }
}

fn rows() -> Vec<Row> {
    [americas::rows(), western::rows(), eastern::rows(), asia::rows(), papers::rows()]
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn values_of_every_row_are_found_and_numbers_that_resemble_them_are_left_alone() {
    let catalogue = Catalogue::new().unwrap();
    let mut draw = Draw(Seeded(11));
    let mut counts: BTreeMap<(&str, &str, &str), Count> = BTreeMap::new();
    for row in rows() {
        let count = counts.entry((row.entity.word().unwrap(), row.country, row.name)).or_default();
        judge_named(&row, &catalogue, &mut draw, count);
        (0..TURNS).for_each(|_| judge_others(&row, &catalogue, &mut draw, count));
    }
    println!(
        "| kind | country | identifier | cases | found | others | left alone |\n|---|---|---|---|---|---|---|"
    );
    let mut low = Vec::new();
    for ((word, country, name), count) in &counts {
        println!(
            "| {word} | {country} | {name} | {} | {} | {} | {} |",
            count.cases, count.found, count.others, count.left
        );
        assert!(count.cases >= 20 && count.others >= 20, "{country} {name}");
        if count.found * 100 < count.cases * 95 || count.left * 100 < count.others * 95 {
            low.push(format!(
                "{country} {name}: {} of {} found, {} of {} left alone\n    {}",
                count.found,
                count.cases,
                count.left,
                count.others,
                count.failures.join("\n    ")
            ));
        }
    }
    println!("{}", counts.values().flat_map(|count| &count.failures).cloned().collect::<Vec<_>>().join("\n"));
    assert!(low.is_empty(), "{} rows:\n{}", low.len(), low.join("\n"));
}

#[test]
fn values_with_a_wrong_check_digit_or_without_their_label_are_left_alone() {
    let catalogue = Catalogue::new().unwrap();
    let mut draw = Draw(Seeded(12));
    let mut counts: BTreeMap<(&str, &str, &str), (Kept, Kept)> = BTreeMap::new();
    for row in rows() {
        let (miskeyed, unnamed) =
            counts.entry((row.entity.word().unwrap(), row.country, row.name)).or_default();
        if row.has_check_digit(&mut draw) {
            judge_miskeyed(&row, &catalogue, &mut draw, miskeyed);
        }
        if row.notation(0, true).is_none() {
            judge_unnamed(&row, &catalogue, &mut draw, unnamed);
        }
    }
    println!(
        "| kind | country | identifier | wrong check digit | left alone | no label | left alone |\n|---|---|---|---|---|---|---|"
    );
    let mut all = [Kept::default(); 2];
    for ((word, country, name), (miskeyed, unnamed)) in &counts {
        println!(
            "| {word} | {country} | {name} | {} | {} | {} | {} |",
            miskeyed.texts, miskeyed.left, unnamed.texts, unnamed.left
        );
        for (all, one) in all.iter_mut().zip([miskeyed, unnamed]) {
            (all.texts, all.left) = (all.texts + one.texts, all.left + one.left);
        }
    }
    let [miskeyed, unnamed] = all;
    println!("{miskeyed:?} with a wrong check digit, {unnamed:?} without a label");
    // A label also names general forms without a check digit, such as that of a passport, which take some of the former.
    assert!(miskeyed.texts > 2000 && miskeyed.left * 100 >= miskeyed.texts * 92, "{miskeyed:?}");
    assert!(unnamed.texts > 3000 && unnamed.left * 100 >= unnamed.texts * 99, "{unnamed:?}");
}

#[test]
fn every_row_of_the_tables_has_cases() {
    let known: BTreeSet<(Entity, &str, &str)> =
        rows().iter().map(|row| (row.entity, row.country, row.name)).collect();
    let tables = TABLES.iter().flat_map(|table| table.iter());
    let missing: Vec<_> = tables
        .map(|format| (format.entity, format.country, format.name))
        .filter(|format| !known.contains(format))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
