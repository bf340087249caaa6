//! Which disguises count, what a text folds to, and the places of its matches in the text.

use super::*;
use crate::EntityType;

#[track_caller]
fn folds_to(text: &str, expected: &str) {
    let copy = folded(&Text::new(text.as_bytes()));
    assert_eq!(String::from_utf8_lossy(&copy), expected, "{text}");
}

#[test]
fn disguises_beside_ascii_are_folded() {
    folds_to("p\u{200b}ass\u{ad}word\u{feff}=\u{2060}x", "password=x");
    folds_to("pаsswоrd Вearer ΑKIA ｘ1 𝐚_", "password Bearer AKIA x1 a_");
    folds_to("ｐａｓｓｗｏｒｄ＝１２：", "password=12:");
    folds_to("𝗽𝗮𝘀𝘀𝗐𝗈𝗋𝖽𝟙𝟗", "password19");
    folds_to("\"password\"：x", "\"password\":x");
}

#[test]
fn words_of_one_script_stay() {
    for text in [
        "рассказ о токенах, пароль: а",
        "μία ώρα, ο κωδικός",
        "می\u{200c}خواهم",
        "👩\u{200d}👩\u{200d}👧 ❤\u{fe0f}\u{200d}🔥",
        "日本語：ＯＫです",
        "Größe – „x“",
    ] {
        // A sign goes with the letters that it touches.
        let expected = text.replace("：ＯＫ", ":OK");
        folds_to(text, &expected);
    }
}

#[test]
fn bytes_that_are_no_characters_stay() {
    for bytes in
        [&b"a\xe2\x80"[..], b"a\xd0", b"\xd0a\xb0", b"a\xf0\x9d\x90", b"\x80a\xbf", b"a\xe2a\x80\x8b"]
    {
        assert_eq!(folded(&Text::new(bytes)), bytes);
    }
}

#[test]
fn all_but_the_rarest_letters_are_looked_for() {
    let characters = || (0x80..=0x10_ffff).filter_map(char::from_u32);
    let disguises: Vec<char> = characters().filter(|character| Meaning::of(*character).is_some()).collect();
    let rare: String = disguises.iter().filter(|own| !triggers().any(|trigger| trigger == **own)).collect();
    assert_eq!(rare, "ϲϳϹѴѵҮүһӀӏԁԌԚԛԜԝ");
    assert!(disguises.len() > 800);
}

#[test]
fn what_is_found_is_moved_to_where_it_stands() {
    let text = "a\u{200b}b аc ｄ";
    let folded = folded(&Text::new(text.as_bytes()));
    assert_eq!(folded, "ab ac ｄ".as_bytes());
    let places = |start, end| Match { start, end, entity: EntityType::Jwt };
    let mut found = [places(0, 1), places(1, 2), places(3, 5)];
    unfold(&Text::new(text.as_bytes()), &mut found);
    assert_eq!(found, [places(0, 1), places(4, 5), places(6, 9)]);
    let mut whole = [places(0, folded.len())];
    unfold(&Text::new(text.as_bytes()), &mut whole);
    assert_eq!(whole, [places(0, text.len())]);
}

#[test]
fn a_mark_before_a_text_is_no_disguise() {
    let text = Text::new("\u{feff}{".as_bytes());
    assert!(is_byte_order_mark(&text, 0) && counts(&text, 0));
    assert!(!is_byte_order_mark(&Text::new(b"{"), 0));
}

#[test]
fn text_of_ascii_is_searched_once() {
    let finder = Finder::new(&crate::Policy::default()).unwrap();
    let pairs = (0..0x80_u8).flat_map(|one| (0..0x80_u8).flat_map(move |two| [one, two, b'a']));
    let pairs: Vec<u8> = pairs.collect();
    assert!(!Pass::new(&finder, &Text::new(&pairs), &mut Vec::new()).run());
    let disguised = [&pairs, "\u{430}aa".as_bytes()].concat();
    assert!(Pass::new(&finder, &Text::new(&disguised), &mut Vec::new()).run());
}
