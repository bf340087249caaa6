//! Declarations of style sheets that decide whether text is seen. Everything else is skipped.
//!
//! Read after CSS Syntax Module Level 3, without nested rules: comments, strings, escapes and brackets are respected, so that a
//! declaration that a browser applies is not missed because of its notation.

use std::borrow::Cow;

use super::colour::{self, Colour};

/// Declarations of one block at most. Real blocks have fewer than a hundred.
const MOST_DECLARATIONS: usize = 1_000;
/// Viewport that relative lengths refer to, in pixels.
pub(super) const VIEWPORT: (f32, f32) = (1280.0, 800.0);

/// A length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Length {
    Pixels(f32),
    /// In parts of the font size of the element, or of its parent for a font size.
    Em(f32),
    Rem(f32),
    Percent(f32),
}

/// Property with its value, as far as it matters. `Option::None` in a value stands for the initial or inherited value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Declaration {
    /// Whether the element is displayed.
    Display(bool),
    /// Whether it is drawn.
    Visibility(Option<bool>),
    Opacity(f32),
    FontSize(Option<Length>),
    Colour(Option<Colour>),
    /// Colour of the letters in place of `color`.
    Fill(Option<Colour>),
    /// A colour, or `Unknown` for an image.
    Background(Background),
    /// Whether the background is drawn in the form of the text.
    BackgroundInText(bool),
    /// Whether the element is placed apart from its neighbours.
    Placed(bool),
    Left(Option<Length>),
    Top(Option<Length>),
    Right(Option<Length>),
    Bottom(Option<Length>),
    Indent(Option<Length>),
    MarginLeft(Option<Length>),
    MarginTop(Option<Length>),
    /// Whether it is cut to nothing.
    Clip(bool),
    ClipPath(bool),
    Width(Option<Length>),
    Height(Option<Length>),
    MostWidth(Option<Length>),
    MostHeight(Option<Length>),
    /// Whether content beyond the box is hidden.
    Overflow(bool),
    /// Whether it is scaled to nothing or moved away.
    Transform(bool),
}

/// Background of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Background {
    Colour(Colour),
    /// An image or gradient.
    Unknown,
    /// None of its own.
    Unset,
}

/// A declaration with its rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Declared {
    pub(super) declaration: Declaration,
    pub(super) is_important: bool,
}

/// Declarations of a block or of a `style` attribute.
pub(super) fn declarations(block: &str, keep: &mut impl FnMut(Declared)) {
    let block = without_comments(block);
    for text in Pieces::new(&block, b';').take(MOST_DECLARATIONS) {
        let Some((property, value)) = text.split_once(':') else { continue };
        let property = lower(plain(property.trim()));
        let value = lower(plain(value.trim()));
        let (value, is_important) = match value.rsplit_once('!') {
            Some((value, rank)) if rank.trim() == "important" => (value.trim_end(), true),
            _ => (value.as_ref(), false),
        };
        if let Some(declaration) = declaration(&property, value) {
            keep(Declared { declaration, is_important });
        }
    }
}

/// In lower case; most style sheets are already.
fn lower(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        text
    }
}

