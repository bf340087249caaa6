//! Requests of a load: body, source and key follow from the number of a request. The
//! bodies are built here, before the clock starts.

use std::path::Path;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use thiserror::Error;

use crate::api::logs_path;
use crate::forms::Form;
use crate::load::attacks::Kind;
use crate::load::lines::{self, Record};
use crate::load::plan::{Forms, Load};
use crate::load::subject::Subject;
use crate::load::template::{Stamp, Template};

/// Attackers of one source. A source opens 200 separate incidents of a family in an hour; further findings
/// join one incident. Below that, each attacker has its own incident, and is reused. More than ten of
/// them with the same behaviour may have an incident about all of them in addition.
pub const ATTACKERS_A_SOURCE: u32 = 100;
/// Bodies of each form and with each kind of attack, so that caches and branch predictors do not learn them.
const VARIANTS: usize = 4;
/// Largest number of batches of a file: each is held in every form that is sent, with some hundred bytes of overhead.
const MOST_REPLAYED: usize = 65_536;
/// Largest file that is replayed: it is held in memory in every form that is sent.
const MOST_FILE_BYTES: u64 = 64 * 1024 * 1024;
/// Size limit of ingestion for a request (specification, Limits).
const MOST_BODY_BYTES: usize = 4 * 1024 * 1024;
/// Ids reserved for the records of one request: more than a request may have.
const IDS_A_REQUEST: u64 = 1 << 16;

/// Reason why nothing can be sent.
#[derive(Debug, Error)]
pub enum MixError {
    #[error("{file} cannot be replayed: {source}")]
    File { file: String, source: std::io::Error },
    #[error("{file} has {bytes} bytes, expected 1 to {MOST_FILE_BYTES}")]
    FileSize { file: String, bytes: u64 },
    #[error("{file} has no line with text in it")]
    NoLines { file: String },
    #[error(
        "{file} makes {batches} batches, expected at most {MOST_REPLAYED}: a larger --batch, or a shorter file"
    )]
    Batches { file: String, batches: usize },
    #[error(
        "a body of {bytes} bytes is more than the {MOST_BODY_BYTES} that are taken: expected a smaller --batch, or --gzip"
    )]
    BodyTooLarge { bytes: usize },
}

/// The requests of a run.
#[derive(Debug)]
pub struct Mix {
    ordinary: Vec<Template>,
    /// One entry for each kind of attack.
    with_attack: Vec<Vec<Template>>,
    attack_share: f64,
    /// Whether bodies are sent in the order in which they were built.
    in_order: bool,
    /// Paths of the sources, and request heads up to the length, by source and key.
    sources: u32,
    address: String,
    paths: Vec<String>,
    keys: Vec<String>,
    first_id: u64,
}

/// One request.
#[derive(Clone, Copy, Debug)]
pub struct Order<'m> {
    pub template: &'m Template,
    pub attacker: Option<u32>,
    source: u32,
    number: u64,
}

impl Mix {
    /// Builds every body.
    ///
    /// # Errors
    /// [`MixError`] when a file cannot be read or a body would be refused for its size.
    pub fn new(plan: &Load, subject: &Subject, seed: u64) -> Result<Self, MixError> {
        let mut chance = StdRng::seed_from_u64(seed);
        let batch = plan.batch as usize;
        let batches = match &plan.replay {
            Some(file) => replayed(file, batch)?,
            None => (0..VARIANTS).map(|_| lines::ordinary(&mut chance, batch)).collect(),
        };
        let mut mix = Self {
            ordinary: Vec::new(),
            with_attack: plan.attack_kinds.iter().map(|_| Vec::new()).collect(),
            attack_share: plan.attack_share,
            in_order: plan.replay.is_some(),
            sources: u32::try_from(subject.sources.len()).unwrap_or(1).max(1),
            address: subject.address.to_string(),
            paths: subject.sources.iter().map(|source| logs_path(source)).collect(),
            keys: subject.keys.clone(),
            first_id: chance.random(),
        };
        let forms = forms(plan.form);
        for (index, records) in batches.iter().enumerate() {
            let kinds = if index < VARIANTS { plan.attack_kinds.as_slice() } else { &[] };
            for form in &forms {
                for gzip in encodings(plan.gzip) {
                    mix.add(*form, gzip, records, kinds);
                }
            }
        }
        let with_attack = mix.with_attack.iter().flatten();
        let largest = mix.ordinary.iter().chain(with_attack).map(size).max().unwrap_or_default();
        if largest > MOST_BODY_BYTES {
            return Err(MixError::BodyTooLarge { bytes: largest });
        }
        Ok(mix)
    }

