//! Draws a page: glyphs are collected with the way in which they are hidden, shapes and images go to the canvas.

use std::collections::HashSet;

use hayro_interpret::font::{Glyph, GlyphRun, PositionedGlyph};
use hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro_interpret::hayro_syntax::object::{Dict, String as PdfString};
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{BezPath, Point, Rect, Shape, Vec2};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, FillRule, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, Paint, SoftMask, TransformExt, interpret_page,
};

use super::canvas::{Canvas, Ink};
use super::glyphs::{Direction, PlacedGlyph};
use super::strings;
use crate::document::{FAINT, Hiding, MOST_TEXT_BYTES, SAME_COLOUR};

/// Opacity above which a shape hides what is below it.
const OPAQUE: f32 = 0.9;
/// Height in points below which a text cannot be read, and width of the em.
const LEAST_HEIGHT: f64 = 2.0;
const LEAST_WIDTH: f64 = 1.0;
/// Distance, in parts of the size, of two equal letters that are one drawn twice, for example to look bold: less than
/// twice this, and much less than the narrowest letter.
const TWICE: f64 = 0.05;
/// Coordinates are kept within this distance of the origin: a page has at most 14,400 points.
const FARTHEST: f64 = 1e6;
/// Units of the em in a glyph's own coordinates.
const EM: f64 = 1000.0;

/// A page that was drawn.
pub(crate) struct Drawn {
    pub(crate) glyphs: Vec<PlacedGlyph>,
    /// Bytes of all text.
    pub(crate) bytes: usize,
    /// Texts that replace or describe parts of the content.
    pub(crate) alternatives: Vec<String>,
    /// Rest of the canvas's budget.
    pub(crate) cells: usize,
}

/// Draws a page and its annotations.
pub(crate) fn draw<'a>(page: &Page<'a>, cache: &InterpreterCache<'a>, cells: usize) -> Drawn {
    let (width, height) = page.render_dimensions();
    let sheet = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let transform = page.initial_transform(true).to_kurbo();
    let settings = InterpreterSettings::default();
    let mut context = Context::new(transform, sheet, cache, page.xref(), settings);
    let mut artist = Artist {
        sheet,
        canvas: Canvas::new(sheet, cells),
        clips: Vec::new(),
        opacities: Vec::new(),
        glyphs: Vec::new(),
        seen: HashSet::new(),
        bytes: 0,
        alternatives: Vec::new(),
    };
    interpret_page(page, &mut context, &mut artist);
    artist.finish()
}

struct Artist {
    sheet: Rect,
    canvas: Canvas,
    /// Bounding boxes of the clip paths in force, each within the one before.
    clips: Vec<Rect>,
    opacities: Vec<f32>,
    /// With the middle of each glyph and the time at which it was drawn.
    glyphs: Vec<(PlacedGlyph, Point, u32)>,
    /// First letter, place and visibility of each glyph.
    seen: HashSet<(char, i64, i64, bool)>,
    bytes: usize,
    alternatives: Vec<String>,
}

impl Artist {
    fn finish(self) -> Drawn {
        let Self { canvas, glyphs, bytes, alternatives, .. } = self;
        let glyphs = glyphs.into_iter().map(|(mut glyph, middle, drawn)| {
            if glyph.hiding.is_none() && canvas.at(middle).1 > drawn {
                glyph.hiding = Some(Hiding::Covered);
            }
            glyph
        });
        Drawn { glyphs: glyphs.collect(), bytes, alternatives, cells: canvas.left() }
    }

    fn clip(&self) -> Rect {
        self.clips.last().copied().unwrap_or(self.sheet)
    }

    fn opacity(&self) -> f32 {
        self.opacities.last().copied().unwrap_or(1.0)
    }

    /// Colour of a paint and its opacity.
    fn ink(&self, paint: &Paint<'_>) -> (Ink, f32) {
        match paint {
            Paint::Color(colour) => {
                let [red, green, blue, alpha] = colour.to_rgba().to_rgba8();
                (Ink::Plain([red, green, blue]), f32::from(alpha) / 255.0 * self.opacity())
            }
            Paint::Pattern(_) => (Ink::Mixed, self.opacity()),
        }
    }

    fn draw_glyph(
        &mut self,
        glyph: &PositionedGlyph<'_>,
        column: bool,
        props: &DrawProps<'_>,
        mode: &DrawMode,
        now: u32,
    ) {
        if self.bytes > MOST_TEXT_BYTES {
            return;
        }
        let text = characters(glyph);
        let transform = props.transform * glyph.transform();
        let advance = advance(glyph).unwrap_or(EM / 2.0);
        let place = |x, y| kept(transform * Point::new(x, y));
        let (start, end, middle) = (place(0.0, 0.0), place(advance, 0.0), place(advance / 2.0, EM * 0.3));
        let (across, up) = (place(EM, 0.0) - start, place(0.0, EM) - start);
        let mut placed = PlacedGlyph {
            text,
            x: start.x,
            y: start.y,
            advance: (end - start).hypot(),
            size: up.hypot(),
            direction: if column { Direction::Column } else { Direction::of(across.x, across.y) },
            hiding: None,
        };
        placed.hiding = self.hiding(&placed, across, middle, props, mode);
        if self.is_seen(&placed) {
            return;
        }
        self.bytes += placed.text.len();
        self.glyphs.push((placed, middle, now));
    }

