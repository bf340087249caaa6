//! PDF output of `POST /api/redact`, read back by another program.

use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pdf_writer::Content;
use serde_json::{Value, json};

use super::{HONEST, PATH, TEXT, content, redact};
use crate::guard::forms::Form;
use crate::guard::{assert_error, data_uri, pdf};
use crate::http::Response;
use crate::server::Server;
use crate::skip::{Lacking, skip};
use crate::written::{page, plain, text};

/// A word of hidden text that is no personal data.
const WORD: &str = "zqhidden";

/// The text of a PDF according to Poppler, with a form feed after each page. None without the program.
fn read_back(test: &str, pdf: &[u8]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pdf");
    std::fs::write(&path, pdf).unwrap();
    let output = match Command::new("pdftotext").arg(&path).arg("-").output() {
        Ok(output) => output,
        Err(error) => {
            skip(test, Lacking::Daemons, &format!("pdftotext: {error}"));
            return None;
        }
    };
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaints.is_empty(), "{complaints}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[track_caller]
fn pdf_of(response: &Response) -> Vec<u8> {
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("content-type"), Some("application/pdf"));
    assert!(response.body.starts_with(b"%PDF-"), "{}", response.text());
    response.body.clone()
}

fn contains(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

/// Sends a file for a PDF.
fn as_pdf(server: &Server, file: &[u8]) -> Response {
    Form::new()
        .part("text", None, b"")
        .part("file", Some("a.pdf"), file)
        .part("format", None, b"pdf")
        .part("rewrite", None, b"false")
        .send(server, PATH)
}

/// Three pages, the second without text.
fn document() -> Vec<u8> {
    let (mut first, mut third) = (Content::new(), Content::new());
    for (row, line) in (0_u8..).zip(TEXT.split_inclusive(". ")) {
        text(&mut first, 50.0, 700.0 - 20.0 * f32::from(row), 12.0, line);
    }
    for (row, line) in (0_u8..).zip(HONEST.split_inclusive("; ")) {
        text(&mut third, 50.0, 700.0 - 20.0 * f32::from(row), 9.0, line);
    }
    plain(&[first, Content::new(), third])
}

#[test]
fn a_pdf_becomes_a_new_pdf_page_by_page() {
    let server = Server::start();
    let file = document();
    let response = as_pdf(&server, &file);
    let written = pdf_of(&response);
    assert_eq!(pdf_of(&as_pdf(&server, &file)), written, "deterministic");
    for value in ["Pereira", "ana.pereira", "415 555", "536-90"] {
        assert!(contains(&file, value) && !contains(&written, value), "{value}");
    }
    if let Some(read) = read_back("a_pdf_becomes_a_new_pdf_page_by_page", &written) {
        let pages: Vec<&str> = read.split_terminator('\u{c}').collect();
        assert_eq!(pages.len(), 3, "{read}");
        for placeholder in ["<NAME_REDACTED>", "<EMAIL_REDACTED>", "<PHONE_REDACTED>", "<SSN_REDACTED>"] {
            assert!(pages[0].contains(placeholder), "{placeholder}: {read}");
        }
        assert!(!read.contains("Pereira") && !read.contains("4399"), "{read}");
        assert_eq!(pages[1].trim(), "");
        assert_eq!(pages[2].split_whitespace().collect::<Vec<_>>().join(" "), HONEST);
    }

    // The same in JSON: equal usage, and the same file.
    let whole = redact(&server, &json!({"file": data_uri(&file), "format": "json"}));
    let (_, reasoning) = content(&whole);
    assert!(reasoning.contains("metadata, annotations, attachments, scripts"), "{reasoning}");
    let whole = whole.json();
    let usage: Value = serde_json::from_str(response.header("x-redaction-stats").unwrap()).unwrap();
    assert_eq!(usage, whole["usage"]);
    let url = whole["redacted_pdf"].as_str().unwrap();
    let encoded = url.strip_prefix("data:application/pdf;base64,").unwrap();
    assert_eq!(STANDARD.decode(encoded).unwrap(), written);
}

#[test]
fn a_text_becomes_a_pdf_in_the_scripts_of_the_font() {
    let server = Server::start();
    let text = "Grüße an Łukasz: γειά σου, привіт. Write to ana@mail.example.";
    let response = redact(&server, &json!({"text": text, "entities": ["EMAIL"], "format": "pdf"}));
    let written = pdf_of(&response);
    if let Some(read) = read_back("a_text_becomes_a_pdf_in_the_scripts_of_the_font", &written) {
        let read = read.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(read, text.replace("ana@mail.example", "<EMAIL_REDACTED>"));
    }
    let whole = redact(&server, &json!({"text": text, "format": "json"})).json();
    assert_eq!(whole.get("redacted_pdf"), None, "a text is no file");
}

#[test]
fn a_text_that_the_font_cannot_show_is_refused() {
    let server = Server::start();
    for text in ["東京都 ana@mail.example", "שלום", "an emoji 😀"] {
        let response = redact(&server, &json!({"text": text, "format": "pdf"}));
        assert_error(&response, 400, "file cannot be written as PDF: unsupported script");
        assert_eq!(redact(&server, &json!({"text": text})).status, 200, "{text}");
    }
    let response = redact(&server, &json!({"text": TEXT, "format": "docx"}));
    assert_error(&response, 400, "format must be json or pdf");
}

#[test]
fn hidden_text_is_redacted_and_not_part_of_the_pdf() {
    let server = Server::start();
    let line = format!("{WORD}: my name is Ana Pereira, ana.pereira@mail.example");
    for (technique, file) in pdf::hiding(&line) {
        assert!(contains(&file, WORD), "{technique}");
        let response = redact(&server, &json!({"file": data_uri(&file)}));
        let (text, reasoning) = content(&response);
        assert!(text.contains(WORD) && text.contains("<EMAIL_REDACTED>"), "{technique}: {text}");
        assert!(!response.text().contains("ana.pereira"), "{technique}: {text}");
        assert!(reasoning.contains("left out of the PDF: "), "{technique}: {reasoning}");

        let written = pdf_of(&as_pdf(&server, &file));
        for word in
            [WORD, "REDACTED", "/Annots", "/EmbeddedFile", "/Filespec", "/Names", "/Info", "/Metadata"]
        {
            assert!(!contains(&written, word), "{technique}: {word}");
        }
        if let Some(read) = read_back("hidden_text_is_redacted_and_not_part_of_the_pdf", &written) {
            assert_eq!(read.trim_end(), "A visible sentence.", "{technique}");
        }
    }
}

#[test]
fn hidden_text_of_a_page_without_other_text_is_marked() {
    let server = Server::start();
    let mut scan = Content::new();
    text(&mut scan, 50.0, 500.0, 1.0, "Recognised text of a scan");
    let file = plain(&[page(|_| ()), scan]);
    let written = pdf_of(&as_pdf(&server, &file));
    if let Some(read) = read_back("hidden_text_of_a_page_without_other_text_is_marked", &written) {
        let pages: Vec<&str> = read.split_terminator('\u{c}').collect();
        assert_eq!(pages[0].trim(), "A visible sentence.");
        let (mark, text) = pages[1].split_once(":]").unwrap();
        assert!(mark.starts_with("[Text that was not visible in the original"), "{mark}");
        assert_eq!(text.trim(), "Recognised text of a scan");
    }
}