fn declaration(property: &str, value: &str) -> Option<Declaration> {
    // A value that is computed from variables is unknown, and then the declaration is as if absent.
    if value.is_empty() || value.contains("var(") {
        return None;
    }
    Some(match property {
        "display" => Declaration::Display(!value.split_ascii_whitespace().any(|word| word == "none")),
        "mso-hide" => Declaration::Display(value != "all"),
        "content-visibility" => Declaration::Display(value != "hidden"),
        "visibility" => Declaration::Visibility(match value {
            "visible" | "initial" => Some(true),
            "hidden" | "collapse" => Some(false),
            _ => None,
        }),
        "opacity" => Declaration::Opacity(fraction(value)?),
        "filter" => Declaration::Opacity(filter_opacity(value)?),
        "font-size" => Declaration::FontSize(font_size(value)),
        "font" => Declaration::FontSize(
            Pieces::new(value, b' ').find_map(|word| font_size(word.split('/').next().unwrap_or_default())),
        ),
        "color" => Declaration::Colour(colour::parse(value)),
        "-webkit-text-fill-color" => Declaration::Fill(colour::parse(value)),
        "background-color" => Declaration::Background(background_colour(value)),
        "background-image" if value != "none" => Declaration::Background(Background::Unknown),
        "background" => Declaration::Background(background(value)),
        "background-clip" | "-webkit-background-clip" => Declaration::BackgroundInText(value == "text"),
        "position" => Declaration::Placed(matches!(value, "absolute" | "fixed" | "relative" | "sticky")),
        "left" | "inset-inline-start" => Declaration::Left(length(value)),
        "top" | "inset-block-start" => Declaration::Top(length(value)),
        "right" | "inset-inline-end" => Declaration::Right(length(value)),
        "bottom" | "inset-block-end" => Declaration::Bottom(length(value)),
        "inset" => Declaration::Top(length(value.split_ascii_whitespace().next()?)),
        "text-indent" => Declaration::Indent(length(value.split_ascii_whitespace().next()?)),
        "margin-left" | "margin-inline-start" => Declaration::MarginLeft(length(value)),
        "margin-top" | "margin-block-start" => Declaration::MarginTop(length(value)),
        "clip" => Declaration::Clip(is_clipped_away(value)),
        "clip-path" | "-webkit-clip-path" => Declaration::ClipPath(is_path_empty(value)),
        "width" | "inline-size" => Declaration::Width(length(value)),
        "height" | "block-size" => Declaration::Height(length(value)),
        "max-width" | "max-inline-size" => Declaration::MostWidth(length(value)),
        "max-height" | "max-block-size" => Declaration::MostHeight(length(value)),
        "overflow" | "overflow-x" | "overflow-y" => Declaration::Overflow(
            value.split_ascii_whitespace().any(|word| matches!(word, "hidden" | "clip")),
        ),
        "transform" | "-webkit-transform" => Declaration::Transform(moves_away(value)),
        "scale" => {
            Declaration::Transform(value.split_ascii_whitespace().any(|part| fraction(part) == Some(0.0)))
        }
        "translate" => Declaration::Transform(value.split_ascii_whitespace().any(is_far)),
        _ => return None,
    })
}

/// Distance in pixels beyond which content is outside of every screen. Honest layouts move parts by less.
pub(super) const FAR: f32 = 900.0;

fn is_far(text: &str) -> bool {
    match length(text) {
        Some(Length::Pixels(value)) => value.abs() >= FAR,
        Some(Length::Em(value) | Length::Rem(value)) => value.abs() >= FAR / 16.0,
        Some(Length::Percent(value)) => value.abs() >= 500.0,
        None => false,
    }
}

/// Scaled to nothing, or translated beyond the screen.
fn moves_away(value: &str) -> bool {
    value.split(')').any(|function| {
        let Some((name, arguments)) = function.split_once('(') else { return false };
        let mut arguments = arguments.split(',').map(str::trim);
        match name.trim() {
            "scale" | "scalex" | "scaley" | "scale3d" => arguments.any(|part| fraction(part) == Some(0.0)),
            "matrix" => fraction(arguments.next().unwrap_or_default()) == Some(0.0),
            "translate" | "translatex" | "translatey" | "translate3d" => arguments.any(is_far),
            _ => false,
        }
    })
}

/// `rect(0 0 0 0)` and `rect(1px, 1px, 1px, 1px)`: an area without width or height.
fn is_clipped_away(value: &str) -> bool {
    let Some(arguments) = value.strip_prefix("rect(").and_then(|rest| rest.strip_suffix(')')) else {
        return false;
    };
    let sides: Vec<Option<Length>> =
        arguments.split([',', ' ']).filter(|side| !side.is_empty()).map(length).collect();
    let same = |one: usize, other: usize| matches!((sides.get(one), sides.get(other)), (Some(Some(a)), Some(Some(b))) if a == b);
    same(0, 2) || same(1, 3)
}

