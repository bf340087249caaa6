//! The tree to runs of text: each node once, in the order of the source.

use super::Html;
use super::build;
use super::facts::Facts;
use super::flow::Flow;
use super::names::{BLOCK, PREFORMATTED, UNRENDERED};
use super::sheet::Sheet;
use super::style::{Style, style};
use super::tree::{Element, HTML, Kind, Name, Tree};
use crate::document::{Document, Hiding, TextKind, Unread};

/// Pages within attributes (`srcdoc`) and within `noscript` at most, and bytes of each.
const MOST_INNER: usize = 16;
const MOST_INNER_BYTES: usize = 256 << 10;

/// Inherited properties of a node.
#[derive(Clone, Copy)]
pub(super) struct Inherited {
    style: Style,
    /// Innermost block.
    block: u32,
    /// Index of the link around it, from 1.
    pub(super) link: u32,
    /// Index of the form around it, from 1.
    pub(super) form: u32,
    keeps_space: bool,
}

impl Inherited {
    pub(super) fn hiding(&self) -> Option<Hiding> {
        self.style.hiding()
    }
}

/// Reads a page.
pub(super) fn extract(text: &str, part: u32) -> Html {
    let tree = build::build(text);
    let mut extraction = Extraction::of(&tree, Flow::new(text, part));
    extraction.flow.end_block();
    for (text, hiding, offset) in std::mem::take(&mut extraction.inner) {
        extraction.add_inner(&text, hiding, offset);
    }
    extraction.finish(part)
}

/// The page's own style sheets, which may be anywhere in it.
fn sheet(tree: &Tree) -> Sheet {
    let mut sheet = Sheet::default();
    for (node, entry) in tree.nodes() {
        let Kind::Text(piece) = entry.kind else { continue };
        if tree.parent(node).is_some_and(|parent| tree.name(parent) == Name::new(b"style")) {
            sheet.add(tree.piece(piece));
        }
    }
    sheet
}

struct Extraction<'t> {
    tree: &'t Tree,
    sheet: Sheet,
    flow: Flow<'t>,
    facts: Facts,
    /// By node.
    inherited: Vec<Inherited>,
    /// Pages in other places than markup, with the technique that hides them.
    inner: Vec<(String, Option<Hiding>, u32)>,
}

impl<'t> Extraction<'t> {
    /// Reads every node.
    fn of(tree: &'t Tree, flow: Flow<'t>) -> Self {
        let (sheet, facts) = (sheet(tree), Facts::default());
        let mut extraction = Self { tree, sheet, flow, facts, inherited: Vec::new(), inner: Vec::new() };
        let root = Inherited { style: Style::initial(), block: HTML, link: 0, form: 0, keeps_space: false };
        for (node, entry) in tree.nodes() {
            let parent =
                tree.parent(node).and_then(|parent| extraction.inherited.get(parent as usize)).copied();
            let parent = parent.unwrap_or(root);
            let own = match entry.kind {
                Kind::Element(element) => extraction.element(node, &element, entry.offset, parent),
                Kind::Text(piece) => {
                    extraction.text(node, tree.piece(piece), entry.offset, &parent);
                    parent
                }
                Kind::Comment(piece) => {
                    let hiding = parent.hiding();
                    extraction.flow.alone(tree.piece(piece), TextKind::Comment, hiding, entry.offset);
                    parent
                }
            };
            extraction.inherited.push(own);
        }
        extraction
    }

    fn element(&mut self, node: u32, element: &Element, offset: u32, parent: Inherited) -> Inherited {
        let mut own = parent;
        own.style = style(self.tree, &mut self.sheet, node, element, &parent.style);
        if element.flags & BLOCK != 0 {
            own.block = node;
        }
        own.keeps_space |= element.flags & PREFORMATTED != 0;
        if !element.is_foreign && (element.name == Name::new(b"br") || element.name == Name::new(b"wbr")) {
            if element.name == Name::new(b"br") {
                self.flow.break_line();
            }
            return own;
        }
        if element.is_copy {
            return own;
        }
        // Content of some elements is not rendered, but the element is, for example a frame.
        let shown = if element.flags & UNRENDERED == 0 {
            own.style
        } else {
            style(self.tree, &mut self.sheet, node, &without_flags(element), &parent.style)
        };
        let hiding = shown.hiding();
        self.alternatives(node, element, hiding, offset);
        self.facts.element(self.tree, node, element, (offset, hiding.is_some()), &mut own);
        if let Some((content, offset)) = self.tree.placed_attribute(node, "srcdoc") {
            self.keep_inner(content, hiding, offset);
        }
        own
    }

