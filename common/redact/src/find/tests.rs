//! Tests of the rules: tables of matches and of other text, by family.

mod credentials;
mod linear;
mod numbers;
mod pairs;
mod private_keys;
mod secret_names;

use crate::{EntityType, Policy, Redactor};

/// A redactor with every type on.
fn everything() -> Redactor {
    let policy = Policy { entities: EntityType::ALL.into_iter().collect(), ..Policy::default() };
    Redactor::new(&policy).unwrap()
}

/// Checks a text in which `«` and `»` stand around the expected match, of this type and nothing else.
#[track_caller]
fn finds(redactor: &Redactor, entity: EntityType, marked: &str) {
    let text = marked.replace(['«', '»'], "");
    let mut expected = Vec::new();
    let mut taken = 0;
    for (index, part) in marked.split(['«', '»']).enumerate() {
        if index % 2 == 1 {
            expected.push((taken, taken + part.len(), entity));
        }
        taken += part.len();
    }
    let mut matches = Vec::new();
    redactor.find(text.as_bytes(), &mut matches);
    let found: Vec<_> = matches.iter().map(|found| (found.start, found.end, found.entity)).collect();
    let pieces: Vec<_> = found.iter().map(|(start, end, _)| &text[*start..*end]).collect();
    assert_eq!(found, expected, "{marked}\nfound {pieces:?}");
}

#[track_caller]
fn finds_nothing(redactor: &Redactor, text: &str) {
    finds(redactor, EntityType::Secret, text);
}