    fn add(&mut self, form: Form, gzip: bool, records: &[Record], kinds: &[Kind]) {
        let (head, tail) = records.split_at(1.min(records.len()));
        self.ordinary.push(Template::new(form, gzip, head, tail, false));
        if self.attack_share == 0.0 {
            return;
        }
        for (kind, templates) in kinds.iter().zip(&mut self.with_attack) {
            let attack = kind.records();
            let tail = records.get(attack.len()..).unwrap_or_default();
            templates.push(Template::new(form, gzip, &attack, tail, true));
        }
    }

    /// The request with a number.
    pub fn order(&self, number: u64) -> Order<'_> {
        // As evenly as the share allows: with 0.01, every hundredth.
        let attacks = |requests: u64| (requests as f64 * self.attack_share) as u64;
        let ordinal = attacks(number);
        let attacker = (attacks(number + 1) > ordinal).then(|| {
            let attackers = u64::from(self.sources * ATTACKERS_A_SOURCE);
            (ordinal % attackers) as u32
        });
        let by_number = (number % u64::from(self.sources)) as u32;
        let source = attacker.unwrap_or(by_number) % self.sources;
        let templates = attacker.map_or(&self.ordinary, |attacker| self.of_attacker(attacker));
        // A file has an order, in which attacks replace no batch. Else multiplied, to combine sources and keys with every
        // body.
        let drawn = match attacker {
            None if self.in_order => number - ordinal,
            _ => number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33,
        };
        let at = (drawn % templates.len().max(1) as u64) as usize;
        let template = templates.get(at).unwrap_or_else(|| &self.ordinary[0]);
        Order { template, attacker, source, number }
    }

    /// The attackers of a source take each kind in turn.
    fn of_attacker(&self, attacker: u32) -> &Vec<Template> {
        let kind = (attacker / self.sources) as usize % self.with_attack.len().max(1);
        self.with_attack.get(kind).unwrap_or(&self.ordinary)
    }

    /// Source of an attacker.
    pub fn source_of(&self, attacker: u32) -> usize {
        (attacker % self.sources) as usize
    }

    /// Writes head and body of a request; returns the offset of the body.
    pub fn write(&self, order: &Order<'_>, now_ms: u64, body: &mut Vec<u8>, request: &mut Vec<u8>) {
        body.clear();
        request.clear();
        let first_id = self.first_id.wrapping_add(order.number.wrapping_mul(IDS_A_REQUEST));
        order.template.fill(&Stamp { now_ms, first_id, attacker: order.attacker.unwrap_or_default() }, body);
        let path = self.paths.get(order.source as usize).map_or("", String::as_str);
        let key = self.keys.get((order.number % self.keys.len().max(1) as u64) as usize);
        for part in [
            "POST ",
            path,
            " HTTP/1.1\r\nhost: ",
            &self.address,
            "\r\nauthorization: Bearer ",
            key.map_or("", String::as_str),
            "\r\ncontent-type: ",
            order.template.form.media_type(),
            if order.template.is_gzip() { "\r\ncontent-encoding: gzip" } else { "" },
            "\r\ncontent-length: ",
            &body.len().to_string(),
            "\r\n\r\n",
        ] {
            request.extend_from_slice(part.as_bytes());
        }
    }
}

fn size(template: &Template) -> usize {
    template.body(&Stamp { now_ms: 0, first_id: 0, attacker: 0 }).len()
}

fn forms(forms: Forms) -> Vec<Form> {
    match forms {
        Forms::Protobuf => vec![Form::Protobuf],
        Forms::Json => vec![Form::OtlpJson],
        Forms::JsonArray => vec![Form::JsonArray],
        Forms::Ndjson => vec![Form::Ndjson],
        Forms::Mixed => Form::ALL.to_vec(),
    }
}

