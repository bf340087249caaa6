//! Plain pages: text, places, spaces, order.

use pdf_writer::{Content, Name, Str};

use crate::written::{page, plain, text};
use crate::{Test, read};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        ("a_page_is_read_with_its_places", places),
        ("spaces_are_read_from_positions", spaces),
        ("lines_keep_their_order_and_their_hyphens", order),
        ("pages_keep_their_order", pages),
        ("turned_pages_and_texts_are_read", turned),
        ("equal_input_gives_equal_output", deterministic),
    ]
}

fn places() {
    let document = read(&plain(&[page(|_| ())])).unwrap();
    let [page] = document.pages.as_slice() else { panic!("{document:?}") };
    assert_eq!((page.width, page.height), (600.0, 800.0));
    let [line] = page.lines.as_slice() else { panic!("{page:?}") };
    assert_eq!((line.text.as_str(), line.hiding), ("A visible sentence.", None));
    // 700 from below is 100 from above; the baseline is at four fifths of the height.
    let (place, size) = line.area().unwrap();
    assert_eq!(size, 12.0);
    assert!((place.x - 50.0).abs() < 0.01 && (place.y - 90.4).abs() < 0.01, "{place:?}");
    // As wide as Helvetica's metrics say: 8.784 em.
    assert!((place.width - 105.0).abs() < 5.0 && (place.height - 12.0).abs() < 0.01, "{place:?}");
    assert_eq!(document.visible_text(), "A visible sentence.\n");
}

fn spaces() {
    let mut content = Content::new();
    content.begin_text().set_font(Name(b"F"), 12.0).next_line(50.0, 700.0);
    {
        // Word spaces as distances, as typesetting programs write them; small ones are kerning.
        let mut positioned = content.show_positioned();
        let mut items = positioned.items();
        items
            .show(Str(b"kern"))
            .adjust(40.0)
            .show(Str(b"ing"))
            .adjust(-280.0)
            .show(Str(b"and"))
            .adjust(-250.0);
        items.show(Str(b"words"));
    }
    content.end_text();
    // Each letter placed by itself.
    for (index, letter) in "one by".chars().enumerate() {
        text(&mut content, 50.0 + index as f32 * 7.0, 650.0, 12.0, &letter.to_string());
    }
    let document = read(&plain(&[content])).unwrap();
    assert_eq!(document.visible_text(), "kerning and words\none by\n");
}

fn order() {
    let mut content = Content::new();
    // Drawn from bottom to top.
    for (index, line) in ["third line", "phenated second", "a first line that is hy-"].iter().enumerate() {
        text(&mut content, 50.0, 600.0 + index as f32 * 14.0, 12.0, line);
    }
    let document = read(&plain(&[content])).unwrap();
    assert_eq!(document.visible_text(), "a first line that is hy-\nphenated second\nthird line\n");
}

fn pages() {
    let pages: Vec<Content> = (0..30)
        .map(|number| {
            let mut content = Content::new();
            text(&mut content, 50.0, 700.0, 12.0, &format!("page {number}"));
            content
        })
        .collect();
    let document = read(&plain(&pages)).unwrap();
    let read: Vec<&str> = document.pages.iter().map(|page| page.lines[0].text.as_str()).collect();
    let expected: Vec<String> = (0..30).map(|number| format!("page {number}")).collect();
    assert_eq!(read, expected);
}

fn turned() {
    let mut content = Content::new();
    text(&mut content, 50.0, 700.0, 12.0, "upright text");
    content.begin_text().set_font(Name(b"F"), 12.0).set_text_matrix([0.0, 1.0, -1.0, 0.0, 30.0, 300.0]);
    content.show(Str(b"text along the margin")).end_text();
    let document = read(&plain(&[content])).unwrap();
    assert_eq!(document.visible_text(), "upright text\ntext along the margin\n");
}

fn deterministic() {
    let file = plain(&[page(|content| text(content, 300.0, 300.0, 1.0, "tiny"))]);
    assert_eq!(read(&file).unwrap(), read(&file).unwrap());
}
