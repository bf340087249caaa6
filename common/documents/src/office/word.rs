//! Text documents (WordprocessingML, ISO/IEC 29500).

use std::collections::HashMap;

use super::collect::{Collector, Look, colour};
use super::{Parts, numbered, relations, xml};
use crate::document::{Hiding, TextKind};

/// Styles that follow each other (`basedOn`) at most.
const MOST_BASES: usize = 16;

/// Reads the main part, then those around it.
pub(super) fn read(parts: &Parts, collector: &mut Collector) {
    let styles = parts.get("word/styles.xml").map(|content| styles(content)).unwrap_or_default();
    for (prefix, kind) in [
        ("word/document", TextKind::Content),
        ("word/header", TextKind::Content),
        ("word/footer", TextKind::Content),
        ("word/footnotes", TextKind::Content),
        ("word/endnotes", TextKind::Content),
        ("word/comments", TextKind::Annotation),
        ("word/glossary/document", TextKind::Data),
    ] {
        for (path, content) in numbered(parts, prefix) {
            collector.begin_part(path);
            let mut reader = Reader::new(&styles, kind);
            let is_whole = xml::walk(content, &mut |event| reader.take(event, collector));
            collector.damage_unless(is_whole);
            collector.end_paragraph(kind);
        }
    }
}

/// Forms of named styles, with those that they are based on.
fn styles(content: &[u8]) -> HashMap<String, Look> {
    let mut own: HashMap<String, (Look, Option<String>)> = HashMap::new();
    let mut current: Option<(String, Look, Option<String>)> = None;
    xml::walk(content, &mut |event| match event {
        xml::Event::Open { name: "style", attributes, .. } => {
            current = attributes.get("styleId").map(|id| (id, Look::default(), None));
        }
        xml::Event::Open { name: "basedOn", attributes, .. } => {
            if let Some((_, _, base)) = &mut current {
                *base = attributes.get("val");
            }
        }
        xml::Event::Open { name, attributes, .. } => {
            if let Some((_, look, _)) = &mut current {
                property(name, &attributes, look);
            }
        }
        xml::Event::Close("style") => {
            if let Some((id, look, base)) = current.take() {
                own.insert(id, (look, base));
            }
        }
        _ => {}
    });
    let resolved = |id: &String| {
        let mut look = Look::default();
        let mut next = Some(id);
        for _ in 0..MOST_BASES {
            let Some((own, base)) = next.and_then(|id| own.get(id)) else { break };
            look = own.with(look);
            next = base.as_ref();
        }
        look
    };
    own.keys().map(|id| (id.clone(), resolved(id))).collect()
}

/// Applies a property of a run.
fn property(name: &str, attributes: &xml::Attributes<'_>, look: &mut Look) {
    let value = attributes.get("val").unwrap_or_default();
    match name {
        "vanish" | "specVanish" => look.hiding = attributes.is_on().then_some(Hiding::Display),
        // Half points.
        "sz" => look.size = value.parse().ok().map(|size: f32| size / 2.0),
        "color" => look.colour = colour(&value),
        "shd" => look.background = attributes.get("fill").and_then(|fill| colour(&fill)).or(look.background),
        "highlight" => {
            look.background = match value.as_str() {
                "black" => Some([0; 3]),
                "white" => Some([255; 3]),
                // Other highlights differ from white and black text.
                _ => Some([128, 128, 0]),
            }
        }
        _ => {}
    }
}

struct Reader<'s> {
    styles: &'s HashMap<String, Look>,
    kind: TextKind,
    /// Form of the current paragraph, and of the run in it.
    paragraph: Look,
    run: Look,
    /// Backgrounds of the page and of the cells around.
    backgrounds: Vec<Option<[u8; 3]>>,
    in_run: bool,
    in_text: bool,
    in_instruction: bool,
    in_deleted: bool,
    /// Content that programs show only if they cannot show another one.
    fallbacks: usize,
    instruction: String,
}

