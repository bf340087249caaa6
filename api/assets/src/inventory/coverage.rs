//! The coverage of a run: parts that were not examined, and numbers.

use std::collections::BTreeMap;

use common::words;
use serde::{Deserialize, Serialize};
use web::crawl::{Ending, Failure};

use crate::discovery::names::NameCounts;

words!(
    /// A part that was not examined, or not completely.
    SkippedPart {
        /// Pages.
        Pages = "pages",
        /// Robots files, sitemaps, interface descriptions and scripts.
        Files = "files",
        /// Parts of replies.
        Replies = "replies",
        /// Assets.
        Assets = "assets",
        /// Questions to name servers.
        Names = "names",
        /// TLS handshakes.
        Handshakes = "handshakes",
    }
);

words!(
    /// Reason why a part was not examined.
    SkipReason {
        /// The application does not answer.
        Unresponsive = "unresponsive",
        /// The time of a run was over.
        Time = "time",
        /// There was no reply.
        NoReply = "no_reply",
        /// The reply was an error of the server, a limit of its rate, or a refusal of the first page.
        ErrorReply = "error_reply",
        /// Plain HTTP is not permitted to the host.
        PlainHttp = "plain_http",
        /// The address or port is not permitted.
        Address = "address",
        /// A bound of depth or number was reached.
        Limit = "limit",
        /// A robots file disallows it.
        Robots = "robots",
        /// The scope does not include it.
        OutOfScope = "out_of_scope",
        /// A request might change state.
        Hazard = "hazard",
        /// Other pages of the same route were examined.
        SameRoute = "same_route",
        /// It was too large.
        Size = "size",
    }
);

/// A part that was not examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Skipped {
    /// The part.
    pub what: SkippedPart,
    /// The reason.
    pub reason: SkipReason,
    /// How many of them; at least 1.
    pub count: u64,
}

/// Numbers of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CoverageCounts {
    /// Pages that were requested.
    pub pages: u64,
    /// Links that lead to no page.
    pub broken_links: u64,
    /// Hosts of other domains, which are only counted.
    pub foreign_hosts: u64,
    /// Questions to name servers.
    pub dns_questions: u64,
    /// TLS handshakes without a request.
    pub handshakes: u64,
}

/// Coverage of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Coverage {
    /// Whether neither a failure nor a limit kept the run from anything that it was permitted to request. Only such runs tell
    /// that an asset is gone.
    pub complete: bool,
    /// Parts that were not examined.
    pub skipped: Vec<Skipped>,
    /// Numbers.
    pub counts: CoverageCounts,
}

impl SkipReason {
    /// Explanation for users.
    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::Unresponsive => "the application did not answer many requests in a row",
            Self::Time => "the time of the run was over",
            Self::NoReply => "there was no valid reply in time",
            Self::ErrorReply => {
                "the reply was an error of the server (429 or 5xx), or the first page was refused (4xx)"
            }
            Self::PlainHttp => {
                "plain http is sent only to addresses in the networks of the setting outbound.allow_networks: use an https URL, \
                 or let the operator add the network"
            }
            Self::Address => {
                "requests are sent only to public addresses and those in the networks of the setting outbound.allow_networks, at \
                 port 80, 443 or from 1024 on"
            }
            Self::Limit => "a limit of depth or number was reached",
            Self::Robots => "the robots file disallows it",
            Self::OutOfScope => "its host or endpoint is not included in the scope",
            Self::Hazard => "the request might change state, by the words of its URL",
            Self::SameRoute => "other pages of the same route were examined",
            Self::Size => "it was too large to be read completely",
        }
    }
}

/// The reason why a request had no reply.
const fn reason(failure: Failure) -> SkipReason {
    match failure {
        Failure::Connection | Failure::Timeout | Failure::Reply => SkipReason::NoReply,
        Failure::OutOfScope => SkipReason::OutOfScope,
        Failure::PlainHttp => SkipReason::PlainHttp,
        Failure::Address => SkipReason::Address,
        Failure::Budget => SkipReason::Limit,
        Failure::Time => SkipReason::Time,
    }
}

