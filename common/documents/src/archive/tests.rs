//! Archives of other programs (`tests/real/generate-formats`), and archives that are built to do harm.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use zip::write::SimpleFileOptions;

use super::*;
use crate::recognize::{Claim, Format};

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/real/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

type Found = Vec<(String, Result<String, Skipped>)>;

fn read_within(content: &[u8], bounds: Bounds) -> Result<Found, ArchiveError> {
    let mut archive = Archive::open(content, bounds)?;
    let entries: Result<Vec<Entry>, ArchiveError> = archive.entries()?.collect();
    let text = |content: Vec<u8>| String::from_utf8_lossy(&content).into_owned();
    Ok(entries?.into_iter().map(|entry| (entry.path, entry.content.map(text))).collect())
}

fn read(content: &[u8]) -> Result<Found, ArchiveError> {
    read_within(content, Bounds::default())
}

fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in entries {
        writer.start_file(*path, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn tarred(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, content) in entries {
        let mut header = tar::Header::new_gnu();
        // Names that the writer would refuse.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append(&header, *content).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gzipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn archives_of_every_program_have_the_same_files() {
    for name in ["info-zip.zip", "gnu-tar.tar.gz", "gnu-tar-pax.tar"] {
        let mut found = read(&file(name)).unwrap();
        found.sort();
        let paths: Vec<_> = found.iter().map(|(path, _)| path.as_str()).collect();
        let expected = ["link", "README.md", "package.json", "run.sh", "src/index.js"]
            .map(|path| format!("package/{path}"));
        let mut expected = expected.to_vec();
        expected.sort();
        assert_eq!(paths, expected, "{name}");
        let of = |path: &str| {
            found.iter().find(|(own, _)| own.ends_with(path)).map(|(_, content)| content.clone()).unwrap()
        };
        assert_eq!(of("link"), Err(Skipped::Link), "{name}");
        assert_eq!(of("README.md").unwrap(), "# Sample\n", "{name}");
    }
    let packed = read(&file("npm-pack.tgz")).unwrap();
    assert!(
        packed.iter().any(|(path, content)| path == "package/package.json" && content.is_ok()),
        "{packed:?}"
    );
}

#[test]
fn executable_files_are_marked() {
    for name in ["info-zip.zip", "gnu-tar.tar.gz"] {
        let content = file(name);
        let mut archive = Archive::open(&content, Bounds::default()).unwrap();
        let entries: Vec<Entry> = archive.entries().unwrap().map(Result::unwrap).collect();
        let marked: Vec<_> =
            entries.iter().filter(|entry| entry.is_executable && entry.content.is_ok()).collect();
        assert!(matches!(marked.as_slice(), [entry] if entry.path == "package/run.sh"), "{name}: {marked:?}");
    }
}

#[test]
fn encrypted_entries_are_skipped() {
    let found = read(&file("info-zip-encrypted.zip")).unwrap();
    assert_eq!(found, [("package/README.md".to_owned(), Err(Skipped::Encrypted))]);
}

#[test]
fn archives_within_archives_are_listed() {
    let listing = Listing::read(&file("nested.zip"), Bounds::default()).unwrap();
    let script = listing.entries.iter().find(|entry| entry.path == "inner.zip!/package/run.sh").unwrap();
    assert_eq!(
        (script.formats.as_slice(), script.claim, script.is_executable),
        (&[Format::Script][..], Claim::Met, true)
    );
    assert_eq!((listing.is_ambiguous, listing.failure), (false, None));
    let gem = Listing::read(&file("gem-layout.gem"), Bounds::default()).unwrap();
    let paths: Vec<_> = gem.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "metadata.gz",
            "metadata.gz!/content",
            "data.tar.gz",
            "data.tar.gz!/src/index.js",
            "data.tar.gz!/README.md"
        ]
    );
    let mut deep = zipped(&[("a.txt", b"text")]);
    for _ in 0..5 {
        deep = zipped(&[("a.zip", &deep)]);
    }
    let listing = Listing::read(&deep, Bounds::default()).unwrap();
    assert_eq!((listing.entries.len(), listing.failure), (4, Some(ArchiveError::TooManyEntries)));
}

#[test]
fn compressed_files_are_archives_of_one() {
    assert_eq!(read(&gzipped(b"text")).unwrap(), [("content".to_owned(), Ok("text".to_owned()))]);
    let mut named = flate2::GzBuilder::new().filename("dir/a.txt").write(Vec::new(), Compression::fast());
    named.write_all(b"text").unwrap();
    assert_eq!(read(&named.finish().unwrap()).unwrap(), [("dir/a.txt".to_owned(), Ok("text".to_owned()))]);
}

#[test]
fn paths_that_leave_the_folder_are_not_read() {
    let entries: [(&str, &[u8]); 3] = [("../a", b"x"), ("/etc/a", b"x"), ("ok", b"x")];
    for content in [zipped(&entries), tarred(&entries)] {
        let found = read(&content).unwrap();
        let results: Vec<_> = found.iter().map(|(_, content)| content.is_ok()).collect();
        assert_eq!(results, [false, false, true], "{found:?}");
        assert_eq!(found[0].1, Err(Skipped::Path));
    }
}