impl<'s> Reader<'s> {
    const fn new(styles: &'s HashMap<String, Look>, kind: TextKind) -> Self {
        Self {
            styles,
            kind,
            paragraph: Look { hiding: None, size: None, colour: None, background: None },
            run: Look { hiding: None, size: None, colour: None, background: None },
            backgrounds: Vec::new(),
            in_run: false,
            in_text: false,
            in_instruction: false,
            in_deleted: false,
            fallbacks: 0,
            instruction: String::new(),
        }
    }

    fn take(&mut self, event: xml::Event<'_>, collector: &mut Collector) {
        match event {
            xml::Event::Open { name, attributes, offset } => self.open(name, &attributes, offset, collector),
            xml::Event::Close(name) => self.close(name, collector),
            xml::Event::Text(text, offset) if self.in_instruction => {
                let _ = offset;
                self.instruction.push_str(&text);
            }
            xml::Event::Text(text, offset) if self.in_text => {
                let hiding = self.hiding();
                collector.add(&text, hiding, offset);
            }
            xml::Event::Text(..) => {}
        }
    }

    fn hiding(&self) -> Option<Hiding> {
        if self.in_deleted || self.fallbacks > 0 {
            return Some(Hiding::NotRendered);
        }
        let around = Look { background: self.backgrounds.last().copied().flatten(), ..Look::default() };
        around.with(self.paragraph).with(self.run).hiding()
    }

    fn open(&mut self, name: &str, attributes: &xml::Attributes<'_>, offset: u32, collector: &mut Collector) {
        match name {
            "p" => {
                collector.end_paragraph(self.kind);
                self.paragraph = Look::default();
            }
            "background" => self.backgrounds.push(attributes.get("color").and_then(|value| colour(&value))),
            "tc" => self.backgrounds.push(self.backgrounds.last().copied().flatten()),
            "pStyle" => self.paragraph = self.style(attributes),
            "rStyle" => self.run = self.run.with(self.style(attributes)),
            "r" => (self.in_run, self.run) = (true, Look::default()),
            "t" => self.in_text = true,
            "delText" => (self.in_text, self.in_deleted) = (true, true),
            "instrText" => self.in_instruction = true,
            "fldSimple" => relations::instruction(&attributes.get("instr").unwrap_or_default(), collector),
            "fldChar" => {
                // The instruction ends where its result begins.
                relations::instruction(&std::mem::take(&mut self.instruction), collector);
            }
            "tab" if self.in_run => collector.separate(' '),
            "br" | "cr" if self.in_run => collector.separate('\n'),
            "Fallback" => self.fallbacks += 1,
            "docPr" => {
                for text in ["descr", "title"].into_iter().filter_map(|name| attributes.get(name)) {
                    collector.alone(&text, TextKind::Alternative, None, offset);
                }
            }
            "shd" if !self.in_run => {
                // Of the cell or of the paragraph: both are behind the text.
                let fill = attributes.get("fill").and_then(|fill| colour(&fill));
                if fill.is_some() {
                    self.paragraph.background = fill;
                    if let Some(own) = self.backgrounds.last_mut() {
                        *own = fill;
                    }
                }
            }
            name if self.in_run => property(name, attributes, &mut self.run),
            _ => {}
        }
    }

    fn style(&self, attributes: &xml::Attributes<'_>) -> Look {
        attributes.get("val").and_then(|id| self.styles.get(&id)).copied().unwrap_or_default()
    }

    fn close(&mut self, name: &str, collector: &mut Collector) {
        match name {
            "p" => collector.end_paragraph(self.kind),
            "r" => self.in_run = false,
            "t" => self.in_text = false,
            "delText" => (self.in_text, self.in_deleted) = (false, false),
            "instrText" => self.in_instruction = false,
            "tc" => {
                self.backgrounds.pop();
            }
            "Fallback" => self.fallbacks = self.fallbacks.saturating_sub(1),
            _ => {}
        }
    }
}
