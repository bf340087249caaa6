//! One advisory of the OSV schema (1.7) to entries of packages.

use std::str::FromStr;

use common::timestamp::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;
use versions::{Ecosystem, Version, normalized_name};

use crate::entry::{Entry, Interval, Severity};

/// Bounds of one advisory; generated ones have longer lists, of which the rest is ignored.
mod most {
    /// Characters of a summary.
    pub(super) const SUMMARY: usize = 200;
    /// Aliases.
    pub(super) const ALIASES: usize = 20;
    /// Intervals of a package.
    pub(super) const INTERVALS: usize = 200;
    /// Versions of a package without an interval.
    pub(super) const VERSIONS: usize = 5_000;
    /// Bytes of an id.
    pub(super) const ID: usize = 128;
}

#[derive(Deserialize)]
struct Document {
    id: String,
    modified: String,
    #[serde(default)]
    withdrawn: Option<String>,
    #[serde(default)]
    aliases: Option<Vec<String>>,
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    severity: Option<Vec<Score>>,
    #[serde(default)]
    affected: Option<Vec<Affected>>,
    #[serde(default)]
    database_specific: Option<Specific>,
}

#[derive(Deserialize)]
struct Score {
    #[serde(default)]
    score: String,
}

/// Fields of databases, of which only the severity is read, where it is a text.
#[derive(Deserialize)]
struct Specific {
    #[serde(default)]
    severity: Option<Text>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Text(String),
    Other(IgnoredAny),
}

#[derive(Deserialize)]
struct Affected {
    #[serde(default)]
    package: Option<Package>,
    #[serde(default)]
    ranges: Option<Vec<Range>>,
    #[serde(default)]
    versions: Option<Vec<String>>,
    #[serde(default)]
    severity: Option<Vec<Score>>,
}

#[derive(Deserialize)]
struct Package {
    ecosystem: String,
    name: String,
}

#[derive(Deserialize)]
struct Range {
    #[serde(rename = "type")]
    kind: String,
    events: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    introduced: Option<String>,
    #[serde(default)]
    fixed: Option<String>,
    #[serde(default)]
    last_affected: Option<String>,
}

/// An advisory that was read.
pub(crate) struct Read {
    pub(crate) id: String,
    pub(crate) modified: Timestamp,
    pub(crate) is_withdrawn: bool,
    /// Entries by ecosystem and canonical name.
    pub(crate) entries: Vec<(Ecosystem, String, Entry)>,
    /// Affected packages of other ecosystems, or with names that are none.
    pub(crate) left_out: usize,
}

/// Reads an advisory; the error names the field.
pub(crate) fn read(body: &[u8]) -> Result<Read, String> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let document: Document = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| format!("{}: {}", error.path(), error.inner()))?;
    let id = document.id;
    let is_id = |byte: u8| byte.is_ascii_graphic();
    if id.is_empty() || id.len() > most::ID || !id.bytes().all(is_id) {
        return Err(format!("id: expected 1 to {} printable characters, found {}", most::ID, id.len()));
    }
    let Some(modified) = Timestamp::parse_rfc3339(&document.modified) else {
        let found: String = document.modified.chars().take(64).collect();
        return Err(format!("modified: expected RFC 3339, found {found:?}"));
    };
    let specific = document.database_specific.and_then(|specific| specific.severity);
    let severity = named(specific.as_ref()).or_else(|| scored(document.severity.as_deref()));
    let summary: String = document.summary.unwrap_or_default();
    let summary = summary.lines().next().unwrap_or_default().chars().take(most::SUMMARY).collect::<String>();
    let aliases: Vec<String> = document.aliases.unwrap_or_default().into_iter().take(most::ALIASES).collect();
    let mut found = Read {
        id: id.clone(),
        modified,
        is_withdrawn: document.withdrawn.is_some(),
        entries: Vec::new(),
        left_out: 0,
    };
    for affected in document.affected.unwrap_or_default() {
        let Some((ecosystem, name)) = affected.package.as_ref().and_then(package) else {
            found.left_out += 1;
            continue;
        };
        let severity = severity.or_else(|| scored(affected.severity.as_deref()));
        let (intervals, versions) = extent(ecosystem, affected);
        let entry = Entry {
            id: id.clone(),
            aliases: aliases.clone(),
            severity,
            summary: summary.clone(),
            intervals,
            versions,
        };
        found.entries.push((ecosystem, name, entry));
    }
    Ok(found)
}

