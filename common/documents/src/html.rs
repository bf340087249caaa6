//! HTML to text with position and visibility, and the parts of a page that act: links, forms, frames, scripts.
//!
//! `charset -> tokens (html5gum) -> tree (build.rs) -> style of each element (style.rs) -> runs of text and facts (extract.rs)`
//!
//! The tokenizer gives the byte position of each token; html5ever gives lines only, and lol_html depends on parsers of selectors and
//! styles whose licence (MPL 2.0) is not permitted here. Everything is linear in the page, or bounded by a number of steps. Pure code
//! without recursion over the input: it may run outside of the sandbox.

mod build;
mod colour;
mod css;
mod extract;
mod facts;
mod flow;
mod names;
mod selector;
mod sheet;
mod style;
mod tree;

use serde::{Deserialize, Serialize};

use crate::charset;
use crate::document::{Document, Unread};

/// Bytes of a page that are read. The rest is unread.
pub const MOST_HTML_BYTES: usize = 5 << 20;

/// A page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Html {
    /// Text, in the order of the page. Its bounds are those of [`Document`].
    pub document: Document,
    /// Character set that it was read with, as the WHATWG names it.
    pub charset: String,
    /// Content of the first `title`.
    pub title: Option<String>,
    /// Description of itself (`meta`).
    pub description: Option<String>,
    /// Language (`lang` of the root element).
    pub language: Option<String>,
    /// Address that links are relative to, as written.
    pub base: Option<String>,
    /// Links of `a` and `area`, as written.
    pub links: Vec<Link>,
    /// Forms.
    pub forms: Vec<Form>,
    /// Fields outside of forms, which scripts may read.
    pub loose_fields: Vec<Field>,
    /// Frames.
    pub frames: Vec<Frame>,
    /// Scripts and data for scripts.
    pub scripts: Vec<Script>,
    /// Redirection by the page.
    pub refresh: Option<Refresh>,
    /// Addresses of style sheets, which are not read.
    pub style_sheets: Vec<String>,
    /// Addresses of images.
    pub images: Vec<String>,
    /// Number of elements that are left out for programs that read the page aloud (`aria-hidden`). They are visible.
    pub aria_hidden: u32,
}

/// A link.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Target as written, without line breaks and surrounding spaces.
    pub href: String,
    /// Its text with that of its images, at most 1 KiB.
    pub text: String,
    /// Whether the target is to be saved (`download`).
    pub is_download: bool,
    /// Whether it is hidden.
    pub is_hidden: bool,
    /// Bytes before it in the text of the page.
    pub offset: u32,
}

/// A form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form {
    /// Target as written; empty for the page itself.
    pub action: String,
    /// Method in lower case; `get` if it has none.
    pub method: String,
    /// Fields.
    pub fields: Vec<Field>,
    /// Other targets that buttons select (`formaction`).
    pub other_actions: Vec<String>,
    /// Bytes before it in the text of the page.
    pub offset: u32,
}

/// A field of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Type of an `input` in lower case, or `textarea`, `select`, `button`.
    pub kind: String,
    /// Name, or the id if it has none.
    pub name: String,
    /// Kind of data that browsers complete (`autocomplete`).
    pub autocomplete: String,
}

/// A frame or embedded object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Address as written. Empty if the attribute `srcdoc` has the content, which is read as part of the page.
    pub source: String,
    /// Whether it is hidden.
    pub is_hidden: bool,
    /// Bytes before it in the text of the page.
    pub offset: u32,
}

/// A script.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    /// Address as written, if it is another file.
    pub source: Option<String>,
    /// Type in lower case; empty if it has none.
    pub kind: String,
    /// Whether browsers execute it; otherwise it is data.
    pub is_code: bool,
    /// Index of its text in [`Document::runs`].
    pub run: Option<u32>,
    /// Bytes before it in the text of the page.
    pub offset: u32,
}

/// Redirection by the page itself (`meta http-equiv=refresh`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Refresh {
    /// Seconds until it.
    pub seconds: u32,
    /// Target as written; empty for the page itself.
    pub target: String,
}

impl Html {
    /// Reads a page. `charset` is that of the header, if it names one.
    #[must_use]
    pub fn read(content: &[u8], charset: Option<&str>) -> Self {
        let (content, is_cut) = match content.get(..MOST_HTML_BYTES) {
            Some(start) => (start, content.len() > MOST_HTML_BYTES),
            None => (content, false),
        };
        let (text, charset) = charset::decode(content, charset);
        let mut page = Self::of_text(&text, 0);
        charset.clone_into(&mut page.charset);
        if is_cut {
            page.document.mark_unread(Unread::Bytes);
        }
        page
    }

    /// Reads a page that is text already, as a part of a document.
    pub(crate) fn of_text(text: &str, part: u32) -> Self {
        let end = text.floor_char_boundary(MOST_HTML_BYTES);
        let mut page = extract::extract(text.get(..end).unwrap_or_default(), part);
        if end < text.len() {
            page.document.mark_unread(Unread::Bytes);
        }
        page
    }
}

#[cfg(test)]
mod tests;
