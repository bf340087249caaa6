//! The existing metrics: read from the sources, where they are described and counted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::root;

/// Crates of the product; tools that only observe it count nothing.
const ROOMS: [&str; 5] = ["common", "ingest", "analyzer", "api", "server/src"];
/// Prefix of every name, which distinguishes it from those of other software.
pub(crate) const PREFIX: &str = "palisade_";
/// The macros, each also as the end of the one that describes.
const MACROS: [(&str, Kind); 3] =
    [("counter!(", Kind::Counter), ("gauge!(", Kind::Gauge), ("histogram!(", Kind::Histogram)];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// Metrics in the sources.
pub(crate) struct Known {
    metrics: BTreeMap<String, Kind>,
    sources: String,
}

impl Known {
    pub(crate) fn read() -> Self {
        let files: Vec<String> = sources().iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        let metrics: BTreeMap<_, _> = files.iter().flat_map(|file| counted(file)).collect();
        assert!(metrics.len() > 20, "only {} metrics were found", metrics.len());
        Self { metrics, sources: files.concat() }
    }

    /// Whether a process exposes this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        let part = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        let histogram = part.filter(|part| self.metrics.get(*part) == Some(&Kind::Histogram));
        match histogram {
            // Only those in seconds have buckets (`process::telemetry`).
            Some(histogram) => !name.ends_with("_bucket") || histogram.ends_with("_seconds"),
            None => self.metrics.get(name).is_some_and(|kind| *kind != Kind::Histogram),
        }
    }

    /// Whether the name exists, by itself or with a suffix of Prometheus.
    pub(crate) fn means(&self, name: &str) -> bool {
        self.metrics.contains_key(name) || self.has(name)
    }

    /// Names of the counters.
    pub(crate) fn counters(&self) -> impl Iterator<Item = &str> {
        let counters = self.metrics.iter().filter(|(_, kind)| **kind == Kind::Counter);
        counters.map(|(name, _)| name.as_str())
    }

    /// Names without the prefix of the product.
    pub(crate) fn without_prefix(&self) -> impl Iterator<Item = &str> {
        self.metrics.keys().map(String::as_str).filter(|name| !name.starts_with(PREFIX))
    }

    /// Whether the sources contain a text.
    pub(crate) fn have_text(&self, text: &str) -> bool {
        self.sources.contains(&format!("\"{text}\""))
    }
}

/// The metrics a source describes or counts; a name may be given as a constant of the same file.
fn counted(source: &str) -> Vec<(String, Kind)> {
    let mut found = Vec::new();
    for (call, kind) in MACROS {
        for (at, _) in source.match_indices(call) {
            let rest = source[at + call.len()..].trim_start();
            let name = match rest.strip_prefix('"') {
                Some(literal) => literal.split('"').next(),
                None => constant(source, rest.split([',', ')']).next().unwrap_or_default().trim()),
            };
            found.extend(name.map(|name| (name.to_owned(), kind)));
        }
    }
    found
}

fn constant<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    source.split(&format!("const {name}: &str = \"")).nth(1)?.split('"').next()
}

fn sources() -> Vec<PathBuf> {
    let mut waiting: Vec<PathBuf> = ROOMS.iter().map(|room| root().join(room)).collect();
    let mut found = Vec::new();
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if is_production(&path) {
                found.push(path);
            }
        }
    }
    found
}

fn is_production(path: &Path) -> bool {
    let is_test =
        path.components().any(|part| ["tests", "tests.rs"].iter().any(|name| part.as_os_str() == *name));
    !is_test && path.extension().is_some_and(|extension| extension == "rs")
}

#[test]
fn metrics_are_found_however_they_are_named() {
    let source = "const TIME: &str = \"d_seconds\";\ndescribe_gauge!(\n    \"a\", Unit::Bytes);\n\
                  metrics::counter!(\"b_total\", \"x\" => y).increment(1);\nhistogram!(TIME, &labels);";
    let metrics: BTreeMap<_, _> = counted(source).into_iter().collect();
    let known = Known { metrics, sources: source.to_owned() };
    for (name, expected) in [
        ("a", true),
        ("b_total", true),
        ("d_seconds_bucket", true),
        ("d_seconds", false),
        ("a_count", false),
        ("c", false),
    ] {
        assert_eq!(known.has(name), expected, "{name}");
    }
    assert!(known.means("d_seconds") && known.have_text("x") && !known.have_text("y"));
}
