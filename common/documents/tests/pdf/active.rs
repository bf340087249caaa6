//! Content of PDFs that acts on its own or points elsewhere.

use documents::{ActiveKind, Document, TextKind};
use pdf_writer::{Content, Finish, Name, Pdf, Ref, Str, TextStr};

use crate::written::{CATALOG, FREE, PAGES, document, page};
use crate::{Test, inspect};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("actions_of_the_opening_are_named", opening),
        ("actions_of_links_and_fields_are_named", annotations),
        ("actions_that_follow_each_other_are_named", chain),
        ("embedded_files_are_named", files),
        ("a_document_without_text_shows_its_actions", without_text),
        ("forms_in_xml_are_read", form),
    ]
}

fn active(document: &Document) -> Vec<(ActiveKind, &str)> {
    document.active.iter().map(|active| (active.kind, active.detail.as_str())).collect()
}

fn catalog(change: impl FnOnce(&mut pdf_writer::writers::Catalog<'_>)) -> Document {
    let file = document(&[page(|_| ())], |pdf| {
        let mut catalog = pdf.catalog(CATALOG);
        catalog.pages(PAGES);
        change(&mut catalog);
    });
    inspect(&file).unwrap()
}

fn opening() {
    let launch = catalog(|catalog| {
        let mut action = catalog.insert(Name(b"OpenAction")).dict();
        action.pair(Name(b"S"), Name(b"Launch"));
        let mut windows = action.insert(Name(b"Win")).dict();
        windows.pair(Name(b"F"), Str(b"cmd.exe")).pair(Name(b"P"), Str(b"/c calc"));
    });
    assert_eq!(
        active(&launch),
        [(ActiveKind::OpenAction, "Launch"), (ActiveKind::Launch, "cmd.exe /c calc")]
    );
    let events = catalog(|catalog| {
        let mut events = catalog.insert(Name(b"AA")).dict();
        let mut close = events.insert(Name(b"WC")).dict();
        close.pair(Name(b"S"), Name(b"JavaScript")).pair(Name(b"JS"), TextStr("this.close()"));
    });
    assert_eq!(active(&events), [(ActiveKind::JavaScript, "this.close()")]);
    let scripts: Vec<_> = events.runs.iter().filter(|run| run.kind == TextKind::Script).collect();
    assert_eq!(scripts[0].text, "this.close()");
    // The first view of many writers.
    let view = catalog(|catalog| {
        let mut action = catalog.insert(Name(b"OpenAction")).dict();
        action.pair(Name(b"S"), Name(b"GoTo"));
    });
    assert_eq!(active(&view), []);
}

/// A document whose page has an annotation with these entries.
fn annotated(entries: &str) -> Document {
    let mut file = document(&[page(|_| ())], |pdf| {
        pdf.catalog(CATALOG).pages(PAGES);
        pdf.indirect(Ref::new(FREE)).dict().pair(Name(b"Type"), Name(b"Annot")).pair(Name(b"Here"), 1);
    });
    let mut insert = |before: &[u8], text: &str| {
        let at = file.windows(before.len()).position(|window| window == before).unwrap();
        file.splice(at..at, text.bytes());
    };
    insert(b"/Parent 2 0 R", &format!("/Annots[{FREE} 0 R]"));
    insert(b"/Here 1", entries);
    inspect(&file).unwrap()
}

fn annotations() {
    let link = annotated("/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(https://evil.test/)>>");
    assert_eq!(active(&link), [(ActiveKind::Link, "https://evil.test/")]);
    let form = annotated(
        "/Subtype/Widget/Rect[0 0 9 9]/AA<</U<</S/SubmitForm/F<</FS/URL/F(https://evil.test/in)>>>>>>",
    );
    assert_eq!(active(&form), [(ActiveKind::SubmitForm, "https://evil.test/in")]);
    let remote = annotated("/Subtype/Link/Rect[0 0 9 9]/A<</S/GoToR/F(\\\\\\\\host\\\\share\\\\a.pdf)>>");
    assert_eq!(active(&remote), [(ActiveKind::Link, "\\\\host\\share\\a.pdf")]);
}

fn chain() {
    let chained = annotated(
        "/Subtype/Link/Rect[0 0 9 9]/A<</S/Named/Next[<</S/JavaScript/JS(one)>><</S/URI/URI(b)/Next<</S/Launch/F(c.exe)>>>>]>>",
    );
    let mut found = active(&chained);
    found.sort_unstable();
    let expected = [(ActiveKind::JavaScript, "one"), (ActiveKind::Launch, "c.exe"), (ActiveKind::Link, "b")];
    assert_eq!(found, expected);
}

fn files() {
    let (file, stream) = (Ref::new(FREE), Ref::new(FREE + 1));
    let document = document(&[page(|_| ())], |pdf: &mut Pdf| {
        pdf.embedded_file(stream, b"MZ");
        pdf.file_spec(file).path(Str(b"setup.exe")).unic_file(TextStr("setup.exe"));
        let mut catalog = pdf.catalog(CATALOG);
        catalog.pages(PAGES);
        catalog.names().embedded_files().names().insert(Str(b"setup.exe"), file);
    });
    assert_eq!(active(&inspect(&document).unwrap()), [(ActiveKind::EmbeddedFile, "setup.exe")]);
}

fn without_text() {
    let document = document(&[Content::new()], |pdf| {
        let mut catalog = pdf.catalog(CATALOG);
        catalog.pages(PAGES);
        let mut action = catalog.insert(Name(b"OpenAction")).dict();
        action.pair(Name(b"S"), Name(b"JavaScript")).pair(Name(b"JS"), TextStr("app.alert(1)"));
    });
    let read = inspect(&document).unwrap();
    assert!(!read.has_text());
    assert_eq!(
        active(&read),
        [(ActiveKind::OpenAction, "JavaScript"), (ActiveKind::JavaScript, "app.alert(1)")]
    );
}

fn form() {
    let stream = Ref::new(FREE);
    let document = document(&[page(|_| ())], |pdf| {
        pdf.stream(stream, b"<xdp><template><text>A text of the form</text></template></xdp>");
        let mut catalog = pdf.catalog(CATALOG);
        catalog.pages(PAGES);
        catalog.insert(Name(b"AcroForm")).dict().pair(Name(b"XFA"), stream).finish();
    });
    let read = inspect(&document).unwrap();
    assert!(
        read.runs.iter().any(|run| run.kind == TextKind::Data && run.text == "A text of the form"),
        "{read:?}"
    );
}
