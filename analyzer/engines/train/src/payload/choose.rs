//! Popular packages to the windows that are learned from: for each package some at random, and those which a model of the
//! packages of the authors takes for payloads.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ::payload::{Payloads, Reading, read};
use code_signals::{Severity, SourceFile, Subject, analyze};
use linear_model::Feature;

use super::learn::{Thresholds, frequent, model};
use super::packages::{self, Package};
use super::popular::{Names, POPULAR, Record};
use crate::TrainError;
use crate::seeded::Seeded;

/// Windows of a package that are chosen at random, and in each round by their score.
const RANDOM: usize = 3;
const CLEAREST: usize = 2;
const ROUNDS: usize = 3;
/// Largest file of a package that is read.
const MOST_BYTES: u64 = 4 << 20;

/// A popular package with all of its windows.
struct Popular {
    package: Package,
    reading: Reading,
    chosen: BTreeSet<usize>,
}

/// Writes the windows of the packages in the folders `FOLDER/registry/name`, in the form that `popular.rs` reads.
///
/// # Errors
/// [`TrainError`] where a folder cannot be read or a model cannot be trained.
pub fn choose(folder: &Path, seed: u64, out: &mut dyn Write) -> Result<(), TrainError> {
    let written = packages::all()?;
    let frequent = frequent(&written);
    let mut popular = Vec::new();
    for registry in entries(folder)? {
        for path in entries(&registry)? {
            popular.push(analysed(folder, &path)?);
        }
    }
    let mut random = Seeded::new(seed, "windows of popular packages");
    for one in &mut popular {
        let mut places: Vec<usize> = (0..one.package.rows.len()).collect();
        random.shuffle(&mut places);
        one.chosen.extend(places.into_iter().take(RANDOM));
    }
    for _ in 0..ROUNDS {
        let honest: Vec<Package> = popular.iter().map(with_chosen).collect();
        let bytes = model(&written.iter().chain(&honest).collect::<Vec<_>>(), seed, Thresholds::default())?;
        let payloads = Payloads::load(&bytes)?;
        popular.iter_mut().for_each(|one| add_clearest(one, &payloads));
    }
    print(&popular, &frequent, out)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, TrainError> {
    let failed = |source| TrainError::File { path: folder.to_owned(), source };
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        entries.push(entry.map_err(failed)?.path());
    }
    entries.sort();
    Ok(entries)
}

fn analysed(root: &Path, folder: &Path) -> Result<Popular, TrainError> {
    let mut files = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for path in entries(&next)? {
            let failed = |source| TrainError::File { path: path.clone(), source };
            let metadata = fs::symlink_metadata(&path).map_err(failed)?;
            if metadata.is_dir() {
                waiting.push(path);
            } else if metadata.is_file() && metadata.len() <= MOST_BYTES {
                let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
                files.push((name, fs::read(&path).map_err(failed)?));
            }
        }
    }
    files.sort();
    let sources: Vec<SourceFile<'_>> =
        files.iter().map(|(path, content)| SourceFile { path, content }).collect();
    let report = analyze(&sources, Subject::Package);
    let reading = read(&sources, &report);
    let package = Package {
        source: POPULAR,
        name: folder.strip_prefix(root).unwrap_or(folder).to_string_lossy().into_owned(),
        is_malicious: false,
        is_found: report.worst() >= Some(Severity::High),
        rows: reading.windows.iter().map(|window| reading.row(window)).collect(),
    };
    Ok(Popular { package, reading, chosen: BTreeSet::new() })
}

fn with_chosen(popular: &Popular) -> Package {
    let rows = popular.chosen.iter().filter_map(|place| popular.package.rows.get(*place).cloned());
    Package { rows: rows.collect(), name: String::new(), ..popular.package }
}

fn add_clearest(popular: &mut Popular, payloads: &Payloads<'_>) {
    let mut scores: Vec<(f32, usize)> =
        popular.package.rows.iter().map(|row| payloads.score(row)).zip(0..).collect();
    scores.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(&two.1)));
    popular.chosen.extend(scores.into_iter().take(CLEAREST).map(|(_, place)| place));
}

/// Frequent names in the order in which they are first met.
#[derive(Default)]
struct Numbers {
    names: Vec<String>,
    numbers: BTreeMap<Feature, usize>,
}

impl Numbers {
    fn of(&mut self, name: &str, feature: Feature) -> usize {
        let next = self.names.len();
        let number = *self.numbers.entry(feature).or_insert(next);
        if number == next {
            self.names.push(name.to_owned());
        }
        number
    }

    /// Numbers of those names of a list that are frequent, in order.
    fn kept(&mut self, reading: &Reading, list: &[u32], frequent: &BTreeSet<Feature>) -> Vec<usize> {
        let named = list.iter().filter_map(|number| reading.named(*number));
        let frequent = named.filter(|(_, feature)| frequent.contains(feature));
        let mut kept: Vec<usize> = frequent.map(|(name, feature)| self.of(name, feature)).collect();
        kept.sort_unstable();
        kept
    }
}

/// Writes the frequent names, by number, and the chosen windows.
fn print(popular: &[Popular], frequent: &BTreeSet<Feature>, out: &mut dyn Write) -> Result<(), TrainError> {
    let (mut facts, mut words) = (Numbers::default(), Numbers::default());
    let mut records = Vec::new();
    for one in popular {
        let chosen = one.chosen.iter().filter_map(|place| one.reading.windows.get(*place));
        let windows = chosen.map(|window| {
            let of_facts = facts.kept(&one.reading, &window.facts, frequent);
            (of_facts, words.kept(&one.reading, &window.words, frequent), window.words.len())
        });
        let windows = windows.collect();
        records.push(Record { name: one.package.name.clone(), is_found: one.package.is_found, windows });
    }
    let names = Names { facts: facts.names, words: words.names };
    let line = |out: &mut dyn Write, text: Result<String, serde_json::Error>| -> Result<(), TrainError> {
        Ok(writeln!(out, "{}", text.map_err(TrainError::Written)?)?)
    };
    line(out, serde_json::to_string(&names))?;
    records.iter().try_for_each(|record| line(out, serde_json::to_string(record)))
}
