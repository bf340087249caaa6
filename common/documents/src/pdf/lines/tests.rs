//! Lines and their order, of glyphs placed by hand.

use proptest::prelude::*;

use super::*;

/// Glyphs of half an em.
fn word(text: &str, x: f64, y: f64) -> Vec<PlacedGlyph> {
    let glyph = |(index, letter): (usize, char)| PlacedGlyph {
        text: letter.to_string(),
        x: x + index as f64 * 5.0,
        y,
        advance: 5.0,
        size: 10.0,
        direction: Direction::Right,
        hiding: None,
    };
    text.chars().enumerate().map(glyph).collect()
}

fn read(words: &[(&str, f64, f64)]) -> Vec<String> {
    let glyphs = words.iter().flat_map(|(text, x, y)| word(text, *x, *y)).collect();
    lines(glyphs).into_iter().map(|line| line.text).collect()
}

#[test]
fn gaps_become_spaces_and_wide_gaps_separate() {
    assert_eq!(read(&[("over", 0.0, 10.0), ("write", 22.0, 10.0)]), ["over write"]);
    assert_eq!(read(&[("over", 0.0, 10.0), ("write", 20.5, 10.0)]), ["overwrite"]);
    assert_eq!(read(&[("over   write", 0.0, 10.0)]), ["over write"]);
    assert_eq!(read(&[("left", 0.0, 10.0), ("right", 100.0, 10.0)]), ["left", "right"]);
}

#[test]
fn raised_letters_stay_in_their_line() {
    assert_eq!(read(&[("E=mc", 0.0, 10.0), ("2", 20.0, 6.5), ("next", 0.0, 22.0)]), ["E=mc2", "next"]);
}

#[test]
fn letters_in_any_order_of_drawing_read_as_seen() {
    let mut glyphs = word("ignore", 0.0, 10.0);
    glyphs.extend(word("all", 35.0, 10.0));
    glyphs.reverse();
    assert_eq!(lines(glyphs)[0].text, "ignore all");
}

const LONG: &str = "some words of a column";

#[test]
fn columns_of_prose_are_read_one_after_the_other() {
    let mut words = vec![("A title over both columns that is long enough to span", 0.0, 0.0)];
    for row in 0..4 {
        words.push((LONG, 0.0, 30.0 + f64::from(row) * 12.0));
        words.push((
            if row == 0 { "second column, its top" } else { LONG },
            200.0,
            30.0 + f64::from(row) * 12.0,
        ));
    }
    let read = read(&words);
    assert_eq!(read[0], words[0].0);
    assert_eq!(read[1..5], [LONG; 4]);
    assert_eq!(read[5], "second column, its top");
}

#[test]
fn tables_are_read_row_by_row() {
    let words: Vec<(&str, f64, f64)> = ["Name", "Alice", "Age", "30", "City", "Bern", "Zip", "3000"]
        .into_iter()
        .enumerate()
        .map(|(index, text)| (text, (index % 2) as f64 * 100.0, (index / 2) as f64 * 12.0))
        .collect();
    assert_eq!(read(&words), ["Name", "Alice", "Age", "30", "City", "Bern", "Zip", "3000"]);
}

#[test]
fn turned_text_is_read_along_its_baseline() {
    for (direction, x, y) in
        [(Direction::Down, 0.0, 1.0), (Direction::Left, -1.0, 0.0), (Direction::Up, 0.0, -1.0)]
    {
        let mut glyphs = word("turned text", 0.0, 0.0);
        for (index, glyph) in glyphs.iter_mut().enumerate() {
            let along = index as f64 * 5.0;
            (glyph.x, glyph.y, glyph.direction) = (100.0 + along * x, 100.0 + along * y, direction);
        }
        let lines = lines(glyphs);
        assert_eq!(lines[0].text, "turned text", "{direction:?}");
        let (place, _) = lines[0].area().unwrap();
        assert!(place.width.max(place.height) > 50.0 && place.x >= 30.0 && place.y >= 30.0, "{place:?}");
    }
}

#[test]
fn hebrew_is_read_from_the_right() {
    // Drawn from left to right as it is seen: the last letter first.
    assert_eq!(read(&[("םלוע", 0.0, 10.0), ("םולש", 25.0, 10.0)]), ["שלום עולם"]);
    assert_eq!(read(&[("2026", 0.0, 10.0), ("תנש", 25.0, 10.0)]), ["שנת 2026"]);
}

#[test]
fn hidden_lines_follow_visible_ones() {
    let mut glyphs = word("hidden", 0.0, 0.0);
    for glyph in &mut glyphs {
        glyph.hiding = Some(Hiding::Tiny);
    }
    glyphs.extend(word("seen", 0.0, 50.0));
    let lines = lines(glyphs);
    assert_eq!((lines[0].text.as_str(), lines[0].hiding), ("seen", None));
    assert_eq!((lines[1].text.as_str(), lines[1].hiding), ("hidden", Some(Hiding::Tiny)));
}

proptest! {
    #[test]
    fn no_letter_is_lost(places in prop::collection::vec((-1e6..1e6_f64, -1e6..1e6_f64, 0.0..100.0_f64), 0..200)) {
        let glyphs: Vec<PlacedGlyph> = places
            .iter()
            .map(|(x, y, size)| PlacedGlyph {
                text: "x".to_owned(),
                x: *x,
                y: *y,
                advance: size / 2.0,
                size: *size,
                direction: Direction::of(*x, *y),
                hiding: None,
            })
            .collect();
        let letters: usize = lines(glyphs).iter().map(|line| line.text.matches('x').count()).sum();
        prop_assert_eq!(letters, places.len());
    }
}
