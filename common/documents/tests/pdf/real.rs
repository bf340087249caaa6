//! Files written by other programs (`real/generate`).

use documents::{Document, DocumentError, Hiding, TextKind};

use crate::{Test, read};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("typeset_columns_are_read_in_order", groff),
        ("monospaced_text_is_read", enscript),
        ("text_on_a_picture_is_judged_by_its_colour", cairo),
        ("a_paragraph_with_hidden_words_is_separated", reportlab),
        ("rewritten_files_read_the_same", rewritten),
        ("many_scripts_are_read", unicode),
        ("files_that_need_a_password_are_encrypted", encrypted),
    ]
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/real/{name}.pdf", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn opened(name: &str) -> Document {
    read(&file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The text without line breaks.
fn flowing(document: &Document) -> String {
    document.visible_text().replace('\n', " ")
}

const REPORT: &str = "The quarterly report is due on Friday. Send it to the finance team, and keep a copy for the \
                      auditors. Questions go to the help desk, which answers within a day.";

fn groff() {
    let document = opened("groff");
    // Hyphens at line ends are left as they are.
    let text = flowing(&document);
    assert!(text.starts_with("Quarterly report ") && text.contains("the au- ditors"), "{text}");
    let text = text.replace("- ", "");
    // Across the columns, each sentence is whole.
    assert_eq!(text.matches(REPORT).count(), 6, "{text}");
    assert!(text.contains("The second column begins somewhere here. The quarterly"), "{text}");
    assert_eq!(document.hidden().count(), 0);
}

fn enscript() {
    let document = opened("enscript-ghostscript");
    assert_eq!(flowing(&document).trim(), REPORT);
    assert_eq!(document.hidden().count(), 0);
}

fn cairo() {
    let document = opened("cairo");
    assert_eq!(document.visible_text(), "White text on a dark picture.\n");
    let hidden: Vec<_> = document.hidden().map(|(_, line)| (line.text.as_str(), line.hiding)).collect();
    assert_eq!(hidden, [("Text in the colour of the picture.", Some(Hiding::BackgroundColour))]);
}

fn reportlab() {
    let document = opened("reportlab");
    let text = flowing(&document);
    assert!(
        text.starts_with("Invoice 4711 Thank you for your order. Please pay within thirty days."),
        "{text}"
    );
    assert!(text.contains("Yours sincerely. Item Price Keyboard 49.00 Mouse 19.00"), "{text}");
    let hidden: Vec<_> = document.hidden().map(|(_, line)| (line.text.as_str(), line.hiding)).collect();
    assert_eq!(hidden, [("Hidden words for programs.", Some(Hiding::BackgroundColour))]);
    let metadata = document.runs.iter().filter(|attached| attached.kind == TextKind::Metadata);
    let metadata: Vec<_> = metadata.map(|attached| attached.text.as_str()).collect();
    assert!(metadata.starts_with(&["Invoice 4711", "Accounts"]), "{metadata:?}");
}

fn rewritten() {
    let original = opened("reportlab");
    for name in ["qpdf-object-streams", "qpdf-linearized", "qpdf-owner-password-only"] {
        assert_eq!(opened(name).pages, original.pages, "{name}");
    }
}

fn unicode() {
    let text = flowing(&opened("fpdf2-unicode"));
    for sentence in
        ["Grüße aus Zürich.", "Привет из Москвы.", "Καλημέρα από την Αθήνα.", "Zażółć gęślą jaźń."]
    {
        assert!(text.contains(sentence), "{text}");
    }
}

fn encrypted() {
    for name in ["qpdf-password-aes128", "qpdf-password-aes256", "qpdf-password-rc4"] {
        assert_eq!(read(&file(name)), Err(DocumentError::Encrypted), "{name}");
    }
}
