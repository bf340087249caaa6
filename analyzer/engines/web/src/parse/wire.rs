//! The form in which a batch enters and leaves the sandbox: the length of a head, the head in JSON, then bodies and certificates
//! one after the other, so that bytes are not encoded. Readings are JSON.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{MOST_ROUTES, Purpose, Reading};
use crate::certificate::{self, Certificate};
use crate::endpoints::{Route, cut};
use crate::frontier::LONGEST_URL;
use crate::page::MOST_LINKS;
use crate::robots;
use crate::sitemap;
use crate::technologies::{LONGEST_EVIDENCE, LONGEST_VERSION, MOST_PRODUCTS, Technology};

/// Replies of a batch, so that a batch of the largest ones fits into the memory of the sandbox.
pub const MOST_REPLIES: usize = 25;
/// Bytes of a reply's body that are read.
pub const MOST_REPLY_BYTES: usize = 2 << 20;
/// Headers of a reply, and bytes of a value.
const MOST_HEADERS: usize = 64;
const LONGEST_VALUE: usize = 2 << 10;
/// Bytes of the head of a batch: JSON takes up to six bytes for one of a value.
const MOST_HEAD_BYTES: usize =
    MOST_REPLIES * (MOST_HEADERS * 6 * (LONGEST_VALUE + 128) + 4 * 6 * LONGEST_URL);

/// A reply as it was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Number of the request.
    pub request: u32,
    /// URL of the request.
    pub url: String,
    /// URL of the page that refers to it.
    pub base: String,
    /// Reason of the request.
    pub purpose: Purpose,
    /// Status.
    pub status: u16,
    /// Names and values of headers; each cookie has its own.
    pub headers: Vec<(String, String)>,
    /// The body, decoded, at most [`MOST_REPLY_BYTES`] of it.
    pub body: Vec<u8>,
    /// The certificate of the server in DER; empty when it sent none.
    pub certificate: Vec<u8>,
}

impl Reply {
    /// The value of a header whose name is given in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(one, _)| one.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// A batch or its readings have another form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum BatchError {
    /// The batch is damaged or exceeds a bound.
    #[error("the batch of replies is malformed")]
    Batch,
    /// The readings are damaged, exceed a bound, or are not those of the batch.
    #[error("the readings are malformed")]
    Readings,
}

#[derive(Serialize, Deserialize)]
struct Head {
    request: u32,
    url: String,
    base: String,
    purpose: Purpose,
    status: u16,
    headers: Vec<(String, String)>,
    body: usize,
    certificate: usize,
}

/// Writes a batch. Replies beyond [`MOST_REPLIES`] and parts beyond their bounds are left out.
#[must_use]
pub fn encode_batch(replies: &[Reply]) -> Vec<u8> {
    let replies = replies.get(..MOST_REPLIES).unwrap_or(replies);
    let body = |reply: &Reply| reply.body.len().min(MOST_REPLY_BYTES);
    // A part of a certificate cannot be read.
    let certificate = |reply: &Reply| {
        Some(reply.certificate.len()).filter(|length| *length <= certificate::MOST_BYTES).unwrap_or_default()
    };
    let heads: Vec<Head> = replies
        .iter()
        .map(|reply| Head {
            request: reply.request,
            url: cut(&reply.url, LONGEST_URL),
            base: cut(&reply.base, LONGEST_URL),
            purpose: reply.purpose,
            status: reply.status,
            headers: reply
                .headers
                .iter()
                .take(MOST_HEADERS)
                .map(|(name, value)| (cut(name, 100), cut(value, LONGEST_VALUE)))
                .collect(),
            body: body(reply),
            certificate: certificate(reply),
        })
        .collect();
    // Keys are text and numbers are finite: it has a form in JSON.
    let head = serde_json::to_vec(&heads).unwrap_or_default();
    let mut batch = Vec::with_capacity(4 + head.len() + replies.iter().map(body).sum::<usize>());
    batch.extend(u32::try_from(head.len()).unwrap_or(u32::MAX).to_be_bytes());
    batch.extend(head);
    for reply in replies {
        batch.extend(reply.body.get(..body(reply)).unwrap_or_default());
        batch.extend(reply.certificate.get(..certificate(reply)).unwrap_or_default());
    }
    batch
}

