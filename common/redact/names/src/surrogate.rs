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

/// Gives the values of one text their surrogates.
pub struct Rewriter<'a> {
    text: &'a str,
    wanted: &'a EntitySet,
    people: People,
    choice: Choice,
}

impl<'a> Rewriter<'a> {
    /// Prepares the surrogates of a text, whose spans must be sorted and apart as they are found.
    #[must_use]
    pub fn new(text: &'a str, spans: &[Span], wanted: &'a EntitySet) -> Self {
        let mut choice = Choice::new(text, spans);
        let people = People::new(text, spans, &mut choice);
        Self { text, wanted, people, choice }
    }

    /// The surrogate of a span; equal originals of one kind have the same one.
    pub fn surrogate(&mut self, span: &Span) -> String {
        let original = self.text.get(span.range.clone()).unwrap_or_default();
        surrogate(original, span.entity, self.wanted, &self.people, &mut self.choice)
    }
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
