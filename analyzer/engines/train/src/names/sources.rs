//! Files of data: tagged posts, names by country, cities; and further names of our own lists.

use serde::Deserialize;

use super::{Kind, Tagged};
use crate::TrainError;
use crate::data::Data;

/// Posts longer than this are concatenations of a whole file, not one text; they are cut.
const LONGEST_POST: usize = 200;

#[derive(Deserialize)]
struct Post {
    words: Vec<String>,
    tags: Vec<String>,
    source: String,
}

/// Names by country that were written down for this training, since those of the data are few: `Hans` and `Erik` are not
/// among them.
const WRITTEN: [&str; 2] =
    [include_str!("../../names/forenames.csv"), include_str!("../../names/surnames.csv")];

/// Everything that was read.
pub(super) struct Sources {
    pub(super) posts: Vec<Tagged>,
    /// The project of each post.
    pub(super) projects: Vec<String>,
    /// Country and name.
    pub(super) forenames: Vec<(String, String)>,
    pub(super) surnames: Vec<(String, String)>,
    pub(super) cities: Vec<String>,
    pub(super) countries: Vec<String>,
}

pub(super) fn read(data: &mut Data) -> Result<Sources, TrainError> {
    let (mut posts, mut projects) = (Vec::new(), Vec::new());
    for post in data.records::<Post>("redact_tagged.jsonl")? {
        for (words, tags) in post.words.chunks(LONGEST_POST).zip(post.tags.chunks(LONGEST_POST)) {
            posts.push(joined(words, tags));
            projects.push(post.source.clone());
        }
    }
    let (mut forenames, mut surnames) = (Vec::new(), Vec::new());
    let of_data = data.text("redact_names.csv")?;
    let lines = of_data.lines().skip(1).chain(WRITTEN.iter().flat_map(|list| list.lines()));
    for fields in lines.map(fields) {
        let [kind, country, name] = fields.as_slice() else { continue };
        let list = if kind == "forename" { &mut forenames } else { &mut surnames };
        list.push((country.clone(), name.trim().to_owned()));
    }
    let (mut cities, mut countries) = (Vec::new(), Vec::new());
    for fields in data.text("redact_cities.csv")?.lines().skip(1).map(fields) {
        let [city, country] = fields.as_slice() else { continue };
        if city.trim().chars().count() > 2 {
            cities.push(city.trim().to_owned());
        }
        // `Iran, Islamic Republic of` is written `Iran` in texts.
        countries.push(country.split(',').next().unwrap_or_default().trim().to_owned());
    }
    countries.sort();
    countries.dedup();
    Ok(Sources { posts, projects, forenames, surnames, cities, countries })
}

/// Words side by side as a text; neighbouring words with the same tag are one name.
fn joined(words: &[String], tags: &[String]) -> Tagged {
    let mut tagged = Tagged::default();
    let mut before: Option<Kind> = None;
    for (word, tag) in words.iter().zip(tags) {
        // Some posts have the sign of a handle apart from it.
        let handle = tagged.text == "@"
            || tagged.text.ends_with(" @")
            || tagged.text.ends_with(" #")
            || tagged.text == "#";
        if !tagged.text.is_empty() && !handle {
            tagged.text.push(' ');
        }
        let start = tagged.text.len();
        tagged.text.push_str(word);
        let kind = match tag.as_str() {
            "PER" => Some(Kind::Person),
            "LOC" => Some(Kind::Location),
            "ORG" => Some(Kind::Organization),
            _ => None,
        };
        // A handle is no name, although some annotators tagged it.
        let kind = kind.filter(|_| !handle && !word.starts_with(['@', '#']));
        let end = tagged.text.len();
        match (kind, tagged.spans.last_mut()) {
            (Some(kind), Some(last)) if before == Some(kind) => last.1 = end,
            (Some(kind), _) => tagged.spans.push((start, end, kind)),
            _ => {}
        }
        before = kind;
    }
    tagged
}

/// Fields of a line of comma-separated values, in quotes where they hold a comma.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match (letter, fields.last_mut()) {
            ('"', _) => quoted = !quoted,
            (',', _) if !quoted => fields.push(String::new()),
            (letter, Some(field)) => field.push(letter),
            _ => {}
        }
    }
    fields
}
