//! Bounds: pages that stress one part each, and any page at all.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::document::MOST_TEXT_BYTES;

fn text_bytes(page: &Html) -> usize {
    page.document.runs.iter().map(|run| run.text.len()).sum()
}

/// The bound is wide, since machines are shared; quadratic work would take minutes.
#[test]
#[expect(clippy::disallowed_methods, reason = "the duration of work is measured")]
fn hostile_pages_take_linear_time() {
    let rules: String =
        (0..3_000).map(|number| format!("div div div .a{number}, .x{{display:none}}")).collect();
    let deep_rules = format!("<style>{rules}</style>{}", "<div class=x>".repeat(100_000));
    let distinct: String = (0..200_000).map(|number| format!("<b x={number}>")).collect();
    let repeated = [
        "<b>",
        "<a>",
        "<p>",
        "</p>",
        "<div>",
        "</x>",
        "<table>",
        "<tr><td>",
        "<table><b>x",
        "<b><p></b>",
        "<svg>",
        "</svg>",
        "<svg><title>",
        "<i><table>x",
        "<form>",
        "<select><option>",
        "<template>",
        "<!--",
        "<!-- -->",
        "&amp;",
        "&",
        "<",
        "</",
        "<p ",
        "<a href=x>",
        "<p style='",
        "<p style='x:y'>",
        "<style>",
        "<style>{</style>",
        "<style>a{</style>",
        "\0",
        "é",
        "x ",
        "<input>",
        "<br>",
        "<li>",
        "<button>",
        "<dl><dt>",
        "<noscript>x</noscript>",
        "<iframe srcdoc=x></iframe>",
        "<h1>",
    ];
    let pages = repeated.iter().map(|part| part.repeat((2 << 20) / part.len()));
    let nested = format!("{}{}", "<div>".repeat(500), "</p>".repeat(400_000));
    let open = format!("{}{}", "<p><table>".repeat(200), "</p>".repeat(400_000));
    let css =
        ["{", "a{", "a{b:c;", "@media x{", "'", "\\", "/*", "a,", "(", "@x;", "a b c d e f{x:y}", "[", "a>"];
    let sheets = css.iter().map(|part| format!("<style>{}</style><p>x", part.repeat((1 << 20) / part.len())));
    let inline = css.iter().map(|part| format!("<p style=\"{}\">x", part.repeat((1 << 20) / part.len())));
    let many = format!("<p {}>x", "a=b ".repeat(500_000));
    let whole = [deep_rules, distinct, nested, open, many];
    for page in pages.chain(sheets).chain(inline).chain(whole) {
        let start = Instant::now();
        let read = read(&page);
        let name: String = page.chars().take(40).collect();
        assert!(start.elapsed() < Duration::from_secs(20), "{name}: {:?}", start.elapsed());
        assert!(text_bytes(&read) <= MOST_TEXT_BYTES, "{name}");
    }
}

#[test]
fn the_rest_beyond_a_bound_is_unread() {
    let unread = |page: &str| read(page).document.unread;
    assert_eq!(unread("<p>short"), []);
    assert_eq!(unread(&"<p>x</p>".repeat(300_000)), [Unread::Structure]);
    assert_eq!(unread(&"<div>".repeat(1_000)), [Unread::Structure]);
    assert_eq!(unread(&"a".repeat(MOST_HTML_BYTES + 1)), [Unread::Bytes]);
    assert_eq!(unread(&"a".repeat(MOST_TEXT_BYTES + 9)), [Unread::Bytes]);
    let rules: String = (0..21_000).map(|number| format!(".a{number}{{display:none}}")).collect();
    assert_eq!(unread(&format!("<style>{rules}</style>x")), [Unread::Styles]);
}

/// Pieces of pages that meet in any order.
fn page() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "<p>",
            "</p>",
            "<div style='display:none'>",
            "</div>",
            "<b>",
            "</b>",
            "<table>",
            "<tr>",
            "<td>",
            "</td>",
            "</table>",
            "<a href=x>",
            "</a>",
            "<svg>",
            "</svg>",
            "<title>",
            "</title>",
            "<script>",
            "</script>",
            "<style>p{opacity:0}",
            "</style>",
            "<li>",
            "<ul>",
            "</ul>",
            "<form>",
            "</form>",
            "<input name=a>",
            "<!--",
            "-->",
            "<select>",
            "<option>",
            "<template>",
            "</template>",
            "<noscript>",
            "</noscript>",
            "<h1>",
            "</h2>",
            "<i>",
            "</i>",
            "<iframe srcdoc='<p>y'>",
            "</iframe>",
            "<button>",
            "<br>",
            "<body class=x>",
            "&lt;",
            "<textarea>",
            "</textarea>",
            "<math>",
            "<mi>",
        ])
        .prop_map(str::to_owned),
        "[a-z ]{1,8}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_page_is_read_within_its_bounds(page in page()) {
        let read = read(&page);
        let lines = page.matches('\n').count() as u32 + 1;
        for run in &read.document.runs {
            let Position::Source { part, offset, line } = run.position else { panic!("{run:?}") };
            prop_assert!(!run.text.trim().is_empty());
            prop_assert!(part == 0 && offset as usize <= page.len() && (1..=lines).contains(&line), "{run:?}");
        }
        prop_assert_eq!(&read, &super::read(&page));
        let sent = serde_json::to_vec(&read).unwrap();
        prop_assert_eq!(serde_json::from_slice::<Html>(&sent).unwrap(), read);
    }

    #[test]
    fn any_word_in_a_page_is_read_somewhere(page in page(), after in page()) {
        // Within a tag it is an attribute, whose name no one reads.
        let page = format!("{page}'\"-->zqj{after}");
        let found = read(&page).document.runs.iter().any(|run| run.text.contains("zqj"));
        let in_style = page.rfind("<style>").is_some() || page.contains("<title>") || page.contains("<iframe");
        prop_assert!(found || in_style, "{}", page);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400), charset in "[a-z0-9-]{0,12}") {
        let read = Html::read(&bytes, Some(&charset));
        prop_assert!(!read.charset.is_empty());
    }

    #[test]
    fn the_declared_style_decides_at_any_depth(depth in 1_usize..100, hidden in 0_usize..100) {
        let open: String = (0..depth).map(|level| if level == hidden { "<div style=display:none>" } else { "<div>" }).collect();
        let page = format!("{open}word{}", "</div>".repeat(depth));
        prop_assert_eq!(visible(&page).is_empty(), hidden < depth);
    }
}
