//! The coverage of a run: parts that were not examined, and numbers.

use common::words;
use serde::{Deserialize, Serialize};
use web::crawl::Ending;

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

impl Coverage {
    /// Coverage of a crawl, and of the examination of names after it.
    pub(crate) fn of(crawl: &web::crawl::Coverage, names: &NameCounts) -> Self {
        use {SkipReason as Reason, SkippedPart as Part};
        let ended = match crawl.ending {
            Ending::Unresponsive => Some(Reason::Unresponsive),
            Ending::Stopped => Some(Reason::Time),
            Ending::Complete | Ending::Bounded => None,
        };
        let all = [
            (Part::Pages, ended.unwrap_or(Reason::Time), crawl.waiting),
            (Part::Pages, Reason::NoReply, crawl.failed_pages),
            (Part::Pages, Reason::Limit, crawl.refused.limit),
            (Part::Pages, Reason::Robots, crawl.disallowed),
            (Part::Pages, Reason::OutOfScope, crawl.redirects_out_of_scope + crawl.out_of_scope),
            (Part::Pages, Reason::Hazard, crawl.refused.hazard),
            (Part::Pages, Reason::SameRoute, crawl.refused.template),
            (Part::Files, Reason::NoReply, crawl.failed_files),
            (Part::Files, Reason::Limit, crawl.refused_files),
            (Part::Replies, Reason::Size, crawl.cut_replies),
            (Part::Assets, Reason::Limit, crawl.left_out + crawl.lost_at_checkpoint),
            (Part::Names, Reason::NoReply, names.failed_questions),
            (Part::Names, Reason::Limit, names.refused_questions),
            (Part::Handshakes, Reason::NoReply, names.failed_handshakes),
            (Part::Handshakes, Reason::Limit, names.refused_handshakes),
        ];
        let skipped = all.into_iter().filter(|(_, _, count)| *count > 0);
        let unanswered = crawl.failed_pages + crawl.failed_files;
        Self {
            complete: crawl.ending == Ending::Complete && unanswered == 0,
            skipped: skipped.map(|(what, reason, count)| Skipped { what, reason, count }).collect(),
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
