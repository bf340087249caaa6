//! Techniques that hide text, and honest styles that resemble them.

use super::*;

fn check(cases: &[(&str, Option<Hiding>)]) {
    for (page, expected) in cases {
        let page = page.replace('$', SECRET);
        assert_eq!(hiding_of_secret(&page), *expected, "{page}");
    }
}

#[test]
fn inline_styles_hide_text() {
    check(&[
        ("<p style='display:none'>$</p>", Some(Hiding::Display)),
        ("<p style='DISPLAY : none !important'>$</p>", Some(Hiding::Display)),
        ("<p style='dis\\70lay:none'>$</p>", Some(Hiding::Display)),
        ("<p style='mso-hide:all'>$</p>", Some(Hiding::Display)),
        ("<p hidden>$</p>", Some(Hiding::Display)),
        ("<p style='visibility:hidden'>$</p>", Some(Hiding::Visibility)),
        ("<p style='opacity:0.01'>$</p>", Some(Hiding::Transparent)),
        ("<div style='opacity:.2'><p style='opacity:.2'>$</p></div>", Some(Hiding::Transparent)),
        ("<p style='color:transparent'>$</p>", Some(Hiding::Transparent)),
        ("<p style='font-size:0'>$</p>", Some(Hiding::Tiny)),
        ("<p style='font:1px/1 serif'>$</p>", Some(Hiding::Tiny)),
        ("<div style='font-size:10px'><p style='font-size:.1em'>$</p></div>", Some(Hiding::Tiny)),
        ("<p style='color:#fff'>$</p>", Some(Hiding::BackgroundColour)),
        ("<p style='color:#fdfdfd'>$</p>", Some(Hiding::BackgroundColour)),
        ("<p style='color:rgba(0,0,0,.2);background:#ddd'>$</p>", None),
        ("<table bgcolor=black><tr><td><font color=#000001>$</font></table>", Some(Hiding::BackgroundColour)),
        ("<p style='position:absolute;left:-9999px'>$</p>", Some(Hiding::OffPage)),
        ("<p style='text-indent:-9999px'>$</p>", Some(Hiding::OffPage)),
        ("<p style='text-indent:100%;white-space:nowrap;overflow:hidden'>$</p>", Some(Hiding::OffPage)),
        ("<p style='margin-left:-200em'>$</p>", Some(Hiding::OffPage)),
        ("<p style='transform:scale(0)'>$</p>", Some(Hiding::OffPage)),
        ("<p style='position:absolute;clip:rect(0 0 0 0)'>$</p>", Some(Hiding::Clipped)),
        ("<p style='clip-path:inset(100%)'>$</p>", Some(Hiding::Clipped)),
        ("<p style='height:0;overflow:hidden'>$</p>", Some(Hiding::Clipped)),
        ("<p style='max-height:0px;overflow:hidden'>$</p>", Some(Hiding::Clipped)),
        ("<template>$</template>", Some(Hiding::NotRendered)),
        ("<noscript><p>$</p></noscript>", Some(Hiding::NotRendered)),
        ("<canvas>$</canvas>", Some(Hiding::NotRendered)),
        ("<dialog>$</dialog>", Some(Hiding::Display)),
    ]);
}

#[test]
fn honest_styles_hide_nothing() {
    check(&[
        ("<p style='display:block'>$</p>", None),
        ("<p style='color:#fff;background:#000'>$</p>", None),
        ("<body bgcolor=black text=white><p>$</p>", None),
        ("<p style='color:#fff;background:url(dark.png)'>$</p>", None),
        (
            "<p style='background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent'>$</p>",
            None,
        ),
        ("<p style='position:absolute;left:50%;transform:translate(-50%,-50%)'>$</p>", None),
        ("<p style='left:-9999px'>$</p>", None),
        ("<p style='height:0'>$</p>", None),
        ("<p style='overflow:hidden;width:100%'>$</p>", None),
        ("<p style='font-size:12px;margin-left:-5px'>$</p>", None),
        ("<p style='font-size:0'><span style='font-size:14px'>$</span></p>", None),
        ("<p style='visibility:hidden'><span style='visibility:visible'>$</span></p>", None),
        ("<p style='text-indent:-9999px'><span style='text-indent:0'>$</span></p>", None),
        ("<dialog open>$</dialog>", None),
        ("<details><summary>More</summary>$</details>", None),
        ("<p aria-hidden=true>$</p>", None),
    ]);
}

