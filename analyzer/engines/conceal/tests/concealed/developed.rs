//! Quality of the default kinds on a public set of generated texts, which is not part of the sources and which training
//! never uses.

use std::collections::BTreeMap;

use conceal::{Choice, Form};

use super::conceal;

/// Kinds of the set that are redacted by default. Titles of courtesy, which the set counts as persons, are left out.
const KINDS: [(&str, &str); 3] = [("PERSON", "NAME"), ("PHONE_NUMBER", "PHONE"), ("ADDRESS", "ADDRESS")];

#[derive(Default)]
struct Count {
    gold: usize,
    found: usize,
    given: usize,
    right: usize,
}

#[test]
#[ignore = "needs the development data: its directory in PALISADE_GUARD_DATA"]
fn most_values_of_the_development_set_are_found() {
    let directory = std::env::var("PALISADE_GUARD_DATA").unwrap();
    let file = std::fs::read_to_string(format!("{directory}/redact_synth_dev.jsonl")).unwrap();
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    for line in file.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = record["text"].as_str().unwrap();
        let offset = |value: &serde_json::Value| {
            let count = value.as_u64().unwrap() as usize;
            text.char_indices().nth(count).map_or(text.len(), |(at, _)| at)
        };
        let spans = record["spans"].as_array().unwrap().iter();
        let gold: Vec<(usize, usize, &str)> = spans
            .map(|span| (offset(&span[0]), offset(&span[1]), span[2].as_str().unwrap()))
            .filter(|(start, end, _)| end - start > 3)
            .collect();
        let values = conceal(&[text], &Choice::default(), Form::Placeholders).values;
        let given: Vec<(usize, usize, &str)> = values
            .iter()
            .map(|value| (value.range.start, value.range.end, value.entity.word().unwrap()))
            .collect();
        let meets = |one: (usize, usize), two: (usize, usize)| one.0 < two.1 && two.0 < one.1;
        let mut wrong = Vec::new();
        for (kind, word) in KINDS {
            let count = counts.entry(word).or_default();
            for (start, end, _) in gold.iter().filter(|span| span.2 == kind) {
                count.gold += 1;
                let hit = given.iter().any(|span| meets((*start, *end), (span.0, span.1)));
                count.found += usize::from(hit);
                if !hit {
                    wrong.push(format!("missed {word} {}", &text[*start..*end]));
                }
            }
        }
        for (start, end, word) in &given {
            let count =
                counts.entry(KINDS.iter().find(|kind| kind.1 == *word).map_or("other", |kind| kind.1));
            let count = count.or_default();
            count.given += 1;
            let private = |kind: &str| KINDS.iter().any(|known| known.0 == kind) || kind == "TITLE";
            let hit = gold.iter().any(|span| private(span.2) && meets((*start, *end), (span.0, span.1)));
            count.right += usize::from(hit);
            if !hit {
                wrong.push(format!("wrong {word} {}", &text[*start..*end]));
            }
        }
        if !wrong.is_empty() {
            println!("{text:?}\n    {}", wrong.join("; "));
        }
    }
    let mut all = Count::default();
    for (word, count) in &counts {
        println!("{word}: {}/{} found, {}/{} right", count.found, count.gold, count.right, count.given);
        all.gold += count.gold;
        all.found += count.found;
        all.given += count.given;
        all.right += count.right;
    }
    println!("all: {}/{} found, {}/{} right", all.found, all.gold, all.right, all.given);
    // One film title that a single template repeats is most of the wrong names.
    assert!(all.found * 100 >= all.gold * 80 && all.right * 100 >= all.given * 75);
}
