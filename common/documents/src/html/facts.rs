//! Facts of a page besides its text: links, forms, frames, scripts, redirection, descriptions of itself.

mod notation;

use self::notation::{address, cut, name_of, refresh};
use super::extract::Inherited;
use super::tree::{Element, HTML, Name, Tree};
use super::{Field, Form, Frame, Html, Link, Script};
use crate::document::Unread;

/// Entries of each kind at most. Lists of links of generated pages are longer; more of the same shows nothing new.
const MOST_ENTRIES: usize = 10_000;
/// Fields of all forms, and scripts, at most.
const MOST_FIELDS: usize = 5_000;
/// Bytes of all addresses at most.
const MOST_ALL_BYTES: usize = 2 << 20;
/// Bytes of the text of a link at most.
const MOST_LINK_TEXT: usize = 1 << 10;

/// Facts that were found so far.
#[derive(Default)]
pub(super) struct Facts {
    page: Html,
    /// Fields so far.
    fields: usize,
    /// Bytes of addresses so far.
    bytes: usize,
    is_cut: bool,
}

impl Facts {
    /// Reads an element, with its place and visibility. Links and forms are noted in `own`, for the elements within them.
    pub(super) fn element(
        &mut self,
        tree: &Tree,
        node: u32,
        element: &Element,
        (offset, is_hidden): (u32, bool),
        own: &mut Inherited,
    ) {
        let name = element.name;
        let is = |known: &[u8]| name == Name::new(known);
        if tree.attribute(node, "aria-hidden").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            self.page.aria_hidden += 1;
        }
        if is(b"a") || is(b"area") {
            self.link(tree, node, (offset, is_hidden), own);
        } else if is(b"img") {
            self.image(tree, node, own);
        } else if is(b"form") {
            self.form(tree, node, offset, own);
        } else if is(b"input") || is(b"textarea") || is(b"select") || is(b"button") {
            self.field(tree, node, name, own);
        } else if is(b"iframe") || is(b"frame") || is(b"embed") || is(b"object") {
            self.frame(tree, node, offset, is_hidden);
        } else if is(b"script") {
            self.script(tree, node, offset);
        } else if is(b"meta") {
            self.meta(tree, node);
        } else if is(b"base") && self.page.base.is_none() {
            self.page.base = tree.attribute(node, "href").map(address);
        } else if is(b"link") {
            self.style_sheet(tree, node);
        }
    }

    /// Whether a list may have one entry more of so many bytes.
    fn has_room(&mut self, entries: usize, most: usize, bytes: usize) -> bool {
        let has_room = entries < most && self.bytes + bytes <= MOST_ALL_BYTES;
        if has_room {
            self.bytes += bytes;
        } else {
            self.is_cut = true;
        }
        has_room
    }

    fn link(&mut self, tree: &Tree, node: u32, (offset, is_hidden): (u32, bool), own: &mut Inherited) {
        let href = tree.attribute(node, "href").or_else(|| tree.attribute(node, "xlink:href"));
        let Some(href) = href.map(address) else { return };
        if !self.has_room(self.page.links.len(), MOST_ENTRIES, href.len()) {
            own.link = 0;
            return;
        }
        let is_download = tree.attribute(node, "download").is_some();
        let text = tree.attribute(node, "alt").map(|text| cut(text, MOST_LINK_TEXT)).unwrap_or_default();
        self.page.links.push(Link { href, text, is_download, is_hidden, offset });
        own.link = self.page.links.len() as u32;
    }

    /// Adds text within a link.
    pub(super) fn link_text(&mut self, link: u32, text: &str) {
        let Some(link) = link.checked_sub(1).and_then(|at| self.page.links.get_mut(at as usize)) else {
            return;
        };
        for word in text.split_inclusive(|sign: char| sign.is_ascii_whitespace()) {
            if link.text.len() + word.len() > MOST_LINK_TEXT {
                return;
            }
            let letters = word.trim_end();
            link.text.push_str(letters);
            if letters.len() < word.len() && !link.text.is_empty() && !link.text.ends_with(' ') {
                link.text.push(' ');
            }
        }
    }

    fn image(&mut self, tree: &Tree, node: u32, own: &Inherited) {
        if let Some(text) = tree.attribute(node, "alt") {
            self.link_text(own.link, text);
        }
        let source = address(tree.attribute(node, "src").unwrap_or_default());
        // Images within the page have no address worth keeping.
        let source = if source.starts_with("data:") { "data:".to_owned() } else { source };
        if self.has_room(self.page.images.len(), MOST_ENTRIES, source.len()) {
            self.page.images.push(source);
        }
    }

    fn form(&mut self, tree: &Tree, node: u32, offset: u32, own: &mut Inherited) {
        let action = address(tree.attribute(node, "action").unwrap_or_default());
        if !self.has_room(self.page.forms.len(), MOST_ENTRIES, action.len()) {
            return;
        }
        let method = name_of(tree.attribute(node, "method").unwrap_or("get")).to_ascii_lowercase();
        self.page.forms.push(Form { action, method, offset, ..Form::default() });
        own.form = self.page.forms.len() as u32;
    }

    fn field(&mut self, tree: &Tree, node: u32, name: Name, own: &Inherited) {
        let attribute = |name: &str| tree.attribute(node, name).unwrap_or_default();
        let kind = match name {
            name if name == Name::new(b"textarea") => "textarea".to_owned(),
            name if name == Name::new(b"select") => "select".to_owned(),
            name if name == Name::new(b"button") => "button".to_owned(),
            _ if attribute("type").trim().is_empty() => "text".to_owned(),
            _ => name_of(attribute("type").trim()).to_ascii_lowercase(),
        };
        let id = tree.attribute(node, "name").or_else(|| tree.attribute(node, "id")).unwrap_or_default();
        let field = Field { kind, name: name_of(id), autocomplete: name_of(attribute("autocomplete")) };
        let other = tree.attribute(node, "formaction").map(address);
        let bytes = field.name.len() + other.as_ref().map_or(0, String::len);
        if !self.has_room(self.fields, MOST_FIELDS, bytes) {
            return;
        }
        self.fields += 1;
        let form = own.form.checked_sub(1).and_then(|at| self.page.forms.get_mut(at as usize));
        match form {
            Some(form) => {
                form.fields.push(field);
                form.other_actions.extend(other);
            }
            None => self.page.loose_fields.push(field),
        }
    }

    fn frame(&mut self, tree: &Tree, node: u32, offset: u32, is_hidden: bool) {
        let source = tree.attribute(node, "src").or_else(|| tree.attribute(node, "data"));
        let source = address(source.unwrap_or_default());
        if self.has_room(self.page.frames.len(), MOST_ENTRIES, source.len()) {
            self.page.frames.push(Frame { source, is_hidden, offset });
        }
    }

    /// Whether browsers execute the content of a `script`.
    pub(super) fn is_code(&self, tree: &Tree, node: u32) -> bool {
        let kind = tree.attribute(node, "type").unwrap_or_default().trim().to_ascii_lowercase();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        kind.is_empty()
            || kind == "module"
            || kind.ends_with("javascript")
            || kind.ends_with("ecmascript")
            || kind.ends_with("jscript")
            || kind.ends_with("livescript")
    }

    fn script(&mut self, tree: &Tree, node: u32, offset: u32) {
        let source = tree.attribute(node, "src").map(address);
        let kind = name_of(tree.attribute(node, "type").unwrap_or_default()).to_ascii_lowercase();
        let is_code = self.is_code(tree, node);
        let bytes = source.as_ref().map_or(0, String::len) + kind.len();
        if self.has_room(self.page.scripts.len(), MOST_FIELDS, bytes) {
            self.page.scripts.push(Script { source, kind, is_code, run: None, offset });
        }
    }

    /// The text of the last script.
    pub(super) fn script_text(&mut self, run: Option<u32>) {
        if let Some(script) = self.page.scripts.last_mut().filter(|_| !self.is_cut) {
            script.run = run.or(script.run);
        }
    }

    pub(super) fn title(&mut self, text: &str) {
        if self.page.title.is_none() && !text.trim().is_empty() {
            self.page.title = Some(cut(text.trim(), MOST_LINK_TEXT));
        }
    }

    fn meta(&mut self, tree: &Tree, node: u32) {
        let attribute = |name: &str| tree.attribute(node, name).unwrap_or_default();
        let content = attribute("content");
        if attribute("http-equiv").eq_ignore_ascii_case("refresh") {
            self.page.refresh = refresh(content).or_else(|| self.page.refresh.take());
        }
        if attribute("name").eq_ignore_ascii_case("description") && self.page.description.is_none() {
            self.page.description = Some(cut(content.trim(), MOST_LINK_TEXT));
        }
    }

    fn style_sheet(&mut self, tree: &Tree, node: u32) {
        let kinds = tree.attribute(node, "rel").unwrap_or_default();
        let href = address(tree.attribute(node, "href").unwrap_or_default());
        if kinds.split_ascii_whitespace().any(|kind| kind.eq_ignore_ascii_case("stylesheet"))
            && self.has_room(self.page.style_sheets.len(), MOST_FIELDS, href.len())
        {
            self.page.style_sheets.push(href);
        }
    }

    /// Adds the facts of a page within this one.
    pub(super) fn absorb(&mut self, inner: Self, offset: u32, is_hidden: bool) {
        self.is_cut |= inner.is_cut;
        if inner.bytes + self.bytes > MOST_ALL_BYTES {
            self.is_cut = true;
            return;
        }
        self.bytes += inner.bytes;
        let page = inner.page;
        self.page.links.extend(page.links.into_iter().map(|link| Link {
            offset,
            is_hidden: is_hidden || link.is_hidden,
            ..link
        }));
        self.page.forms.extend(page.forms.into_iter().map(|form| Form { offset, ..form }));
        self.page.frames.extend(page.frames.into_iter().map(|frame| Frame { offset, ..frame }));
        self.page.scripts.extend(page.scripts.into_iter().map(|script| Script {
            offset,
            run: None,
            ..script
        }));
        self.page.loose_fields.extend(page.loose_fields);
        self.page.images.extend(page.images);
        self.page.refresh = self.page.refresh.take().or(page.refresh);
    }

    /// Moves the facts into the page.
    pub(super) fn finish(self, tree: &Tree, page: &mut Html) {
        let document = std::mem::take(&mut page.document);
        *page = Html { document, ..self.page };
        page.language = tree.attribute(HTML, "lang").map(name_of).filter(|language| !language.is_empty());
        for link in &mut page.links {
            link.text.truncate(link.text.trim_end().len());
        }
        if self.is_cut {
            page.document.mark_unread(Unread::Structure);
        }
    }
}
