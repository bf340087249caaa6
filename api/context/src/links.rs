//! Checks of links. Links are read, never followed.
//!
//! - `find.rs`: links in a text: URLs, and links of Markdown with their text.
//! - `judge.rs`: one link to its findings.

mod find;
mod judge;

use std::collections::HashMap;

use lookalikes::{BrandLookalike, Resemblance};

pub(crate) use find::find;
pub(crate) use pretext::registrable;

use crate::artifact::Severity;
use crate::check::{Check, Spec, Threat};
use crate::engine::Engine;
use crate::score::Skipped;
use crate::weights::links as weights;
use judge::{Finding, judge};

/// Links that are judged at most: a newsletter has hundreds.
const MOST_LINKS: usize = 2_000;

/// A link with its place in the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// Text that the reader sees; none for a bare URL.
    pub shown: Option<String>,
    /// Target.
    pub target: String,
    /// Place in the content, as part of a sentence.
    pub place: String,
}

/// Outcomes of the checks of links.
pub(crate) struct Judged {
    pub(crate) checks: Vec<Check>,
    pub(crate) skipped: Vec<Skipped>,
}

/// The links as the model of pretexts reads them.
pub(crate) fn of_letter(links: &[Link]) -> Vec<pretext::Link<'_>> {
    links.iter().map(|link| pretext::Link { shown: link.shown.as_deref(), target: &link.target }).collect()
}

/// All checks of links, each once.
pub(crate) fn checks(engine: &Engine, links: &[Link]) -> Judged {
    let mut findings: Vec<(Finding, &Link)> = Vec::new();
    // Links of a newsletter lead to few hosts.
    let mut hosts = HashMap::new();
    for link in links.iter().take(MOST_LINKS) {
        findings.extend(judge(engine, link, &mut hosts).into_iter().map(|finding| (finding, link)));
    }
    let of = |spec: &'static Spec| {
        let found: Vec<&(Finding, &Link)> =
            findings.iter().filter(|(finding, _)| finding.spec == spec).collect();
        let Some((finding, link)) = found.first() else { return spec.passed() };
        let further = match found.len() - 1 {
            0 => String::new(),
            further => format!(" (and {further} further)"),
        };
        let says = format!("{} {}{further}", finding.says, link.place);
        let severity = found.iter().map(|(finding, _)| finding.severity).max().flatten();
        let mut check = match (spec.threat, severity) {
            (Some((kind, _)), Some(severity)) => {
                let threat = Threat { kind, severity, detail: says.clone(), excerpt: None };
                spec.failed_with(vec![threat], says)
            }
            _ => spec.failed(says),
        };
        if let crate::check::Outcome::Failed { threats, .. } = &mut check.outcome {
            threats.iter_mut().for_each(|threat| threat.excerpt = Some(engine.excerpt(&link.target)));
        }
        check
    };
    let checks = weights::ALL.into_iter().map(of).collect();
    let skipped = (links.len() > MOST_LINKS).then(|| Skipped {
        what: format!("links after the first {MOST_LINKS}"),
        reason: format!("there are {} links", links.len()),
    });
    Judged { checks, skipped: skipped.into_iter().collect() }
}

/// The failure of a check of a name that resembles that of a brand. Under another suffix the name may be the brand's own.
pub(crate) fn resembles(spec: &'static Spec, what: &str, found: &BrandLookalike) -> Check {
    let detail = format!("{what} resembles {}: {}", found.brand, how(found.resemblance));
    let severity = severity(found.resemblance);
    let threat =
        spec.threat.map(|(kind, _)| Threat { kind, severity, detail: detail.clone(), excerpt: None });
    spec.failed_with(threat.into_iter().collect(), detail)
}

fn severity(resemblance: Resemblance) -> Severity {
    match resemblance {
        Resemblance::Skeleton | Resemblance::Near | Resemblance::Label => Severity::High,
        Resemblance::OtherSuffix => Severity::Low,
    }
}

fn how(resemblance: Resemblance) -> &'static str {
    match resemblance {
        Resemblance::Skeleton => "letters look alike",
        Resemblance::Near => "few letters differ",
        Resemblance::Label => "the brand is part of the name",
        Resemblance::OtherSuffix => "the same name under another suffix",
    }
}

#[cfg(test)]
mod tests;
