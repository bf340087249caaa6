//! Collects the content of a page from the events of the tokenizer.

mod forms;

use std::collections::BTreeSet;

use html5gum::emitters::callback::CallbackEvent;
use url::Url;

use super::{Form, MOST_INLINE_BYTES, MOST_TAGS, Page};
use crate::endpoints::cut;
use crate::frontier::LONGEST_URL;

/// Attributes of a tag that are read.
const MOST_ATTRIBUTES: usize = 32;
/// Bytes of the value of an attribute: a set of ten images.
const LONGEST_VALUE: usize = 8 << 10;
/// `meta` elements that are kept, and bytes of their content.
const MOST_METADATA: usize = 50;
const LONGEST_METADATA: usize = 512;
/// Bytes of text within `noscript`.
const MOST_UNSCRIPTED_BYTES: usize = 64 << 10;

/// Tags whose attributes are read, in order.
const TAGS: [&str; 22] = [
    "a", "area", "audio", "base", "button", "embed", "form", "frame", "iframe", "img", "input", "link",
    "meta", "noscript", "object", "redoc", "script", "select", "source", "textarea", "track", "video",
];

/// Text that is collected until the next tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    Ignored,
    Script,
    Unscripted,
}

/// State of the reader within a page.
pub(super) struct Collector {
    url: Url,
    base: Option<Url>,
    page: Page,
    /// Name of the tag that is open; empty for one that is not read.
    tag: String,
    attributes: Vec<(String, String)>,
    form: Option<Form>,
    text: Text,
    unscripted: Vec<u8>,
    tags: usize,
    seen: BTreeSet<String>,
    bytes: usize,
}

impl Collector {
    pub(super) fn new(url: Url) -> Self {
        Self {
            url,
            base: None,
            page: Page::default(),
            tag: String::new(),
            attributes: Vec::new(),
            form: None,
            text: Text::Ignored,
            unscripted: Vec::new(),
            tags: 0,
            seen: BTreeSet::new(),
            bytes: 0,
        }
    }