/// Gzip flags whose share is nearest to the requested one, in quarters: a body is built for each.
fn encodings(share: f64) -> Vec<bool> {
    let of_four = (share * 4.0).round() as usize;
    match of_four {
        0 => vec![false],
        4.. => vec![true],
        2 => vec![true, false],
        some => (0..4).map(|index| index < some).collect(),
    }
}

fn replayed(file: &Path, batch: usize) -> Result<Vec<Vec<Record>>, MixError> {
    let name = file.display().to_string();
    let unreadable = |source| MixError::File { file: name.clone(), source };
    let bytes = std::fs::metadata(file).map_err(unreadable)?.len();
    if !(1..=MOST_FILE_BYTES).contains(&bytes) {
        return Err(MixError::FileSize { file: name, bytes });
    }
    let text = String::from_utf8_lossy(&std::fs::read(file).map_err(unreadable)?).into_owned();
    let records: Vec<Record> =
        text.lines().filter(|line| !line.trim().is_empty()).map(lines::replayed).collect();
    if records.is_empty() {
        return Err(MixError::NoLines { file: name });
    }
    let batches = records.len().div_ceil(batch);
    if batches > MOST_REPLAYED {
        return Err(MixError::Batches { file: name, batches });
    }
    Ok(records.chunks(batch).map(<[Record]>::to_vec).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_has_the_share_asked_for() {
        let share = |of: f64| {
            let encodings = encodings(of);
            encodings.iter().filter(|gzip| **gzip).count() as f64 / encodings.len() as f64
        };
        for of in [0.0, 0.25, 0.5, 0.75, 1.0] {
            assert_eq!(share(of), of);
        }
    }

    #[test]
    fn attacks_take_no_line_of_a_file_away() {
        let body = |number: usize| {
            Template::new(Form::Ndjson, false, &[lines::replayed(&number.to_string())], &[], false)
        };
        let mix = Mix {
            ordinary: (0..100).map(body).collect(),
            with_attack: vec![(0..VARIANTS).map(body).collect()],
            attack_share: 0.01,
            in_order: true,
            sources: 2,
            address: String::new(),
            paths: Vec::new(),
            keys: Vec::new(),
            first_id: 0,
        };
        let orders: Vec<Order<'_>> = (0..1_000).map(|number| mix.order(number)).collect();
        let (attacks, lines): (Vec<Order<'_>>, Vec<Order<'_>>) =
            orders.into_iter().partition(|order| order.attacker.is_some());
        assert_eq!(attacks.len(), 10);
        let expected = mix.ordinary.iter().cycle();
        assert!(lines.iter().zip(expected).all(|(order, body)| std::ptr::eq(order.template, body)));
    }

    #[test]
    fn a_file_is_replayed_in_batches_of_its_lines() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("lines");
        std::fs::write(&file, "one\n\ntwo\nthree\n").unwrap();
        let batches = replayed(&file, 2).unwrap();
        let messages: Vec<Vec<&str>> = batches
            .iter()
            .map(|batch| batch.iter().map(|record| record.message.as_str()).collect())
            .collect();
        assert_eq!(messages, [vec!["one", "two"], vec!["three"]]);
        let many = "line\n".repeat(MOST_REPLAYED + 1);
        std::fs::write(&file, many).unwrap();
        assert_eq!(replayed(&file, 2).unwrap().len(), MOST_REPLAYED / 2 + 1, "the whole file");
        assert!(
            matches!(replayed(&file, 1), Err(MixError::Batches { batches, .. }) if batches == MOST_REPLAYED + 1)
        );
        std::fs::write(&file, "\n\n").unwrap();
        assert!(matches!(replayed(&file, 2), Err(MixError::NoLines { .. })));
        std::fs::write(&file, "").unwrap();
        assert!(matches!(replayed(&file, 2), Err(MixError::FileSize { bytes: 0, .. })));
        assert!(matches!(replayed(&directory.path().join("none"), 2), Err(MixError::File { .. })));
    }
}
