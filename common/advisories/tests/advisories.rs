//! OSV files and ZIP files to an index and its answers; corrupt files, damage and replacement.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use advisories::{ImportError, Index, IndexError, Report, Severity, Source, import};
use common::timestamp::Timestamp;
use proptest::prelude::*;
use versions::{Ecosystem, Version};

const NOW: Timestamp = Timestamp(1_783_512_000_000_000_000);

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(place.input()).unwrap();
        place
    }

    fn input(&self) -> PathBuf {
        self.folder.path().join("osv")
    }

    fn index(&self) -> PathBuf {
        self.folder.path().join("data/advisories.index")
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.input().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn import(&self) -> Result<Report, ImportError> {
        import(&[self.input()], &self.index(), NOW)
    }

    fn ids(&self, ecosystem: Ecosystem, name: &str, version: &str) -> Vec<String> {
        let found = Index::open(&self.index()).unwrap().lookup(ecosystem, name, Some(version)).unwrap();
        found.advisories.into_iter().map(|advisory| advisory.id).collect()
    }
}

fn osv(id: &str, ecosystem: &str, name: &str, extent: &str) -> String {
    format!(
        r#"{{"id":"{id}","modified":"2026-05-01T00:00:00Z","summary":"Problem\nmore","aliases":["CVE-2026-1"],
            "database_specific":{{"severity":"MODERATE"}},
            "affected":[{{"package":{{"ecosystem":"{ecosystem}","name":"{name}"}},{extent}}}]}}"#
    )
}

