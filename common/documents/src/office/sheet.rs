//! Workbooks (SpreadsheetML, ISO/IEC 29500).

use super::collect::{Collector, Look, colour};
use super::{Parts, numbered, xml};
use crate::document::{ActiveKind, Hiding, TextKind};

/// Reads the sheets in their order.
pub(super) fn read(parts: &Parts, collector: &mut Collector) {
    let strings = parts.get("xl/sharedStrings.xml").map(|content| strings(content)).unwrap_or_default();
    let looks = parts.get("xl/styles.xml").map(|content| looks(content)).unwrap_or_default();
    let hidden = parts.get("xl/workbook.xml").map(|content| workbook(content, collector)).unwrap_or_default();
    for (index, (path, content)) in numbered(parts, "xl/worksheets/sheet").into_iter().enumerate() {
        collector.begin_part(path);
        let is_hidden = hidden.get(index).copied().unwrap_or_default();
        let mut reader = Reader { strings: &strings, looks: &looks, is_hidden, ..Reader::default() };
        let is_whole = xml::walk(content, &mut |event| reader.take(event, collector));
        collector.damage_unless(is_whole);
    }
    for prefix in ["xl/comments", "xl/comments/comment", "xl/threadedComments/threadedComment"] {
        for (path, content) in numbered(parts, prefix) {
            notes(path, content, collector);
        }
    }
    for (path, content) in numbered(parts, "xl/externalLinks/externalLink") {
        let mut link = None;
        xml::walk(content, &mut |event| {
            if let xml::Event::Open { name: "ddeLink", attributes, .. } = event {
                let of = |name: &str| attributes.get(name).unwrap_or_default();
                link = Some(format!("{} {}", of("ddeService"), of("ddeTopic")));
            }
        });
        if let Some(link) = link {
            collector.active(ActiveKind::Dde, &format!("{path}: {link}"));
        }
    }
}

/// Texts that cells refer to.
fn strings(content: &[u8]) -> Vec<String> {
    let mut strings = Vec::new();
    let (mut current, mut in_text, mut is_phonetic) = (String::new(), false, false);
    xml::walk(content, &mut |event| match event {
        xml::Event::Open { name: "si", .. } => current.clear(),
        xml::Event::Open { name: "rPh", .. } => is_phonetic = true,
        xml::Event::Close("rPh") => is_phonetic = false,
        xml::Event::Open { name: "t", .. } => in_text = !is_phonetic,
        xml::Event::Close("t") => in_text = false,
        xml::Event::Text(text, _) if in_text => current.push_str(&text),
        xml::Event::Close("si") => strings.push(std::mem::take(&mut current)),
        _ => {}
    });
    strings
}

/// Forms of cells by the number of their style.
fn looks(content: &[u8]) -> Vec<Look> {
    let (mut fonts, mut fills, mut looks) = (Vec::new(), Vec::new(), Vec::new());
    // Formats that show nothing.
    let mut blank = Vec::new();
    let mut list = String::new();
    xml::walk(content, &mut |event| match event {
        xml::Event::Open { name, attributes, .. } => match (list.as_str(), name) {
            (_, "fonts" | "fills" | "cellXfs" | "cellStyleXfs" | "numFmts" | "dxfs" | "borders") => {
                name.clone_into(&mut list)
            }
            ("numFmts", "numFmt") => {
                let is_blank = attributes.get("formatCode").is_some_and(|code| code.trim().starts_with(";;"));
                if is_blank {
                    blank.extend(attributes.get("numFmtId"));
                }
            }
            ("fonts", "font") => fonts.push(Look::default()),
            ("fonts", "sz") => {
                if let Some(font) = fonts.last_mut() {
                    font.size = attributes.get("val").and_then(|size| size.parse().ok());
                }
            }
            ("fonts", "color") => {
                if let Some(font) = fonts.last_mut() {
                    // White of the standard theme and of the standard palette.
                    let is_white = attributes.get("theme").as_deref() == Some("0")
                        || attributes.get("indexed").as_deref() == Some("9");
                    font.colour = attributes
                        .get("rgb")
                        .and_then(|rgb| colour(&rgb))
                        .or_else(|| is_white.then_some([255; 3]));
                }
            }
            ("fills", "fill") => fills.push(None),
            ("fills", "fgColor") => {
                if let Some(fill) = fills.last_mut() {
                    // A colour of the theme is unknown, but not white.
                    *fill = attributes.get("rgb").and_then(|rgb| colour(&rgb)).or(Some([128, 128, 0]));
                }
            }
            ("cellXfs", "xf") => {
                let index = |name: &str| {
                    attributes.get(name).and_then(|id| id.parse::<usize>().ok()).unwrap_or_default()
                };
                let mut look: Look = fonts.get(index("fontId")).copied().unwrap_or_default();
                look.background = fills.get(index("fillId")).copied().flatten();
                if attributes.get("numFmtId").is_some_and(|id| blank.contains(&id)) {
                    look.hiding = Some(Hiding::Display);
                }
                looks.push(look);
            }
            _ => {}
        },
        xml::Event::Close(_) | xml::Event::Text(..) => {}
    });
    looks
}