fn package(package: &Package) -> Option<(Ecosystem, String)> {
    let ecosystem = Ecosystem::from_osv(&package.ecosystem)?;
    Some((ecosystem, normalized_name(ecosystem, &package.name).ok()?))
}

/// The intervals of a package, and its versions outside of them.
fn extent(ecosystem: Ecosystem, affected: Affected) -> (Vec<Interval>, Vec<String>) {
    let ranges = affected.ranges.unwrap_or_default();
    let ordered = ranges.into_iter().filter(|range| range.kind != "GIT");
    let mut intervals: Vec<Interval> = ordered.flat_map(|range| paired(ecosystem, range.events)).collect();
    intervals.truncate(most::INTERVALS);
    let is_outside = |version: &String| {
        let version = Version::parse(ecosystem, version).ok();
        version.is_none_or(|version| !intervals.iter().any(|interval| interval.contains(&version)))
    };
    let versions =
        affected.versions.unwrap_or_default().into_iter().map(|version| spelled(ecosystem, version));
    let versions = versions.filter(is_outside).take(most::VERSIONS).collect();
    (intervals, versions)
}

/// Go advisories have versions without `v`.
fn spelled(ecosystem: Ecosystem, version: String) -> String {
    if ecosystem == Ecosystem::Go && !version.starts_with('v') { format!("v{version}") } else { version }
}

/// Events to intervals: each introduction with the next end, in the order of versions.
fn paired(ecosystem: Ecosystem, events: Vec<Event>) -> Vec<Interval> {
    let mut sorted: Vec<(Option<Version>, Event)> = events
        .into_iter()
        .map(|event| {
            let respelled = |text: Option<String>| text.map(|text| spelled(ecosystem, text));
            // The version 0 is before all others.
            let introduced =
                event.introduced.map(|text| if text == "0" { text } else { spelled(ecosystem, text) });
            Event { introduced, fixed: respelled(event.fixed), last_affected: respelled(event.last_affected) }
        })
        .filter(|event| event.introduced.is_some() || event.fixed.is_some() || event.last_affected.is_some())
        .map(|event| {
            let text = event.introduced.as_ref().or(event.fixed.as_ref()).or(event.last_affected.as_ref());
            (text.and_then(|text| Version::parse(ecosystem, text).ok()), event)
        })
        .collect();
    let is_zero = |event: &Event| event.introduced.as_deref() == Some("0");
    sorted.sort_by(|(a, x), (b, y)| {
        let by_version = match (a, b) {
            (Some(a), Some(b)) => a.compare(b).unwrap_or(std::cmp::Ordering::Equal),
            _ => std::cmp::Ordering::Equal,
        };
        is_zero(y).cmp(&is_zero(x)).then(by_version)
    });
    let mut found = Vec::new();
    let mut open: Option<Interval> = None;
    for (_, event) in sorted {
        if let Some(introduced) = event.introduced {
            let introduced = (introduced != "0").then_some(introduced);
            open.get_or_insert_with(|| Interval { introduced, ..Interval::default() });
        } else if let Some(interval) = open.take() {
            found.push(Interval { fixed: event.fixed, last: event.last_affected, ..interval });
        }
    }
    found.extend(open);
    found
}

/// Severity by name, as GitHub's database has it.
fn named(text: Option<&Text>) -> Option<Severity> {
    let Some(Text::Text(text)) = text else { return None };
    match text.to_ascii_uppercase().as_str() {
        "LOW" => Some(Severity::Low),
        "MODERATE" | "MEDIUM" => Some(Severity::Medium),
        "HIGH" => Some(Severity::High),
        "CRITICAL" => Some(Severity::Critical),
        _ => None,
    }
}

/// The highest severity of CVSS vectors.
fn scored(scores: Option<&[Score]>) -> Option<Severity> {
    let severities =
        scores?.iter().filter_map(|score| match cvss::Cvss::from_str(&score.score).ok()?.severity() {
            cvss::Severity::None => None,
            cvss::Severity::Low => Some(Severity::Low),
            cvss::Severity::Medium => Some(Severity::Medium),
            cvss::Severity::High => Some(Severity::High),
            cvss::Severity::Critical => Some(Severity::Critical),
        });
    severities.max()
}
