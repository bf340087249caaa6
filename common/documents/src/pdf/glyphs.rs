//! Glyphs on a page.

use crate::document::Hiding;

/// Direction in which a text runs on the page, in quarter turns clockwise from left to right. Slanted text counts as
/// the nearest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Direction {
    #[default]
    Right,
    Down,
    Left,
    Up,
    /// Top to bottom with upright glyphs, columns from right to left.
    Column,
}

/// A glyph, in points from the upper left corner of the page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlacedGlyph {
    /// Its characters: several for a ligature.
    pub(crate) text: String,
    /// Start of its baseline.
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Distance to the start of the next glyph.
    pub(crate) advance: f64,
    /// Size of the font as shown.
    pub(crate) size: f64,
    pub(crate) direction: Direction,
    pub(crate) hiding: Option<Hiding>,
}

/// A position in the frame in which a text runs from left to right and lines follow from top to bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Upright {
    pub(crate) along: f64,
    pub(crate) down: f64,
}

impl Direction {
    /// Of a baseline with this vector, y pointing down.
    pub(crate) fn of(x: f64, y: f64) -> Self {
        match (x.abs() >= y.abs(), x >= 0.0, y >= 0.0) {
            (true, true, _) => Self::Right,
            (true, false, _) => Self::Left,
            (false, _, true) => Self::Down,
            (false, _, false) => Self::Up,
        }
    }

    /// Turns the page so that the text is upright.
    pub(crate) const fn upright(self, x: f64, y: f64) -> Upright {
        match self {
            Self::Right => Upright { along: x, down: y },
            Self::Down | Self::Column => Upright { along: y, down: -x },
            Self::Left => Upright { along: -x, down: -y },
            Self::Up => Upright { along: -y, down: x },
        }
    }
}
