//! Written documents, read back by this crate. Reading in this process is safe here: the bytes are our own.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::*;
use crate::document::Document;
use crate::error::DocumentError;
use crate::pdf;

/// As for a reader of text.
fn parse(content: &[u8]) -> Result<Document, DocumentError> {
    pdf::parse(content)
        .and_then(|document| if document.has_text() { Ok(document) } else { Err(DocumentError::NoText) })
}

fn writer() -> PdfWriter {
    PdfWriter::load().unwrap()
}

fn written(pages: &[&str]) -> Vec<u8> {
    writer().write(pages).unwrap()
}

fn read(pages: &[&str]) -> Document {
    parse(&written(pages)).unwrap()
}

fn text_of(document: &Document, page: usize) -> String {
    let lines = document.pages[page].lines.iter();
    assert!(document.pages[page].lines.iter().all(|line| line.hiding.is_none()), "hidden text");
    lines.map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// Text without white space.
fn solid(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

#[test]
fn texts_of_many_languages_come_back() {
    let lines = [
        "Zażółć gęślą jaźń. Příliš žluťoučký kůň. Árvíztűrő tükörfúrógép. Þú ert íslensk. Ġgantija ħobż.",
        "Ο Γιώργος είπε· «τί θέλεις;» — ᾧ ἀρχῇ",
        "Съешь же ещё этих мягких булок, Ґалаґан їхав, Ђорђе и Џон, Ќе се видиме, Әліппе",
        "Հայերեն ქართული",
        "5 000 € ≤ £4,200 ½ → № 7 “quoted” – ‘single’ … • ™ ff ﬁ ﬂ",
    ];
    let document = read(&[&lines.join("\n")]);
    assert_eq!(text_of(&document, 0), lines.join("\n"));
    assert!(document.runs.is_empty(), "{:?}", document.runs);
}

#[test]
fn lines_are_wrapped_between_words_and_long_words_between_letters() {
    let prose = "Every line of this paragraph ends between two words. ".repeat(12);
    let address = format!("https://example.org/{}", "a1b2".repeat(80));
    let document = read(&[&format!("{prose}\n{address}\nlast")]);
    let lines: Vec<&str> = document.pages[0].lines.iter().map(|line| line.text.as_str()).collect();
    assert!(lines.len() > 8, "{lines:?}");
    for line in &document.pages[0].lines {
        let (place, _) = line.area().unwrap();
        assert!(place.x >= 56.9 && place.x + place.width <= 595.0 - 56.9, "{line:?}");
    }
    let words: Vec<&str> = prose.split_whitespace().collect();
    let read: Vec<&str> = lines.iter().flat_map(|line| line.split_whitespace()).collect();
    assert_eq!(read[..words.len()], words[..]);
    assert_eq!(read[words.len()..read.len() - 1].concat(), address);
    assert_eq!(lines.last(), Some(&"last"));
}

#[test]
fn pages_stay_apart_and_long_ones_continue() {
    let long: String = (0..60).map(|number| format!("line {number}\n")).collect();
    let document = read(&["first", "", &long, "fourth\u{c}fifth"]);
    let first: Vec<Option<&str>> =
        document.pages.iter().map(|page| page.lines.first().map(|line| line.text.as_str())).collect();
    let rest = format!("line {}", file_rows());
    assert_eq!(
        first,
        [Some("first"), None, Some("line 0"), Some(rest.as_str()), Some("fourth"), Some("fifth")]
    );
}

fn file_rows() -> usize {
    let lines = "x\n".repeat(200);
    read(&[&lines]).pages[0].lines.len()
}

#[test]
fn characters_without_a_form_are_left_out_and_gaps_are_narrowed() {
    let text = "a\u{ad}b\u{200b}c\u{202e}d\u{fe0f}e\u{feff}f\u{0}g\u{1b}h\ti        j\u{a0}k\u{2003}l\r\nm\rn\u{2028}o\n\n\n\n\np";
    let document = read(&[text]);
    assert_eq!(text_of(&document, 0), "abcdefgh i j k l\nm\nn\no\np");
    let [.., before, last] = document.pages[0].lines.as_slice() else { panic!("{document:?}") };
    let top = |line: &crate::document::Run| line.area().unwrap().0.y;
    assert!((top(last) - top(before) - 3.0 * 14.0).abs() < 0.1, "two empty lines: {before:?} {last:?}");
}

#[test]
fn decomposed_letters_are_composed_and_other_marks_stay() {
    assert_eq!(text_of(&read(&["cafe\u{301} а\u{301}о"]), 0), "café а\u{301}о");
}

#[test]
fn other_scripts_are_refused_and_never_replaced() {
    for text in ["日本語", "한국어", "שלום", "مرحبا", "नमस्ते", "😀", "𝔘", "\u{f0b7} point", "\u{378}"]
    {
        assert_eq!(writer().write(&["plain", text]), Err(WriteError::UnsupportedScript), "{text}");
    }
    assert!(!WriteError::UnsupportedScript.to_string().contains('語'));
}

#[test]
fn equal_texts_give_equal_bytes_without_date_or_identity() {
    let one = written(&["Equal text.", "Second page."]);
    assert_eq!(one, written(&["Equal text.", "Second page."]));
    for key in ["/Info", "/ID", "CreationDate", "/Metadata", "/Annots", "/JavaScript", "/Producer"] {
        assert!(!one.windows(key.len()).any(|bytes| bytes == key.as_bytes()), "{key}");
    }
}

#[test]
fn a_document_without_text_is_one_without_text() {
    assert_eq!(parse(&written(&["", " \n"])), Err(DocumentError::NoText));
    assert_eq!(parse(&writer().write::<&str>(&[]).unwrap()), Err(DocumentError::Broken));
}

#[test]
fn bounds_are_kept() {
    let pages = vec![""; MOST_WRITTEN_PAGES + 1];
    assert_eq!(writer().write(&pages), Err(WriteError::TooLong));
    assert!(writer().write(&pages[1..]).is_ok());
    assert_eq!(writer().write(&["\u{c}".repeat(MOST_WRITTEN_PAGES)]), Err(WriteError::TooLong));
    assert_eq!(writer().write(&["a".repeat(MOST_WRITTEN_BYTES + 1)]), Err(WriteError::TooLong));
    // Empty lines are no pages.
    assert!(writer().write(&["\n".repeat(MOST_WRITTEN_BYTES)]).unwrap().len() < 20_000);
}

/// Texts that stress one part each. The bound is wide, since machines are shared; quadratic work would take minutes.
#[test]
#[expect(clippy::disallowed_methods, reason = "the duration of work is measured")]
fn hostile_texts_take_linear_time() {
    let large = [("ﬃ word ", 4 << 20), ("\u{301}", 4 << 20)];
    let others = ["a", "a ", " ", "a\u{301}", "\n", "a\n", "\t", "\u{200b}"].map(|part| (part, 512 << 10));
    for (part, size) in large.into_iter().chain(others) {
        let text = part.repeat(size / part.len());
        let start = Instant::now();
        let result = writer().write(&[&text]);
        assert!(result.is_ok() || result == Err(WriteError::TooLong), "{part:?}: {result:?}");
        assert!(start.elapsed() < Duration::from_secs(20), "{part:?}: {:?}", start.elapsed());
    }
}

/// Characters that the font shows, of every block it has.
fn supported() -> Vec<char> {
    let typeface = Typeface::load().unwrap();
    ('\u{20}'..='\u{ffff}').filter(|letter| typeface.letter(*letter).is_some()).collect()
}

/// A mark that is drawn twice at one position looks like one, and is read as one.
fn without_repeated_marks(text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    letters.dedup_by(|second, first| second == first && is_combining_mark(*first));
    letters.into_iter().collect()
}

fn text() -> impl Strategy<Value = String> {
    let letter = prop_oneof![
        6 => prop::char::range('a', 'z'),
        3 => prop::sample::select(supported()),
        2 => prop::sample::select(vec![' ', '\n', '\t', '\u{a0}', '\u{ad}', '\u{200d}', '\r', '\u{85}']),
    ];
    prop::collection::vec(letter, 0..600).prop_map(String::from_iter)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_text_of_the_font_comes_back(pages in prop::collection::vec(text(), 1..4)) {
        let expected: String = pages.iter().flat_map(|page| page.nfc()).filter(|letter| {
            !letter.is_whitespace() && !['\u{ad}', '\u{200d}', '\u{34f}'].contains(letter)
        }).collect();
        match parse(&writer().write(&pages).unwrap()) {
            Ok(document) => {
                let read: Vec<String> = (0..document.pages.len()).map(|page| text_of(&document, page)).collect();
                let read = without_repeated_marks(&solid(&read.concat()));
                prop_assert_eq!(read, without_repeated_marks(&expected));
            }
            Err(error) => {
                prop_assert_eq!(error, DocumentError::NoText);
                prop_assert!(!expected.chars().any(char::is_alphanumeric));
            }
        }
    }

    #[test]
    fn any_text_is_written_or_refused(text in any::<String>()) {
        let typeface = Typeface::load().unwrap();
        let is_shown = letters::signs(&text).all(|sign| match sign {
            letters::Sign::Letter(letter) => typeface.letter(letter).is_some(),
            _ => true,
        });
        prop_assert_eq!(writer().write(&[&text]).is_ok(), is_shown);
    }
}
