//! The result of a crawl: endpoints, hosts, products and coverage.

use std::collections::{BTreeMap, BTreeSet};

use common::words;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{Crawl, Distinct, Failure};
use crate::certificate::Certificate;
use crate::endpoints::{Endpoint, cut};
use crate::frontier::Refused;
use crate::scope::{Decision, ScopeStatus};
use crate::technologies::{Category, Technology};

/// Hosts of an inventory, without foreign ones.
pub(super) const MOST_HOSTS: usize = 500;
/// Products of an inventory.
pub(super) const MOST_TECHNOLOGIES: usize = 500;
/// Versions of one product on one host.
const MOST_VERSIONS: usize = 3;
/// Names of a certificate that are kept; all of them are read as hosts.
const MOST_NAMES: usize = 100;

words! {
    /// Where a host was found.
    HostSource {
        /// The URL of the application.
        Application = "application",
        /// A link or a sitemap.
        Link = "crawl",
        /// A redirect.
        Redirect = "redirect",
        /// An image, a script or a style sheet.
        Reference = "reference",
        /// A form, a script or an interface description.
        Endpoint = "endpoint",
        /// A certificate.
        Certificate = "tls",
    }
}

/// A host of the application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundHost {
    /// Its name or address.
    pub name: String,
    /// Its status, of all its ports the most permissive.
    pub decision: Decision,
    /// Sources.
    pub sources: BTreeSet<HostSource>,
    /// The certificate of its server.
    pub certificate: Option<Certificate>,
}

/// A product on a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundTechnology {
    /// The host.
    pub host: String,
    /// Name of the product.
    pub name: String,
    /// Kind of the product.
    pub category: Category,
    /// Versions, in order of text.
    pub versions: BTreeSet<String>,
    /// Place and text by which it was recognised.
    pub evidence: String,
    /// URL of the reply with the evidence.
    pub url: String,
}

words! {
    /// How a crawl ended.
    Ending {
        /// Everything within its bounds was requested.
        Complete = "complete",
        /// A bound was reached.
        Bounded = "bounded",
        /// It was stopped before its end.
        Stopped = "stopped",
        /// The application did not answer.
        Unresponsive = "unresponsive",
    }
}

/// Numbers of the requests that were made, and of everything that was not examined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// How the crawl ended.
    pub ending: Ending,
    /// Pages that were requested.
    pub pages: u64,
    /// Pages without a reply, by reason.
    pub failed_pages: BTreeMap<Failure, u64>,
    /// Files without a reply, by reason.
    pub failed_files: BTreeMap<Failure, u64>,
    /// Pages whose reply is an error of the server, a limit of its rate, or a refusal of the first page.
    pub error_replies: u64,
    /// Pages and files that were still waiting.
    pub waiting: u64,
    /// Pages that were not requested, by reason.
    pub refused: Refused,
    /// Files beyond their bound.
    pub refused_files: u64,
    /// URLs that robots files disallow.
    pub disallowed: u64,
    /// Origins whose robots file is missing.
    pub origins_without_rules: u64,
    /// Redirects that leave the scope.
    pub redirects_out_of_scope: u64,
    /// Stored URLs that the scope did not include any more.
    pub out_of_scope: u64,
    /// Replies of which only a part was read.
    pub cut_replies: u64,
    /// Hosts that do not belong to the application.
    pub foreign_hosts: u64,
    /// Whether there were more of them than are counted.
    pub more_foreign_hosts: bool,
    /// Links that lead nowhere.
    pub broken_links: u64,
    /// Routes, hosts and products beyond the bounds of the inventory.
    pub left_out: u64,
    /// Parts of the state for which a checkpoint had no room.
    pub lost_at_checkpoint: u64,
}

/// The result of a crawl.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inventory {
    /// Endpoints, by origin, template and method.
    pub endpoints: Vec<Endpoint>,
    /// Hosts of the application, by name.
    pub hosts: Vec<FoundHost>,
    /// Products, by host and name.
    pub technologies: Vec<FoundTechnology>,
    /// Coverage.
    pub coverage: Coverage,
}

/// Numbers of a crawl.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counts {
    pub(super) pages: u64,
    pub(super) failed_pages: BTreeMap<Failure, u64>,
    pub(super) failed_files: BTreeMap<Failure, u64>,
    pub(super) error_replies: u64,
    pub(super) failures_in_a_row: u32,
    pub(super) disallowed: u64,
    pub(super) origins_without_rules: u64,
    pub(super) redirects_out_of_scope: u64,
    pub(super) out_of_scope: u64,
    pub(super) cut_replies: u64,
    pub(super) lost_at_checkpoint: u64,
}

