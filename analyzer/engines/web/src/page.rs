//! HTML to links, forms, scripts and descriptions of itself. Tags are read as a stream, so that nesting takes no memory.

mod collect;
mod form;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};
use serde::{Deserialize, Serialize};
use url::Url;

use collect::Collector;
pub use form::{Field, Form};

/// Bytes of a page that are read: larger pages are generated lists, whose rest repeats the same routes.
pub const MOST_PAGE_BYTES: usize = 2 << 20;
/// Tags of a page that are read, as many as a page of the largest size with ordinary markup has.
pub const MOST_TAGS: usize = 100_000;
/// Links of a page, and as many references to other files.
pub const MOST_LINKS: usize = 1_000;
/// Bytes of all links of a page: a bound of the reply of the sandbox.
const MOST_LINK_BYTES: usize = 256 << 10;
/// Bytes of scripts within a page that are searched for routes.
const MOST_INLINE_BYTES: usize = 512 << 10;

/// The content of a page that discovery uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Absolute URLs of other pages, in the order of the page: links, frames, refresh, canonical.
    pub links: Vec<String>,
    /// Absolute URLs of scripts.
    pub scripts: Vec<String>,
    /// Absolute URLs of images, style sheets and media, which show other hosts and products.
    pub references: Vec<String>,
    /// Absolute URLs of interface descriptions.
    pub descriptions: Vec<String>,
    /// Forms. They are recorded and never submitted.
    pub forms: Vec<Form>,
    /// `meta` elements with a name, in lower case, and their content.
    pub metadata: Vec<(String, String)>,
    /// Text of scripts within the page.
    pub inline_scripts: String,
    /// Whether a bound was reached.
    pub cut: bool,
}

impl Page {
    /// Reads the page at a URL.
    #[must_use]
    pub fn read(body: &[u8], url: &Url) -> Self {
        let body_cut = body.len() > MOST_PAGE_BYTES;
        let body = body.get(..MOST_PAGE_BYTES).unwrap_or(body);
        let mut collector = tokenize(body, Collector::new(url.clone()));
        // Text of `noscript` is markup for a reader without scripts. It is read once: it contains no further one.
        let unscripted = collector.take_unscripted();
        if !unscripted.is_empty() {
            collector = tokenize(&unscripted, collector);
        }
        let mut page = collector.finish();
        page.cut |= body_cut;
        page
    }

    fn push(list: &mut Vec<String>, bytes: &mut usize, url: String, cut: &mut bool) {
        if list.len() >= MOST_LINKS || *bytes + url.len() > MOST_LINK_BYTES {
            *cut = true;
            return;
        }
        *bytes += url.len();
        list.push(url);
    }
}

fn tokenize(body: &[u8], mut collector: Collector) -> Collector {
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| collector.take(&event));
    emitter.naively_switch_states(true);
    // The collector returns a token when a bound is reached, and none otherwise.
    let _ = Tokenizer::new_with_emitter(body, emitter).next();
    collector
}

#[cfg(test)]
mod tests;