    /// Texts in attributes.
    fn alternatives(&mut self, node: u32, element: &Element, hiding: Option<Hiding>, offset: u32) {
        const NAMES: [&str; 9] = [
            "alt",
            "title",
            "aria-label",
            "aria-description",
            "aria-roledescription",
            "placeholder",
            "summary",
            "label",
            "content",
        ];
        for name in NAMES {
            let Some((text, offset)) = self.tree.placed_attribute(node, name) else { continue };
            let (kind, hiding) =
                if name == "content" { (TextKind::Metadata, None) } else { (TextKind::Alternative, hiding) };
            self.flow.alone(text, kind, hiding, offset);
        }
        // The text of a button, or one that is in a field already.
        if element.name == Name::new(b"input")
            && let Some((text, at)) = self.tree.placed_attribute(node, "value")
        {
            let kind = self.tree.attribute(node, "type").unwrap_or_default().to_ascii_lowercase();
            let shown = !matches!(kind.as_str(), "hidden" | "checkbox" | "radio" | "color" | "range");
            let hiding = if shown { hiding } else { Some(hiding.unwrap_or(Hiding::NotRendered)) };
            let kind = if shown { TextKind::Content } else { TextKind::Data };
            self.flow.alone(text, kind, hiding, at.max(offset));
        }
    }

    fn text(&mut self, node: u32, text: &str, offset: u32, parent: &Inherited) {
        let element = self.tree.parent(node).unwrap_or_default();
        let name = self.tree.name(element);
        let is_foreign = self.tree.element(element).is_some_and(|element| element.is_foreign);
        let hiding = parent.hiding();
        if name == Name::new(b"script") {
            let is_code = self.facts.is_code(self.tree, element);
            let kind = if is_code { TextKind::Script } else { TextKind::Data };
            let run = self.flow.alone(text, kind, None, offset);
            self.facts.script_text(run);
        } else if name == Name::new(b"style") {
            // Nothing of it is text for readers.
        } else if name == Name::new(b"title") && is_foreign {
            self.flow.alone(text, TextKind::Alternative, hiding, offset);
        } else if name == Name::new(b"title") {
            self.facts.title(text);
            self.flow.alone(text, TextKind::Metadata, None, offset);
        } else if !is_foreign
            && [&b"noscript"[..], b"noembed", b"noframes", b"iframe"].iter().any(|raw| name == Name::new(raw))
        {
            self.keep_inner(text, Some(Hiding::NotRendered), offset);
        } else {
            self.facts.link_text(parent.link, text);
            self.flow.add(text, parent.block, hiding, offset, parent.keeps_space);
        }
    }

    fn keep_inner(&mut self, text: &str, hiding: Option<Hiding>, offset: u32) {
        if text.trim().is_empty() {
            return;
        }
        let end = text.floor_char_boundary(MOST_INNER_BYTES);
        if self.inner.len() >= MOST_INNER || end < text.len() {
            self.flow.document.mark_unread(Unread::Structure);
        }
        if self.inner.len() < MOST_INNER {
            self.inner.push((text.get(..end).unwrap_or_default().to_owned(), hiding, offset));
        }
    }

    fn finish(mut self, part: u32) -> Html {
        if self.sheet.is_cut {
            self.flow.document.mark_unread(Unread::Styles);
        }
        let document = self.flow.finish(self.tree);
        let mut page = Html { document: with_part(document, part), ..Html::default() };
        self.facts.finish(self.tree, &mut page);
        page
    }

    /// Adds the text of a page within the page. Its links and forms count.
    fn add_inner(&mut self, text: &str, hiding: Option<Hiding>, offset: u32) {
        let tree = build::build(text);
        let inner = Extraction::of(&tree, Flow::new(text, 0));
        let document = inner.flow.finish(&tree);
        document.unread.iter().for_each(|reason| self.flow.document.mark_unread(*reason));
        for run in document.runs {
            self.flow.alone(&run.text, run.kind, hiding.or(run.hiding), offset);
        }
        // Pages in this one are read as their source.
        for (text, ..) in inner.inner {
            self.flow.alone(&text, TextKind::Content, Some(Hiding::NotRendered), offset);
        }
        self.facts.absorb(inner.facts, offset, hiding.is_some());
    }
}

const fn without_flags(element: &Element) -> Element {
    let mut element = *element;
    element.flags = 0;
    element
}

fn with_part(mut document: Document, part: u32) -> Document {
    // A page of its own is its only part.
    if part == 0 && document.parts.is_empty() {
        document.parts.push("page".to_owned());
    }
    document
}
