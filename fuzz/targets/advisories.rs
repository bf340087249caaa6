//! Advisories of the OSV schema and index files: a file is imported or named with its cause, look-ups in the written index answer
//! alike each time, and an index that is no index is an error. The first byte selects: an even one is followed by an advisory, an
//! odd one by an index file.

#![no_main]

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use advisories::{ImportError, Index, import};
use common::timestamp::Timestamp;
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;
use versions::Ecosystem;

/// Names and versions that the seeds have.
const NAMES: [&str; 3] = ["left", "example.com/left", "acme/left"];
const VERSIONS: [Option<&str>; 4] = [None, Some("1.0.0"), Some("v2"), Some("main")];

fuzz_target!(|input: &[u8]| {
    let Some((choice, content)) = input.split_first() else { return };
    let folder = folder();
    let index = folder.join("index");
    if choice % 2 == 1 {
        fs::write(&index, content).expect("the index can be written");
        if let Ok(index) = Index::open(&index) {
            look_up(&index);
        }
        return;
    }
    let files = folder.join("osv");
    fs::write(files.join("a.json"), content).expect("the advisory can be written");
    match import(&[files], &index, Timestamp(0)) {
        Ok(report) => {
            assert!(
                report.advisories <= 1 && report.packages <= report.advisories * content.len(),
                "{report:?}"
            );
            look_up(&Index::open(&index).expect("an index that was just written"));
        }
        Err(ImportError::Nothing { corrupt }) => assert!(corrupt <= 1),
        Err(error) => panic!("{error}"),
    }
});

fn look_up(index: &Index) {
    for (ecosystem, name) in Ecosystem::ALL.into_iter().flat_map(|one| NAMES.map(|name| (one, name))) {
        for version in VERSIONS {
            let Ok(found) = index.lookup(ecosystem, name, version) else { continue };
            assert_eq!(index.lookup(ecosystem, name, version).expect("as before"), found);
        }
    }
}

/// One folder of the process, in memory where the system has such a file system.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let made = FOLDER.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let made = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        let made = made.expect("a folder can be made");
        fs::create_dir(made.path().join("osv")).expect("a folder can be made");
        made
    });
    made.path()
}
