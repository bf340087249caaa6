//! Notations of declarations.

use super::*;

fn read(block: &str) -> Vec<Declared> {
    let mut found = Vec::new();
    declarations(block, &mut |declared| found.push(declared));
    found
}

fn one(block: &str) -> Declaration {
    let found = read(block);
    let [declared] = found.as_slice() else { panic!("{block}: {found:?}") };
    declared.declaration
}

#[test]
fn a_declaration_is_found_in_every_notation() {
    for block in [
        "display:none",
        " DISPLAY : NONE ; ",
        "/* a */display/**/:/**/none/* ; */",
        "\\64 isplay:\\6eone",
        "x:url(';');display:none",
        "content:';}';display:none",
        "color:var(--x);display:none",
        "broken;display:none",
    ] {
        assert_eq!(one(block), Declaration::Display(false), "{block}");
    }
    assert!(read("display:none!important")[0].is_important);
    assert!(read("display:none ! IMPORTANT ")[0].is_important);
    assert_eq!(read("x-display:none; displa/**/y:none"), []);
}

#[test]
fn lengths_have_units() {
    assert_eq!(one("font-size:1.5pt"), Declaration::FontSize(Some(Length::Pixels(2.0))));
    assert_eq!(one("font-size:.1em"), Declaration::FontSize(Some(Length::Em(0.1))));
    assert_eq!(one("font:italic 0/0 a"), Declaration::FontSize(Some(Length::Pixels(0.0))));
    assert_eq!(one("left:calc(-9999px)"), Declaration::Left(Some(Length::Pixels(-9999.0))));
    assert_eq!(one("width:1e99999px"), Declaration::Width(None));
    assert_eq!(one("left:auto"), Declaration::Left(None));
}

#[test]
fn areas_without_size_are_recognised() {
    for (block, expected) in [
        ("clip:rect(0,0,0,0)", Declaration::Clip(true)),
        ("clip:rect(1px 1px 1px 1px)", Declaration::Clip(true)),
        ("clip:rect(0,20px,20px,0)", Declaration::Clip(false)),
        ("clip:auto", Declaration::Clip(false)),
        ("clip-path:inset(50%)", Declaration::ClipPath(true)),
        ("clip-path:inset(10%)", Declaration::ClipPath(false)),
        ("clip-path:circle(0)", Declaration::ClipPath(true)),
        ("clip-path:polygon(0 0, 0 0)", Declaration::ClipPath(true)),
        ("transform:translateX(-9999px)", Declaration::Transform(true)),
        ("transform:rotate(3deg) scale(0)", Declaration::Transform(true)),
        ("transform:translate(-50%,-50%)", Declaration::Transform(false)),
        ("filter:alpha(opacity=0)", Declaration::Opacity(0.0)),
        ("filter:opacity(5%)", Declaration::Opacity(0.05)),
    ] {
        assert_eq!(one(block), expected, "{block}");
    }
}

#[test]
fn backgrounds_are_colours_or_unknown() {
    let white = Background::Colour(Colour { rgb: [255; 3], alpha: 1.0 });
    assert_eq!(one("background:#fff"), Declaration::Background(white));
    assert_eq!(one("background: no-repeat rgb(255, 255, 255) center"), Declaration::Background(white));
    assert_eq!(one("background:url(a.png) #fff"), Declaration::Background(Background::Unknown));
    assert_eq!(one("background:none"), Declaration::Background(Background::Unset));
}
