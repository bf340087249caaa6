//! Files made to exhaust or crash the reader: always a document or an error, within the limits, from a child that is
//! gone afterwards.

use std::io::Write;

use documents::DocumentError;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::Filter;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::written::{CATALOG, PAGES, document, page, plain};
use crate::{Test, read};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("a_decompression_bomb_ends_within_the_limits", bomb),
        ("deep_nesting_ends_within_the_limits", nesting),
        ("loops_of_references_end", loops),
        ("endless_content_ends_within_the_limits", endless),
        ("a_thousand_mutations_are_read_or_refused", mutations),
    ]
}

fn squeezed(bytes: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    for piece in bytes {
        encoder.write_all(&piece).unwrap();
    }
    encoder.finish().unwrap()
}

/// A document whose page content is a compressed stream.
fn compressed(content: &[u8]) -> Vec<u8> {
    let stream = pdf_writer::Ref::new(20);
    let mut file = document(&[page(|_| ())], |pdf| {
        pdf.catalog(CATALOG).pages(PAGES);
        pdf.stream(stream, content).filter(Filter::FlateDecode);
    });
    let old = b"/Contents 1001 0 R";
    let at = file.windows(old.len()).position(|window| window == old).unwrap();
    file.splice(at..at + old.len(), *b"/Contents 20 0 R  ");
    file
}

fn bomb() {
    // 1 GiB of spaces in about 1 MiB.
    let once = squeezed((0..1024).map(|_| vec![b' '; 1 << 20]));
    assert!(once.len() < 4 << 20);
    assert_eq!(read(&compressed(&once)), Err(DocumentError::Unreadable));
}

fn nesting() {
    for (open, close) in [("[", "]"), ("<<", ">>"), ("q ", "Q "), ("/Span BMC ", "EMC "), ("BT ", "ET ")] {
        for depth in [1_000, 300_000] {
            let content = format!("{}{}", open.repeat(depth), close.repeat(depth));
            let file = compressed(&squeezed(std::iter::once(content.into_bytes())));
            let read = read(&file);
            let expected = [DocumentError::NoText, DocumentError::Unreadable, DocumentError::Broken];
            assert!(read.as_ref().is_err_and(|error| expected.contains(error)), "{open}: {read:?}");
            // In place of the catalog's pages.
            let object = format!("1 0 obj\n{}{}\nendobj", open.repeat(depth), close.repeat(depth));
            let whole = String::from_utf8_lossy(&plain(&[page(|_| ())])).replacen("1 0 obj", &object, 1);
            let _ = super::read(whole.as_bytes());
        }
    }
}

fn loops() {
    let whole = plain(&[page(|_| ())]);
    let text = String::from_utf8_lossy(&whole).into_owned();
    for (old, new) in [
        ("/Kids [1000 0 R]", "/Kids [2 0 R]   "),
        ("/Contents 1001 0 R", "/Contents 1000 0 R"),
        ("/Parent 2 0 R", "/Parent 1000 0 R"),
        ("/Pages 2 0 R", "/Pages 1 0 R"),
    ] {
        assert!(text.contains(old), "{text}");
        let _ = read(text.replacen(old, new, 1).as_bytes());
    }
}

fn endless() {
    // One glyph at a place of its own, a million times; then rectangles of the page's size.
    let glyphs = "BT /F 12 Tf ".to_owned() + &"1 0 0 1 7 9 Tm (x) Tj 0 0 Td (y) Tj ".repeat(400_000) + "ET";
    let shapes = "0 0 600 800 re f ".repeat(1_000_000);
    for content in [glyphs, shapes] {
        let file = compressed(&squeezed(std::iter::once(content.into_bytes())));
        match read(&file) {
            Ok(document) => assert!(document.pages[0].lines.len() < 100),
            Err(error) => assert!(
                [DocumentError::NoText, DocumentError::Unreadable, DocumentError::TooMuchText]
                    .contains(&error),
                "{error:?}"
            ),
        }
    }
}

fn mutations() {
    let seeds =
        [plain(&[page(|_| ()), page(|_| ())]), compressed(&squeezed(std::iter::once(b"BT ET".to_vec())))];
    let change = (any::<prop::sample::Index>(), any::<u8>(), 0..4_u8);
    let input = (0..seeds.len(), prop::collection::vec(change, 1..8));
    let config = Config { cases: 1_000, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(Default::default()),
    );
    let outcome = runner.run(&input, |(seed, changes)| {
        let mut file = seeds[seed].clone();
        for (at, byte, kind) in changes {
            let at = at.index(file.len());
            match kind {
                0 => file[at] = byte,
                1 => file.insert(at, byte),
                2 => file.truncate(at.max(16)),
                _ => {
                    let end = (at + usize::from(byte)).min(file.len());
                    let copy = file[at..end].to_vec();
                    file.splice(at..at, copy);
                }
            }
        }
        // A panic in this process is the failure; every outcome of the child is one of the type.
        let _ = read(&file);
        Ok(())
    });
    outcome.unwrap();
}
