//! Tagged texts to a model file.

use std::collections::BTreeMap;

use linear_model::{Manifest, Source, TableShape, Trained, slot, write};
use redact_names::feature::Page;
use redact_names::lists::{Bits, places};
use redact_names::token::tokens;
use redact_names::{FEATURES, TAGS, Tag};

use super::lexicon::Lexicon;
use super::{Kind, Tagged};
use crate::TrainError;
use crate::corpus::{Corpus, Row};
use crate::data::Data;
use crate::logistic::{Settings, train};

/// Weight of a tagged post and of a sentence of our own.
pub(super) const POST: f32 = 1.0;
pub(super) const SENTENCE: f32 = 0.5;

/// Slots of the weights and of the lists. Half as many lose nothing that the measurements show.
const SLOTS: usize = 1 << 19;
const LIST_SLOTS: usize = 1 << 20;

/// The lists as a table: each word has two slots that hold its bits.
fn list_table(lexicon: &Lexicon) -> Vec<f32> {
    let mut bits: Vec<Bits> = vec![0; LIST_SLOTS];
    for (word, list) in lexicon.words() {
        for place in places(&word) {
            if let Some(bits) = bits.get_mut(slot(place, LIST_SLOTS)) {
                *bits |= list;
            }
        }
    }
    bits.into_iter().map(f32::from).collect()
}

/// Trains on texts with their weights.
pub(super) fn model<'a>(
    data: &Data,
    lexicon: &Lexicon,
    texts: impl Iterator<Item = (&'a Tagged, f32)>,
    seed: u64,
) -> Result<Vec<u8>, TrainError> {
    let lists = list_table(lexicon);
    let list_bits = |word: &str| {
        let [one, two] =
            places(word).map(|place| lists.get(slot(place, LIST_SLOTS)).map_or(0, |bits| *bits as Bits));
        one & two
    };
    let mut corpus = Corpus::default();
    let mut features = Vec::new();
    for (text, weight) in texts {
        let tokens = tokens(&text.text);
        let page = Page::new(&tokens, list_bits);
        let tags = tags(text, &tokens.iter().map(|token| token.range()).collect::<Vec<_>>());
        for (index, tag) in tags.into_iter().enumerate() {
            if page.is_scored(index) {
                page.features(index, &mut features);
                let class = TAGS.iter().position(|known| *known == tag).unwrap_or(0);
                corpus.push(Row::new(class, weight), features.iter().copied());
            }
        }
    }
    let settings = Settings {
        slots: SLOTS,
        width: TAGS.len(),
        epochs: 5,
        rate: 0.15,
        decay: 2e-6,
        start: 0.1,
        many: 64.0,
        seed,
    };
    let learned = train(&corpus, &settings);
    let labels = TAGS.iter().map(|tag| tag.name().to_owned()).collect();
    let weights = Trained {
        shape: TableShape { name: "tags".to_owned(), slots: SLOTS, labels, biases: learned.biases },
        weights: learned.weights,
    };
    let lists = Trained {
        shape: TableShape {
            name: "lists".to_owned(),
            slots: LIST_SLOTS,
            labels: vec!["bits".to_owned()],
            biases: vec![0.0],
        },
        weights: lists,
    };
    Ok(write(&manifest(data, seed), &[weights, lists])?)
}

/// The tag of each token.
fn tags(text: &Tagged, ranges: &[std::ops::Range<usize>]) -> Vec<Tag> {
    let mut spans = text.spans.iter().peekable();
    let mut begun = false;
    ranges
        .iter()
        .map(|range| {
            while spans.next_if(|(_, end, _)| *end <= range.start).is_some() {
                begun = false;
            }
            let Some((_, _, kind)) = spans.peek().filter(|(start, _, _)| *start < range.end) else {
                return Tag::Outside;
            };
            let first = !begun;
            begun = true;
            match (kind, first) {
                (Kind::Person, true) => Tag::Person,
                (Kind::Person, false) => Tag::PersonMore,
                (Kind::Location, true) => Tag::Location,
                (Kind::Location, false) => Tag::LocationMore,
                (Kind::Organization, true) => Tag::Organization,
                (Kind::Organization, false) => Tag::OrganizationMore,
            }
        })
        .collect()
}

fn manifest(data: &Data, seed: u64) -> Manifest {
    let source = |name: &str, license: &str| Source { name: name.to_owned(), license: license.to_owned() };
    Manifest {
        name: "palisade-names-2026.12".to_owned(),
        features: FEATURES.to_owned(),
        seed,
        data: data.digests().clone(),
        numbers: BTreeMap::from([("leaning".to_owned(), 0.0)]),
        validation: BTreeMap::new(),
        notice: vec![
            source("leondz/emerging_entities_17", "CC-BY-4.0"),
            source("GateNLP/broad_twitter_corpus", "CC-BY-4.0"),
            source("sigpwned/popular-names-by-country-dataset", "CC0-1.0"),
            source("datasets/world-cities, from GeoNames", "CC-BY-4.0"),
        ],
        tables: Vec::new(),
    }
}
