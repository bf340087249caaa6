//! A result as clients see it.

use common::timestamp::Timestamp;
use http::{HeaderMap, HeaderName, HeaderValue};
use rest::openapi::word_of;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};

use crate::artifact::{Confidence, Dimension, Floor, Origin, Severity, ThreatType, Tolerance, Verdict};
use crate::check::{CheckRecord, OutcomeWord, Threat};
use crate::query::ContextQuery;
use crate::record::Artifact;
use crate::score::{Coverage, Skipped, SubScores, verdict};
use crate::weights::text::READ;

/// Result of a scan.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContextArtifact)]
pub(crate) struct ArtifactView {
    /// Type of the resource.
    #[schema(example = "context_artifact")]
    object: &'static str,
    /// Kind of content.
    #[schema(schema_with = words::origin)]
    origin: &'static str,
    /// Host and path of a web page, else a SHA-256 in hexadecimal digits.
    #[schema(max_length = 2048)]
    identifier: String,
    /// Label for people.
    name: String,
    /// Score; higher is safer.
    #[schema(minimum = 0, maximum = 100)]
    score: u8,
    /// Verdict at the tolerance.
    #[schema(schema_with = words::verdict)]
    verdict: &'static str,
    /// Confidence.
    #[schema(schema_with = words::confidence)]
    confidence: &'static str,
    /// Tolerance of the verdict.
    #[schema(schema_with = words::tolerance)]
    tolerance: &'static str,
    /// Time of the scan.
    #[schema(format = DateTime)]
    scanned_at: String,
    /// URL of public content; null for content that is not kept.
    #[schema(required)]
    url: Option<String>,
    /// Whether checks are still to be made.
    pending_deep_scan: bool,
    /// Version of the checks and weights.
    score_version: String,
    /// Verdict that the result is never better than, since something was not read; null for none.
    #[schema(required, schema_with = words::floor)]
    floor: Option<&'static str>,
    /// Scores of identity, behavior and content; with `details=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    sub_scores: Option<SubScoresView>,
    /// Threats, the most severe first; with `details=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    threats: Option<Vec<ThreatView>>,
    /// Every check with its outcome; with `details=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    checks: Option<Vec<CheckView>>,
    /// Parts that were not read; with `details=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    coverage: Option<CoverageView>,
}

/// Scores of the dimensions; null where the origin is not scored on it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContextSubScores)]
struct SubScoresView {
    #[schema(required, minimum = 0, maximum = 100)]
    identity: Option<u8>,
    #[schema(required, minimum = 0, maximum = 100)]
    behavior: Option<u8>,
    #[schema(required, minimum = 0, maximum = 100)]
    content: Option<u8>,
}

/// A threat.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContextThreat)]
struct ThreatView {
    #[serde(rename = "type")]
    #[schema(schema_with = words::threat)]
    kind: &'static str,
    #[schema(schema_with = words::severity)]
    severity: &'static str,
    /// Rule and location; in the response to the POST with an excerpt of the content.
    detail: String,
}

/// A check.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContextCheck)]
struct CheckView {
    /// Name.
    #[schema(example = "text.injection")]
    id: String,
    #[schema(schema_with = words::dimension)]
    dimension: &'static str,
    #[schema(schema_with = words::outcome)]
    outcome: &'static str,
    /// Points added to the dimension, negative for points taken.
    points: i16,
    /// Type of the most severe threat; null for none.
    #[schema(required)]
    threat: Option<&'static str>,
    /// Reason of a failure, of a check that was not possible, or of trust by a list of the operator; digests of the archives
    /// that were read; null otherwise.
    #[schema(required)]
    reason: Option<String>,
}

/// Parts that were read and not read.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContextCoverage)]
struct CoverageView {
    /// Whether every relevant part was read.
    complete: bool,
    /// Parts that were not read.
    skipped: Vec<SkippedView>,
}

/// A part that was not read.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContextSkipped)]
struct SkippedView {
    /// The part.
    what: String,
    /// The reason.
    reason: String,
}