#[test]
fn bombs_end_at_the_bounds() {
    let zeros = vec![0; 60 << 20];
    assert_eq!(read(&zipped(&[("a", &zeros[..20 << 20])])), Err(ArchiveError::Ratio));
    assert_eq!(read(&gzipped(&zeros)), Err(ArchiveError::Ratio));
    assert_eq!(read(&gzipped(&tarred(&[("a", &zeros)]))), Err(ArchiveError::Ratio));
    let bounds = Bounds { ratio: u64::MAX, unpacked: 10 << 20, entry: 4 << 20, ..Bounds::default() };
    let four: [(&str, &[u8]); 4] = ["a", "b", "c", "d"].map(|name| (name, &zeros[..3 << 20]));
    assert_eq!(read_within(&zipped(&four), bounds), Err(ArchiveError::TooMuchContent));
    assert_eq!(read_within(&tarred(&four), bounds), Err(ArchiveError::TooMuchContent));
    let large: [(&str, &[u8]); 2] = [("a", &zeros[..5 << 20]), ("b", b"x")];
    for content in [zipped(&large), tarred(&large)] {
        let found = read_within(&content, bounds).unwrap();
        assert_eq!((found[0].1.clone(), found[1].1.clone()), (Err(Skipped::TooLarge), Ok("x".to_owned())));
    }
    let names: Vec<String> = (0..50).map(|number| format!("f{number}")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    let bounds = Bounds { entries: 20, ..Bounds::default() };
    assert_eq!(read_within(&zipped(&many), bounds), Err(ArchiveError::TooManyEntries));
    assert_eq!(read_within(&tarred(&many), bounds), Err(ArchiveError::TooManyEntries));
    assert_eq!(
        read_within(&b"PK".repeat(100), Bounds { packed: 100, ..bounds }),
        Err(ArchiveError::TooLarge)
    );
}

#[test]
fn a_declared_size_is_not_believed() {
    let content = zipped(&[("a", &[7; 5_000])]);
    // The size of the entry in its own header and in the directory.
    let size = 5_000_u32.to_le_bytes();
    let mut changed = content.clone();
    let places: Vec<usize> = memchr::memmem::find_iter(&content, &size).collect();
    for at in places {
        changed[at..at + 4].copy_from_slice(&1_u32.to_le_bytes());
    }
    let found = read(&changed).unwrap();
    assert!(
        found[0].1 == Err(Skipped::Damaged) || found[0].1.as_ref().is_ok_and(|text| text.len() <= 5_000),
        "{found:?}"
    );
}

#[test]
fn archives_that_programs_read_differently_are_ambiguous() {
    let honest = zipped(&[("aa", b"one"), ("ab", b"two")]);
    assert!(!Archive::open(&honest, Bounds::default()).unwrap().is_ambiguous());
    // Both entries of one name, in the directory and in their own headers.
    let mut twice = honest.clone();
    let places: Vec<usize> = memchr::memmem::find_iter(&honest, b"ab").collect();
    places.iter().for_each(|at| twice[*at + 1] = b'a');
    assert!(Archive::open(&twice, Bounds::default()).unwrap().is_ambiguous());
    // The directory names another file than the entry.
    let mut other = honest;
    other[places[0] + 1] = b'z';
    assert!(Archive::open(&other, Bounds::default()).unwrap().is_ambiguous());
}

#[test]
fn other_contents_are_no_archives() {
    for content in [&b""[..], b"text", b"PK\x05\x06", b"%PDF-1.7", &[0; 2_000]] {
        assert!(read(content).is_err(), "{content:?}");
    }
    assert_eq!(read(b"\x1f\x8b broken"), Err(ArchiveError::Damaged));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn files_come_back_from_every_format(contents in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3_000), 1..6)) {
        let names: Vec<String> = (0..contents.len()).map(|number| format!("dir/{number}")).collect();
        let entries: Vec<(&str, &[u8])> = names.iter().map(String::as_str).zip(contents.iter().map(Vec::as_slice)).collect();
        for archive in [zipped(&entries), tarred(&entries), gzipped(&tarred(&entries))] {
            let mut opened = Archive::open(&archive, Bounds::default()).unwrap();
            let read: Vec<Entry> = opened.entries().unwrap().map(Result::unwrap).collect();
            let read: Vec<_> = read.into_iter().map(|entry| (entry.path, entry.content.unwrap())).collect();
            prop_assert_eq!(&read, &names.iter().cloned().zip(contents.iter().cloned()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn damaged_archives_end(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8), kind in 0..3) {
        let entries: [(&str, &[u8]); 3] = [("a", &[1; 600]), ("b/c", b"text"), ("d", &[9; 100])];
        let mut content = match kind { 0 => zipped(&entries), 1 => tarred(&entries), _ => gzipped(&tarred(&entries)) };
        for (at, byte) in damage {
            let at = at.index(content.len());
            content[at] = byte;
        }
        let _ = Listing::read(&content, Bounds::default());
    }
}
