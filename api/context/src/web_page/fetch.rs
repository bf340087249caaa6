//! A fetch of a page, and its content.

use std::time::Duration;

use documents::{Claim, Format, Html, claim};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue, USER_AGENT};
use http::{HeaderMap, StatusCode};
use outbound::{Caps, Coding, Hop, Policy, Reading, Reply, Request, SendError};
use url::Url;

use super::Scan;
use crate::content::{Content, File, Page, file_name, open};
use crate::links::registrable;

/// Limits of a fetch (design: bounds of a page).
pub(super) const MOST_BYTES: usize = 5 * 1024 * 1024;
const REDIRECTS: u8 = 5;
const DEADLINE: Duration = Duration::from_secs(10);
/// Programs that the page is fetched as.
pub(super) const AS_AGENT: &str = "Palisade-ContextScan/1.0";
pub(super) const AS_BROWSER: &str =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";

/// A page that was fetched.
pub(super) struct Fetched {
    /// Address of the page itself, behind all redirects.
    pub(super) url: Option<Url>,
    pub(super) reply: Reply,
}

/// A page that was read.
pub(super) struct Read {
    pub(super) content: Content,
    pub(super) page: Page,
}

/// Fetches a URL as a program.
pub(super) async fn fetch(
    scan: &Scan<'_>,
    url: &str,
    program: &'static str,
    most: usize,
) -> Result<Fetched, SendError> {
    let destination =
        scan.network.outbound.destination(url).map_err(|error| SendError::Broken(error.into()))?;
    let caps = Caps {
        body_bytes: most,
        reading: Reading::Whole,
        coding: Coding::Inflated,
        header_bytes: 64 * 1024,
        deadline: Some(DEADLINE),
    };
    let headers = HeaderMap::from_iter([(USER_AGENT, HeaderValue::from_static(program))]);
    let policy = Policy { redirects: REDIRECTS, ..Policy::default() };
    let request = Request::get(headers, caps, policy);
    let reply = scan.send(&destination, request).await?;
    let url = reply.hops.last().map_or_else(|| Url::parse(url).ok(), target);
    Ok(Fetched { url, reply })
}

/// Target of a redirect.
pub(super) fn target(hop: &Hop) -> Option<Url> {
    Url::parse(&hop.url).ok()?.join(&hop.location).ok()
}

impl Fetched {
    pub(super) fn is_found(&self) -> bool {
        self.reply.status == StatusCode::OK.as_u16()
    }

    fn header(&self, name: &http::HeaderName) -> &str {
        self.reply.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Whether the server asks programs to save the reply.
    pub(super) fn is_download(&self) -> bool {
        self.header(&CONTENT_DISPOSITION).trim_start().to_ascii_lowercase().starts_with("attachment")
    }

    /// Registrable domain of the page itself.
    pub(super) fn domain(&self) -> Option<String> {
        registrable(self.url.as_ref()?.host_str()?)
    }

    /// Reads the page: HTML and text on a thread, other formats in the sandbox.
    pub(super) async fn read(&self, scan: &Scan<'_>, place: &'static str) -> Result<Read, String> {
        let declared = self.header(&CONTENT_TYPE).to_ascii_lowercase();
        let charset = documents::charset_of(&declared).map(str::to_owned);
        let bytes = self.reply.body.clone();
        let format = documents::recognize(&bytes);
        let is_text = format.is_some_and(|format| {
            matches!(format, Format::Text | Format::Xml | Format::Html | Format::Svg | Format::Script)
        });
        if is_text && (declared.is_empty() || declared.contains("html") || format == Some(Format::Html)) {
            let base = self.url.clone();
            return scan.analyse(move |_| read_page(place, &bytes, charset.as_deref(), base.as_ref())).await;
        }
        let claim = format.map_or(Claim::None, |format| claim(format, None, Some(&declared)));
        let file = File {
            place: place.to_owned(),
            names: self.url.as_ref().and_then(file_name).into_iter().collect(),
            claim,
            has_deceptive_name: false,
            read_as: None,
            charset,
            bytes: bytes.to_vec(),
        };
        let opened = open(&scan.network.sandbox, vec![file], MOST_BYTES).await;
        scan.analyse(move |_| Read { content: opened.read(), page: Page::default() }).await
    }
}

fn read_page(place: &str, bytes: &[u8], charset: Option<&str>, base: Option<&Url>) -> Read {
    let html = Html::read(bytes, charset);
    let mut content = Content::default();
    content.add_page(place, &html, base);
    Read { content, page: Page::of(&html) }
}