fn is_path_empty(value: &str) -> bool {
    let Some((shape, arguments)) = value.split_once('(') else { return false };
    let first = arguments.split([' ', ',', ')']).next().unwrap_or_default();
    match shape.trim() {
        "inset" => matches!(length(first), Some(Length::Percent(part)) if part >= 50.0),
        "circle" | "ellipse" => {
            matches!(length(first), Some(Length::Pixels(size) | Length::Percent(size)) if size == 0.0)
        }
        "polygon" => arguments
            .trim_end_matches(')')
            .split([',', ' '])
            .all(|part| part.is_empty() || fraction(part) == Some(0.0)),
        _ => false,
    }
}

fn filter_opacity(value: &str) -> Option<f32> {
    let (_, rest) = value.split_once("opacity")?;
    let argument = rest.trim_start_matches(['(', '=']).split(')').next()?;
    // The filter of old browsers counts to a hundred.
    let scale = if rest.starts_with('=') { 100.0 } else { 1.0 };
    fraction(argument.trim()).map(|part| part / scale)
}

fn background_colour(value: &str) -> Background {
    match value {
        "inherit" | "initial" | "unset" | "none" => Background::Unset,
        _ => colour::parse(value).map_or(Background::Unknown, Background::Colour),
    }
}

fn background(value: &str) -> Background {
    if value.contains("url(") || value.contains("gradient(") || value.contains("image-set(") {
        return Background::Unknown;
    }
    Pieces::new(value, b' ').find_map(colour::parse).map_or(Background::Unset, Background::Colour)
}

/// A number or percentage, where 1 is the whole.
fn fraction(text: &str) -> Option<f32> {
    let value = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f32>().ok()? / 100.0,
        None => text.trim_end_matches("px").parse().ok()?,
    };
    value.is_finite().then_some(value)
}

fn font_size(text: &str) -> Option<Length> {
    let pixels = match text {
        "xx-small" => 9.0,
        "x-small" => 10.0,
        "small" => 13.0,
        "medium" | "initial" => 16.0,
        "large" => 18.0,
        "x-large" => 24.0,
        "xx-large" => 32.0,
        "smaller" => return Some(Length::Em(0.83)),
        "larger" => return Some(Length::Em(1.2)),
        _ => return length(text),
    };
    Some(Length::Pixels(pixels))
}

/// A length with its unit; `calc` of a single one counts as it.
fn length(text: &str) -> Option<Length> {
    let text = text.strip_prefix("calc(").and_then(|inner| inner.strip_suffix(')')).unwrap_or(text).trim();
    let unit = text.find(|sign: char| sign.is_ascii_alphabetic() || sign == '%').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    let value: f32 = number.trim().parse().ok().filter(|value: &f32| value.is_finite())?;
    Some(match unit {
        "" | "px" => Length::Pixels(value),
        "pt" => Length::Pixels(value * 4.0 / 3.0),
        "pc" => Length::Pixels(value * 16.0),
        "in" => Length::Pixels(value * 96.0),
        "cm" => Length::Pixels(value * 37.8),
        "mm" => Length::Pixels(value * 3.78),
        "q" => Length::Pixels(value * 0.945),
        "em" => Length::Em(value),
        "ex" | "ch" => Length::Em(value / 2.0),
        "rem" => Length::Rem(value),
        "vw" | "vmax" | "dvw" | "svw" | "lvw" => Length::Pixels(value * VIEWPORT.0 / 100.0),
        "vh" | "vmin" | "dvh" | "svh" | "lvh" => Length::Pixels(value * VIEWPORT.1 / 100.0),
        "%" => Length::Percent(value),
        _ => return None,
    })
}

mod scan;

pub(super) use scan::{Pieces, plain, without_comments};

#[cfg(test)]
mod tests;
