//! The explanation of one record: its format, its fields, the rules that match or nearly match it, and the correlations
//! that count it. Nothing is remembered from record to record, so a correlation is described for this record alone.

mod counting;
mod fields;

use std::sync::Arc;

use common::incident::Entity;
use common::severity::Severity;
use common::timestamp::Timestamp;
use serde::Serialize;
use sigma::event::LogSource;
use sigma::explain::{Explainer as NearMatches, Miss};
use sigma::{CompileOptions, Document, Match, Placeholders, RuleSet};

pub use self::counting::{CountedBy, GroupValue};
pub use self::fields::Field;
use crate::detect::times;
use crate::pack;
use incidents::classify::{self, Verdict};
use incidents::plan::Plan;
use normalize::aliases::CanonicalFields;
use normalize::record::Record;
use normalize::{Normalized, normalize};

/// Nearly matching rules listed for a record: those behind the first few are ever less alike.
pub const MOST_NEAR: usize = 5;
/// Matching rules listed for a record: the analyzer follows a record no further than this number of matches either.
pub const MOST_MATCHES: usize = 64;
/// Correlations listed for each matching rule: more would not be read.
pub const MOST_COUNTED_BY: usize = 32;

/// Explains records by one set of rules.
#[derive(Debug)]
pub struct Explainer {
    plan: Plan,
    near: NearMatches,
    least_held: usize,
}

/// Outcome of a record.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The outcome in one sentence.
    pub result: String,
    /// The format it was recognised as; absent where it was not.
    pub format: Option<&'static str>,
    /// Whether it could be read only in part.
    pub partial: bool,
    /// Number of events it stands for.
    pub events: u32,
    /// Its log source.
    pub log_source: Source,
    /// Its fields, canonical ones first.
    pub fields: Vec<Field>,
    /// Number of fields left out of the list.
    pub more_fields: usize,
    /// The rules that match.
    pub matches: Vec<RuleMatch>,
    /// Number of matching rules left out of the list.
    pub more_matches: usize,
    /// The rules that nearly match, the most relevant first.
    pub near: Vec<NearMatch>,
    /// Number of nearly matching rules left out of the list.
    pub more_near: usize,
}

/// A log source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Source {
    /// For example `linux`.
    pub product: Option<String>,
    /// For example `webserver`.
    pub category: Option<String>,
    /// For example `sshd`.
    pub service: Option<String>,
}

/// Consequence of a match by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Consequence {
    /// An incident.
    Incident,
    /// Points of risk of the entity, of which a hundred within a day are an incident.
    Risk {
        /// Number of points.
        points: u32,
    },
    /// Nothing but its contribution to correlations.
    Counted,
    /// Nothing: the rule is informational.
    None,
    /// Nothing: the record could be read only in part.
    Inconclusive,
    /// Nothing: a filter takes the match away.
    Suppressed,
}

/// A rule that matches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleMatch {
    /// Its id.
    pub rule_id: String,
    /// Its title.
    pub title: String,
    /// Its level.
    pub level: Option<&'static str>,
    /// Consequence of the match by itself.
    pub leads_to: Consequence,
    /// The entity it is about.
    pub entity: Entity,
    /// Title of the filter that takes it away.
    pub suppressed_by: Option<String>,
    /// The correlations that count it.
    pub counted_by: Vec<CountedBy>,
    /// Number of correlations left out of the list.
    pub more_counted_by: usize,
}

/// A rule that nearly matches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NearMatch {
    /// Its id.
    pub rule_id: String,
    /// Its title.
    pub title: String,
    /// Its level.
    pub level: Option<&'static str>,
    /// Number of items of the rule that hold.
    pub held: usize,
    /// The item that decides against a match; several where any one of them would be enough.
    pub misses: Vec<Miss>,
    /// Further items of which any one would be enough.
    pub more_misses: usize,
}

impl Explainer {
    /// Prepares rules, and the documents that they were compiled from with these placeholders. A rule is listed as nearly
    /// matching only if at least `least_held` of its items hold: with many rules there are always some of a single item
    /// that does not.
    #[must_use]
    pub fn new(
        rules: Arc<RuleSet>,
        documents: &[Document],
        placeholders: &Placeholders,
        least_held: usize,
    ) -> Self {
        let placeholders = &pack::with_own(placeholders);
        let options = CompileOptions { mapping: &CanonicalFields, placeholders };
        let near = NearMatches::new(&rules, documents, &options);
        Self { plan: Plan::new(rules), near, least_held }
    }

