//! Outcomes of checks to a score, a floor and a confidence. Integers only, so that equal outcomes give equal results.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::artifact::{Confidence, Dimension, Floor, Origin, Severity, ThreatType, Tolerance, Verdict};
use crate::check::{Check, Outcome, Threat};
use crate::weights::{self, CAP_CRITICAL, CAP_HIGH, CAP_MEDIUM, CAP_SEVERAL_HIGH};

/// Identity is earned from here on.
const IDENTITY_START: i32 = 50;
const START: i32 = 100;
const MOST: i32 = 100;

/// Scores of the dimensions, 0 to 100; none where the origin is not scored on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubScores {
    /// Who is behind the content.
    pub identity: Option<u8>,
    /// Effects of the content.
    pub behavior: Option<u8>,
    /// The text itself.
    pub content: Option<u8>,
}

/// Part of the content that was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The part.
    pub what: String,
    /// The reason.
    pub reason: String,
}

/// How much of the content was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Whether every relevant part was read.
    pub complete: bool,
    /// Parts that were not read.
    pub skipped: Vec<Skipped>,
}

/// Findings of an engine about one content.
#[derive(Clone, Debug, Default)]
pub struct Assessment {
    /// Every check of the origin, once.
    pub checks: Vec<Check>,
    /// Relevant parts that were not read.
    pub skipped: Vec<Skipped>,
    /// Parts that were not read and are not relevant: they are listed and change no verdict.
    pub left_out: Vec<Skipped>,
    /// Whether nothing could be read.
    pub is_unreadable: bool,
    /// Whether checks are still to be made.
    pub is_pending: bool,
    /// Whether it depends on the connection of the asking organization to the code host: then it is no result for others.
    pub is_of_connection: bool,
    /// Whether an organization with a connection to the code host would get more facts. Those that there are hold for all.
    pub is_partial: bool,
}

/// The result of scoring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scored {
    /// 0 to 100, higher is safer.
    pub score: u8,
    /// Verdict that the result is never better than.
    pub floor: Option<Floor>,
    /// Confidence.
    pub confidence: Confidence,
    /// Scores of the dimensions.
    pub sub_scores: SubScores,
    /// Threats, the most severe first.
    pub threats: Vec<Threat>,
    /// How much was read.
    pub coverage: Coverage,
}

/// Scores an assessment.
#[must_use]
pub fn score(origin: Origin, assessment: &Assessment) -> Scored {
    let dimension = |dimension, weight: Option<u8>| weight.map(|_| sub_score(dimension, &assessment.checks));
    let [identity, behavior, content] = scored(origin, assessment);
    let sub_scores = SubScores {
        identity: dimension(Dimension::Identity, identity),
        behavior: dimension(Dimension::Behavior, behavior),
        content: dimension(Dimension::Content, content),
    };
    let parts =
        [(sub_scores.identity, identity), (sub_scores.behavior, behavior), (sub_scores.content, content)];
    let weight = |(score, weight): &(Option<u8>, Option<u8>)| {
        (u32::from(score.unwrap_or(0)), u32::from(weight.unwrap_or(0)))
    };
    let sum: u32 = parts.iter().map(weight).map(|(score, weight)| score * weight).sum();
    let whole: u32 = parts.iter().map(weight).map(|(_, weight)| weight).sum::<u32>().max(1);
    // Rounded half up.
    let weighted = u8::try_from((sum + whole / 2) / whole).unwrap_or(100);
    let mut threats: Vec<Threat> = assessment.checks.iter().flat_map(Check::threats).cloned().collect();
    if assessment.is_unreadable {
        threats.push(Threat {
            kind: unreadable(origin),
            severity: Severity::High,
            detail: "nothing of the content was readable".to_owned(),
            excerpt: None,
        });
    }
    threats.sort_by_key(|threat| Reverse(threat.severity));
    let floor = floor(assessment);
    let score = if floor == Some(Floor::Dangerous) { 0 } else { weighted.min(cap(&threats)) };
    let complete = assessment.skipped.is_empty() && !assessment.is_unreadable && !assessment.is_pending;
    let skipped = assessment.skipped.iter().chain(&assessment.left_out).cloned().collect();
    let coverage = Coverage { complete, skipped };
    Scored { score, floor, confidence: confidence(floor, &assessment.checks), sub_scores, threats, coverage }
}

