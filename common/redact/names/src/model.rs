//! The model: bytes of a file and a text to spans.

use linear_model::{Model, ModelError};
use redact::identifiers::{Entity, EntitySet, Span};

use crate::feature::Page;
use crate::free::Free;
use crate::lists::{FORENAME, SURNAME, bits};
use crate::meaning::{HONORIFIC, Marks, Meanings};
use crate::path::{Scores, TAGS, Tag, best};
use crate::token::{Look, Token, tokens};
use crate::{company, described, repeat, rule, title};

/// Version of the features; a model of another one is refused.
pub const FEATURES: &str = "names-1";

/// Names of the tables of the file.
const WEIGHTS: &str = "tags";
const LISTS: &str = "lists";

/// Distance of scores below which a person of one unknown word is doubtful: the other reading is at least half as
/// probable. On generated texts that training does not use, precision of persons rises from .80 to .91 and recall falls
/// from .84 to .82; half of the companies of the texts to be left alone are no longer taken for persons.
const DOUBTFUL: f32 = 0.7;

/// Why a file is no model of names.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// The file is damaged or another model.
    #[error("the model of names cannot be read")]
    Model(#[from] ModelError),
}

/// A model over the bytes of its file, which are not copied.
pub struct NameModel<'a> {
    model: Model<'a>,
    /// Taken from the score of being no part of a name: above 0 more is found, below 0 less.
    leaning: f32,
    meanings: Meanings,
}

/// A span of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// First token.
    pub(crate) first: usize,
    /// Behind the last token.
    pub(crate) end: usize,
    pub(crate) entity: Entity,
    pub(crate) reason: &'static str,
}

impl<'a> NameModel<'a> {
    /// Reads the file.
    ///
    /// # Errors
    /// [`NameError::Model`] where it is damaged, or made for other features.
    pub fn read(bytes: &'a [u8]) -> Result<Self, NameError> {
        let model = Model::read(bytes)?;
        model.expect_features(FEATURES)?;
        model.table(WEIGHTS, TAGS.len())?;
        model.table(LISTS, 1)?;
        let leaning = model.number("leaning").unwrap_or(0.0);
        Ok(Self { model, leaning, meanings: Meanings::new() })
    }

