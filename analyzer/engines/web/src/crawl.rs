//! The crawl: a state machine from batches of requests and their readings to the inventory.
//!
//! The caller sends the requests of [`Crawl::next_batch`], parses the replies in the sandbox and gives the readings to
//! [`Crawl::absorb`], until there are none. Requests are GETs of URLs that the scope includes; redirects are not followed by the
//! caller: a redirect is a new request, decided like every other. `crawl/files.rs` requests robots files, sitemaps, descriptions
//! and scripts; `crawl/absorb.rs` applies readings; `crawl/checkpoint.rs` stores the state; `crawl/inventory.rs` is the result.

mod absorb;
mod checkpoint;
mod files;
mod inventory;

use std::collections::{BTreeMap, BTreeSet};

use common::words;
use serde::{Deserialize, Serialize};
use url::Url;

pub use checkpoint::{CheckpointError, MOST_CHECKPOINT_BYTES};
pub use inventory::{Coverage, Ending, FoundHost, FoundTechnology, HostSource, Inventory};

use crate::endpoints::{Endpoints, Route, Source};
use crate::frontier::{Frontier, Waiting};
use crate::parse::{MOST_REPLIES, Purpose, Reading};
use crate::scope::{Scope, ScopeError, normalized};
use files::{FileRequest, Files};
use inventory::{Counts, Hosts, Technologies};

/// Failed requests in a row after which a crawl ends: the application does not answer, and further requests would not help it.
pub const MOST_FAILURES_IN_A_ROW: u32 = 50;

/// Settings of a crawl.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// URL of the application.
    pub url: String,
    /// Hosts that a user included.
    pub included: Vec<String>,
    /// Hosts that a user excluded.
    pub excluded: Vec<String>,
}

/// A request to send: a GET without redirects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Number within the crawl.
    pub number: u32,
    /// The URL.
    pub url: Url,
    /// URL of the page that refers to it.
    pub base: String,
    /// Its reason.
    pub purpose: Purpose,
}

words! {
    /// Reason why a request has no reply.
    Failure {
        /// No connection, or TLS failed.
        Connection = "connection",
        /// No reply in time.
        Timeout = "timeout",
        /// The reply is malformed.
        Reply = "reply",
        /// It was not sent: a user has taken its URL out of the scope in the meantime.
        OutOfScope = "out_of_scope",
        /// It was not sent: plain HTTP is not permitted to its host.
        PlainHttp = "plain_http",
        /// It was not sent: its address or port is not permitted.
        Address = "address",
        /// It was not sent: the caller has used up its requests or bytes.
        Budget = "budget",
        /// It was not sent: the time of the caller was over.
        Time = "time",
    }
}

impl Failure {
    /// Whether the request was sent, so that its failure is evidence about the server.
    #[must_use]
    pub const fn is_sent(self) -> bool {
        matches!(self, Self::Connection | Self::Timeout | Self::Reply)
    }
}

/// Result of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A reply, parsed.
    Read(Box<Reading>),
    /// No reply.
    Failed {
        /// Number of the request.
        request: u32,
        /// Reason.
        failure: Failure,
    },
}

impl Answer {
    const fn request(&self) -> u32 {
        match self {
            Self::Read(reading) => reading.request,
            Self::Failed { request, .. } => *request,
        }
    }
}

/// A request that was returned and is not yet answered.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pending {
    Page(Waiting),
    File(FileRequest),
}

/// State of a crawl.
#[derive(Clone, Debug)]
pub struct Crawl {
    config: Config,
    scope: Scope,
    frontier: Frontier,
    files: Files,
    pending: BTreeMap<u32, Pending>,
    next_number: u32,
    endpoints: Endpoints,
    hosts: Hosts,
    technologies: Technologies,
    counts: Counts,
}

impl Crawl {
    /// A crawl of the application.
    ///
    /// # Errors
    ///
    /// [`ScopeError`] if no scope follows from the settings.
    pub fn new(config: Config) -> Result<Self, ScopeError> {
        let mut crawl = Self::empty(config)?;
        let start = crawl.scope.application().clone();
        crawl.see_host(&start, HostSource::Application);
        if crawl.scope.decide(&start).permits_requests() {
            // The start page is requested whatever its path says: a user named it.
            crawl.frontier.start(&start);
            crawl.add_route(Route::of_url(&start, Source::Link));
        }
        Ok(crawl)
    }

