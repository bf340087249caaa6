//! The reader of last resort on services whose own tables are left out: the captures of the service laboratory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use common::timestamp::Timestamp;
use serde_json::Value;

use crate::normalize::{services, syslog};

/// Failures from one address that rules take for guessing.
const ENOUGH: usize = 6;

/// The failures that a reader finds in a file, by address; the reader is given the program, where a header names it, and the
/// message.
fn failures(file: &Path, read: impl Fn(Option<&str>, &str) -> Option<String>) -> BTreeMap<String, usize> {
    let received_at = Timestamp::parse_rfc3339("2026-11-26T00:00:00Z").unwrap();
    let text = String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned();
    let mut failures = BTreeMap::new();
    // Objects are read by the names of their fields.
    for line in text.lines().filter(|line| !line.starts_with('{')) {
        let header = syslog::split(line, received_at);
        let program = header.as_ref().and_then(|header| header.program);
        let message = header.as_ref().map_or(line, |header| header.content);
        if let Some(address) = read(program, message) {
            *failures.entry(address).or_default() += 1;
        }
    }
    failures
}

/// The address of a failed login by the reader of last resort.
fn without_table(_: Option<&str>, message: &str) -> Option<String> {
    super::read(message).map(|failure| failure.address.to_owned())
}

/// The same by the tables of wordings.
fn by_table(program: Option<&str>, message: &str) -> Option<String> {
    let named = program.and_then(|program| services::read_named(program, message));
    let reading = named.or_else(|| services::read_unnamed(message))?;
    let text = |name: &str| {
        let (_, value) = reading.fields.iter().find(|(own, _)| *own == name)?;
        value.as_str().map(str::to_owned)
    };
    text("client.address").filter(|_| text("event.action").as_deref() == Some("login_failed"))
}

/// The captures of services, by their folders.
fn captures() -> Vec<(PathBuf, Value)> {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("lab");
    let folders = fs::read_dir(lab).unwrap().map(|entry| entry.unwrap().path().join("captured"));
    let capture = |folder: PathBuf| {
        let text = fs::read(folder.join("capture.json")).ok()?;
        Some((folder, serde_json::from_slice(&text).unwrap()))
    };
    folders.filter_map(capture).collect()
}

fn items<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value[name].as_array().into_iter().flatten()
}

/// The addresses that failed often enough in a session for a reader, in any of its files.
fn guessers(
    folder: &Path,
    session: &Value,
    read: impl Fn(Option<&str>, &str) -> Option<String>,
) -> BTreeSet<String> {
    let files = items(session, "files").map(|file| folder.join(file["file"].as_str().unwrap()));
    let counts = files.flat_map(|file| failures(&file, &read));
    counts.filter(|(_, count)| *count >= ENOUGH).map(|(address, _)| address).collect()
}

#[test]
fn most_guessing_is_found_without_a_table_and_no_ordinary_use_is() {
    let (mut found, mut missed, mut wrong) = (0, Vec::new(), Vec::new());
    for (folder, capture) in captures() {
        for session in items(&capture, "sessions") {
            let name = format!("{}/{}", capture["service"], session["name"]);
            let without = guessers(&folder, session, without_table);
            if session["kind"] == "benign" {
                wrong.extend(without.into_iter().map(|address| format!("{name} {address}")));
                continue;
            }
            for address in guessers(&folder, session, by_table) {
                match without.contains(&address) {
                    true => found += 1,
                    false => missed.push(name.clone()),
                }
            }
        }
    }
    println!("{found} of {} found; missed: {missed:?}", found + missed.len());
    assert!(wrong.is_empty(), "ordinary use: {wrong:?}");
    assert!(found * 10 >= (found + missed.len()) * 6, "{found} found, missed: {missed:?}");
}