fn range(events: &str) -> String {
    format!(r#""ranges":[{{"type":"ECOSYSTEM","events":[{events}]}}]"#)
}

#[test]
fn advisories_of_a_package_are_found_by_version() {
    let place = Place::new();
    let two = range(r#"{"introduced":"2.0.0"},{"fixed":"2.1.4"},{"introduced":"0"},{"fixed":"1.9.2"}"#);
    place.put("a/GHSA-1.json", &osv("GHSA-1", "npm", "widgets", &two));
    place.put("MAL-1.json", &osv("MAL-2026-1", "npm", "widgetz", &range(r#"{"introduced":"0"}"#)));
    place.put("PYSEC-1.json", &osv("PYSEC-1", "PyPI", "Acme_Widgets", r#""versions":["1.0","1.1rc1"]"#));
    place.put(
        "GO-1.json",
        &osv("GO-1", "Go", "example.com/m", &range(r#"{"introduced":"1.2.0"},{"last_affected":"1.4.0"}"#)),
    );
    place.put("notes.txt", "not an advisory");
    let report = place.import().unwrap();
    assert_eq!((report.advisories, report.malicious, report.packages, report.corrupt_files), (4, 1, 4, 0));
    for (version, expected) in [("1.9.1", 1), ("1.9.2", 0), ("2.0.0-rc.1", 0), ("2.1.3", 1), ("2.1.4", 0)] {
        assert_eq!(place.ids(Ecosystem::Npm, "widgets", version).len(), expected, "{version}");
    }
    assert_eq!(place.ids(Ecosystem::Npm, "widgetz", "9.9.9"), ["MAL-2026-1"]);
    assert_eq!(place.ids(Ecosystem::Pypi, "acme.widgets", "1.1RC1"), ["PYSEC-1"]);
    assert!(place.ids(Ecosystem::Pypi, "acme-widgets", "1.1").is_empty());
    assert_eq!(place.ids(Ecosystem::Go, "example.com/m", "v1.4.0"), ["GO-1"]);
    assert!(place.ids(Ecosystem::Go, "example.com/m", "v1.4.1").is_empty());
    assert!(place.ids(Ecosystem::Cargo, "widgets", "1.0.0").is_empty());

    let index = Index::open(&place.index()).unwrap();
    let all = index.lookup(Ecosystem::Npm, "widgets", None).unwrap().advisories;
    assert_eq!(all[0].fixed, ["1.9.2", "2.1.4"]);
    assert_eq!((all[0].summary.as_str(), all[0].severity), ("Problem", Some(Severity::Medium)));
    let malicious = &index.lookup(Ecosystem::Npm, "widgetz", None).unwrap().advisories[0];
    assert!(malicious.is_malicious && malicious.severity == Some(Severity::Critical));
    assert_eq!(index.status().age(NOW.plus(std::time::Duration::from_secs(60))).as_secs(), 60);
}

#[test]
fn versions_without_order_are_undecided() {
    let place = Place::new();
    place.put(
        "a.json",
        &osv("GHSA-1", "GitHub Actions", "acme/deploy", &range(r#"{"introduced":"0"},{"fixed":"4.1.0"}"#)),
    );
    place.import().unwrap();
    let index = Index::open(&place.index()).unwrap();
    let found = index.lookup(Ecosystem::GitHubAction, "Acme/Deploy", Some(&"a".repeat(40))).unwrap();
    assert_eq!((found.advisories.len(), found.undecided.len()), (0, 1));
    assert_eq!(place.ids(Ecosystem::GitHubAction, "acme/deploy", "v4.0.9").len(), 1);
    let moving = |tag: &str| {
        let found = index.lookup(Ecosystem::GitHubAction, "acme/deploy", Some(tag)).unwrap();
        (found.advisories.len(), found.undecided.len())
    };
    assert_eq!(
        [moving("v3"), moving("v4"), moving("v4.0"), moving("v4.1"), moving("v5")],
        [(1, 0), (0, 1), (1, 0), (0, 0), (0, 0)]
    );
}

#[test]
fn severity_is_read_from_a_vector() {
    let place = Place::new();
    let text = osv("GHSA-1", "npm", "a", &range(r#"{"introduced":"0"}"#));
    let vector = r#""severity":[{"type":"CVSS_V3","score":"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}]"#;
    place.put("a.json", &text.replace(r#""database_specific":{"severity":"MODERATE"}"#, vector));
    place.import().unwrap();
    let found = Index::open(&place.index()).unwrap().lookup(Ecosystem::Npm, "a", None).unwrap();
    assert_eq!(found.advisories[0].severity, Some(Severity::Critical));
}

#[test]
fn corrupt_files_are_named_and_the_others_imported() {
    let place = Place::new();
    place.put("good.json", &osv("GHSA-1", "npm", "a", &range(r#"{"introduced":"0"}"#)));
    place.put(
        "bad.json",
        r#"{"id":"GHSA-2","modified":"2026-05-01T00:00:00Z","affected":[{"package":{"name":1}}]}"#,
    );
    place.put("time.json", r#"{"id":"GHSA-3","modified":"yesterday"}"#);
    place.put("broken.zip", "PK no archive");
    let mut zip = zip::ZipWriter::new(fs::File::create(place.input().join("all.zip")).unwrap());
    for (name, text) in
        [("x.json", osv("GHSA-4", "npm", "b", &range(r#"{"introduced":"0"}"#))), ("y.json", "{".to_owned())]
    {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let report = place.import().unwrap();
    assert_eq!((report.advisories, report.corrupt_files), (2, 4));
    let named = |part: &str, cause: &str| {
        let found = report.corrupt.iter().find(|corrupt| corrupt.file.contains(part)).unwrap();
        assert!(found.cause.contains(cause), "{}", found.cause);
    };
    named("bad.json", "affected[0].package.name");
    named("time.json", "modified: expected RFC 3339");
    named("broken.zip", "");
    named("all.zip!y.json", "");
    assert_eq!(place.ids(Ecosystem::Npm, "b", "1.0.0"), ["GHSA-4"]);
    assert_eq!(Index::open(&place.index()).unwrap().status().corrupt_files, 4);
}

#[test]
fn the_newer_file_of_an_id_counts_and_withdrawn_ones_are_left_out() {
    let place = Place::new();
    let old = osv("GHSA-1", "npm", "a", &range(r#"{"introduced":"0"}"#));
    place.put("1/a.json", &old);
    let new = osv("GHSA-1", "npm", "a", &range(r#"{"introduced":"0"},{"fixed":"1.0.0"}"#));
    place.put("2/a.json", &new.replace("2026-05-01", "2026-06-01"));
    place.put("3/a.json", &old.replace("2026-05-01", "2026-04-01"));
    place.put(
        "w.json",
        &osv("GHSA-2", "npm", "a", &range(r#"{"introduced":"0"}"#))
            .replace("\"summary\"", "\"withdrawn\":\"2026-05-01T00:00:00Z\",\"summary\""),
    );
    place.put("o.json", &osv("DSA-1", "Debian:12", "a", &range(r#"{"introduced":"0"}"#)));
    let report = place.import().unwrap();
    assert_eq!((report.advisories, report.withdrawn, report.left_out), (1, 1, 1));
    assert_eq!(place.ids(Ecosystem::Npm, "a", "0.9.0"), ["GHSA-1"]);
    assert!(place.ids(Ecosystem::Npm, "a", "1.0.0").is_empty());
}

#[test]
fn an_empty_import_leaves_the_index_and_an_absent_one_is_an_error() {
    let place = Place::new();
    assert!(matches!(Index::open(&place.index()), Err(IndexError::Absent { .. })));
    assert!(matches!(place.import(), Err(ImportError::Nothing { corrupt: 0 })));
    let missing = import(&[place.folder.path().join("missing")], &place.index(), NOW);
    assert!(matches!(missing, Err(ImportError::Directory { .. })));
    let source = Source::new(place.index());
    assert!(matches!(source.current(), Err(IndexError::Absent { .. })));
    place.put("a.json", &osv("GHSA-1", "npm", "a", &range(r#"{"introduced":"0"}"#)));
    place.import().unwrap();
    let first = source.current().unwrap();
    assert_eq!(first.status().advisories, 1);
    place.put("b.json", &osv("GHSA-2", "npm", "b", &range(r#"{"introduced":"0"}"#)));
    place.import().unwrap();
    assert_eq!(source.current().unwrap().status().advisories, 2);
    assert_eq!(
        first.lookup(Ecosystem::Npm, "a", None).unwrap().advisories.len(),
        1,
        "the old file is still readable"
    );
    fs::remove_file(place.input().join("a.json")).unwrap();
    fs::remove_file(place.input().join("b.json")).unwrap();
    assert!(place.import().is_err());
    assert_eq!(source.current().unwrap().status().advisories, 2);
}

#[test]
fn every_damaged_byte_is_noticed() {
    let place = Place::new();
    place.put("a.json", &osv("GHSA-1", "npm", "a", &range(r#"{"introduced":"0"}"#)));
    place.import().unwrap();
    let good = fs::read(place.index()).unwrap();
    // The first eight bytes are for people who look at the file.
    for at in 8..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x20;
        let path = place.folder.path().join("bad");
        fs::write(&path, &bad).unwrap();
        let answer = Index::open(&path).and_then(|index| index.lookup(Ecosystem::Npm, "a", None));
        assert!(matches!(answer, Err(IndexError::Damaged { .. })), "byte {at}: {answer:?}");
    }
    for length in [0, 7, 20, good.len() / 2, good.len() - 1] {
        let path = place.folder.path().join("short");
        fs::write(&path, &good[..length]).unwrap();
        assert!(Index::open(&path).is_err(), "{length} bytes");
    }
}

#[test]
fn thousands_of_packages_are_found_in_their_blocks() {
    let place = Place::new();
    for number in 0..3_000 {
        let id = format!("GHSA-{number}");
        let ecosystem = if number % 2 == 0 { "npm" } else { "PyPI" };
        place.put(
            &format!("{number}.json"),
            &osv(&id, ecosystem, &format!("name-{number}"), &range(r#"{"introduced":"0"}"#)),
        );
    }
    assert_eq!(place.import().unwrap().packages, 3_000);
    let index = Index::open(&place.index()).unwrap();
    for number in 0..3_000 {
        let (here, there) = if number % 2 == 0 {
            (Ecosystem::Npm, Ecosystem::Pypi)
        } else {
            (Ecosystem::Pypi, Ecosystem::Npm)
        };
        let name = format!("name-{number}");
        assert_eq!(index.lookup(here, &name, None).unwrap().advisories.len(), 1, "{name}");
        assert!(index.lookup(there, &name, None).unwrap().advisories.is_empty(), "{name}");
    }
}

fn affected_by_events(version: &Version, events: &[(bool, u8)]) -> bool {
    let mut sorted = events.to_vec();
    sorted.sort_by_key(|(is_end, at)| (*at, *is_end));
    let at = |number: u8| Version::parse(Ecosystem::Npm, &format!("{number}.0.0")).unwrap();
    sorted
        .iter()
        .filter(|(_, number)| version.compare(&at(*number)).unwrap().is_ge())
        .fold(false, |_, (is_end, _)| !is_end)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Against the evaluation that the OSV schema describes: the last event at or before a version decides.
    #[test]
    fn intervals_agree_with_the_events_of_the_schema(events in proptest::collection::btree_map(1_u8..30, any::<bool>(), 1..8), version in 0_u8..32) {
        let events: Vec<(bool, u8)> = events.into_iter().map(|(at, is_end)| (is_end, at)).collect();
        let texts: Vec<String> = events.iter().map(|(is_end, at)| {
            format!(r#"{{"{}":"{at}.0.0"}}"#, if *is_end { "fixed" } else { "introduced" })
        }).collect();
        let place = Place::new();
        place.put("a.json", &osv("GHSA-1", "npm", "a", &range(&texts.join(","))));
        place.import().unwrap();
        let text = format!("{version}.0.0");
        let parsed = Version::parse(Ecosystem::Npm, &text).unwrap();
        prop_assert_eq!(!place.ids(Ecosystem::Npm, "a", &text).is_empty(), affected_by_events(&parsed, &events));
    }

    #[test]
    fn any_file_is_read_or_named(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        let place = Place::new();
        place.put("good.json", &osv("GHSA-1", "npm", "a", &range(r#"{"introduced":"0"}"#)));
        fs::write(Path::new(&place.input()).join("any.json"), &body).unwrap();
        prop_assert!(place.import().unwrap().advisories >= 1);
    }
}