/// The threat of content of which nothing was readable.
fn unreadable(origin: Origin) -> ThreatType {
    match origin {
        Origin::Package => ThreatType::PackageUnscannable,
        Origin::Mcp => ThreatType::McpUnscannable,
        _ => ThreatType::ScanError,
    }
}

/// Percentages of the dimensions that are scored: all of the origin, and of a pending scan those with checks.
fn scored(origin: Origin, assessment: &Assessment) -> [Option<u8>; 3] {
    let has = |dimension| assessment.checks.iter().any(|check| check.spec.dimension == dimension);
    let [identity, behavior, content] = weights::of(origin);
    if !assessment.is_pending || assessment.checks.is_empty() {
        return [identity, behavior, content];
    }
    [
        identity.filter(|_| has(Dimension::Identity)),
        behavior.filter(|_| has(Dimension::Behavior)),
        content.filter(|_| has(Dimension::Content)),
    ]
}

fn sub_score(dimension: Dimension, checks: &[Check]) -> u8 {
    let start = if dimension == Dimension::Identity { IDENTITY_START } else { START };
    let of_dimension = checks.iter().filter(|check| check.spec.dimension == dimension);
    let points: i32 = of_dimension.map(|check| i32::from(check.points())).sum();
    u8::try_from((start + points).clamp(0, MOST)).unwrap_or(0)
}

/// Highest score with these threats: otherwise a good name would outweigh an attack.
fn cap(threats: &[Threat]) -> u8 {
    let mut high: Vec<_> =
        threats.iter().filter(|threat| threat.severity == Severity::High).map(|threat| threat.kind).collect();
    high.sort_unstable();
    high.dedup();
    match threats.first().map(|threat| threat.severity) {
        Some(Severity::Critical) => CAP_CRITICAL,
        Some(Severity::High) if high.len() > 1 => CAP_SEVERAL_HIGH,
        Some(Severity::High) => CAP_HIGH,
        Some(Severity::Medium) => CAP_MEDIUM,
        Some(Severity::Low) | None => 100,
    }
}

fn is_missing(check: &Check) -> bool {
    matches!(check.outcome, Outcome::NotPossible { .. })
}

fn floor(assessment: &Assessment) -> Option<Floor> {
    if assessment.is_unreadable {
        return Some(Floor::Dangerous);
    }
    let lacks = assessment.checks.iter().any(|check| check.spec.is_required && is_missing(check));
    (lacks || assessment.is_pending || !assessment.skipped.is_empty()).then_some(Floor::Caution)
}

fn confidence(floor: Option<Floor>, checks: &[Check]) -> Confidence {
    match floor {
        Some(_) => Confidence::Low,
        None if checks.iter().any(is_missing) => Confidence::Medium,
        None => Confidence::High,
    }
}

/// The verdict of a score at a tolerance: the worse of the table (contracts: tolerance table) and the floor.
#[must_use]
pub fn verdict(score: u8, floor: Option<Floor>, tolerance: Tolerance) -> Verdict {
    use Verdict::{Caution, Dangerous, Safe, Suspicious};
    let [conservative, lenient, yolo] = match score {
        80.. => [Safe, Safe, Safe],
        60..=79 => [Caution, Safe, Safe],
        50..=59 => [Caution, Caution, Safe],
        40..=49 => [Suspicious, Caution, Safe],
        20..=39 => [Suspicious, Suspicious, Caution],
        0..=19 => [Dangerous, Dangerous, Suspicious],
    };
    let of_table = match tolerance {
        Tolerance::Conservative => conservative,
        Tolerance::Lenient => lenient,
        Tolerance::Yolo => yolo,
    };
    let of_floor = match floor {
        None => Safe,
        Some(Floor::Caution) => Caution,
        Some(Floor::Dangerous) => Dangerous,
    };
    of_table.max(of_floor)
}

#[cfg(test)]
mod tests;