impl ArtifactView {
    /// The view of a result.
    pub(crate) fn new(mut artifact: Artifact, query: ContextQuery, now: Timestamp) -> Self {
        if artifact.is_lost(now) {
            lose(&mut artifact);
        }
        let Artifact { subject, score, floor, confidence, .. } = artifact;
        let details = query.details;
        Self {
            object: "context_artifact",
            origin: subject.origin.as_str(),
            identifier: subject.identifier,
            name: subject.name,
            score,
            verdict: verdict(score, floor, query.tolerance).as_str(),
            confidence: confidence.as_str(),
            tolerance: query.tolerance.as_str(),
            scanned_at: artifact.scanned_at.to_iso(),
            url: subject.url,
            pending_deep_scan: artifact.is_pending,
            score_version: artifact.score_version,
            floor: floor.map(Floor::as_str),
            sub_scores: details.then(|| SubScoresView::new(artifact.sub_scores)),
            threats: details.then(|| artifact.threats.into_iter().map(ThreatView::new).collect()),
            checks: details.then(|| artifact.checks.into_iter().map(CheckView::new).collect()),
            coverage: details.then(|| CoverageView::new(artifact.coverage)),
        }
    }

    /// The headers of a reply, for clients that look at nothing else.
    pub(crate) fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let mut add = |name, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        };
        add("x-service-score", &self.score.to_string());
        add("x-service-verdict", self.verdict);
        add("x-service-confidence", self.confidence);
        add("x-service-tolerance", self.tolerance);
        headers
    }
}

/// Says that a scan was lost with the process that made it.
fn lose(artifact: &mut Artifact) {
    let reason = "the scan was lost with the process that made it; send the content again";
    artifact.is_pending = false;
    artifact.checks.push(CheckRecord {
        outcome: OutcomeWord::NotPossible,
        reason: Some(reason.to_owned()),
        ..READ.passed().record()
    });
    artifact.coverage.skipped.push(Skipped { what: "the content".to_owned(), reason: reason.to_owned() });
}

impl SubScoresView {
    fn new(SubScores { identity, behavior, content }: SubScores) -> Self {
        Self { identity, behavior, content }
    }
}

impl ThreatView {
    fn new(threat: Threat) -> Self {
        let detail = match threat.excerpt {
            Some(excerpt) => format!("{}: {excerpt}", threat.detail),
            None => threat.detail,
        };
        Self { kind: threat.kind.as_str(), severity: threat.severity.as_str(), detail }
    }
}

impl CheckView {
    fn new(check: CheckRecord) -> Self {
        Self {
            id: check.id.into_owned(),
            dimension: check.dimension.as_str(),
            outcome: check.outcome.as_str(),
            points: check.points,
            threat: check.threat.map(ThreatType::as_str),
            reason: check.reason,
        }
    }
}

impl CoverageView {
    fn new(coverage: Coverage) -> Self {
        let skipped =
            coverage.skipped.into_iter().map(|Skipped { what, reason }| SkippedView { what, reason });
        Self { complete: coverage.complete, skipped: skipped.collect() }
    }
}

/// Value sets of the description.
pub(crate) mod words {
    use super::*;

    pub(crate) fn origin() -> ObjectBuilder {
        word_of::<Origin>("Kind of content")
    }

    pub(super) fn verdict() -> ObjectBuilder {
        word_of::<Verdict>("Verdict at the tolerance")
    }

    pub(super) fn confidence() -> ObjectBuilder {
        word_of::<Confidence>("`low` with a floor, `medium` where an optional check was not possible")
    }

    pub(super) fn tolerance() -> ObjectBuilder {
        word_of::<Tolerance>("Tolerance of the verdict")
    }

    pub(super) fn floor() -> OneOfBuilder {
        OneOfBuilder::new()
            .description(Some("Verdict that the result is never better than; null for none"))
            .item(ObjectBuilder::new().schema_type(Type::Null))
            .item(word_of::<Floor>("The floor"))
    }

    pub(super) fn threat() -> ObjectBuilder {
        word_of::<ThreatType>("Type of the threat")
    }

    pub(super) fn severity() -> ObjectBuilder {
        word_of::<Severity>("Severity")
    }

    pub(super) fn dimension() -> ObjectBuilder {
        word_of::<Dimension>("Part of the score that the check changes")
    }

    pub(super) fn outcome() -> ObjectBuilder {
        word_of::<OutcomeWord>("Outcome")
    }
}
