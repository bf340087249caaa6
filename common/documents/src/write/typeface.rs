//! The embedded font: glyphs and widths of characters, and the part of it that a document embeds.

use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};
use subsetter::GlyphRemapper;

use super::WriteError;

/// DejaVu Sans for Latin, Greek, Cyrillic, Armenian and Georgian with common signs; see `font/NOTICE.md`.
const FONT: &[u8] = include_bytes!("../../font/DejaVuSans-subset.ttf");
/// Characters up to this one may have a glyph.
const LAST: u32 = 0xffff;

/// A character with its glyph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Letter {
    pub(super) character: char,
    pub(super) glyph: u16,
    /// Units of the font.
    pub(super) width: u16,
}

/// Measures of the font in its units.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measures {
    pub(super) units_per_em: f32,
    pub(super) ascent: f32,
    pub(super) descent: f32,
    /// Left, lower, right and upper edge of all glyphs.
    pub(super) bounds: [f32; 4],
}

/// The font.
pub(super) struct Typeface {
    /// Glyph and width by character; glyph 0 is none.
    glyphs: Vec<(u16, u16)>,
    /// Widths by glyph.
    widths: Vec<u16>,
    measures: Measures,
    space: Letter,
}

impl Typeface {
    pub(super) fn load() -> Result<Self, WriteError> {
        let font = FontRef::new(FONT).map_err(|_| WriteError::Font)?;
        let measured = font.glyph_metrics(Size::unscaled(), LocationRef::default());
        let width = |glyph| measured.advance_width(glyph).map_or(0, |width| width as u16);
        let widths = (0..measured.glyph_count()).map(|glyph| width(glyph.into())).collect();
        let mut glyphs = vec![(0, 0); LAST as usize + 1];
        for (character, glyph) in font.charmap().mappings() {
            let glyph16 = u16::try_from(glyph.to_u32()).map_err(|_| WriteError::Font)?;
            if let Some(entry) = glyphs.get_mut(character as usize) {
                *entry = (glyph16, width(glyph));
            }
        }
        let mut face = Self {
            glyphs,
            widths,
            measures: measures(&font),
            space: Letter { character: ' ', glyph: 0, width: 0 },
        };
        face.space = face.letter(' ').ok_or(WriteError::Font)?;
        Ok(face)
    }

    /// The glyph of a character, if the font has it.
    pub(super) fn letter(&self, character: char) -> Option<Letter> {
        let (glyph, width) = *self.glyphs.get(character as usize)?;
        (glyph != 0).then_some(Letter { character, glyph, width })
    }

    pub(super) const fn space(&self) -> Letter {
        self.space
    }

    pub(super) const fn measures(&self) -> Measures {
        self.measures
    }

    pub(super) fn width(&self, glyph: u16) -> u16 {
        self.widths.get(usize::from(glyph)).copied().unwrap_or_default()
    }

    /// A font of these glyphs alone, with the licence in its table of names.
    pub(super) fn part(&self, glyphs: &GlyphRemapper) -> Result<Vec<u8>, WriteError> {
        subsetter::subset(FONT, 0, glyphs).map_err(|_| WriteError::Font)
    }
}

fn measures(font: &FontRef<'_>) -> Measures {
    let measured = font.metrics(Size::unscaled(), LocationRef::default());
    let bounds = measured.bounds.unwrap_or_default();
    Measures {
        units_per_em: f32::from(measured.units_per_em),
        ascent: measured.ascent,
        descent: measured.descent,
        bounds: [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max],
    }
}