#[test]
fn style_sheets_apply_wherever_they_are() {
    check(&[
        ("<style>.x{display:none}</style><p class='a x'>$</p>", Some(Hiding::Display)),
        ("<p class=x>$</p><style>.x{display:none}</style>", Some(Hiding::Display)),
        (
            "<style>#a .b > p[data-x='1']{visibility:hidden}</style><div id=a><i class=b><p data-x=1>$</p></i></div>",
            Some(Hiding::Visibility),
        ),
        ("<style>div p{opacity:0}</style><div><section><p>$</p></section></div>", Some(Hiding::Transparent)),
        ("<style>div > p{opacity:0}</style><div><section><p>$</p></section></div>", None),
        ("<style>p{display:none}.on{display:block}</style><p class=on>$</p>", None),
        ("<style>.on{display:block}p{display:none}</style><p class=on>$</p>", None),
        (
            "<style>p{display:none!important}.on{display:block}</style><p class=on>$</p>",
            Some(Hiding::Display),
        ),
        ("<style>p{display:none}</style><p style='display:block'>$</p>", None),
        ("<style>p{display:none!important}</style><p style='display:block'>$</p>", Some(Hiding::Display)),
        ("<style>[hidden]{display:block}</style><p hidden>$</p>", None),
        ("<style>@media print{p{display:none}}</style><p>$</p>", None),
        (
            "<style>@media screen and (min-width:600px){p{display:none}}</style><p>$</p>",
            Some(Hiding::Display),
        ),
        ("<style>@media (max-width:600px){p{display:none}}</style><p>$</p>", None),
        ("<style>@import url(x;{);@charset 'a';/*}*/p{display:none}</style><p>$</p>", Some(Hiding::Display)),
        ("<style>a:hover,p:hover{display:none}</style><p>$</p>", None),
        ("<style>.md\\:x{display:none}</style><p class='md:x'>$</p>", Some(Hiding::Display)),
        ("<style>.\\31 0{display:none}</style><p class=10>$</p>", Some(Hiding::Display)),
        ("<style>:root{color:#fff}</style><p>$</p>", Some(Hiding::BackgroundColour)),
        ("<style>b{color:red;}}p{display:none}</style><p>$</p>", None),
        ("<style>p{display:none}</style><svg><style>p{display:block}</style></svg><p>$</p>", None),
    ]);
}

#[test]
fn hidden_pieces_do_not_divide_visible_text() {
    let page =
        "<p>Trans<span style='display:none'>xx</span>fer <b>the</b> <i style='display:none'>yy</i>sum</p>";
    let expected = [("Transfer the sum", None), ("xx yy", Some(Hiding::Display))];
    let expected = expected.map(|(text, hiding)| (text.to_owned(), hiding));
    // The hidden pieces are one run too; between them is no space in the source but that of the visible text.
    let found = content(page);
    assert_eq!(found[0], expected[0]);
    assert_eq!(found[1].0.replace(' ', ""), "xxyy");
    assert_eq!(found[1].1, Some(Hiding::Display));
}

#[test]
fn texts_in_attributes_and_comments_have_their_kind() {
    let page = "<!-- a comment --><img alt='a picture' title='a title'><input placeholder='a hint' aria-label='a label'>\
                <meta name=description content='a description'><input type=submit value='a button'>\
                <input type=hidden value='a value'><svg><title>a drawing</title></svg>";
    assert_eq!(of_kind(page, TextKind::Comment), ["a comment"]);
    let alternatives = of_kind(page, TextKind::Alternative);
    assert_eq!(alternatives, ["a picture", "a title", "a label", "a hint", "a drawing"]);
    assert_eq!(of_kind(page, TextKind::Metadata), ["a description"]);
    assert_eq!(of_kind(page, TextKind::Content), ["a button"]);
    assert_eq!(of_kind(page, TextKind::Data), ["a value"]);
    assert_eq!(
        hiding_of_secret(&format!("<p style='display:none'><img alt='{SECRET}'></p>")),
        Some(Hiding::Display)
    );
}