impl Coverage {
    /// Coverage of a crawl, and of the examination of names after it.
    pub(crate) fn of(crawl: &web::crawl::Coverage, names: &NameCounts) -> Self {
        use {SkipReason as Reason, SkippedPart as Part};
        let ended = match crawl.ending {
            Ending::Unresponsive => Some(Reason::Unresponsive),
            Ending::Stopped => Some(Reason::Time),
            Ending::Complete | Ending::Bounded => None,
        };
        let failed = |part, failures: &BTreeMap<Failure, u64>| {
            let failed = failures.iter().map(|(failure, count)| (part, reason(*failure), *count));
            failed.collect::<Vec<_>>()
        };
        let all = [
            (Part::Pages, ended.unwrap_or(Reason::Time), crawl.waiting),
            (Part::Pages, Reason::ErrorReply, crawl.error_replies),
            (Part::Pages, Reason::Limit, crawl.refused.limit),
            (Part::Pages, Reason::Robots, crawl.disallowed),
            (Part::Pages, Reason::OutOfScope, crawl.redirects_out_of_scope + crawl.out_of_scope),
            (Part::Pages, Reason::Hazard, crawl.refused.hazard),
            (Part::Pages, Reason::SameRoute, crawl.refused.template),
            (Part::Files, Reason::Limit, crawl.refused_files),
            (Part::Replies, Reason::Size, crawl.cut_replies),
            (Part::Assets, Reason::Limit, crawl.left_out + crawl.lost_at_checkpoint),
            (Part::Names, Reason::NoReply, names.failed_questions),
            (Part::Names, Reason::Limit, names.refused_questions),
            (Part::Handshakes, Reason::NoReply, names.failed_handshakes),
            (Part::Handshakes, Reason::Limit, names.refused_handshakes),
        ];
        let pages = failed(Part::Pages, &crawl.failed_pages);
        let files = failed(Part::Files, &crawl.failed_files);
        let mut sums: BTreeMap<(Part, Reason), u64> = BTreeMap::new();
        for (part, reason, count) in
            all.into_iter().chain(pages).chain(files).filter(|(_, _, count)| *count > 0)
        {
            *sums.entry((part, reason)).or_default() += count;
        }
        Self {
            complete: crawl.ending == Ending::Complete && is_answered(crawl),
            skipped: sums
                .into_iter()
                .map(|((what, reason), count)| Skipped { what, reason, count })
                .collect(),
            counts: CoverageCounts {
                pages: crawl.pages,
                broken_links: crawl.broken_links,
                foreign_hosts: crawl.foreign_hosts + names.foreign_hosts,
                dns_questions: names.questions,
                handshakes: names.handshakes,
            },
        }
    }
}

/// Whether every request that the scope permits has a reply that shows whether its page exists.
fn is_answered(crawl: &web::crawl::Coverage) -> bool {
    let mut failures = crawl.failed_pages.keys().chain(crawl.failed_files.keys());
    crawl.error_replies == 0 && failures.all(|failure| *failure == Failure::OutOfScope)
}

#[cfg(test)]
mod tests {
    use web::crawl::{Answer, Config, Crawl};

    use super::*;

    /// Coverage of a crawl of which no request has a reply.
    fn without_replies(failure: Failure) -> Coverage {
        let config = Config { url: "http://shop.test/".to_owned(), ..Config::default() };
        let mut crawl = Crawl::new(config).unwrap();
        loop {
            let requests = crawl.next_batch();
            if requests.is_empty() {
                return Coverage::of(&crawl.finish().coverage, &NameCounts::default());
            }
            let failed = requests.iter().map(|request| Answer::Failed { request: request.number, failure });
            crawl.absorb(failed.collect());
        }
    }

    #[test]
    fn each_reason_of_a_missing_reply_is_stated_and_only_a_smaller_scope_is_complete() {
        for failure in Failure::ALL {
            let coverage = without_replies(failure);
            let of = |part| coverage.skipped.iter().find(|one| one.what == part).unwrap();
            assert_eq!(of(SkippedPart::Pages).reason, reason(failure));
            assert!(of(SkippedPart::Files).count > 1, "robots file, sitemap and descriptions");
            assert_eq!(coverage.complete, failure == Failure::OutOfScope, "{failure:?}");
        }
    }

    #[test]
    fn each_reason_has_an_explanation_of_its_own() {
        let messages: std::collections::BTreeSet<&str> = SkipReason::ALL.map(SkipReason::message).into();
        assert_eq!(messages.len(), SkipReason::ALL.len());
        assert!(SkipReason::PlainHttp.message().contains("outbound.allow_networks"));
    }
}
