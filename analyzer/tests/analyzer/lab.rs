//! The logs that real services wrote while they were attacked (`analyzer/lab`): every attack is an incident about the attacker,
//! and ordinary use is none.
//!
//! `LAB_SERVICE` restricts it to one service. `LAB_CAPTURES` names a folder with captures that were just made, DIR/SERVICE, to be
//! judged in place of the committed ones (`analyzer/lab/ci`).

use std::collections::BTreeSet;
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use common::timestamp::Timestamp;
use serde::Deserialize;

use super::harness::{Delivery, Line, World};

/// Lines in one delivery.
const BATCH: usize = 500;

#[derive(Deserialize)]
struct Capture {
    service: String,
    host: String,
    sessions: Vec<Session>,
}

#[derive(Deserialize)]
struct Session {
    name: String,
    kind: String,
    entities: Vec<Entity>,
    started: String,
    ended: String,
    files: Vec<File>,
}

#[derive(Deserialize)]
struct Entity {
    value: String,
}

#[derive(Deserialize)]
struct File {
    file: String,
}

/// Attacks that cannot be seen in the log of the service, or are not yet, and the reason.
const UNSEEN: &str = include_str!("lab_unseen.txt");

/// Sessions whose log does not name the attacker in the lines about the attack: the account or host that incidents may be about
/// instead.
const ENTITIES: &str = include_str!("lab_entities.txt");

/// Entities that the incidents of a session may be about beside the attacker.
fn other_entities<'t>(name: &'t str) -> impl Iterator<Item = &'static str> + 't {
    let rows = ENTITIES.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(move |line| {
        let mut columns = line.splitn(3, " | ");
        (columns.next()? == name).then(|| columns.next()).flatten()
    })
}

/// The folders that may contain a capture: one of each service.
fn folders(fresh: Option<&Path>) -> Vec<PathBuf> {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("lab");
    let entries = fs::read_dir(fresh.unwrap_or(&committed)).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|folder| if fresh.is_some() { folder } else { folder.join("captured") }).collect()
}

/// The captures of all services, by their folders.
fn captures(fresh: Option<&Path>) -> Vec<(PathBuf, Capture)> {
    let capture = |folder: PathBuf| {
        let text = fs::read(folder.join("capture.json")).ok()?;
        Some((folder, serde_json::from_slice(&text).unwrap()))
    };
    let mut captures: Vec<(PathBuf, Capture)> = folders(fresh).into_iter().filter_map(capture).collect();
    captures.sort_by(|one, two| one.0.cmp(&two.0));
    captures
}

/// The lines of one file of a session, spread over the time that the session took.
fn lines(folder: &Path, host: &str, session: &Session, file: &File) -> Vec<Line> {
    let text = String::from_utf8_lossy(&fs::read(folder.join(&file.file)).unwrap()).into_owned();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let seconds = |text: &str| Timestamp::parse_rfc3339(text).unwrap();
    let took = seconds(&session.ended).since(seconds(&session.started)).as_secs().max(1);
    let place = |index: usize| (index as u64 * took) / lines.len() as u64;
    // A sender that reads a file states the host.
    let line = |(index, line): (usize, &&str)| Line::new(*line).at(place(index)).with("host.name", host);
    lines.iter().enumerate().map(line).collect()
}

/// The incidents that a session makes, as family, entity and title.
async fn incidents(
    world: &World,
    folder: &Path,
    host: &str,
    session: &Session,
) -> Vec<(String, String, String)> {
    let world = world.anew();
    let mut deliveries = Vec::new();
    for (source, file) in (1..).zip(&session.files) {
        let lines = lines(folder, host, session, file);
        let batches = lines.chunks(BATCH).map(|lines| Delivery::new(3600, lines.to_vec()).of_source(source));
        deliveries.extend(batches);
    }
    world.take(&deliveries).await;
    let heads = world.heads().into_iter();
    heads.map(|head| (head.family, head.entity.value, head.analysis.title)).collect()
}

/// Whether an incident's entity is the expected one; addresses in whatever spelling.
fn same(value: &str, expected: &str) -> bool {
    let address = |text: &str| text.parse::<IpAddr>().ok();
    value.contains(expected) || address(value).is_some_and(|found| address(expected) == Some(found))
}

/// The sessions of a service to examine: those of which there is a log.
fn sessions(capture: &Capture) -> impl Iterator<Item = &Session> {
    capture.sessions.iter().filter(|session| !session.files.is_empty())
}

/// Judges the incidents of one session: adds to `complaints`, and returns whether the attack was seen.
fn judge(
    name: &str,
    session: &Session,
    found: &[(String, String, String)],
    complaints: &mut Vec<String>,
) -> bool {
    let is_expected = |value: &str| {
        session.entities.iter().any(|entity| same(value, &entity.value))
            || other_entities(name).any(|other| value == other)
    };
    let others: Vec<_> = found.iter().filter(|(_, value, _)| !is_expected(value)).collect();
    if !others.is_empty() {
        let expected: Vec<_> = session.entities.iter().map(|entity| &entity.value).collect();
        complaints.push(format!("{name} is about {expected:?}: {others:?}"));
    }
    session.kind == "benign" || found.iter().any(|(_, value, _)| is_expected(value))
}

/// The sessions that are listed as unseen.
fn known_as_unseen() -> BTreeSet<String> {
    let rows = UNSEEN.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|row| row.split_once(" | ")).map(|(name, _)| name.to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn attacks_on_real_services_are_incidents_about_the_attacker_and_ordinary_use_is_none() {
    let world = World::of_rules(::analyzer::pack::built_in().unwrap());
    let only = std::env::var("LAB_SERVICE").ok();
    let fresh = std::env::var_os("LAB_CAPTURES").map(PathBuf::from);
    let captures = captures(fresh.as_deref());
    assert!(!captures.is_empty(), "there is no capture to judge");
    let (mut complaints, mut unseen) = (Vec::new(), BTreeSet::new());
    for (folder, capture) in captures {
        if only.as_ref().is_some_and(|only| *only != capture.service) {
            continue;
        }
        for session in sessions(&capture) {
            let name = format!("{}/{}", capture.service, session.name);
            let found = incidents(&world, &folder, &capture.host, session).await;
            if !judge(&name, session, &found, &mut complaints) {
                unseen.insert(name);
            }
        }
    }
    let known = known_as_unseen();
    complaints.extend(unseen.difference(&known).map(|name| format!("{name} is no incident")));
    // A session of borderline timing may be seen in one run and not in another: only what is committed settles the list.
    if only.is_none() && fresh.is_none() {
        let seen = known.difference(&unseen);
        complaints.extend(seen.map(|name| format!("{name} is an incident, and listed as unseen")));
    }
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
}