    fn hiding(
        &self,
        glyph: &PlacedGlyph,
        across: Vec2,
        middle: Point,
        props: &DrawProps<'_>,
        mode: &DrawMode,
    ) -> Option<Hiding> {
        if matches!(mode, DrawMode::Invisible) {
            return Some(Hiding::RenderMode);
        }
        let (ink, opacity) = self.ink(&props.paint);
        if opacity < FAINT {
            return Some(Hiding::Transparent);
        }
        if glyph.size < LEAST_HEIGHT || across.hypot() < LEAST_WIDTH {
            return Some(Hiding::Tiny);
        }
        if !self.sheet.contains(middle) {
            return Some(Hiding::OffPage);
        }
        if !self.clip().contains(middle) {
            return Some(Hiding::Clipped);
        }
        let (behind, _) = self.canvas.at(middle);
        is_same(ink, behind).then_some(Hiding::BackgroundColour)
    }

    /// Whether the same letter is at the same place already: text filled and outlined, or drawn twice.
    fn is_seen(&mut self, glyph: &PlacedGlyph) -> bool {
        let Some(first) = glyph.text.chars().next() else { return true };
        let cell = (glyph.size * TWICE).max(0.01);
        let (column, row) = ((glyph.x / cell).round() as i64, (glyph.y / cell).round() as i64);
        let is_hidden = glyph.hiding.is_some();
        let mut near = (-1..=1).flat_map(|x| (-1..=1).map(move |y| (column + x, row + y)));
        if near.any(|(column, row)| self.seen.contains(&(first, column, row, is_hidden))) {
            return true;
        }
        self.seen.insert((first, column, row, is_hidden));
        false
    }

    fn is_opaque(&self, opacity: f32, mask: Option<&SoftMask<'_>>, blend: BlendMode) -> bool {
        opacity >= OPAQUE && mask.is_none() && blend == BlendMode::Normal
    }
}

impl<'a> Device<'a> for Artist {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        let (ink, opacity) = self.ink(&props.paint);
        if !self.is_opaque(opacity, props.soft_mask.as_ref(), props.blend_mode) {
            return;
        }
        match mode {
            DrawMode::Fill(rule) | DrawMode::FillAndStroke(rule, _) => {
                let path = props.transform * path.clone();
                self.canvas.paint_path(&path, self.clip(), matches!(rule, FillRule::EvenOdd), ink);
            }
            DrawMode::Stroke(stroke) => {
                let bounds = path.bounding_box();
                // Thick straight lines cover as bars do.
                if bounds.width().min(bounds.height()) < 0.5 {
                    let half = f64::from(stroke.line_width) / 2.0;
                    let bar = props.transform.transform_rect_bbox(bounds.inflate(half, half));
                    self.canvas.paint_rect(bar.intersect(self.clip()), ink);
                }
            }
            DrawMode::Invisible => {}
        }
    }

    fn push_clip_path(&mut self, path: &ClipPath) {
        let clip = self.clip().intersect(path.path.bounding_box());
        self.clips.push(clip);
    }

    fn push_transparency_group(&mut self, opacity: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.opacities.push(self.opacity() * opacity);
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        let now = self.canvas.tick();
        let column = matches!(run.writing_mode(), WritingMode::Vertical);
        for glyph in run.glyphs() {
            self.draw_glyph(glyph, column, &props, mode, now);
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        let Image::Raster(raster) = &image else { return };
        let stream = raster.stream();
        let is_cut =
            [&b"SMask"[..], b"Mask", b"SMaskInData"].iter().any(|key| stream.dict().contains_key(key));
        if is_cut || !self.is_opaque(self.opacity(), props.soft_mask.as_ref(), props.blend_mode) {
            return;
        }
        let own = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        let bounds = props.transform.transform_rect_bbox(own);
        self.canvas.paint_rect(bounds.intersect(self.clip()), Ink::Mixed);
    }

    fn pop_clip(&mut self) {
        self.clips.pop();
    }

    fn pop_transparency_group(&mut self) {
        self.opacities.pop();
    }

    fn begin_marked_content(&mut self, _: &[u8], properties: Option<&Dict<'_>>) {
        let Some(properties) = properties else { return };
        for key in [&b"ActualText"[..], b"Alt", b"E"] {
            let Some(text) = properties.get::<PdfString<'_>>(key) else { continue };
            let text = strings::text(text.as_bytes());
            self.bytes += text.len();
            if self.bytes <= MOST_TEXT_BYTES {
                self.alternatives.push(text);
            }
        }
    }
}

/// Characters of a glyph; U+FFFD where the font does not say.
fn characters(glyph: &Glyph<'_>) -> String {
    match glyph.as_unicode() {
        Some(BfString::Char(character)) => character.to_string(),
        Some(BfString::String(text)) if !text.is_empty() => text,
        _ => char::REPLACEMENT_CHARACTER.to_string(),
    }
}

/// Width of a glyph in its own coordinates.
fn advance(glyph: &Glyph<'_>) -> Option<f64> {
    let advance = match glyph {
        Glyph::Outline(outline) => outline.advance_width(),
        Glyph::Type3(glyph) => glyph.advance_width(),
    };
    advance.map(f64::from).filter(|advance| advance.is_finite() && *advance >= 0.0)
}

/// A point that is one: text with impossible places is off the page, but read.
fn kept(point: Point) -> Point {
    let keep = |value: f64| if value.is_finite() { value.clamp(-FARTHEST, FARTHEST) } else { -FARTHEST };
    Point::new(keep(point.x), keep(point.y))
}

fn is_same(ink: Ink, behind: Ink) -> bool {
    let (Ink::Plain(ink), Ink::Plain(behind)) = (ink, behind) else { return false };
    ink.iter().zip(behind).all(|(one, other)| one.abs_diff(other) <= SAME_COLOUR)
}
