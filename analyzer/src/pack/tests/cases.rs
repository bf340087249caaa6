//! The families of rules, each with a file of records in `cases/`: records that each rule and correlation must find, and near
//! misses.
//!
//! `# NAME` names a document; `+` begins a case that it must find, `-` one that it must not, and `&` goes
//! on with the case above. A record may be preceded by `@SECONDS`, when it is written, and by
//! `COUNT*SECONDS`, how often and how far apart; `<n>` is then its number. `template NAME = TEXT` stands
//! for lines that differ in the places marked `<>`, which are filled from what follows the name, parted
//! by `||`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::*;

/// Records that one document must and must not find.
struct Document {
    name: String,
    found: Vec<Vec<Timed>>,
    missed: Vec<Vec<Timed>>,
}

#[test]
fn each_document_finds_its_records_and_no_near_misses() {
    let rules = built_in().unwrap();
    let mut wrong = Vec::new();
    for Document { name, found, missed } in documents() {
        let is_rule = rules.rules().iter().any(|rule| rule.info.name.as_ref() == Some(&name));
        let at_least = if is_rule { 2 } else { 1 };
        assert!(found.len() >= at_least && missed.len() >= at_least, "{name} has too few cases");
        for (cases, expected) in [(&found, true), (&missed, false)] {
            for case in cases {
                let names = if is_rule {
                    rules_finding_any(&rules, case)
                } else {
                    correlations_satisfied(&rules, case)
                };
                if names.contains(&name) != expected {
                    wrong
                        .push(format!("{name} should be {expected} for {:?}; found {names:?}", case.first()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

fn rules_finding_any(rules: &RuleSet, lines: &[Timed]) -> Vec<String> {
    lines.iter().flat_map(|(_, line)| rules_finding(rules, line)).collect()
}

pub(super) fn tested() -> Vec<String> {
    documents().into_iter().map(|document| document.name).collect()
}

fn documents() -> Vec<Document> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/pack/tests/cases");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.flat_map(|path| read(&fs::read_to_string(path).unwrap())).collect()
}

/// The records of a story: lines of templates and records, in the order they were written.
pub(super) fn story(text: &str) -> Vec<Timed> {
    let (templates, records): (Vec<&str>, Vec<&str>) =
        text.lines().filter(|line| !line.is_empty()).partition(|line| line.starts_with("template "));
    let templates = templates.into_iter().map(template).collect();
    let mut lines: Vec<Timed> = records.into_iter().flat_map(|line| records_of(line, &templates)).collect();
    lines.sort_by_key(|(second, _)| *second);
    lines
}

/// `template NAME = TEXT`.
fn template(line: &str) -> (&str, &str) {
    line.strip_prefix("template ").and_then(|rest| rest.split_once(" = ")).unwrap()
}

fn read(text: &str) -> Vec<Document> {
    let mut templates = BTreeMap::new();
    let mut documents: Vec<Document> = Vec::new();
    let mut last_is_found = true;
    for line in text.lines().filter(|line| !line.is_empty()) {
        if line.starts_with("template ") {
            let (name, text) = template(line);
            templates.insert(name, text);
            continue;
        }
        let (sign, rest) = line.split_once(' ').unwrap_or_else(|| panic!("not a case: {line}"));
        if sign == "#" {
            documents.push(Document { name: rest.to_owned(), found: Vec::new(), missed: Vec::new() });
            continue;
        }
        let document = documents.last_mut().unwrap();
        last_is_found = if sign == "&" { last_is_found } else { sign == "+" };
        let cases = if last_is_found { &mut document.found } else { &mut document.missed };
        let records = records_of(rest, &templates);
        match sign {
            "+" | "-" => cases.push(records),
            "&" => cases.last_mut().unwrap().extend(records),
            _ => panic!("not a case: {line}"),
        }
    }
    documents
}

/// `[@SECONDS ][COUNT*SECONDS ]RECORD`.
fn records_of(text: &str, templates: &BTreeMap<&str, &str>) -> Vec<Timed> {
    let (start, text) = match text.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
        Some((seconds, rest)) => (seconds.parse::<u64>().unwrap(), rest),
        None => (0, text),
    };
    let repeated = text.split_once(' ').and_then(|(word, rest)| {
        let (count, every) = word.split_once('*')?;
        Some((count.parse::<u64>().ok()?, every.parse::<u64>().ok()?, rest))
    });
    let (count, every, record) = repeated.unwrap_or((1, 0, text));
    let line = filled(record, templates);
    (0..count).map(|number| (start + number * every, line.replace("<n>", &number.to_string()))).collect()
}

/// The template a record names, with its places filled; a record that names none as it is.
fn filled(record: &str, templates: &BTreeMap<&str, &str>) -> String {
    let (name, arguments) = record.split_once(' ').unwrap_or((record, ""));
    let Some(template) = templates.get(name) else { return record.to_owned() };
    // The last place takes the rest: shells write `||`, too.
    let mut arguments = arguments.splitn(template.matches("<>").count(), "||");
    let mut parts = template.split("<>");
    let mut line = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        line.push_str(arguments.next().unwrap_or_default().trim());
        line.push_str(part);
    }
    line
}