    fn empty(config: Config) -> Result<Self, ScopeError> {
        let scope = Scope::new(&config.url, &config.included, &config.excluded)?;
        Ok(Self {
            config,
            scope,
            frontier: Frontier::default(),
            files: Files::default(),
            pending: BTreeMap::new(),
            next_number: 0,
            endpoints: Endpoints::default(),
            hosts: Hosts::default(),
            technologies: Technologies::default(),
            counts: Counts::default(),
        })
    }

    /// The scope, to be asked again before each request is sent.
    #[must_use]
    pub const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The next requests, at most [`MOST_REPLIES`]; none when the crawl is over.
    pub fn next_batch(&mut self) -> Vec<Request> {
        let mut requests = Vec::new();
        if self.is_unresponsive() {
            return requests;
        }
        while requests.len() < MOST_REPLIES {
            let Some((url, pending)) = self.next_file().or_else(|| self.next_page()) else { break };
            let (base, purpose) = match &pending {
                Pending::Page(waiting) => (waiting.url.clone(), Purpose::Page),
                Pending::File(file) => (file.base.clone(), file.purpose),
            };
            requests.push(Request { number: self.next_number, url, base, purpose });
            self.pending.insert(self.next_number, pending);
            self.next_number += 1;
        }
        requests
    }

    fn next_file(&mut self) -> Option<(Url, Pending)> {
        while let Some(file) = self.files.take() {
            let Some(url) = self.permitted(&file.url) else { continue };
            // A robots file cannot forbid itself.
            if file.purpose == Purpose::Robots || self.files.allows(&url) {
                return Some((url, Pending::File(file)));
            }
            self.counts.disallowed += 1;
        }
        None
    }

    fn next_page(&mut self) -> Option<(Url, Pending)> {
        while let Some(waiting) = self.frontier.take() {
            let Some(url) = self.permitted(&waiting.url) else { continue };
            if !self.files.has_rules(&url) {
                // Rules come first. Without room for the robots file of another host, its pages have no rules.
                if self.files.request_robots(&url) {
                    self.frontier.put_back(waiting);
                    return self.next_file();
                }
                if self.files.awaits_rules(&url) {
                    self.frontier.put_back(waiting);
                    return None;
                }
            }
            if self.files.allows(&url) {
                self.counts.pages += 1;
                return Some((url, Pending::Page(waiting)));
            }
            self.counts.disallowed += 1;
        }
        None
    }

    /// The URL of a stored text, if the scope still includes it: the last decision before a request is returned.
    fn permitted(&mut self, text: &str) -> Option<Url> {
        let url = Url::parse(text).ok().filter(|url| self.scope.decide(url).permits_requests());
        if url.is_none() {
            self.counts.out_of_scope += 1;
        }
        url
    }

    fn is_unresponsive(&self) -> bool {
        self.counts.failures_in_a_row >= MOST_FAILURES_IN_A_ROW
    }

    /// Records the host of a URL.
    fn see_host(&mut self, url: &Url, source: HostSource) {
        let decision = self.scope.decide(url);
        if let Some(name) = crate::scope::host_name(url) {
            self.hosts.add(name, decision, source);
        }
    }

    /// Adds an endpoint, unless its host does not belong to the application.
    fn add_route(&mut self, route: Route) {
        let Ok(origin) = Url::parse(&route.origin) else { return };
        self.see_host(&origin, HostSource::Endpoint);
        if self.scope.decide(&origin).status != crate::scope::ScopeStatus::Foreign {
            self.endpoints.add(route);
        }
    }

    /// The absolute form of a URL of a reply, normalized.
    fn read_url(text: &str) -> Option<Url> {
        normalized(&Url::parse(text).ok()?)
    }
}

/// Distinct values of which only the number is of interest, up to a bound.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Distinct {
    hashes: BTreeSet<u64>,
    /// Whether there were more.
    more: bool,
}

impl Distinct {
    /// A hash takes 8 bytes of the checkpoint.
    const MOST: usize = 1_000;

    fn add(&mut self, hash: u64) {
        if self.hashes.len() < Self::MOST {
            self.hashes.insert(hash);
        } else if !self.hashes.contains(&hash) {
            self.more = true;
        }
    }
}