/// Reads a batch.
pub(super) fn decode_batch(batch: &[u8]) -> Result<Vec<Reply>, BatchError> {
    let (length, rest) = batch.split_first_chunk::<4>().ok_or(BatchError::Batch)?;
    let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
    if length > MOST_HEAD_BYTES {
        return Err(BatchError::Batch);
    }
    let (head, mut rest) = rest.split_at_checked(length).ok_or(BatchError::Batch)?;
    let heads: Vec<Head> = serde_json::from_slice(head).map_err(|_| BatchError::Batch)?;
    if heads.len() > MOST_REPLIES {
        return Err(BatchError::Batch);
    }
    let mut take = |length: usize| {
        let (part, behind) = rest.split_at_checked(length)?;
        rest = behind;
        Some(part.to_vec())
    };
    let reply = |head: Head| {
        Some(Reply {
            body: take(head.body)?,
            certificate: take(head.certificate)?,
            request: head.request,
            url: head.url,
            base: head.base,
            purpose: head.purpose,
            status: head.status,
            headers: head.headers,
        })
    };
    let replies: Option<Vec<Reply>> = heads.into_iter().map(reply).collect();
    replies.filter(|_| rest.is_empty()).ok_or(BatchError::Batch)
}

/// Reads the readings of a batch. The process that wrote them had parsed hostile input, so that every bound is checked.
///
/// # Errors
///
/// [`BatchError`] if they are malformed, or if the batch was.
pub fn decode_readings(bytes: &[u8]) -> Result<Vec<Reading>, BatchError> {
    let readings: Result<Vec<Reading>, BatchError> =
        serde_json::from_slice(bytes).map_err(|_| BatchError::Readings)?;
    let readings = readings?;
    let bounded = readings.len() <= MOST_REPLIES && readings.iter().all(is_within_bounds);
    if bounded { Ok(readings) } else { Err(BatchError::Readings) }
}

fn is_version(one: &Technology) -> bool {
    one.version.as_ref().is_none_or(|version| version.len() <= LONGEST_VERSION)
}

fn is_within_bounds(reading: &Reading) -> bool {
    let short = |texts: &[String], most: usize| {
        texts.len() <= most && texts.iter().all(|text| text.len() <= LONGEST_URL)
    };
    let lists = [&reading.links, &reading.scripts, &reading.references, &reading.descriptions];
    lists.into_iter().all(|list| short(list, MOST_LINKS))
        && reading.redirect.as_ref().is_none_or(|url| url.len() <= LONGEST_URL)
        && reading.routes.len() <= MOST_ROUTES
        && reading.routes.iter().all(Route::is_within_bounds)
        && reading.robots.as_ref().is_none_or(|robots| {
            robots.rules.len() <= robots::MOST_RULES
                && robots.rules.iter().all(|rule| rule.path.len() <= robots::LONGEST_ENCODED_RULE)
                && short(&robots.sitemaps, robots::MOST_SITEMAPS)
        })
        && reading.sitemap.as_ref().is_none_or(|sitemap| {
            short(&sitemap.pages, sitemap::MOST_PAGES) && short(&sitemap.sitemaps, sitemap::MOST_SITEMAPS)
        })
        && reading.technologies.len() <= MOST_PRODUCTS
        && reading
            .technologies
            .iter()
            .all(|one| one.name.len() <= 64 && one.evidence.len() <= LONGEST_EVIDENCE && is_version(one))
        && reading.certificate.as_ref().is_none_or(Certificate::is_within_bounds)
}