/// Hosts by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hosts {
    pub(super) found: BTreeMap<String, FoundHost>,
    pub(super) foreign: Distinct,
    pub(super) left_out: u64,
}

impl Hosts {
    pub(super) fn add(&mut self, name: String, decision: Decision, source: HostSource) {
        if decision.status == ScopeStatus::Foreign {
            self.foreign.add(crate::frontier::hash(&[name]));
            return;
        }
        if !self.found.contains_key(&name) && self.found.len() >= MOST_HOSTS {
            self.left_out += 1;
            return;
        }
        let host = self.found.entry(name.clone()).or_insert_with(|| FoundHost {
            name,
            decision,
            sources: BTreeSet::new(),
            certificate: None,
        });
        if decision.status < host.decision.status {
            host.decision = decision;
        }
        host.sources.insert(source);
    }

    /// Keeps the certificate of a host; the last one counts, since servers replace theirs.
    pub(super) fn set_certificate(&mut self, name: &str, mut certificate: Certificate) {
        certificate.names.truncate(MOST_NAMES);
        if let Some(host) = self.found.get_mut(name) {
            host.certificate = Some(certificate);
        }
    }
}

/// Products by host and name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Technologies {
    pub(super) found: BTreeMap<(String, String), FoundTechnology>,
    pub(super) left_out: u64,
}

impl Technologies {
    pub(super) fn add(&mut self, host: &str, url: &Url, technologies: Vec<Technology>) {
        for one in technologies {
            let key = (host.to_owned(), one.name);
            if !self.found.contains_key(&key) && self.found.len() >= MOST_TECHNOLOGIES {
                self.left_out += 1;
                continue;
            }
            let url = cut(url.as_str(), crate::frontier::LONGEST_URL);
            let found = self.found.entry(key.clone()).or_insert_with(|| FoundTechnology {
                host: key.0,
                name: key.1,
                category: one.category,
                versions: BTreeSet::new(),
                evidence: one.evidence.clone(),
                url: url.clone(),
            });
            let Some(version) = one.version else { continue };
            if found.versions.is_empty() {
                (found.evidence, found.url) = (one.evidence, url);
            }
            if found.versions.len() < MOST_VERSIONS {
                found.versions.insert(version);
            }
        }
    }
}

impl Crawl {
    /// Ends the crawl, also before its end.
    #[must_use]
    pub fn finish(self) -> Inventory {
        let (kept, broken): (Vec<Endpoint>, Vec<Endpoint>) =
            self.endpoints.iter().partition(|endpoint| !endpoint.is_broken_link());
        let coverage = self.coverage(broken.len());
        Inventory {
            endpoints: kept,
            hosts: self.hosts.found.into_values().collect(),
            technologies: self.technologies.found.into_values().collect(),
            coverage,
        }
    }

    fn coverage(&self, broken_links: usize) -> Coverage {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let counts = &self.counts;
        let waiting = number(self.frontier.waiting() + self.files.queue.len() + self.pending.len());
        let refused = self.frontier.refused;
        let left_out = self.endpoints.left_out() + self.hosts.left_out + self.technologies.left_out;
        let bounded =
            refused.limit > 0 || left_out > 0 || self.files.refused > 0 || counts.lost_at_checkpoint > 0;
        let ending = match () {
            () if self.is_unresponsive() => Ending::Unresponsive,
            () if waiting > 0 => Ending::Stopped,
            () if bounded => Ending::Bounded,
            () => Ending::Complete,
        };
        Coverage {
            ending,
            pages: counts.pages,
            failed_pages: counts.failed_pages.clone(),
            failed_files: counts.failed_files.clone(),
            error_replies: counts.error_replies,
            waiting,
            refused,
            refused_files: self.files.refused,
            disallowed: counts.disallowed,
            origins_without_rules: counts.origins_without_rules,
            redirects_out_of_scope: counts.redirects_out_of_scope,
            out_of_scope: counts.out_of_scope,
            cut_replies: counts.cut_replies,
            foreign_hosts: number(self.hosts.foreign.hashes.len()),
            more_foreign_hosts: self.hosts.foreign.more,
            broken_links: number(broken_links),
            left_out,
            lost_at_checkpoint: counts.lost_at_checkpoint,
        }
    }
}
