//! Quality on what training left out: one project of tagged posts at a time, a fifth of the templates, and the
//! development set, which training never uses.

use std::io::Write;

use redact::identifiers::{Entity, EntitySet, Span};
use redact_names::NameModel;
use serde::Deserialize;

use super::lexicon::Lexicon;
use super::{Kind, Tagged, learn, sentence, sources};
use crate::TrainError;
use crate::data::Data;
use crate::redact::is_courtesy;
use crate::trainer::SEED;

/// Counts of one kind.
#[derive(Clone, Copy, Default)]
struct Count {
    /// Spans that exist, and those that were found in part or whole.
    gold: usize,
    found: usize,
    /// Spans that were found, and those that lie on one that exists.
    given: usize,
    right: usize,
}

impl Count {
    fn add(&mut self, gold: &[(usize, usize)], given: &[(usize, usize)]) {
        let meets = |one: &(usize, usize), others: &[(usize, usize)]| {
            others.iter().any(|two| one.0 < two.1 && two.0 < one.1)
        };
        self.gold += gold.len();
        self.found += gold.iter().filter(|one| meets(one, given)).count();
        self.given += given.len();
        self.right += given.iter().filter(|one| meets(one, gold)).count();
    }

    fn row(self, name: &str, out: &mut dyn Write) -> Result<(), TrainError> {
        let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
        writeln!(
            out,
            "| {name} | {} | {:.3} | {:.3} |",
            self.gold,
            share(self.right, self.given),
            share(self.found, self.gold)
        )?;
        Ok(())
    }
}

#[derive(Deserialize)]
struct Developed {
    text: String,
    spans: Vec<(usize, usize, String)>,
}

pub(super) fn print(data: &mut Data, out: &mut dyn Write) -> Result<(), TrainError> {
    let sources = sources::read(data)?;
    let lexicon = Lexicon::new(&sources);
    writeln!(out, "| left out, kind | spans | precision | recall |\n|---|---|---|---|")?;
    let mut projects = sources.projects.clone();
    projects.sort();
    projects.dedup();
    let sentences = sentence::all(&lexicon, SEED, |_| true);
    let own = || sentences.iter().map(|sentence| (sentence, learn::SENTENCE));
    for project in &projects {
        let posts = sources.posts.iter().zip(&sources.projects);
        let (left, kept): (Vec<_>, Vec<_>) = posts.partition(|(_, of)| *of == project);
        let bytes = learn::model(
            data,
            &lexicon,
            kept.into_iter().map(|(post, _)| (post, learn::POST)).chain(own()),
            SEED,
        )?;
        let left: Vec<&Tagged> = left.into_iter().map(|(post, _)| post).collect();
        by_kind(&NameModel::read(&bytes)?, &left, project, out)?;
    }
    let kept = sentence::all(&lexicon, SEED, |fold| fold != 0);
    let left = sentence::all(&lexicon, SEED + 1, |fold| fold == 0);
    let posts = sources.posts.iter().map(|post| (post, learn::POST));
    let bytes = learn::model(
        data,
        &lexicon,
        posts.chain(kept.iter().map(|sentence| (sentence, learn::SENTENCE))),
        SEED,
    )?;
    by_kind(&NameModel::read(&bytes)?, &left.iter().collect::<Vec<_>>(), "a fifth of the templates", out)?;
    unchanged(&NameModel::read(&bytes)?, &left, out)?;
    let posts = sources.posts.iter().map(|post| (post, learn::POST));
    let bytes = learn::model(data, &lexicon, posts.chain(own()), SEED)?;
    developed(data, &NameModel::read(&bytes)?, out)
}

fn by_kind(
    model: &NameModel<'_>,
    texts: &[&Tagged],
    name: &str,
    out: &mut dyn Write,
) -> Result<(), TrainError> {
    let kinds = [
        (Kind::Person, Entity::Name),
        (Kind::Location, Entity::Location),
        (Kind::Organization, Entity::Organization),
    ];
    let mut counts = [Count::default(); 3];
    let wanted = EntitySet::of(kinds.map(|(_, entity)| entity));
    for text in texts {
        let spans = model.find(&text.text, &[], &wanted);
        for ((kind, entity), count) in kinds.into_iter().zip(&mut counts) {
            let gold: Vec<_> =
                text.spans.iter().filter(|span| span.2 == kind).map(|span| (span.0, span.1)).collect();
            count.add(&gold, &of(&spans, entity));
        }
    }
    for ((kind, _), count) in kinds.into_iter().zip(counts) {
        count.row(&format!("{name}, {kind:?}"), out)?;
    }
    Ok(())
}

fn of(spans: &[Span], entity: Entity) -> Vec<(usize, usize)> {
    spans.iter().filter(|span| span.entity == entity).map(|span| (span.range.start, span.range.end)).collect()
}

/// Share of the sentences without a person's name in which none is found.
fn unchanged(model: &NameModel<'_>, texts: &[Tagged], out: &mut dyn Write) -> Result<(), TrainError> {
    let wanted = EntitySet::of([Entity::Name]);
    let without: Vec<_> =
        texts.iter().filter(|text| text.spans.iter().all(|span| span.2 != Kind::Person)).collect();
    let kept = without.iter().filter(|text| model.find(&text.text, &[], &wanted).is_empty()).count();
    writeln!(out, "\n{kept} of {} left-out sentences without a person are unchanged", without.len())?;
    Ok(())
}

fn developed(data: &mut Data, model: &NameModel<'_>, out: &mut dyn Write) -> Result<(), TrainError> {
    let wanted = EntitySet::of([Entity::Name, Entity::Location, Entity::Organization]);
    let mut person = Count::default();
    for record in data.records::<Developed>("redact_synth_dev.jsonl")? {
        // The offsets of the file count characters.
        let offset =
            |count: usize| record.text.char_indices().nth(count).map_or(record.text.len(), |(at, _)| at);
        let gold: Vec<_> = record
            .spans
            .iter()
            .filter(|span| span.2 == "PERSON")
            .map(|span| (offset(span.0), offset(span.1)))
            .collect();
        let spans = of(&model.find(&record.text, &[], &wanted), Entity::Name);
        // Titles of courtesy count as persons in this file.
        let gold_names: Vec<_> = gold
            .iter()
            .copied()
            .filter(|span| record.text.get(span.0..span.1).is_some_and(|text| !is_courtesy(text)))
            .collect();
        let mut names = Count::default();
        names.add(&gold_names, &spans);
        person.gold += names.gold;
        person.found += names.found;
        person.given += names.given;
        person.right += names.right;
    }
    writeln!(out)?;
    person.row("development set, Person", out)
}
