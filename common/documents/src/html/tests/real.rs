//! Pages written by other programs (`tests/real/generate-formats`).

use super::*;

fn file(name: &str) -> Html {
    let path = format!("{}/tests/real/{name}.html", env!("CARGO_MANIFEST_DIR"));
    Html::read(&std::fs::read(path).unwrap(), None)
}

/// Visible content, and content that is hidden.
fn parts(page: &Html) -> (Vec<&str>, Vec<&str>) {
    let content = || page.document.runs.iter().filter(|run| run.kind == TextKind::Content);
    let visible = content().filter(|run| run.hiding.is_none()).map(|run| run.text.as_str()).collect();
    let hidden = content().filter(|run| run.hiding.is_some()).map(|run| run.text.as_str()).collect();
    (visible, hidden)
}

#[test]
fn pages_of_docutils_are_visible() {
    let page = file("docutils");
    let (visible, hidden) = parts(&page);
    assert_eq!(visible, ["Guide", "The service starts at once.", "Note", "Keep the key safe.", "one", "two"]);
    assert_eq!((hidden, page.title.as_deref()), (vec![], Some("Guide")));
    assert_eq!(
        (page.links[0].href.as_str(), page.links[0].text.as_str()),
        ("https://example.test/", "service")
    );
    assert_eq!((page.charset.as_str(), page.document.unread.as_slice()), ("UTF-8", &[][..]));
}

#[test]
fn highlighted_code_is_visible() {
    let page = file("pygments");
    let (visible, hidden) = parts(&page);
    assert!(
        visible.iter().any(|text| text.contains("def main():\n    print('hello')  # greet")),
        "{visible:?}"
    );
    assert!(hidden.is_empty(), "{hidden:?}");
}

#[test]
fn a_newsletter_has_a_hidden_preheader_only() {
    let page = file("premailer");
    let (visible, hidden) = parts(&page);
    assert_eq!(visible, ["Your order", "Dear customer,", "we have shipped your order."]);
    assert_eq!(hidden, ["Your parcel is on its way"]);
    assert_eq!(page.images, ["https://shop.test/open.gif"]);
}

#[test]
fn documentation_of_rustdoc_is_visible() {
    let page = file("rustdoc");
    let (visible, _) = parts(&page);
    assert!(visible.contains(&"Adds two numbers."), "{visible:?}");
    assert_eq!(page.description.as_deref(), Some("Adds two numbers."));
    assert!(page.scripts.iter().any(|script| script.source.is_some()), "{:?}", page.scripts);
    assert!(!page.style_sheets.is_empty());
}