    /// Takes one event; returns a token when the page shall not be read further.
    pub(super) fn take(&mut self, event: &CallbackEvent<'_>) -> Option<()> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tags += 1;
                self.tag.clear();
                self.attributes.clear();
                self.text = Text::Ignored;
                if let Some(name) =
                    std::str::from_utf8(name).ok().filter(|name| TAGS.binary_search(name).is_ok())
                {
                    self.tag.push_str(name);
                }
                if self.tags > MOST_TAGS {
                    self.page.cut = true;
                    return Some(());
                }
            }
            CallbackEvent::AttributeName { name } => self.open_attribute(name),
            CallbackEvent::AttributeValue { value } => {
                if let Some((_, kept)) = self.attributes.last_mut().filter(|_| !self.tag.is_empty()) {
                    *kept = String::from_utf8_lossy(value.get(..LONGEST_VALUE).unwrap_or(value)).into_owned();
                }
            }
            CallbackEvent::CloseStartTag { .. } => {
                self.close_tag();
                self.tag.clear();
            }
            CallbackEvent::EndTag { name } => {
                self.tag.clear();
                self.text = Text::Ignored;
                if *name == b"form" {
                    self.close_form();
                }
            }
            CallbackEvent::String { value } => self.take_text(value),
            _ => {}
        }
        None
    }

    fn open_attribute(&mut self, name: &[u8]) {
        if self.tag.is_empty() {
            return;
        }
        if self.attributes.len() < MOST_ATTRIBUTES {
            let name = String::from_utf8_lossy(name.get(..32).unwrap_or(name)).into_owned();
            self.attributes.push((name, String::new()));
        } else {
            // Otherwise a value behind the bound would replace the one before it.
            self.tag.clear();
            self.page.cut = true;
        }
    }

    fn take_text(&mut self, value: &[u8]) {
        match self.text {
            Text::Ignored => {}
            Text::Script => {
                let left = MOST_INLINE_BYTES - self.page.inline_scripts.len().min(MOST_INLINE_BYTES);
                let text = String::from_utf8_lossy(value);
                self.page.cut |= text.len() > left;
                self.page
                    .inline_scripts
                    .push_str(text.get(..text.floor_char_boundary(left)).unwrap_or_default());
                if self.page.inline_scripts.len() < MOST_INLINE_BYTES {
                    self.page.inline_scripts.push('\n');
                }
            }
            Text::Unscripted => {
                let left = MOST_UNSCRIPTED_BYTES - self.unscripted.len().min(MOST_UNSCRIPTED_BYTES);
                self.unscripted.extend_from_slice(value.get(..left).unwrap_or(value));
            }
        }
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    fn close_tag(&mut self) {
        match self.tag.as_str() {
            "a" | "area" => self.link("href"),
            "frame" | "iframe" => self.link("src"),
            "base" => self.set_base(),
            "link" => self.link_element(),
            "meta" => self.metadata(),
            "script" => self.script(),
            "noscript" => self.text = Text::Unscripted,
            "redoc" => self.describe("spec-url"),
            "form" => self.open_form(),
            "input" | "select" | "textarea" | "button" => self.field(),
            "img" | "source" | "video" | "audio" | "embed" | "track" | "object" => {
                for name in ["src", "data", "poster"] {
                    let url = self.attribute(name).and_then(|value| self.resolve(value));
                    self.reference(url);
                }
                self.source_set();
            }
            _ => {}
        }
    }

    /// The absolute form of a reference, if it leads to a page by HTTP.
    fn resolve(&self, reference: &str) -> Option<Url> {
        let reference = reference.trim_ascii();
        if reference.starts_with('#') || reference.len() > LONGEST_URL {
            return None;
        }
        let url = self.base.as_ref().unwrap_or(&self.url).join(reference).ok()?;
        let fits = matches!(url.scheme(), "http" | "https") && url.as_str().len() <= LONGEST_URL;
        fits.then(|| {
            let mut url = url;
            url.set_fragment(None);
            url
        })
    }

    /// Whether an absolute URL is the first of its kind on the page.
    fn is_new(&mut self, kind: char, url: &Url) -> bool {
        self.seen.insert(format!("{kind}{url}"))
    }

    fn link(&mut self, attribute: &str) {
        let url = self.attribute(attribute).and_then(|value| self.resolve(value));
        self.push_link(url);
    }

    fn push_link(&mut self, url: Option<Url>) {
        let Some(url) = url.filter(|url| self.is_new('l', url)) else { return };
        Page::push(&mut self.page.links, &mut self.bytes, url.into(), &mut self.page.cut);
    }

    fn reference(&mut self, url: Option<Url>) {
        let Some(url) = url.filter(|url| self.is_new('r', url)) else { return };
        Page::push(&mut self.page.references, &mut self.bytes, url.into(), &mut self.page.cut);
    }

    fn describe(&mut self, attribute: &str) {
        let url = self.attribute(attribute).and_then(|value| self.resolve(value));
        let Some(url) = url.filter(|url| self.is_new('d', url)) else { return };
        Page::push(&mut self.page.descriptions, &mut self.bytes, url.into(), &mut self.page.cut);
    }

    /// The first `base` counts. It may lead to another host: each URL is decided by the scope later.
    fn set_base(&mut self) {
        if self.base.is_none() {
            self.base = self.attribute("href").and_then(|value| self.url.join(value.trim_ascii()).ok());
        }
    }

    fn link_element(&mut self) {
        let relations = self.attribute("rel").unwrap_or_default().to_ascii_lowercase();
        let is = |name: &str| relations.split_ascii_whitespace().any(|one| one == name);
        if is("service-desc") {
            self.describe("href");
        } else if is("canonical") || is("next") || is("prev") || is("alternate") || is("service-doc") {
            self.link("href");
        } else {
            let url = self.attribute("href").and_then(|value| self.resolve(value));
            self.reference(url);
        }
    }

    fn metadata(&mut self) {
        let content = cut(self.attribute("content").unwrap_or_default(), LONGEST_METADATA);
        let is_refresh = |value: &str| value.trim().eq_ignore_ascii_case("refresh");
        if self.attribute("http-equiv").is_some_and(is_refresh) {
            let url = refresh_target(&content).and_then(|target| self.resolve(target));
            self.push_link(url);
        }
        let name = self.attribute("name").or_else(|| self.attribute("property"));
        let Some(name) = name.map(|name| cut(&name.to_ascii_lowercase(), 64)) else { return };
        if self.page.metadata.len() < MOST_METADATA {
            self.page.metadata.push((name, content));
        } else {
            self.page.cut = true;
        }
    }

    fn script(&mut self) {
        let Some(source) = self.attribute("src") else {
            let kind = self.attribute("type").unwrap_or_default().to_ascii_lowercase();
            // Templates and styles of other languages are no scripts; data may contain routes.
            if kind.is_empty() || kind == "module" || kind.ends_with("javascript") || kind.ends_with("json") {
                self.text = Text::Script;
            }
            return;
        };
        let Some(url) = self.resolve(source).filter(|url| self.is_new('s', url)) else { return };
        Page::push(&mut self.page.scripts, &mut self.bytes, url.into(), &mut self.page.cut);
    }

    fn source_set(&mut self) {
        let set = self.attribute("srcset").unwrap_or_default();
        let candidates: Vec<Url> = set
            .split([',', '\n'])
            .filter_map(|candidate| candidate.split_ascii_whitespace().next())
            .filter_map(|reference| self.resolve(reference))
            .collect();
        candidates.into_iter().for_each(|url| self.reference(Some(url)));
    }

    /// The text of `noscript`, to be read as markup.
    pub(super) fn take_unscripted(&mut self) -> Vec<u8> {
        self.close_form();
        std::mem::take(&mut self.unscripted)
    }

    pub(super) fn finish(mut self) -> Page {
        self.close_form();
        self.page
    }
}

/// The URL of `5; url='next'`.
fn refresh_target(content: &str) -> Option<&str> {
    let (_, target) = content.split_once([';', ','])?;
    let target = target.trim_ascii();
    let value = target.get(..3).filter(|name| name.eq_ignore_ascii_case("url")).and_then(|_| target.get(3..));
    let value = value.and_then(|value| value.trim_ascii_start().strip_prefix('=')).unwrap_or(target);
    Some(value.trim_ascii().trim_matches(['\'', '"']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_ordered() {
        assert!(TAGS.is_sorted());
    }

    #[test]
    fn targets_of_refresh_are_read_in_every_spelling() {
        for content in ["0;url=/a", "5; URL='/a'", "1, url = /a ", "0; /a"] {
            assert_eq!(refresh_target(content), Some("/a"), "{content}");
        }
        assert_eq!(refresh_target("5"), None);
    }
}
