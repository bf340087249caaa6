//! Sitemaps: XML with pages, an index with further sitemaps, or text with a URL in each line; each also as gzip.
//! The tokenizer of HTML reads the XML: it expands no entities that a document declares, and accepts damaged files.

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};
use serde::{Deserialize, Serialize};

use crate::frontier::LONGEST_URL;
use crate::inflate::inflated;

/// Bytes of a sitemap that are read, inflated.
const MOST_BYTES: usize = 4 << 20;
/// Pages of a sitemap: more than a crawl may fetch, since many share a route.
pub const MOST_PAGES: usize = 2_000;
/// Further sitemaps of an index.
pub const MOST_SITEMAPS: usize = 50;
/// Bytes of all URLs: a bound of the reply of the sandbox.
const MOST_URL_BYTES: usize = 512 << 10;

/// URLs of a sitemap, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sitemap {
    /// Pages.
    pub pages: Vec<String>,
    /// Further sitemaps.
    pub sitemaps: Vec<String>,
    /// Whether a bound was reached.
    pub cut: bool,
}

/// Place of the reader within a document.
#[derive(Default)]
struct Reader {
    sitemap: Sitemap,
    in_index: bool,
    in_location: bool,
    text: String,
    bytes: usize,
}

impl Sitemap {
    /// Reads a sitemap.
    #[must_use]
    pub fn read(body: &[u8]) -> Self {
        let (content, cut) = inflated(body, MOST_BYTES);
        let mut reader = Reader::default();
        if content.trim_ascii_start().first().is_some_and(|first| *first == b'<') || has_mark(&content) {
            reader.read_xml(&content);
        } else {
            let text = String::from_utf8_lossy(&content);
            text.lines().filter(|line| line.trim().starts_with("http")).for_each(|line| reader.push(line));
        }
        reader.sitemap.cut |= cut;
        reader.sitemap
    }
}

/// XML behind a byte order mark.
fn has_mark(content: &[u8]) -> bool {
    content.starts_with(b"\xef\xbb\xbf<")
}

impl Reader {
    fn read_xml(&mut self, content: &[u8]) {
        let emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| self.take(&event));
        let _ = Tokenizer::new_with_emitter(content, emitter).next();
    }

    /// Takes one event; returns a token when the document shall not be read further.
    fn take(&mut self, event: &CallbackEvent<'_>) -> Option<()> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.in_index |= local(name) == b"sitemapindex";
                self.in_location = local(name) == b"loc";
                self.text.clear();
            }
            CallbackEvent::String { value } if self.in_location => self.push_text(value),
            // Outside of foreign elements a CDATA section is a comment of HTML.
            CallbackEvent::Comment { value } if self.in_location => {
                let section = value.strip_prefix(b"[CDATA[").and_then(|rest| rest.strip_suffix(b"]]"));
                self.push_text(section.unwrap_or_default());
            }
            CallbackEvent::EndTag { name } => {
                if self.in_location && local(name) == b"loc" {
                    let url = std::mem::take(&mut self.text);
                    self.push(&url);
                }
                self.in_location = false;
            }
            _ => {}
        }
        self.sitemap.cut.then_some(())
    }

    fn push_text(&mut self, value: &[u8]) {
        if self.text.len() <= LONGEST_URL {
            self.text.push_str(&String::from_utf8_lossy(value.get(..LONGEST_URL + 64).unwrap_or(value)));
        }
    }

    fn push(&mut self, url: &str) {
        let url = url.trim();
        if url.is_empty() || url.len() > LONGEST_URL {
            return;
        }
        let (list, most) = match self.in_index {
            true => (&mut self.sitemap.sitemaps, MOST_SITEMAPS),
            false => (&mut self.sitemap.pages, MOST_PAGES),
        };
        self.bytes += url.len();
        if list.len() >= most || self.bytes > MOST_URL_BYTES {
            self.sitemap.cut = true;
            return;
        }
        list.push(url.to_owned());
    }
}

/// The name of an element without its namespace prefix.
fn local(name: &[u8]) -> &[u8] {
    name.rsplit(|byte| *byte == b':').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read_from_every_form() {
        let xml = "\u{feff}<?xml version='1.0'?><s:urlset xmlns:s='x'><s:url><s:loc> https://a.test/?a=1&amp;b=2 </s:loc>\
                   <image:image><image:loc>https://a.test/i.png</image:loc></image:image></s:url>\
                   <url><loc><![CDATA[https://a.test/c]]></loc><lastmod>x</lastmod></url>";
        let pages = ["https://a.test/?a=1&b=2", "https://a.test/i.png", "https://a.test/c"];
        assert_eq!(Sitemap::read(xml.as_bytes()).pages, pages);
        assert_eq!(Sitemap::read(b"https://a.test/1\r\nhttps://a.test/2\nother\n").pages.len(), 2);
    }

    #[test]
    fn an_index_names_further_sitemaps() {
        let xml = b"<sitemapindex><sitemap><loc>https://a.test/s.xml.gz</loc></sitemap></sitemapindex>";
        let sitemap = Sitemap::read(xml);
        assert_eq!((sitemap.sitemaps, sitemap.pages), (vec!["https://a.test/s.xml.gz".to_owned()], vec![]));
    }

    #[test]
    fn declared_entities_are_not_expanded() {
        let xml = "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]><urlset><url><loc>https://a.test/&b;</loc>";
        let long: usize = Sitemap::read(xml.as_bytes()).pages.iter().map(String::len).sum();
        assert!(long < 100, "{long}");
    }

    #[test]
    fn bounds_hold() {
        let many: String =
            (0..MOST_PAGES + 1).map(|page| format!("<loc>https://a.test/{page}</loc>")).collect();
        let sitemap = Sitemap::read(format!("<urlset>{many}").as_bytes());
        assert_eq!((sitemap.pages.len(), sitemap.cut), (MOST_PAGES, true));
    }
}
