//! A site in memory, and a caller that checks every request against the scope as a broker does.

use std::collections::{BTreeMap, BTreeSet};

use web::crawl::{Answer, Config, Crawl, Failure, Inventory, Request};
use web::parse::{Reply, decode_readings, encode_batch, read_batch};

/// Content of a URL.
#[derive(Clone)]
pub(crate) struct Content {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) certificate: Vec<u8>,
}

/// URLs with their content.
#[derive(Clone, Default)]
pub(crate) struct Site {
    pages: BTreeMap<String, Content>,
    /// URLs that do not answer.
    pub(crate) silent: BTreeSet<String>,
}

impl Site {
    pub(crate) fn with(mut self, url: &str, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("Content-Type".to_owned(), kind.to_owned())];
        self.pages
            .insert(url.into(), Content { status: 200, headers, body: body.into(), certificate: vec![] });
        self
    }

    pub(crate) fn html(self, url: &str, body: impl Into<Vec<u8>>) -> Self {
        self.with(url, "text/html; charset=utf-8", body)
    }

    pub(crate) fn redirect(mut self, url: &str, target: &str) -> Self {
        let headers = vec![("Location".to_owned(), target.to_owned())];
        self.pages.insert(url.into(), Content { status: 302, headers, body: vec![], certificate: vec![] });
        self
    }

    pub(crate) fn header(mut self, url: &str, name: &str, value: &str) -> Self {
        self.pages.get_mut(url).unwrap().headers.push((name.into(), value.into()));
        self
    }

    pub(crate) fn status(mut self, url: &str, status: u16) -> Self {
        self.pages.get_mut(url).unwrap().status = status;
        self
    }

    pub(crate) fn certificate(mut self, url: &str, der: &[u8]) -> Self {
        self.pages.get_mut(url).unwrap().certificate = der.to_vec();
        self
    }

    fn reply(&self, request: &Request) -> Reply {
        let missing = Content { status: 404, headers: vec![], body: vec![], certificate: vec![] };
        let content = self.pages.get(request.url.as_str()).cloned().unwrap_or(missing);
        Reply {
            request: request.number,
            url: request.url.to_string(),
            base: request.base.clone(),
            purpose: request.purpose,
            status: content.status,
            headers: content.headers,
            body: content.body,
            certificate: content.certificate,
        }
    }

    /// Sends a batch: the answers in another order than the requests.
    pub(crate) fn answer(&self, crawl: &Crawl, requests: &[Request]) -> Vec<Answer> {
        for request in requests {
            assert!(crawl.scope().decide(&request.url).permits_requests(), "{}", request.url);
        }
        let (silent, answering): (Vec<&Request>, Vec<&Request>) =
            requests.iter().partition(|request| self.silent.contains(request.url.as_str()));
        let replies: Vec<Reply> = answering.into_iter().map(|request| self.reply(request)).collect();
        let readings = decode_readings(&read_batch(&encode_batch(&replies))).unwrap();
        let mut answers: Vec<Answer> = readings.into_iter().map(|one| Answer::Read(Box::new(one))).collect();
        answers.reverse();
        let failed =
            |request: &Request| Answer::Failed { request: request.number, failure: Failure::Timeout };
        answers.extend(silent.into_iter().map(failed));
        answers
    }
}

pub(crate) fn config(url: &str) -> Config {
    Config { url: url.into(), included: vec![], excluded: vec![] }
}

/// Crawls to the end: the requested URLs in order, and the inventory.
pub(crate) fn crawl(site: &Site, config: Config) -> (Vec<String>, Inventory) {
    let mut crawl = Crawl::new(config).unwrap();
    let mut requested = Vec::new();
    loop {
        let requests = crawl.next_batch();
        if requests.is_empty() {
            return (requested, crawl.finish());
        }
        assert!(requests.len() <= 25);
        requested.extend(requests.iter().map(|request| request.url.to_string()));
        let answers = site.answer(&crawl, &requests);
        crawl.absorb(answers);
    }
}

/// The endpoints of an inventory as lines.
pub(crate) fn endpoints(inventory: &Inventory) -> Vec<String> {
    let lines = inventory.endpoints.iter().map(|endpoint| {
        let sources: Vec<&str> = endpoint.sources.iter().map(|source| source.as_str()).collect();
        format!("{} {}{} {}", endpoint.method, endpoint.origin, endpoint.template, sources.join(","))
    });
    lines.collect()
}
