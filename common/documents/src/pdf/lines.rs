//! Glyphs to lines: `direction and visibility -> rows -> pieces between wide gaps -> text with spaces`.

use std::collections::BTreeMap;

use super::glyphs::{Direction, PlacedGlyph, Upright};
use super::order::{self, Block};
use crate::document::{Hiding, Place, Position, Run, TextKind};

/// Distance of baselines of one row, in parts of the larger size: raised and lowered letters belong to it.
const ROW: f64 = 0.4;
/// Gap, in parts of the size, that is a space where none is written: half of the space of most fonts.
const SPACE: f64 = 0.16;
/// Gap that separates columns.
const COLUMN: f64 = 1.5;
/// Height above and below the baseline, in parts of the size.
const ASCENT: f64 = 0.8;
const DESCENT: f64 = 0.2;

/// A glyph in the upright frame.
struct Turned {
    glyph: PlacedGlyph,
    at: Upright,
}

/// Lines of a page: visible ones first; of each kind, those of the most common direction are not preferred, because
/// turned text is rare: directions follow in a fixed order.
pub(crate) fn lines(glyphs: Vec<PlacedGlyph>) -> Vec<Run> {
    let mut groups: BTreeMap<(Option<Hiding>, Direction), Vec<Turned>> = BTreeMap::new();
    for glyph in glyphs {
        let at = glyph.direction.upright(glyph.x, glyph.y);
        groups.entry((glyph.hiding, glyph.direction)).or_default().push(Turned { glyph, at });
    }
    groups.into_iter().flat_map(|((hiding, direction), glyphs)| of_group(glyphs, direction, hiding)).collect()
}

fn of_group(glyphs: Vec<Turned>, direction: Direction, hiding: Option<Hiding>) -> Vec<Run> {
    let pieces: Vec<Piece> = rows(glyphs).into_iter().flat_map(pieces).collect();
    let blocks: Vec<Block> = pieces.iter().map(Piece::block).collect();
    let order = order::reading_order(&blocks);
    order.into_iter().filter_map(|index| pieces.get(index)?.line(direction, hiding)).collect()
}

/// Glyphs with the same baseline, from left to right.
fn rows(mut glyphs: Vec<Turned>) -> Vec<Vec<Turned>> {
    glyphs.sort_by(|one, other| one.at.down.total_cmp(&other.at.down));
    let mut rows: Vec<Vec<Turned>> = Vec::new();
    for glyph in glyphs {
        match rows.last_mut() {
            Some(row) if row.last().is_some_and(|last| is_same_row(last, &glyph)) => row.push(glyph),
            _ => rows.push(vec![glyph]),
        }
    }
    for row in &mut rows {
        row.sort_by(|one, other| one.at.along.total_cmp(&other.at.along));
    }
    rows
}

fn is_same_row(one: &Turned, other: &Turned) -> bool {
    (other.at.down - one.at.down).abs() <= ROW * one.glyph.size.max(other.glyph.size)
}

/// Consecutive glyphs of a row without a wide gap.
#[derive(Default)]
struct Piece {
    glyphs: Vec<Turned>,
    /// Whether a space precedes each of them.
    spaced: Vec<bool>,
    from: f64,
    to: f64,
}

fn pieces(row: Vec<Turned>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut space = false;
    for glyph in row {
        if glyph.glyph.text.chars().all(char::is_whitespace) {
            space = true;
            continue;
        }
        let size = glyph.glyph.size;
        match pieces.last_mut() {
            Some(piece) if glyph.at.along - piece.to <= COLUMN * size => {
                let spaced = space || glyph.at.along - piece.to > SPACE * size;
                piece.push(glyph, spaced);
            }
            _ => {
                let mut piece = Piece { from: glyph.at.along, to: glyph.at.along, ..Piece::default() };
                piece.push(glyph, false);
                pieces.push(piece);
            }
        }
        space = false;
    }
    pieces
}

impl Piece {
    fn push(&mut self, glyph: Turned, spaced: bool) {
        self.to = self.to.max(glyph.at.along + glyph.glyph.advance);
        self.glyphs.push(glyph);
        self.spaced.push(spaced);
    }

    /// Rectangle in the upright frame.
    fn block(&self) -> Block {
        let tops = self.glyphs.iter().map(|glyph| glyph.at.down - ASCENT * glyph.glyph.size);
        let bottoms = self.glyphs.iter().map(|glyph| glyph.at.down + DESCENT * glyph.glyph.size);
        Block {
            left: self.from,
            right: self.to,
            top: tops.fold(f64::INFINITY, f64::min),
            bottom: bottoms.fold(f64::NEG_INFINITY, f64::max),
            letters: self.glyphs.len(),
        }
    }

    fn line(&self, direction: Direction, hiding: Option<Hiding>) -> Option<Run> {
        let size = self.glyphs.first()?.glyph.size as f32;
        let position = Position::Page { place: place(&self.block(), direction), size };
        Some(Run { text: self.text(), kind: TextKind::Content, position, hiding })
    }

    fn text(&self) -> String {
        let letters =
            self.glyphs.iter().zip(&self.spaced).map(|(glyph, spaced)| (glyph.glyph.text.as_str(), *spaced));
        if self.is_right_to_left() { right_to_left(letters.collect()) } else { joined(letters) }
    }

    fn is_right_to_left(&self) -> bool {
        let letters =
            || self.glyphs.iter().flat_map(|glyph| glyph.glyph.text.chars()).filter(|c| c.is_alphabetic());
        let turned = letters().filter(|letter| is_right_to_left(*letter)).count();
        turned * 2 > letters().count()
    }
}

fn joined<'a>(letters: impl Iterator<Item = (&'a str, bool)>) -> String {
    let mut text = String::new();
    for (letter, spaced) in letters {
        if spaced {
            text.push(' ');
        }
        text.push_str(letter);
    }
    text
}

/// Hebrew, Arabic and their neighbours.
const fn is_right_to_left(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}')
}

/// Text in the order in which it is read, of glyphs in the order in which they are seen: words from the right; letters
/// of other scripts and numbers in a word stay from left to right.
fn right_to_left(letters: Vec<(&str, bool)>) -> String {
    let mut words: Vec<Vec<&str>> = Vec::new();
    for (letter, spaced) in letters {
        match words.last_mut() {
            Some(word) if !spaced => word.push(letter),
            _ => words.push(vec![letter]),
        }
    }
    let words = words.into_iter().rev().map(|mut word| {
        if word.iter().any(|letter| letter.chars().any(is_right_to_left)) {
            word.reverse();
        }
        word.concat()
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The rectangle on the page.
fn place(block: &Block, direction: Direction) -> Place {
    let corners =
        [(block.left, block.top), (block.right, block.bottom)].map(|(along, down)| match direction {
            Direction::Right => (along, down),
            Direction::Down | Direction::Column => (-down, along),
            Direction::Left => (-along, -down),
            Direction::Up => (down, -along),
        });
    let [(x0, y0), (x1, y1)] = corners;
    Place {
        x: x0.min(x1) as f32,
        y: y0.min(y1) as f32,
        width: (x1 - x0).abs() as f32,
        height: (y1 - y0).abs() as f32,
    }
}

#[cfg(test)]
mod tests;
