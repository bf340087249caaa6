//! Leave one service out: the captures of the service laboratory, read without the reader of the service that wrote them. What is
//! left is the reader of last resort, the wordings of PAM, which many services share, the common format of access logs, and the
//! dictionary of names for objects.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use common::timestamp::Timestamp;
use serde_json::Value;
use sigma::event::Value as Field;

use crate::reading::Reading;
use crate::tests::{line, only, payload};
use crate::{access_log, pam, syslog};

/// Failures from one address that rules take for guessing.
const ENOUGH: u64 = 6;

/// A reader of lines: the address of a failed login.
type Read = fn(&str) -> Option<String>;

/// By every reader.
fn with_own_reader(text: &str) -> Option<String> {
    let payload = payload(line(text), &[]);
    let normalized = only(&payload);
    failed(|name| normalized.event.fields.iter().find(|(own, _)| own == name).map(|(_, value)| value))
}

/// By those that are not the service's own.
fn without_own_reader(text: &str) -> Option<String> {
    let received_at = Timestamp::parse_rfc3339("2026-11-26T00:00:00Z").unwrap();
    let header = syslog::split(text, received_at);
    let content = header.as_ref().map_or(text, |header| header.content);
    if content.trim_start().starts_with('{') {
        return with_own_reader(content.trim_start());
    }
    let program = header.as_ref().and_then(|header| header.program).unwrap_or_default();
    let reading = pam::read_module(program, content)
        .or_else(|| pam::read(program, content))
        .or_else(|| access_log::read(content, None))
        .unwrap_or_default();
    let known = |reading: &Reading<'_>| {
        failed(|name| reading.fields.iter().find(|(own, _)| *own == name).map(|(_, value)| value))
    };
    known(&reading).or_else(|| super::read(content).and_then(|failure| failure.address).map(canonical))
}

/// The client of an event that is a failed login, or a request that was refused for want of one.
fn failed<'v>(field: impl Fn(&str) -> Option<&'v Field<'v>>) -> Option<String> {
    const ACTIONS: [&str; 6] = [
        "login_failed",
        "credential_refused",
        "pam_authentication_failed",
        "ssh_login_failed",
        "ssh_invalid_user",
        "ssh_login_abandoned",
    ];
    let is_failure =
        field("event.action").and_then(Field::as_str).is_some_and(|action| ACTIONS.contains(&action));
    let is_refused = matches!(field("http.response.status_code"), Some(Field::Int(401 | 403)));
    let address = field("client.address").and_then(Field::as_str)?;
    (is_failure || is_refused).then(|| canonical(address))
}

fn canonical(address: &str) -> String {
    address.parse::<IpAddr>().map_or_else(|_| address.to_owned(), |address| address.to_string())
}

/// The captures of services, by their folders.
fn captures() -> Vec<(PathBuf, Value)> {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab");
    let folders = fs::read_dir(lab).unwrap().map(|entry| entry.unwrap().path().join("captured"));
    let capture = |folder: PathBuf| {
        let text = fs::read(folder.join("capture.json")).ok()?;
        Some((folder, serde_json::from_slice(&text).unwrap()))
    };
    let mut captures: Vec<_> = folders.filter_map(capture).collect();
    captures.sort_by(|one, two| one.0.cmp(&two.0));
    captures
}

fn items<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value[name].as_array().into_iter().flatten()
}

/// The failures of each address in a session: of its files, the one that has most.
fn failures(folder: &Path, session: &Value, read: Read) -> BTreeMap<String, u64> {
    let mut most: BTreeMap<String, u64> = BTreeMap::new();
    for file in items(session, "files") {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let text = fs::read(folder.join(file["file"].as_str().unwrap())).unwrap();
        for address in String::from_utf8_lossy(&text).lines().filter_map(read) {
            *counts.entry(address).or_default() += 1;
        }
        for (address, count) in counts {
            let known = most.entry(address).or_default();
            *known = count.max(*known);
        }
    }
    most
}

/// The addresses that guessed in a session's script, each with the failures that are enough to find it.
fn guessers(session: &Value) -> Vec<(String, u64)> {
    let stated = session["login_failures"].as_object().into_iter().flatten();
    let counts = stated.filter_map(|(address, count)| Some((canonical(address), count.as_u64()?)));
    counts
        .filter(|(_, count)| *count >= ENOUGH - 1)
        .map(|(address, count)| (address, count.min(ENOUGH)))
        .collect()
}

fn finds_all(found: &BTreeMap<String, u64>, guessers: &[(String, u64)]) -> bool {
    guessers.iter().all(|(address, enough)| found.get(address).is_some_and(|count| count >= enough))
}

#[test]
fn most_guessing_is_found_without_a_table_and_no_ordinary_use_is() {
    let (mut sessions, mut visible, mut found) = (0_usize, 0_usize, 0_usize);
    let (mut missed, mut wrong) = (BTreeSet::new(), Vec::new());
    for (folder, capture) in captures() {
        for session in items(&capture, "sessions") {
            let name = format!("{}/{}", capture["service"], session["name"]).replace('"', "");
            let without = failures(&folder, session, without_own_reader);
            if session["kind"] == "benign" {
                let too_many = without.into_iter().filter(|(_, count)| *count >= ENOUGH);
                wrong.extend(too_many.map(|(address, _)| format!("{name} {address}")));
                continue;
            }
            let guessers = guessers(session);
            if guessers.is_empty() {
                continue;
            }
            sessions += 1;
            // If the log names no client beside the failure, no reader of lines can.
            if !finds_all(&failures(&folder, session, with_own_reader), &guessers) {
                continue;
            }
            visible += 1;
            match finds_all(&without, &guessers) {
                true => found += 1,
                false => _ = missed.insert(name),
            }
        }
    }
    println!("{found} of {visible} sessions found, of {sessions} that guess; missed: {missed:?}");
    assert!(wrong.is_empty(), "ordinary use: {wrong:?}");
    assert!(found * 10 >= visible * 8, "{found} of {visible} found, missed: {missed:?}");
}
