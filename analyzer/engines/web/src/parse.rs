//! A batch of replies to readings: the task of the sandbox, bytes to bytes. Nothing else parses content of an application.

mod wire;

use common::words;
use serde::{Deserialize, Serialize};
use url::Url;

pub use wire::{BatchError, MOST_REPLIES, MOST_REPLY_BYTES, Reply, decode_readings, encode_batch};

use crate::certificate::Certificate;
use crate::endpoints::{LONGEST_NAME, MOST_PARAMETERS, Parameter, Place, Route, Source, cut};
use crate::openapi;
use crate::page::Page;
use crate::robots::Robots;
use crate::routes::{ScriptRoute, routes};
use crate::sitemap::Sitemap;
use crate::technologies::{Catalogue, Signs, Technology};

words! {
    /// Reason of a request.
    Purpose {
        /// A robots file.
        Robots = "robots",
        /// A sitemap.
        Sitemap = "sitemap",
        /// An interface description.
        Description = "description",
        /// A script, for its routes.
        Script = "script",
        /// A page.
        Page = "page",
    }
}

/// Routes of a reading, as many as of a description.
pub(crate) const MOST_ROUTES: usize = openapi::MOST_ROUTES;

/// The content of a reply that the crawl uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Number of the request.
    pub request: u32,
    /// Status of the reply.
    pub status: u16,
    /// Absolute URL to which the reply redirects.
    pub redirect: Option<String>,
    /// Absolute URLs of other pages.
    pub links: Vec<String>,
    /// Absolute URLs of scripts.
    pub scripts: Vec<String>,
    /// Absolute URLs of other files.
    pub references: Vec<String>,
    /// Absolute URLs of interface descriptions.
    pub descriptions: Vec<String>,
    /// Routes of forms, scripts and descriptions.
    pub routes: Vec<Route>,
    /// Rules, if a robots file was requested and found.
    pub robots: Option<Robots>,
    /// URLs, if a sitemap was requested and found.
    pub sitemap: Option<Sitemap>,
    /// Products.
    pub technologies: Vec<Technology>,
    /// The certificate of the server.
    pub certificate: Option<Certificate>,
    /// Whether a bound was reached.
    pub cut: bool,
}

/// Parses a batch of replies that [`encode_batch`] wrote; [`decode_readings`] reads the result.
#[must_use]
pub fn read_batch(input: &[u8]) -> Vec<u8> {
    let readings =
        wire::decode_batch(input).map(|replies| replies.iter().map(read).collect::<Vec<Reading>>());
    // Keys are text and numbers are finite: it has a form in JSON.
    serde_json::to_vec(&readings).unwrap_or_default()
}

/// Parses one reply.
#[must_use]
pub fn read(reply: &Reply) -> Reading {
    let mut reading = Reading { request: reply.request, status: reply.status, ..Reading::default() };
    reading.certificate = Certificate::read(&reply.certificate);
    let Ok(url) = Url::parse(&reply.url) else { return reading };
    if matches!(reply.status, 301 | 302 | 303 | 307 | 308) {
        reading.redirect = reply.header("location").and_then(|location| redirect(&url, location));
    }
    let found = (200..300).contains(&reply.status);
    let html = is_html(reply);
    match reply.purpose {
        Purpose::Robots if found && !html => reading.robots = Some(Robots::read(&reply.body)),
        Purpose::Sitemap if found => reading.sitemap = Some(Sitemap::read(&reply.body)),
        Purpose::Description if found => describe(&mut reading, &reply.body, &url),
        Purpose::Script if found && !html => {
            let base = Url::parse(&reply.base).unwrap_or_else(|_| url.clone());
            add_script(&mut reading, &reply.body, &base);
        }
        Purpose::Page if !html && found && openapi::is_description(&reply.body) => {
            describe(&mut reading, &reply.body, &url);
        }
        _ => {}
    }
    let mut metadata = Vec::new();
    if html {
        let page = Page::read(&reply.body, &url);
        metadata.clone_from(&page.metadata);
        if reply.purpose == Purpose::Page {
            add_page(&mut reading, page, &url);
        }
    }
    let scripts: Vec<String> = reading.scripts.iter().chain(&reading.references).cloned().collect();
    let signs = Signs {
        headers: &reply.headers,
        metadata: &metadata,
        scripts: &scripts,
        markup: if html { &reply.body } else { &[] },
    };
    reading.technologies = Catalogue::built_in().detect(&signs);
    reading
}

fn redirect(url: &Url, location: &str) -> Option<String> {
    let target = url.join(location.trim()).ok()?;
    (target.as_str().len() <= crate::frontier::LONGEST_URL).then(|| target.into())
}

fn is_html(reply: &Reply) -> bool {
    match reply.header("content-type") {
        Some(kind) => kind.to_ascii_lowercase().contains("html"),
        None => reply.body.trim_ascii_start().starts_with(b"<"),
    }
}

fn describe(reading: &mut Reading, body: &[u8], url: &Url) {
    if let Some(description) = openapi::read(body, url) {
        reading.cut |= description.cut;
        reading.routes = description.routes;
    }
}

fn add_script(reading: &mut Reading, script: &[u8], base: &Url) {
    let (routes, cut) = routes(script);
    reading.cut |= cut;
    reading.routes.extend(routes.into_iter().filter_map(|route| of_script(route, base)));
}

fn add_page(reading: &mut Reading, page: Page, url: &Url) {
    reading.cut |= page.cut;
    reading.routes.extend(page.forms.iter().filter_map(crate::page::Form::route));
    add_script(reading, page.inline_scripts.as_bytes(), url);
    reading.routes.retain(Route::is_within_bounds);
    reading.links = page.links;
    reading.scripts = page.scripts;
    reading.references = page.references;
    reading.descriptions = page.descriptions;
}

/// The endpoint of a route of a script, which a page at `base` loads.
fn of_script(route: ScriptRoute, base: &Url) -> Option<Route> {
    let (origin, path) = match route.path.find("://") {
        Some(scheme) => {
            let slash = scheme + 3 + route.path.get(scheme + 3..)?.find('/')?;
            let (origin, path) = route.path.split_at(slash);
            (Url::parse(origin).ok()?.origin().ascii_serialization(), path.to_owned())
        }
        None => (base.origin().ascii_serialization(), route.path),
    };
    let parameter =
        |name: String| Parameter { name: cut(&name, LONGEST_NAME), place: Place::Query, kind: String::new() };
    Some(Route {
        method: route.method,
        origin,
        template: path,
        parameters: route.parameters.into_iter().take(MOST_PARAMETERS).map(parameter).collect(),
        source: Source::Script,
    })
}

#[cfg(test)]
mod tests;
