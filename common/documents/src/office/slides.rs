//! Presentations (PresentationML, ISO/IEC 29500).

use super::collect::{Collector, Look, colour};
use super::{Parts, numbered, xml};
use crate::document::{ActiveKind, Hiding, TextKind};

/// Size of a slide in units of 1/12700 point, unless the presentation says otherwise.
const DEFAULT_EXTENT: (i64, i64) = (12_192_000, 6_858_000);

/// Reads the slides in the order of their numbers, then notes and comments.
pub(super) fn read(parts: &Parts, collector: &mut Collector) {
    let extent =
        parts.get("ppt/presentation.xml").and_then(|content| extent(content)).unwrap_or(DEFAULT_EXTENT);
    for (prefix, kind) in [
        ("ppt/slides/slide", TextKind::Content),
        ("ppt/notesSlides/notesSlide", TextKind::Annotation),
        ("ppt/comments/comment", TextKind::Annotation),
        ("ppt/comments/modernComment_", TextKind::Annotation),
    ] {
        for (path, content) in numbered(parts, prefix) {
            collector.begin_part(path);
            let mut reader = Reader { extent, kind: Some(kind), ..Reader::default() };
            let is_whole = xml::walk(content, &mut |event| reader.take(event, collector));
            collector.damage_unless(is_whole);
            collector.end_paragraph(kind);
        }
    }
}

fn extent(content: &[u8]) -> Option<(i64, i64)> {
    let mut extent = None;
    xml::walk(content, &mut |event| {
        if let xml::Event::Open { name: "sldSz", attributes, .. } = event {
            let number = |name: &str| attributes.get(name).and_then(|value| value.parse().ok());
            extent = number("cx").zip(number("cy"));
        }
    });
    extent
}

#[derive(Default)]
struct Reader {
    extent: (i64, i64),
    kind: Option<TextKind>,
    is_slide_hidden: bool,
    /// Shapes around, from the outermost: whether each is hidden or outside of the slide.
    shapes: Vec<Option<Hiding>>,
    /// Fill of the slide and of the shape.
    background: Option<[u8; 3]>,
    fill: Option<[u8; 3]>,
    offset: Option<(i64, i64)>,
    run: Look,
    in_properties: bool,
    in_shape_properties: bool,
    in_background: bool,
    in_line: bool,
    in_text: bool,
}

impl Reader {
    fn kind(&self) -> TextKind {
        self.kind.unwrap_or(TextKind::Content)
    }

    fn take(&mut self, event: xml::Event<'_>, collector: &mut Collector) {
        match event {
            xml::Event::Open { name, attributes, offset } => self.open(name, &attributes, offset, collector),
            xml::Event::Close(name) => self.close(name, collector),
            xml::Event::Text(text, offset) if self.in_text => {
                let hiding = self.hiding();
                collector.add(&text, hiding, offset);
            }
            xml::Event::Text(..) => {}
        }
    }

    fn hiding(&self) -> Option<Hiding> {
        if self.is_slide_hidden {
            return Some(Hiding::Display);
        }
        if let Some(hiding) = self.shapes.iter().flatten().next() {
            return Some(*hiding);
        }
        let around = Look { background: self.fill.or(self.background), ..Look::default() };
        around.with(self.run).hiding()
    }

    fn open(&mut self, name: &str, attributes: &xml::Attributes<'_>, offset: u32, collector: &mut Collector) {
        let number = |name: &str| attributes.get(name).and_then(|value| value.parse::<i64>().ok());
        match name {
            "sld" => {
                self.is_slide_hidden =
                    attributes.get("show").is_some_and(|show| show == "0" || show == "false")
            }
            "sp" | "grpSp" | "pic" | "graphicFrame" => {
                collector.end_paragraph(self.kind());
                self.shapes.push(None);
                self.fill = None;
            }
            "cNvPr" => {
                for text in ["descr", "title"].into_iter().filter_map(|name| attributes.get(name)) {
                    collector.alone(&text, TextKind::Alternative, None, offset);
                }
                if attributes.get("hidden").is_some_and(|value| value == "1" || value == "true") {
                    self.hide(Hiding::Display);
                }
            }
            "off" => self.offset = number("x").zip(number("y")),
            "ext" if self.in_shape_properties => {
                if let (Some((x, y)), Some(width), Some(height)) =
                    (self.offset.take(), number("cx"), number("cy"))
                {
                    let is_out = x.saturating_add(width) <= 0
                        || y.saturating_add(height) <= 0
                        || x >= self.extent.0
                        || y >= self.extent.1;
                    if is_out {
                        self.hide(Hiding::OffPage);
                    }
                }
            }
            "bg" => self.in_background = true,
            "spPr" => self.in_shape_properties = true,
            "ln" => self.in_line = true,
            "srgbClr" => self.coloured(attributes.get("val").and_then(|value| colour(&value))),
            "schemeClr" => {
                let is_white = matches!(attributes.get("val").as_deref(), Some("bg1" | "lt1"));
                self.coloured(if is_white { Some([255; 3]) } else { Some([64, 64, 64]) });
            }
            "r" | "fld" => self.run = Look::default(),
            "rPr" => {
                self.in_properties = true;
                // Hundredths of a point.
                self.run.size =
                    attributes.get("sz").and_then(|size| size.parse().ok()).map(|size: f32| size / 100.0);
            }
            "t" | "text" => self.in_text = true,
            "br" => collector.separate('\n'),
            "hlinkClick" | "hlinkHover" => {
                let action = attributes.get("action").unwrap_or_default();
                if action.contains("program") || action.contains("macro") || action.contains("ole") {
                    collector.active(ActiveKind::Launch, &action);
                }
            }
            _ => {}
        }
    }

    fn hide(&mut self, hiding: Hiding) {
        if let Some(shape) = self.shapes.last_mut() {
            *shape = shape.or(Some(hiding));
        }
    }

    fn coloured(&mut self, colour: Option<[u8; 3]>) {
        if self.in_line {
            return;
        }
        if self.in_properties {
            self.run.colour = colour;
        } else if self.in_background {
            self.background = colour;
        } else if self.in_shape_properties {
            self.fill = colour;
        }
    }

    fn close(&mut self, name: &str, collector: &mut Collector) {
        match name {
            "sp" | "grpSp" | "pic" | "graphicFrame" => {
                collector.end_paragraph(self.kind());
                self.shapes.pop();
            }
            "p" | "cm" => collector.end_paragraph(self.kind()),
            "bg" => self.in_background = false,
            "spPr" => self.in_shape_properties = false,
            "ln" => self.in_line = false,
            "rPr" => self.in_properties = false,
            "t" | "text" => self.in_text = false,
            _ => {}
        }
    }
}
