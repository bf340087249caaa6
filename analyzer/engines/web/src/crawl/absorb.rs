//! Readings to state: pages to wait for, endpoints, hosts, products.

use url::Url;

use super::files::FileRequest;
use super::inventory::HostSource;
use super::{Answer, Crawl, Failure, Pending};
use crate::endpoints::{Route, Source};
use crate::frontier::{Waiting, is_file, may_change_state};
use crate::parse::{Purpose, Reading};
use crate::robots::Robots;
use crate::scope::ScopeStatus;

impl Crawl {
    /// Applies the answers of a batch. Requests of the batch without an answer have failed; the order of answers does not matter.
    pub fn absorb(&mut self, mut answers: Vec<Answer>) {
        answers.sort_by_key(Answer::request);
        for answer in answers {
            // Only the first answer of a request counts, and none of a request that was not made.
            let Some(pending) = self.pending.remove(&answer.request()) else { continue };
            match answer {
                Answer::Read(reading) => {
                    self.counts.failures_in_a_row = 0;
                    self.apply(&pending, *reading);
                }
                Answer::Failed { failure, .. } => self.fail(&pending, failure),
            }
        }
        for (_, pending) in std::mem::take(&mut self.pending) {
            self.fail(&pending, Failure::Reply);
        }
    }

    fn fail(&mut self, pending: &Pending, failure: Failure) {
        self.counts.failures_in_a_row += u32::from(failure.is_sent());
        match pending {
            Pending::Page(_) => *self.counts.failed_pages.entry(failure).or_default() += 1,
            Pending::File(file) => {
                *self.counts.failed_files.entry(failure).or_default() += 1;
                if file.purpose == Purpose::Robots {
                    self.set_rules(file, None);
                }
            }
        }
    }

    fn apply(&mut self, pending: &Pending, mut reading: Reading) {
        let text = match pending {
            Pending::Page(waiting) => &waiting.url,
            Pending::File(file) => &file.url,
        };
        let Ok(url) = Url::parse(text) else { return };
        self.counts.cut_replies += u64::from(reading.cut);
        let host = crate::scope::host_name(&url).unwrap_or_default();
        self.technologies.add(&host, &url, std::mem::take(&mut reading.technologies));
        if let Some(certificate) = reading.certificate.take() {
            for name in certificate.hosts() {
                self.hosts.add(name.to_owned(), self.scope.decide_host(name), HostSource::Certificate);
            }
            self.hosts.set_certificate(&host, certificate);
        }
        match pending {
            Pending::Page(waiting) => self.apply_page(&url, waiting, reading),
            Pending::File(file) => self.apply_file(file, reading),
        }
    }

    fn apply_page(&mut self, url: &Url, waiting: &Waiting, reading: Reading) {
        match reading.status {
            404 | 410 => self.endpoints.observe(url, false),
            200..=399 | 401 | 403 | 405 => self.endpoints.observe(url, true),
            _ => {}
        }
        // Such a reply says nothing about the links of the page; nor does a refusal of the first page, for example to a token
        // that has expired, about the application.
        let is_error = matches!(reading.status, 429 | 500..) || (waiting.depth == 0 && reading.status >= 400);
        self.counts.error_replies += u64::from(is_error);
        if let Some(target) = &reading.redirect {
            self.follow(target, |crawl, target| {
                crawl.add_link(target, Source::Link, waiting.depth, waiting.redirects + 1);
            });
        }
        for link in reading.links.iter().filter_map(|link| Self::read_url(link)) {
            self.see_host(&link, HostSource::Link);
            self.add_link(&link, Source::Link, waiting.depth + 1, 0);
        }
        for reference in reading.references.iter().filter_map(|link| Self::read_url(link)) {
            self.see_host(&reference, HostSource::Reference);
        }
        for (list, purpose) in
            [(&reading.scripts, Purpose::Script), (&reading.descriptions, Purpose::Description)]
        {
            for file in list.iter().filter_map(|link| Self::read_url(link)) {
                self.see_host(&file, HostSource::Reference);
                self.add_file(&file, purpose, url.as_str(), 0);
            }
        }
        reading.routes.into_iter().for_each(|route| self.add_route(route));
    }

