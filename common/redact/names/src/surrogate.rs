//! Rewriting: each span gets a surrogate instead of a placeholder, so that the text reads naturally.
//!
//! A surrogate is chosen by an HMAC of the original under a key that is derived from the whole text: one person keeps one
//! name throughout, the same text gives the same reply, and a reply does not tell which original another text has. No
//! surrogate is a word of the text. Telephone numbers and addresses of mail and networks are of the ranges that their
//! registries reserve for examples, postal addresses hold codes that were never given; every other number and secret
//! becomes a noun phrase, so no valid one is made.

mod choice;
mod contact;
mod date;
mod people;
mod person;
mod phrase;
mod place;

use redact::identifiers::{Entity, EntitySet, Span};

use choice::Choice;
use person::People;

/// The text with a surrogate for each span, which must be sorted and apart as they are found.
#[must_use]
pub fn rewrite(text: &str, spans: &[Span], wanted: &EntitySet) -> String {
    let mut choice = Choice::new(text);
    let people = People::new(text, spans, &mut choice);
    let mut rewritten = String::with_capacity(text.len() + text.len() / 8);
    let mut at = 0;
    for span in spans {
        rewritten.push_str(text.get(at..span.range.start).unwrap_or_default());
        let original = text.get(span.range.clone()).unwrap_or_default();
        rewritten.push_str(&surrogate(original, span.entity, wanted, &people, &mut choice));
        at = span.range.end;
    }
    rewritten.push_str(text.get(at..).unwrap_or_default());
    rewritten
}

fn surrogate(
    original: &str,
    entity: Entity,
    wanted: &EntitySet,
    people: &People,
    choice: &mut Choice,
) -> String {
    match entity {
        Entity::Name => people.name(original),
        Entity::Email => contact::email(original, people, choice),
        Entity::Phone => contact::phone(original, choice),
        Entity::IpAddress => contact::ip(original, choice),
        Entity::MacAddress => contact::mac(original, choice),
        Entity::Url => contact::url(original, choice),
        Entity::Address => place::address(original, choice),
        Entity::Postcode => place::code(original).unwrap_or_else(|| phrase::of(entity).to_owned()),
        Entity::Location => place::city(original, choice),
        Entity::Organization => place::organization(original, choice),
        Entity::DateOfBirth | Entity::Date => date::other_day(original, choice),
        Entity::Custom(index) => {
            let word = wanted
                .custom()
                .get(usize::from(index))
                .map(|custom| custom.word.to_lowercase().replace('_', " "));
            format!("(another {})", word.as_deref().unwrap_or("value"))
        }
        _ => phrase::of(entity).to_owned(),
    }
}
