//! Style of an element, as far as it decides whether its text is seen: a bounded cascade of the page's own style sheets.
//!
//! Style sheets of other files, scripts, sibling and state selectors are not applied. They can make hidden text visible and visible
//! text hidden, which no reader without a browser can know; the text is read in either case.

use super::colour::{Colour, parse_attribute};
use super::css::{Background, Declaration, Declared, FAR, Length, declarations};
use super::names::UNRENDERED;
use super::sheet::Sheet;
use super::tree::{Element, Name, Tree};
use crate::document::{FAINT, Hiding, SAME_COLOUR};

/// Size in pixels below which a text cannot be read.
const LEAST_SIZE: f32 = 2.0;
/// Size of text without a style, in pixels.
const DEFAULT_SIZE: f32 = 16.0;
/// Extent in pixels up to which a box that hides what exceeds it shows nothing.
const LEAST_BOX: f32 = 1.0;

/// Style that is inherited, and the reason that hides the content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Style {
    /// Reason that no descendant can undo.
    removed: Option<Hiding>,
    is_drawn: bool,
    /// Font size in pixels.
    size: f32,
    colour: Colour,
    /// Colour of the letters if it differs from `colour`.
    fill: Option<Colour>,
    /// Colour behind it; `None` if it is an image.
    background: Option<[u8; 3]>,
    opacity: f32,
    is_indented_away: bool,
    /// Anchors of the element and its ancestors, as a set.
    anchors: u128,
}

impl Style {
    /// Black on white.
    pub(super) const fn initial() -> Self {
        Self {
            removed: None,
            is_drawn: true,
            size: DEFAULT_SIZE,
            colour: Colour { rgb: [0; 3], alpha: 1.0 },
            fill: None,
            background: Some([255; 3]),
            opacity: 1.0,
            is_indented_away: false,
            anchors: 0,
        }
    }

    /// Reason that hides text in the element.
    pub(super) fn hiding(&self) -> Option<Hiding> {
        if self.removed.is_some() {
            return self.removed;
        }
        if !self.is_drawn {
            return Some(Hiding::Visibility);
        }
        if self.is_indented_away {
            return Some(Hiding::OffPage);
        }
        if self.size < LEAST_SIZE {
            return Some(Hiding::Tiny);
        }
        let ink = self.fill.unwrap_or(self.colour);
        if ink.alpha * self.opacity < FAINT {
            return Some(Hiding::Transparent);
        }
        let behind = self.background?;
        let seen = ink.over(behind);
        let is_same = seen.iter().zip(behind).all(|(one, other)| one.abs_diff(other) <= SAME_COLOUR);
        is_same.then_some(Hiding::BackgroundColour)
    }
}

/// Declarations of one element that are judged together.
#[derive(Default)]
struct Own {
    is_displayed: Option<bool>,
    is_drawn: Option<bool>,
    opacity: Option<f32>,
    size: Option<Length>,
    colour: Option<Colour>,
    fill: Option<Colour>,
    background: Option<Background>,
    is_background_text: bool,
    is_placed: bool,
    left: Option<Length>,
    top: Option<Length>,
    right: Option<Length>,
    bottom: Option<Length>,
    indent: Option<Length>,
    margins: [Option<Length>; 2],
    is_clipped: bool,
    is_path_empty: bool,
    /// Width, height and their greatest values.
    extents: [Option<Length>; 4],
    cuts: bool,
    moves_away: bool,
}

impl Own {
    fn apply(&mut self, declared: &Declared) {
        match declared.declaration {
            Declaration::Display(shown) => self.is_displayed = Some(shown),
            Declaration::Visibility(drawn) => self.is_drawn = drawn,
            Declaration::Opacity(opacity) => self.opacity = Some(opacity.clamp(0.0, 1.0)),
            Declaration::FontSize(size) => self.size = size,
            Declaration::Colour(colour) => self.colour = colour,
            Declaration::Fill(fill) => self.fill = fill,
            Declaration::Background(background) => self.background = Some(background),
            Declaration::BackgroundInText(is_text) => self.is_background_text = is_text,
            Declaration::Placed(placed) => self.is_placed = placed,
            Declaration::Left(length) => self.left = length,
            Declaration::Top(length) => self.top = length,
            Declaration::Right(length) => self.right = length,
            Declaration::Bottom(length) => self.bottom = length,
            Declaration::Indent(length) => self.indent = length,
            Declaration::MarginLeft(length) => self.margins[0] = length,
            Declaration::MarginTop(length) => self.margins[1] = length,
            Declaration::Clip(clipped) => self.is_clipped = clipped,
            Declaration::ClipPath(empty) => self.is_path_empty = empty,
            Declaration::Width(length) => self.extents[0] = length,
            Declaration::Height(length) => self.extents[1] = length,
            Declaration::MostWidth(length) => self.extents[2] = length,
            Declaration::MostHeight(length) => self.extents[3] = length,
            Declaration::Overflow(cuts) => self.cuts = cuts,
            Declaration::Transform(away) => self.moves_away = away,
        }
    }