    /// Explains a record. `received_at` completes times that have no year.
    #[must_use]
    pub fn explain(&self, record: &Record<'_>, received_at: Timestamp) -> Explanation {
        let normalized = normalize(record, received_at);
        let mut found = Vec::new();
        self.plan.rules().matches_and_filters(&normalized.event, &mut found);
        let matches: Vec<RuleMatch> =
            found.iter().take(MOST_MATCHES).map(|found| self.matched(*found, &normalized)).collect();
        let (near, more_near) = self.near(&normalized);
        let (fields, more_fields) = fields::of(&normalized.event);
        Explanation {
            result: result(&matches, &near, normalized.format.is_some()),
            format: normalized.format.map(|format| format.name()),
            partial: normalized.partial,
            events: times(&normalized.event),
            log_source: Source::of(&normalized.event.log_source),
            fields,
            more_fields,
            more_matches: found.len() - matches.len(),
            matches,
            near,
            more_near,
        }
    }

    fn matched(&self, Match { rule, filter }: Match, normalized: &Normalized<'_>) -> RuleMatch {
        let plan = self.plan.rule(rule);
        let leads_to = match classify::single(&plan.subject, normalized.partial) {
            _ if filter.is_some() => Consequence::Suppressed,
            Verdict::Inconclusive => Consequence::Inconclusive,
            _ if !plan.alone => Consequence::Counted,
            Verdict::Qualified(_) => Consequence::Incident,
            Verdict::Risk(points) => Consequence::Risk { points },
            Verdict::Routine => Consequence::None,
        };
        let counts = filter.is_none() && !normalized.partial;
        let counting = if counts { plan.counted_by.as_slice() } else { &[] };
        let counted_by = counting
            .iter()
            .take(MOST_COUNTED_BY)
            .map(|(correlation, step)| {
                counting::counted_by(&self.plan, *correlation, usize::from(*step), &normalized.event)
            })
            .collect();
        RuleMatch {
            rule_id: plan.subject.matched.id.clone(),
            title: plan.subject.matched.title.clone(),
            level: plan.subject.level.map(Severity::as_str),
            leads_to,
            entity: plan.entity(&normalized.event),
            suppressed_by: filter.and_then(|filter| Some(self.plan.filter(filter)?.title.clone())),
            counted_by,
            more_counted_by: counting.len().saturating_sub(MOST_COUNTED_BY),
        }
    }

    fn near(&self, normalized: &Normalized<'_>) -> (Vec<NearMatch>, usize) {
        let near = self.near.near(&normalized.event, MOST_NEAR, self.least_held);
        let near_match = |near: sigma::explain::Near| {
            let subject = &self.plan.rule(near.rule).subject;
            NearMatch {
                rule_id: subject.matched.id.clone(),
                title: subject.matched.title.clone(),
                level: subject.level.map(Severity::as_str),
                held: near.held,
                misses: near.misses,
                more_misses: near.more_misses,
            }
        };
        (near.rules.into_iter().map(near_match).collect(), near.left_out)
    }
}

impl Source {
    fn of(source: &LogSource<'_>) -> Self {
        let [product, category, service] = [&source.product, &source.category, &source.service]
            .map(|value| value.as_deref().map(fields::shortened));
        Self { product, category, service }
    }
}

/// The outcome in one sentence: the furthest that any match leads.
fn result(matches: &[RuleMatch], near: &[NearMatch], is_recognised: bool) -> String {
    let leads = |wanted: fn(Consequence) -> bool| matches.iter().find(|found| wanted(found.leads_to));
    if let Some(found) = leads(|leads_to| leads_to == Consequence::Incident) {
        return format!("incident: \"{}\" opens an incident on its own", found.title);
    }
    let counting = || matches.iter().flat_map(|found| &found.counted_by);
    let mut counted = counting().filter(|counted| counted.not_counted.is_none());
    if let Some(first) = counted.next() {
        let others = if counted.next().is_some() { "; other correlations count it too" } else { "" };
        return format!(
            "no incident on its own: it counts towards \"{}\", {}{others}",
            first.title, first.threshold
        );
    }
    if leads(|leads_to| matches!(leads_to, Consequence::Risk { .. })).is_some() {
        return "no incident on its own: it adds to the risk of its entity".to_owned();
    }
    if let Some(reason) = counting().find_map(|counted| counted.not_counted.as_deref()) {
        return format!("no incident: a rule matches, but no correlation counts it: {reason}");
    }
    if leads(|leads_to| leads_to == Consequence::Suppressed).is_some() {
        return "no incident: a filter excludes the match".to_owned();
    }
    if leads(|leads_to| leads_to == Consequence::Inconclusive).is_some() {
        return "no incident: the record could be evaluated only in part".to_owned();
    }
    if !matches.is_empty() {
        return "no incident: the matching rules have no effect on their own".to_owned();
    }
    let not_recognised = if is_recognised { "" } else { "the format was not recognised, and " };
    let nearly = if near.is_empty() { "" } else { "; each rule below fails on one item only" };
    format!("no incident: {not_recognised}no rule matches{nearly}")
}

#[cfg(test)]
mod tests;