/// Which sheets are hidden, in the order of the workbook. Names with a formula that runs when it is opened are noted.
fn workbook(content: &[u8], collector: &mut Collector) -> Vec<bool> {
    let mut hidden = Vec::new();
    let mut is_whole = true;
    is_whole &= xml::walk(content, &mut |event| match event {
        xml::Event::Open { name: "sheet", attributes, .. } => {
            hidden.push(attributes.get("state").is_some_and(|state| state != "visible"));
        }
        xml::Event::Open { name: "definedName", attributes, .. } => {
            let name = attributes.get("name").unwrap_or_default();
            let plain = name.to_ascii_lowercase();
            if ["auto_open", "auto_close", "auto_activate"].iter().any(|known| plain.contains(known)) {
                collector.active(ActiveKind::OpenAction, &name);
            }
        }
        _ => {}
    });
    collector.damage_unless(is_whole);
    hidden
}

/// Comments of cells.
fn notes(path: &str, content: &[u8], collector: &mut Collector) {
    collector.begin_part(path);
    let mut in_text = false;
    let is_whole = xml::walk(content, &mut |event| match event {
        xml::Event::Open { name: "t" | "text", .. } => in_text = true,
        xml::Event::Close("comment" | "threadedComment") => {
            in_text = false;
            collector.end_paragraph(TextKind::Annotation);
        }
        xml::Event::Text(text, offset) if in_text => collector.add(&text, None, offset),
        _ => {}
    });
    collector.damage_unless(is_whole);
}

#[derive(Default)]
struct Reader<'s> {
    strings: &'s [String],
    looks: &'s [Look],
    is_hidden: bool,
    is_row_hidden: bool,
    /// First and last column of hidden ranges.
    columns: Vec<(u32, u32)>,
    column: u32,
    /// Type and style of the cell.
    kind: String,
    look: Look,
    place: char,
    text: String,
    offset: u32,
}

impl Reader<'_> {
    fn take(&mut self, event: xml::Event<'_>, collector: &mut Collector) {
        match event {
            xml::Event::Open { name, attributes, offset } => match name {
                "col" if attributes.get("hidden").is_some_and(|value| value != "0" && value != "false") => {
                    let number = |name: &str| attributes.get(name).and_then(|value| value.parse().ok());
                    self.columns.extend(number("min").zip(number("max")));
                }
                "row" => {
                    self.is_row_hidden =
                        attributes.get("hidden").is_some_and(|value| value != "0" && value != "false");
                }
                "c" => {
                    self.kind = attributes.get("t").unwrap_or_default();
                    self.column = column(&attributes.get("r").unwrap_or_default());
                    let style = attributes.get("s").and_then(|style| style.parse::<usize>().ok());
                    self.look = style.and_then(|style| self.looks.get(style)).copied().unwrap_or_default();
                    self.offset = offset;
                }
                "v" | "t" | "f" => {
                    self.place = name.chars().next().unwrap_or_default();
                    self.text.clear();
                }
                _ => {}
            },
            xml::Event::Text(text, _) if self.place != '\0' => self.text.push_str(&text),
            xml::Event::Close(name @ ("v" | "t" | "f")) => self.value(name, collector),
            _ => {}
        }
    }

    fn value(&mut self, name: &str, collector: &mut Collector) {
        self.place = '\0';
        let text = std::mem::take(&mut self.text);
        if name == "f" {
            // `program|'arguments'!cell`: dynamic data exchange.
            if text.contains('|') && text.contains('!') {
                collector.active(ActiveKind::Dde, &text);
            }
            return;
        }
        let shared = if self.kind == "s" { text.trim().parse::<usize>().ok() } else { None };
        let text = shared.map_or(Some(text.as_str()), |index| self.strings.get(index).map(String::as_str));
        let Some(text) = text else {
            collector.damage_unless(false);
            return;
        };
        // Numbers say nothing by themselves.
        if text.chars().any(char::is_alphabetic) {
            collector.alone(text, TextKind::Content, self.hiding(), self.offset);
        }
    }

    fn hiding(&self) -> Option<Hiding> {
        let in_hidden_column =
            self.columns.iter().any(|(first, last)| (*first..=*last).contains(&self.column));
        if self.is_hidden || self.is_row_hidden || in_hidden_column {
            return Some(Hiding::Display);
        }
        self.look.hiding()
    }
}

/// Number of the column of a cell such as `AB12`, from 1.
fn column(cell: &str) -> u32 {
    let letters = cell.bytes().take_while(u8::is_ascii_alphabetic).take(4);
    letters.fold(0, |number, letter| number * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1)
}