    fn apply_file(&mut self, file: &FileRequest, reading: Reading) {
        if let Some(target) = &reading.redirect {
            let before = self.files.queue.len();
            self.follow(target, |crawl, target| {
                crawl.add_file(target, file.purpose, &file.base, file.redirects + 1);
            });
            // A robots file that cannot be followed further is none.
            if file.purpose == Purpose::Robots && self.files.queue.len() == before {
                self.set_rules(file, None);
            }
            return;
        }
        if file.purpose == Purpose::Robots {
            self.set_rules(file, reading.robots);
        }
        let sitemap = reading.sitemap.unwrap_or_default();
        self.counts.cut_replies += u64::from(sitemap.cut);
        for further in sitemap.sitemaps.iter().filter_map(|link| Self::read_url(link)) {
            self.see_host(&further, HostSource::Link);
            self.add_file(&further, Purpose::Sitemap, &file.base, 0);
        }
        for page in sitemap.pages.iter().filter_map(|link| Self::read_url(link)) {
            self.see_host(&page, HostSource::Link);
            self.add_link(&page, Source::Sitemap, 1, 0);
        }
        reading.routes.into_iter().for_each(|route| self.add_route(route));
    }

    /// Continues at the target of a redirect, if the scope includes it.
    fn follow(&mut self, target: &str, add: impl FnOnce(&mut Self, &Url)) {
        let Some(target) = Self::read_url(target) else { return };
        self.see_host(&target, HostSource::Redirect);
        if self.scope.decide(&target).permits_requests() {
            add(self, &target);
        } else {
            self.counts.redirects_out_of_scope += 1;
        }
    }

    /// Adds a page: an endpoint unless its host is foreign, and a request if its host is included.
    fn add_link(&mut self, url: &Url, source: Source, depth: u8, redirects: u8) {
        let status = self.scope.decide(url).status;
        if status != ScopeStatus::Foreign {
            self.endpoints.add(Route::of_url(url, source));
        }
        if status == ScopeStatus::Included {
            self.frontier.offer(url, depth, redirects);
        }
    }

    /// Adds a file, if the scope includes it, and a GET of it does not look like an action: a page may name any URL as a script.
    fn add_file(&mut self, url: &Url, purpose: Purpose, base: &str, redirects: u8) {
        if !self.scope.decide(url).permits_requests() {
            return;
        }
        if purpose != Purpose::Robots && !is_file(url) && may_change_state(url) {
            self.frontier.refused.hazard += 1;
            return;
        }
        self.files.add(url, purpose, base, redirects);
    }

    /// Sets the rules of the origin of a robots file. Without a file everything is allowed: the owner named the application.
    fn set_rules(&mut self, file: &FileRequest, robots: Option<Robots>) {
        let Ok(origin) = Url::parse(&file.base) else { return };
        self.counts.origins_without_rules += u64::from(robots.is_none());
        let robots = robots.unwrap_or_default();
        self.counts.cut_replies += u64::from(robots.cut);
        let source = Source::Robots;
        let paths = robots.disallowed_paths().filter_map(|path| origin.join(path).ok());
        let routes: Vec<Route> = paths.map(|url| Route::of_url(&url, source)).collect();
        routes.into_iter().for_each(|route| self.add_route(route));
        let sitemaps: Vec<Url> = robots.sitemaps.iter().filter_map(|text| origin.join(text).ok()).collect();
        let usual = if sitemaps.is_empty() { origin.join("/sitemap.xml").ok() } else { None };
        for sitemap in sitemaps.iter().chain(&usual).filter_map(|url| Self::read_url(url.as_str())) {
            self.see_host(&sitemap, HostSource::Link);
            self.add_file(&sitemap, Purpose::Sitemap, origin.as_str(), 0);
        }
        self.counts.cut_replies += u64::from(!self.files.set_rules(&file.base, robots));
        let application = self.scope.application().clone();
        if application.origin().ascii_serialization() == file.base {
            self.files.probe_descriptions(&application);
        }
    }
}
