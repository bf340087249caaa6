//! From a finding to its verdict: routine, inconclusive, or qualified to be part of an incident
//! (incident model, Qualification). Pure: the sums of risk are kept elsewhere.

use common::incident::Qualification;
use common::severity::Severity;

use crate::plan::Subject;

/// What becomes of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing but a count.
    Routine,
    /// It cannot be told; nothing but a count.
    Inconclusive,
    /// Not enough by itself: adds so many points to the risk of its entity.
    Risk(u32),
    /// Part of an incident.
    Qualified(Qualification),
}

/// Judges a match of one record. A record that could be read only in part convicts nobody.
pub(crate) fn single(subject: &Subject, partial: bool) -> Verdict {
    if partial {
        return Verdict::Inconclusive;
    }
    match subject.level {
        Some(Severity::High | Severity::Critical) => Verdict::Qualified(Qualification::RuleLevel),
        _ if subject.risk > 0 => Verdict::Risk(subject.risk),
        _ => Verdict::Routine,
    }
}

/// Whether the rule of a match can be widespread: only if its matches add risk or qualify. Critical matches are always
/// assessed for their entity.
pub(crate) fn may_be_widespread(subject: &Subject, judged: Verdict) -> bool {
    let leads_somewhere = matches!(judged, Verdict::Risk(_) | Verdict::Qualified(_));
    leads_somewhere && subject.level != Some(Severity::Critical)
}

/// Whether a widespread rule makes an incident: only if each match alone would have qualified. A weak sign of every
/// entity is not significant.
pub(crate) fn opens_incident_if_widespread(judged: Verdict) -> bool {
    matches!(judged, Verdict::Qualified(_))
}

/// Judges a correlation's crossing. A correlation without a level qualifies: somebody set a threshold
/// on purpose; the incident's severity is then unknown.
pub(crate) fn crossing(subject: &Subject) -> Verdict {
    match subject.level {
        None | Some(Severity::Medium | Severity::High | Severity::Critical) => {
            Verdict::Qualified(Qualification::Threshold)
        }
        Some(_) if subject.risk > 0 => Verdict::Risk(subject.risk),
        Some(_) => Verdict::Routine,
    }
}
