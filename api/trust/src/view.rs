//! Results as the API and the event show them: one shape for both (specification, Contributor trust scan).

mod words;

use serde::Serialize;
use utoipa::ToSchema;

use crate::artifact::{Assessment, Evidence, Gap, Part, Skipped, SubScores};
use crate::confirm::Confirmed;
use crate::scan::{Aggregate, Scan};
use crate::weights::SCORE_VERSION;

/// A scan of a contributor.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContributorTrustScan)]
pub(crate) struct ScanView {
    /// The scan's id.
    #[schema(format = Uuid)]
    id: String,
    /// `contributor_trust_scan`.
    #[schema(example = "contributor_trust_scan")]
    object: &'static str,
    /// The login.
    login: String,
    /// Status.
    #[schema(schema_with = words::status)]
    status: &'static str,
    /// Score, higher is more trusted; null without a result.
    #[schema(required, minimum = 0, maximum = 100)]
    score: Option<u8>,
    /// Version of the score.
    #[schema(example = "2026-11-28")]
    score_version: String,
    /// Verdict.
    #[schema(required, schema_with = words::optional_verdict)]
    verdict: Option<&'static str>,
    /// Confidence.
    #[schema(required, schema_with = words::optional_confidence)]
    confidence: Option<&'static str>,
    /// Scores of the dimensions; null without a result.
    #[schema(required)]
    sub_scores: Option<SubScoresView>,
    /// Number of reviewed pull requests.
    #[schema(minimum = 0, maximum = 10)]
    analyzed_pr_count: u32,
    /// The reviewed pull requests, newest first, in repositories that are public.
    public_evidence: Vec<EvidenceView>,
    /// Completeness of the data; null without a result.
    #[schema(required)]
    coverage: Option<CoverageView>,
    /// Reason why the scan failed; null otherwise.
    #[schema(required)]
    error: Option<ErrorView>,
    /// When it began.
    #[schema(required, format = DateTime)]
    started_at: Option<String>,
    /// When it ended.
    #[schema(required, format = DateTime)]
    completed_at: Option<String>,
    /// When it was requested.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

/// The latest result of a contributor, shared by all organizations.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContributorTrust)]
pub(crate) struct TrustView {
    /// `contributor_trust`.
    #[schema(example = "contributor_trust")]
    object: &'static str,
    /// The login.
    login: String,
    /// Score, higher is more trusted.
    #[schema(minimum = 0, maximum = 100)]
    score: u8,
    /// Version of the score.
    #[schema(example = "2026-11-28")]
    score_version: String,
    /// Verdict.
    #[schema(schema_with = words::verdict)]
    verdict: &'static str,
    /// Confidence.
    #[schema(schema_with = words::confidence)]
    confidence: &'static str,
    /// Scores of the dimensions.
    sub_scores: SubScoresView,
    /// Number of reviewed pull requests.
    #[schema(minimum = 0, maximum = 10)]
    analyzed_pr_count: u32,
    /// The reviewed pull requests, newest first, in repositories that are public.
    public_evidence: Vec<EvidenceView>,
    /// Completeness of the data.
    coverage: CoverageView,
    /// When the public data was read.
    #[schema(format = DateTime)]
    scanned_at: String,
    /// When the result was last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

/// Scores of the dimensions.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContributorTrustSubScores)]
pub(crate) struct SubScoresView {
    /// The account.
    #[schema(minimum = 0, maximum = 100)]
    identity: u8,
    /// Its activity.
    #[schema(minimum = 0, maximum = 100)]
    behavior: u8,
    /// Its pull requests.
    #[schema(minimum = 0, maximum = 100)]
    content: u8,
}

/// A reviewed pull request in a public repository.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContributorTrustEvidence)]
pub(crate) struct EvidenceView {
    /// The repository, `owner/name`.
    #[schema(example = "acme/site")]
    repo: String,
    /// Number of the pull request.
    number: u64,
    /// Its title.
    title: String,
    /// Page of it.
    url: String,
    /// Verdict.
    #[schema(schema_with = words::pull_verdict)]
    verdict: &'static str,
    /// Names of the files that were read.
    files_reviewed: Vec<String>,
}

/// Completeness of the data of a result.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContributorTrustCoverage)]
pub(crate) struct CoverageView {
    /// Whether no part was skipped.
    complete: bool,
    /// Parts that could not be used.
    skipped: Vec<SkippedView>,
}

/// A part of the data that could not be used.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContributorTrustSkipped)]
pub(crate) struct SkippedView {
    /// The part.
    #[schema(schema_with = words::part)]
    what: &'static str,
    /// The reason.
    #[schema(schema_with = words::gap)]
    reason: &'static str,
}

/// Reason why a scan failed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContributorTrustScanError)]
pub(crate) struct ErrorView {
    /// Explanation.
    message: String,
}

impl From<SubScores> for SubScoresView {
    fn from(SubScores { identity, behavior, content }: SubScores) -> Self {
        Self { identity, behavior, content }
    }
}

impl From<Evidence> for EvidenceView {
    fn from(evidence: Evidence) -> Self {
        Self {
            repo: evidence.repo,
            number: evidence.number,
            title: evidence.title,
            url: evidence.url,
            verdict: evidence.verdict.as_str(),
            files_reviewed: evidence.files_reviewed,
        }
    }
}

impl CoverageView {
    fn new(of: &Assessment, is_withheld: bool) -> Self {
        let withheld = Skipped { what: Part::PublicEvidence, reason: Gap::NotConfirmed };
        let skipped = of.skipped.iter().copied().chain(is_withheld.then_some(withheld));
        let view = |one: Skipped| SkippedView { what: one.what.as_str(), reason: one.reason.as_str() };
        let skipped: Vec<SkippedView> = skipped.map(view).collect();
        Self { complete: skipped.is_empty(), skipped }
    }
}

fn views(evidence: Vec<Evidence>) -> Vec<EvidenceView> {
    evidence.into_iter().map(EvidenceView::from).collect()
}

impl ScanView {
    pub(crate) fn new(scan: &Scan, shown: Confirmed) -> Self {
        let of = scan.assessment.as_ref();
        let version = |of: &Assessment| of.score_version.clone();
        Self {
            id: scan.id.to_string(),
            object: "contributor_trust_scan",
            login: scan.login.clone(),
            status: scan.status.as_str(),
            score: of.map(|of| of.score),
            score_version: of.map_or_else(|| SCORE_VERSION.to_owned(), version),
            verdict: of.map(|of| of.verdict.as_str()),
            confidence: of.map(|of| of.confidence.as_str()),
            sub_scores: of.map(|of| of.sub_scores.into()),
            analyzed_pr_count: of.map_or(0, |of| of.analyzed_pr_count),
            coverage: of.map(|of| CoverageView::new(of, shown.is_incomplete)),
            public_evidence: views(shown.evidence),
            error: scan.error.clone().map(|message| ErrorView { message }),
            started_at: scan.started_at.map(|at| at.to_iso()),
            completed_at: scan.completed_at.map(|at| at.to_iso()),
            created_at: scan.created_at.to_iso(),
            updated_at: scan.updated_at.to_iso(),
        }
    }
}

impl TrustView {
    pub(crate) fn new(aggregate: Aggregate, shown: Confirmed) -> Self {
        let of = aggregate.assessment;
        Self {
            object: "contributor_trust",
            coverage: CoverageView::new(&of, shown.is_incomplete),
            login: aggregate.login,
            score: of.score,
            score_version: of.score_version,
            verdict: of.verdict.as_str(),
            confidence: of.confidence.as_str(),
            sub_scores: of.sub_scores.into(),
            analyzed_pr_count: of.analyzed_pr_count,
            public_evidence: views(shown.evidence),
            scanned_at: aggregate.scanned_at.to_iso(),
            updated_at: aggregate.updated_at.to_iso(),
        }
    }
}