    /// Name and version.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.model.manifest().name
    }

    /// Finds names, places, organizations, titles and nationalities that are wanted, apart from `known`, the spans that
    /// the catalogue found, which must be sorted, and from parts of e-mail addresses, URLs, domains, handles and paths. The
    /// result is sorted and does not overlap them or itself.
    #[must_use]
    pub fn find(&self, text: &str, known: &[Span], wanted: &EntitySet) -> Vec<Span> {
        let named =
            [Entity::Name, Entity::Location, Entity::Organization, Entity::Title, Entity::Nationality];
        if !named.into_iter().any(|entity| wanted.contains(entity)) {
            return Vec::new();
        }
        let tokens = tokens(text);
        let page = self.page(&tokens);
        let marks = self.meanings.of(&page);
        let mut found = self.tagged(&tokens, &page);
        company::reclassify(&tokens, &page, &mut found);
        described::remove(&page, &mut found);
        without_courtesy(&tokens, &marks, &mut found);
        rule::add(&tokens, &page, &marks, &mut found);
        repeat::add(&tokens, &page, &mut found);
        with_forename(&tokens, &page, &mut found);
        title::add(&tokens, &marks, &mut found);
        found.retain(|one| {
            wanted.contains(one.entity)
                || matches!(one.entity, Entity::Name | Entity::Organization | Entity::Location)
        });
        let free = Free::new(text, known);
        let mut spans: Vec<Span> = Vec::with_capacity(found.len());
        for one in apart(found).into_iter().filter(|one| wanted.contains(one.entity)) {
            let tokens = tokens.get(one.first..one.end).unwrap_or_default();
            spans.extend(free.runs(tokens, one.entity).map(|range| Span {
                range,
                entity: one.entity,
                reason: one.reason,
            }));
        }
        spans
    }

    fn page(&self, tokens: &[Token<'_>]) -> Page {
        let lists = self.model.table(LISTS, 1).ok();
        Page::new(tokens, |lower| lists.map_or(0, |lists| bits(lists, lower)))
    }

    /// What the model alone finds.
    fn tagged(&self, tokens: &[Token<'_>], page: &Page) -> Vec<Found> {
        let Ok(weights) = self.model.table(WEIGHTS, TAGS.len()) else { return Vec::new() };
        let mut features = Vec::with_capacity(40);
        let mut outside: Scores = [-20.0; TAGS.len()];
        if let Some(first) = outside.first_mut() {
            *first = 0.0;
        }
        let mut scores: Vec<Scores> = Vec::with_capacity(tokens.len());
        for index in 0..tokens.len() {
            if !page.is_scored(index) {
                scores.push(outside);
                continue;
            }
            page.features(index, &mut features);
            let mut score: Scores = [0.0; TAGS.len()];
            score.iter_mut().zip(weights.biases()).for_each(|(score, bias)| *score = *bias);
            for feature in &features {
                weights.add(*feature, 1.0, &mut score);
            }
            if let Some(first) = score.first_mut() {
                *first -= self.leaning;
            }
            scores.push(score);
        }
        let mut tags = best(&scores);
        doubt(page, &scores, &mut tags);
        spans(tokens, &tags)
    }
}

/// Takes back a person of a single word that is in no list of names, unless its score is clearly above those of a place, an
/// organization and nothing: most of these are companies. Rules and other places of a name do not depend on it.
fn doubt(page: &Page, scores: &[Scores], tags: &mut [Tag]) {
    for index in 0..tags.len() {
        let goes_on = tags.get(index + 1) == Some(&Tag::PersonMore);
        let listed = page.tokens().get(index).is_some_and(|token| token.lists & (FORENAME | SURNAME) != 0);
        let (Some(tag), Some(scores)) = (tags.get_mut(index), scores.get(index)) else { continue };
        if *tag != Tag::Person || goes_on || listed {
            continue;
        }
        let others = TAGS
            .into_iter()
            .zip(scores)
            .filter(|(other, _)| matches!(other, Tag::Outside | Tag::Location | Tag::Organization));
        let Some((other, next)) = others.max_by(|one, two| one.1.total_cmp(two.1)) else { continue };
        let person = TAGS.into_iter().zip(scores).find(|(other, _)| *other == Tag::Person);
        if person.is_some_and(|(_, score)| score - next < DOUBTFUL) {
            *tag = other;
        }
    }
}

/// Runs of tags as spans.
fn spans(tokens: &[Token<'_>], tags: &[Tag]) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for (index, tag) in tags.iter().enumerate() {
        let entity = match tag.head() {
            Tag::Person => Entity::Name,
            Tag::Location => Entity::Location,
            Tag::Organization => Entity::Organization,
            _ => continue,
        };
        let goes_on = *tag != tag.head();
        match found.last_mut().filter(|last| goes_on && last.end == index && last.entity == entity) {
            Some(last) => last.end = index + 1,
            None => found.push(Found { first: index, end: index + 1, entity, reason: "words of a name" }),
        }
    }
    // Signs at the ends and runs without a letter are no names.
    for one in &mut found {
        let sign =
            |at: usize| tokens.get(at).is_none_or(|token| matches!(token.look, Look::Sign | Look::Line));
        while one.first < one.end && sign(one.first) {
            one.first += 1;
        }
        while one.first < one.end && sign(one.end - 1) {
            one.end -= 1;
        }
    }
    found.retain(|one| {
        one.first < one.end
            && tokens
                .get(one.first..one.end)
                .unwrap_or_default()
                .iter()
                .any(|token| !matches!(token.look, Look::Sign | Look::Number | Look::Marked))
    });
    found
}

/// Leaves out titles of courtesy at the begin of names, and names of nothing else.
fn without_courtesy(tokens: &[Token<'_>], marks: &[Marks], found: &mut Vec<Found>) {
    for one in found.iter_mut().filter(|one| one.entity == Entity::Name) {
        let is_title = |at: usize| {
            let stop = tokens.get(at).is_some_and(|token| token.look == Look::Sign);
            stop || marks.get(at).is_some_and(|mark| mark & HONORIFIC != 0)
        };
        while one.first < one.end && is_title(one.first) {
            one.first += 1;
        }
    }
    found.retain(|one| one.first < one.end);
}

/// Sorted, without overlap: the earlier one, and of two that begin together the longer one, counts.
fn apart(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|one| (one.first, std::cmp::Reverse(one.end), one.entity));
    let mut kept: Vec<Found> = Vec::with_capacity(found.len());
    for one in found {
        if kept.last().is_none_or(|last| last.end <= one.first) {
            kept.push(one);
        }
    }
    kept
}

/// Adds the forename that stands directly before a name, which the tags and the search of repeated words may leave out.
fn with_forename(tokens: &[Token<'_>], page: &Page, found: &mut [Found]) {
    found.sort_by_key(|one| (one.first, one.end));
    let mut behind = 0;
    for one in found {
        let before =
            one.first.checked_sub(1).filter(|before| *before >= behind && one.entity == Entity::Name);
        let is_forename = |at: &usize| {
            let capital = tokens.get(*at).is_some_and(|token| token.look == Look::Capital);
            capital && page.tokens().get(*at).is_some_and(|token| token.lists & FORENAME != 0)
        };
        if let Some(before) = before.filter(is_forename) {
            one.first = before;
        }
        behind = one.end;
    }
}
