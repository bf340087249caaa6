//! Files of packages: order, folders, bounds.

use super::*;

fn collected(files: &[(&str, &[u8])]) -> Collected {
    Collected::from_files(files.iter().map(|(path, content)| ((*path).to_owned(), content.to_vec())))
}

fn paths(collected: &Collected) -> Vec<&str> {
    collected.files.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn files_are_in_the_order_of_their_importance_and_lock_files_are_left_out() {
    let found = collected(&[
        ("test/a.test.js", b"x"),
        ("docs/guide.md", b"x"),
        ("lib/index.js", b"x"),
        ("README.md", b"x"),
        ("package.json", b"{}"),
        ("style.css", b"x"),
        ("package-lock.json", b"{}"),
        ("data.bin", b"\x00\x01"),
        ("words.txt", b"x"),
        ("bin/tool", b"#!/bin/sh\nls"),
    ]);
    let order = [
        "package.json",
        "README.md",
        "bin/tool",
        "lib/index.js",
        "docs/guide.md",
        "test/a.test.js",
        "style.css",
        "words.txt",
    ];
    assert_eq!(paths(&found), order);
    assert!(found.skipped.is_empty());
}

#[test]
fn programs_bytecode_and_inner_archives_are_named_and_not_read() {
    let found = collected(&[
        ("bin/tool", b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
        ("a.wasm", b"\x00asm\x01\x00\x00\x00"),
        ("inner.zip", b"PK\x03\x04\x14\x00\x00\x00\x08\x00"),
        ("index.js", b"x"),
    ]);
    assert_eq!(paths(&found), ["index.js"]);
    assert_eq!(
        (&found.programs[..], &found.archives[..]),
        (&["bin/tool".to_owned()][..], &["inner.zip".to_owned()][..])
    );
    assert_eq!(found.bytecode, ["a.wasm"]);
}

#[test]
fn what_is_beyond_the_bounds_is_named() {
    let many: Vec<(String, Vec<u8>)> =
        (0..MOST_FILES + 10).map(|number| (format!("f{number:05}.js"), b"x".to_vec())).collect();
    let found = Collected::from_files(many);
    assert_eq!(found.files.len(), MOST_FILES);
    assert!(found.skipped[0].what.contains("10 files"), "{:?}", found.skipped);
    let large: Vec<(String, Vec<u8>)> =
        (0..20).map(|number| (format!("f{number}.js"), vec![b'x'; MOST_FILE_BYTES])).collect();
    let found = Collected::from_files(large);
    assert!(found.files.iter().map(|file| file.content.len()).sum::<usize>() <= MOST_BYTES);
    assert_eq!(found.skipped.len(), 1);
}

#[test]
fn an_archive_that_is_none_or_empty_is_refused() {
    assert!(Collected::from_archive(b"", true).is_err());
    assert!(Collected::from_archive(b"no archive at all", true).is_err());
    assert!(
        Collected::from_archive(
            b"PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
            false,
        )
        .is_err()
    );
}

#[test]
fn code_that_begins_with_the_letters_of_another_format_is_read() {
    let found = collected(&[
        ("a.js", b"BZh=1;run()"),
        ("b.js", b"/*12345**ACE**/run()"),
        ("c.py", b"MZ = 1\nrun()\n"),
        ("d.js", b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
    ]);
    assert_eq!(paths(&found), ["a.js", "b.js", "c.py", "d.js"]);
    assert!(found.archives.is_empty() && found.bytecode.is_empty(), "{found:?}");
    assert_eq!(found.programs, ["d.js"]);
}

#[test]
fn npm_removes_the_first_part_of_every_path_and_files_of_one_path_are_ambiguous() {
    let of = |given: &[&str]| {
        let file = |path: &&str| File { path: (*path).to_owned(), content: b"{}".to_vec(), rank: Rank::Data };
        let mut found = Collected { files: given.iter().map(file).collect(), ..Collected::default() };
        found.strip_first();
        found.selected()
    };
    let found = of(&["test/package.json", "package/setup.js"]);
    assert_eq!(paths(&found), ["package.json", "setup.js"]);
    assert_eq!((found.files[0].rank, found.is_ambiguous), (Rank::Manifest, false));
    assert!(of(&["package/index.js", "other/index.js"]).is_ambiguous);
}

#[test]
fn texts_in_utf_16_are_kept_as_text() {
    for (mark, bytes) in
        [([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]), ([0xfe, 0xff], u16::to_be_bytes)]
    {
        let of =
            |text: &str| -> Vec<u8> { mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect() };
        let (readme, page, notes) = (of("# Widgets\n"), of("<html>x"), of("words"));
        let found = collected(&[("README.md", &readme), ("docs/a.md", &page), ("notes.txt", &notes)]);
        assert_eq!(paths(&found), ["README.md", "docs/a.md", "notes.txt"]);
        let texts: Vec<&[u8]> = found.files.iter().map(|file| file.content.as_slice()).collect();
        assert_eq!(texts, [b"# Widgets\n".as_slice(), b"<html>x", b"words"]);
    }
}
