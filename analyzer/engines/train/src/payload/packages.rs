//! Labelled packages. Each author is a source of its own, which the report leaves out of the training. Malicious ones are
//! reconstructions of published incidents without effect: their hosts are reserved names, their payloads empty.

use std::collections::BTreeMap;

use ::payload::{Row, read};
use code_signals::{Severity, SourceFile, Subject, analyze};
use serde::Deserialize;

use crate::TrainError;
use crate::data::digest;

/// Files with the name of their author. The packages of an author were written without knowledge of the rules.
const FILES: [(&str, &str); 5] = [
    ("bench", include_str!("../../packages/bench.jsonl")),
    ("mixed", include_str!("../../packages/mixed.jsonl")),
    ("npm", include_str!("../../packages/npm.jsonl")),
    ("pypi", include_str!("../../packages/pypi.jsonl")),
    ("wild", include_str!("../../packages/wild.jsonl")),
];

#[derive(Deserialize)]
struct Record {
    label: String,
    name: String,
    files: BTreeMap<String, String>,
}

/// A package as the model reads it.
#[derive(Clone, Debug)]
pub struct Package {
    /// Author, or [`super::popular::POPULAR`].
    pub source: &'static str,
    /// Name.
    pub name: String,
    /// Whether it is malicious.
    pub is_malicious: bool,
    /// Whether a chain of capabilities is found without the model.
    pub is_found: bool,
    /// Features of each window.
    pub rows: Vec<Row>,
}

/// All packages, in the order of their files.
///
/// # Errors
/// [`TrainError::Written`] where a line is no package.
pub fn all() -> Result<Vec<Package>, TrainError> {
    let mut packages = Vec::new();
    for (source, file) in FILES {
        for line in file.lines() {
            let record: Record = serde_json::from_str(line).map_err(TrainError::Written)?;
            packages.push(package(source, record));
        }
    }
    Ok(packages)
}

fn package(source: &'static str, record: Record) -> Package {
    let files: Vec<SourceFile<'_>> =
        record.files.iter().map(|(path, content)| SourceFile { path, content: content.as_bytes() }).collect();
    let report = analyze(&files, Subject::Package);
    let reading = read(&files, &report);
    Package {
        source,
        name: record.name,
        is_malicious: record.label == "malicious",
        is_found: report.worst() >= Some(Severity::High),
        rows: reading.windows.iter().map(|window| reading.row(window)).collect(),
    }
}

/// SHA-256 of each file of packages, by name.
#[must_use]
pub fn digests() -> BTreeMap<String, String> {
    FILES.iter().map(|(source, file)| (format!("packages/{source}.jsonl"), digest(file))).collect()
}