    /// Attributes that are style: the weakest, since every rule overrides them.
    fn of_attributes(tree: &Tree, node: u32, element: &Element) -> Self {
        let mut own = Self::default();
        if tree.attribute(node, "hidden").is_some() {
            own.is_displayed = Some(false);
        }
        let colour = |name: &str| tree.attribute(node, name).and_then(parse_attribute);
        own.background = colour("bgcolor").map(Background::Colour);
        if element.name == Name::new(b"font") {
            own.colour = colour("color");
        } else if element.name == Name::new(b"body") {
            own.colour = colour("text");
        }
        if tree.attribute(node, "background").is_some() {
            own.background = Some(Background::Unknown);
        }
        own
    }

    fn outside(&self, size: f32) -> bool {
        let pixels = |length: Option<Length>| length.map_or(0.0, |length| in_pixels(length, size));
        let is_out = |length| pixels(length) <= -FAR;
        let is_beyond = |length| pixels(length) >= 4.0 * FAR;
        let sides = [self.left, self.top, self.right, self.bottom];
        (self.is_placed && sides.into_iter().any(|side| is_out(side) || is_beyond(side)))
            || self.margins.into_iter().any(is_out)
            || self.moves_away
    }

    /// Whether the box is too small to show content, which it cuts.
    fn is_closed(&self, size: f32) -> bool {
        let is_small = |length: &Length| {
            !matches!(length, Length::Percent(part) if *part > 0.0) && in_pixels(*length, size) <= LEAST_BOX
        };
        self.is_path_empty
            || (self.is_clipped && self.is_placed)
            || (self.cuts && self.extents.iter().flatten().any(is_small))
    }
}

fn in_pixels(length: Length, size: f32) -> f32 {
    match length {
        Length::Pixels(value) => value,
        Length::Em(value) => value * size,
        Length::Rem(value) => value * DEFAULT_SIZE,
        // Of the width of the screen, which is near enough for places outside of it.
        Length::Percent(value) => value / 100.0 * super::css::VIEWPORT.0,
    }
}

/// Style of an element within a parent.
pub(super) fn style(tree: &Tree, sheet: &mut Sheet, node: u32, element: &Element, parent: &Style) -> Style {
    let mut own = Own::of_attributes(tree, node, element);
    let mut style = *parent;
    let mut inline = Vec::new();
    if let Some(text) = tree.attribute(node, "style") {
        declarations(text, &mut |declared| inline.push(declared));
    }
    sheet.declarations_of(tree, node, &mut style.anchors, &inline, &mut |declared| own.apply(declared));
    style.size = match own.size {
        Some(Length::Pixels(size)) => size,
        Some(Length::Em(times)) => parent.size * times,
        Some(Length::Rem(times)) => DEFAULT_SIZE * times,
        Some(Length::Percent(part)) => parent.size * part / 100.0,
        None => parent.size,
    };
    style.is_drawn = own.is_drawn.unwrap_or(parent.is_drawn);
    style.opacity *= own.opacity.unwrap_or(1.0);
    style.colour = own.colour.unwrap_or(parent.colour);
    style.fill = own.fill.or_else(|| parent.fill.filter(|_| own.colour.is_none()));
    style.background = match own.background {
        Some(Background::Colour(colour)) if colour.alpha >= 1.0 => Some(colour.rgb),
        Some(Background::Colour(colour)) => parent.background.map(|behind| colour.over(behind)),
        Some(Background::Unknown) => None,
        Some(Background::Unset) | None => parent.background,
    };
    if own.is_background_text {
        // The background is the colour of the letters, which are transparent for this reason.
        style.colour = Style::initial().colour;
        style.fill = None;
        style.background = None;
    }
    if let Some(indent) = own.indent {
        // An indent of the whole width moves the text out of a box that cuts it.
        let is_cut = own.cuts && matches!(indent, Length::Percent(part) if part >= 100.0);
        style.is_indented_away = is_cut || in_pixels(indent, style.size) <= -FAR;
    }
    if style.removed.is_none() {
        style.removed = removal(tree, node, element, &own, style.size);
    }
    style
}

fn removal(tree: &Tree, node: u32, element: &Element, own: &Own, size: f32) -> Option<Hiding> {
    if is_unrendered(tree, node, element) {
        return Some(Hiding::NotRendered);
    }
    let is_closed_dialog = element.name == Name::new(b"dialog") && tree.attribute(node, "open").is_none();
    if !own.is_displayed.unwrap_or(!is_closed_dialog) {
        return Some(Hiding::Display);
    }
    if own.opacity.is_some_and(|opacity| opacity < FAINT) {
        return Some(Hiding::Transparent);
    }
    if own.outside(size) {
        return Some(Hiding::OffPage);
    }
    own.is_closed(size).then_some(Hiding::Clipped)
}

fn is_unrendered(tree: &Tree, node: u32, element: &Element) -> bool {
    if element.is_foreign {
        const NAMES: [Name; 4] =
            [Name::new(b"defs"), Name::new(b"metadata"), Name::new(b"symbol"), Name::new(b"desc")];
        return NAMES.contains(&element.name);
    }
    // A template with this attribute is rendered in the place of its parent's content.
    let is_shadow =
        element.name == Name::new(b"template") && tree.attribute(node, "shadowrootmode").is_some();
    element.flags & UNRENDERED != 0 && !is_shadow
}
