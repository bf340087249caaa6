//! Classes of secrets as they stand in logs, and look-alikes: tables of templates that are filled anew.
//! Every secret is masked, no look-alike is.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod disguised;
mod generate;
mod look_alikes;
mod notations;
mod payload;
mod secrets;
mod unseen;
mod words;

use generate::{Chance, Filled};
use redact::{Policy, Redactor};

/// Each template is filled so many times.
const ROUNDS: u64 = 5;
/// So many bytes of a secret in a row are a leak.
const LEAK: usize = 6;

fn masked(redactor: &Redactor, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    redactor.redact_in_place(&mut bytes, &mut Vec::new());
    assert_eq!(bytes.len(), text.len(), "masks keep the length");
    String::from_utf8(bytes).unwrap()
}

/// A part of a secret that is still there.
fn leak(filled: &Filled, masked: &str) -> Option<String> {
    let parts = filled.secrets.iter().flat_map(|secret| {
        let bytes = secret.as_bytes();
        bytes.windows(LEAK.min(bytes.len()))
    });
    let stays = |part: &&[u8]| masked.as_bytes().windows(part.len()).any(|window| window == *part);
    parts.into_iter().find(stays).map(|part| String::from_utf8_lossy(part).into_owned())
}

/// Text well before the first secret and well behind the last one is left.
fn keeps_surroundings(filled: &Filled, masked: &str) -> bool {
    const NEAR: usize = 32;
    let places = || {
        filled.secrets.iter().filter_map(|secret| Some((filled.text.find(secret.as_str())?, secret.len())))
    };
    let first = places().map(|(start, _)| start).min().unwrap_or(0).saturating_sub(NEAR);
    let last = places().map(|(start, length)| start + length).max().unwrap_or(0).saturating_add(NEAR);
    let (text, masked) = (filled.text.as_bytes(), masked.as_bytes());
    text[..first] == masked[..first] && text.get(last..) == masked.get(last..)
}

/// The lines of a table that are not treated as they should be.
fn failures<'t>(table: &'t [(&'t str, &'t [&'t str])], seed: u64) -> Vec<String> {
    let redactor = Redactor::new(&Policy::default()).unwrap();
    let mut chance = Chance(seed);
    let mut failures = Vec::new();
    for (class, templates) in table {
        for template in *templates {
            for _ in 0..ROUNDS {
                let filled = chance.fill(template);
                assert!(!filled.secrets.is_empty(), "{template} holds no secret");
                let masked = masked(&redactor, &filled.text);
                if let Some(part) = leak(&filled, &masked) {
                    failures
                        .push(format!("{class}: {part:?} is left\n    of {}\n    in {masked}", filled.text));
                    break;
                }
                if !keeps_surroundings(&filled, &masked) {
                    failures.push(format!(
                        "{class}: too much is masked\n    of {}\n    in {masked}",
                        filled.text
                    ));
                    break;
                }
            }
        }
    }
    failures
}

fn report(kind: &str, table: &[(&str, &[&str])], failures: &[String]) {
    let lines: usize = table.iter().map(|(_, templates)| templates.len()).sum();
    let found = failures.join("\n");
    assert!(failures.is_empty(), "{} of {lines} templates of {kind} failed:\n{found}", failures.len());
}

#[test]
fn every_class_is_masked() {
    report("secrets", secrets::TABLE, &failures(secrets::TABLE, 1));
}

/// Written before the rules were, and run first when they were done.
#[test]
fn every_class_is_masked_in_templates_kept_apart() {
    report("secrets kept apart", unseen::TABLE, &failures(unseen::TABLE, 2));
}

#[test]
fn every_class_is_masked_in_rarer_notations() {
    report("rarer notations", notations::TABLE, &failures(notations::TABLE, 5));
}

#[test]
fn every_class_is_masked_in_disguise() {
    report("disguised secrets", disguised::TABLE, &failures(disguised::TABLE, 4));
}

#[test]
fn the_tables_are_as_large_as_they_are_said_to_be() {
    let lines = |table: &[(&str, &[&str])]| table.iter().map(|(_, lines)| lines.len()).sum::<usize>();
    assert!(lines(secrets::TABLE) + lines(unseen::TABLE) >= 150);
    assert!(lines(look_alikes::TABLE) >= 100);
    assert!(lines(disguised::TABLE) >= 20 && lines(disguised::INNOCENT) >= 20);
}

#[test]
fn no_look_alike_is_masked() {
    let redactor = Redactor::new(&Policy::default()).unwrap();
    let mut chance = Chance(3);
    let mut failures = Vec::new();
    let table = [look_alikes::TABLE, words::TABLE, disguised::INNOCENT].concat();
    for (class, templates) in &table {
        for template in *templates {
            for _ in 0..ROUNDS {
                let text = chance.fill(template).text;
                let masked = masked(&redactor, &text);
                if masked != text {
                    failures.push(format!("{class}: {text}\n    became {masked}"));
                    break;
                }
            }
        }
    }
    report("look-alikes", &table, &failures);
}
