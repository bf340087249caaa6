//! Files to the windows that are judged by themselves.
//!
//! A window has a bounded number of lines, so that ordinary code around a payload does not hide it.

use std::collections::BTreeMap;

use code_signals::{Report, SourceFile, is_code, language};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use linear_model::Feature;

use crate::facts::{Step, of_capability, of_chain, of_file, of_package, of_window};
use crate::lines::{Line, lines};
use crate::words::words;

/// Lines with code of a window; windows overlap by half.
const LINES: usize = 24;
/// Windows of a package: 16 MiB of code have about as many. Further ones are not judged, and [`Reading::is_cut`] is true.
const MOST_WINDOWS: usize = 40_000;
/// Different facts and words of a package: 100 MiB. Further ones are not read.
const MOST_NAMES: usize = 1 << 20;
/// Tag of the features of facts.
const FACT_TAG: u64 = 81;

/// Facts and words by number, as features and for reasons.
#[derive(Debug, Default)]
pub struct Reading {
    /// Windows in the order of their files and lines.
    pub windows: Vec<Window>,
    /// Whether a bound was reached, so that a part of the code is not judged.
    pub is_cut: bool,
    words: HashMap<String, u32, FixedState>,
    facts: HashMap<String, u32, FixedState>,
    names: Vec<(String, Feature)>,
}

/// Some lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Path of the file.
    pub path: String,
    /// First and last line, from 1.
    pub lines: (u32, u32),
    /// Facts, by number.
    pub facts: Vec<u32>,
    /// Words, by number.
    pub words: Vec<u32>,
}

/// Features of a window: those of facts count more than those of words.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Facts.
    pub facts: Vec<Feature>,
    /// Words.
    pub words: Vec<Feature>,
    /// Number of words of the window.
    pub length: usize,
}

/// The feature of a fact.
#[must_use]
pub fn fact_feature(name: &str) -> Feature {
    Feature::of(name).tagged(FACT_TAG)
}

impl Reading {
    /// Features of a window.
    #[must_use]
    pub fn row(&self, window: &Window) -> Row {
        let of = |numbers: &[u32]| {
            numbers.iter().filter_map(|number| self.named(*number)).map(|(_, feature)| feature).collect()
        };
        Row { facts: of(&window.facts), words: of(&window.words), length: window.words.len() }
    }

    /// Name and feature of a number.
    #[must_use]
    pub fn named(&self, number: u32) -> Option<(&str, Feature)> {
        self.names.get(number as usize).map(|(name, feature)| (name.as_str(), *feature))
    }

    fn word(&mut self, name: &str) -> Option<u32> {
        if let Some(number) = self.words.get(name) {
            return Some(*number);
        }
        if self.names.len() >= MOST_NAMES {
            self.is_cut = true;
            return None;
        }
        let number = self.add(name, Feature::of(name));
        self.words.insert(name.to_owned(), number);
        Some(number)
    }

    fn facts(&mut self, names: Vec<String>) -> Vec<u32> {
        let mut numbers = Vec::with_capacity(names.len());
        for name in names {
            let known = self.facts.get(&name).copied();
            let number = known.unwrap_or_else(|| self.add(&name, fact_feature(&name)));
            self.facts.entry(name).or_insert(number);
            numbers.push(number);
        }
        numbers
    }

    fn add(&mut self, name: &str, feature: Feature) -> u32 {
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push((name.to_owned(), feature));
        number
    }
}

/// Reads the code of a package for which `report` is the analysis. Tests and documentation are read only where they execute early.
#[must_use]
pub fn read(files: &[SourceFile<'_>], report: &Report) -> Reading {
    let mut steps: BTreeMap<&str, Vec<Step>> = BTreeMap::new();
    for capability in &report.capabilities {
        steps.entry(&capability.site.path).or_default().push(of_capability(capability));
    }
    for chain in &report.chains {
        steps.entry(&chain.sink.path).or_default().push(of_chain(chain));
    }
    steps.values_mut().for_each(|steps| steps.sort_by_key(|step| step.line));
    let mut reading = Reading::default();
    let of_package = reading.facts(of_package(steps.values().flatten()));
    for file in files {
        let Some(language) = language(file.path, file.content) else { continue };
        let steps = steps.get(file.path).map(Vec::as_slice).unwrap_or_default();
        if !is_code(file.path) && !steps.iter().any(|step| step.is_early) {
            continue;
        }
        let text = file.content.get(..code_signals::MOST_FILE_BYTES).unwrap_or(file.content);
        let mut around = reading.facts(of_file(steps));
        around.extend(&of_package);
        windows(file.path, &lines(text, language), (steps, &around), &mut reading);
    }
    reading
}

/// Windows of a file whose steps are ordered by line; `around` are facts of all windows.
fn windows(path: &str, lines: &[Line<'_>], (steps, around): (&[Step], &[u32]), reading: &mut Reading) {
    let mut of_lines: Vec<Vec<u32>> = Vec::with_capacity(lines.len());
    for line in lines {
        let mut numbers = Vec::new();
        words(line.text, &mut |word| numbers.extend(reading.word(word)));
        of_lines.push(numbers);
    }
    let last = lines.len().saturating_sub(LINES / 2).max(1);
    // Pieces of one long line have the same steps.
    let mut before: ((u32, u32), Vec<u32>) = ((0, 0), Vec::new());
    for start in (0..last).step_by(LINES / 2) {
        let place = start..(start + LINES).min(lines.len());
        let chosen = lines.get(place.clone()).unwrap_or_default();
        let (Some(first), Some(last)) = (chosen.first(), chosen.last()) else { continue };
        let mut words: Vec<u32> = of_lines.get(place).unwrap_or_default().iter().flatten().copied().collect();
        if words.is_empty() {
            continue;
        }
        if reading.windows.len() >= MOST_WINDOWS {
            reading.is_cut = true;
            return;
        }
        let span = (first.number, last.number);
        if before.0 != span {
            let mut facts = reading.facts(of_window(within(steps, span)));
            facts.extend(around);
            before = (span, facts);
        }
        words.sort_unstable();
        words.dedup();
        reading.windows.push(Window { path: path.to_owned(), lines: span, facts: before.1.clone(), words });
    }
}

/// Steps of the lines from the first to the last.
fn within(steps: &[Step], (first, last): (u32, u32)) -> &[Step] {
    let start = steps.partition_point(|step| step.line < first);
    let end = steps.partition_point(|step| step.line <= last);
    steps.get(start..end).unwrap_or_default()
}
