//! Open incidents that a suppression covers: found by their kept evidence, and resolved where the caller asks for it.

use common::ids::IncidentId;
use common::incident::{Actor, Evidence, IncidentHead};
use common::severity::Severity;
use common::triage::{TriageResolution, TriageStatus};
use directory::{Asked, DocumentCheck};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Serialize;
use utoipa::ToSchema;

use super::read::{ReadError, Reader};
use super::review::{Command, MAX_COMMENT_CHARS, ReviewError, Reviewer};
use crate::app::App;
use crate::incident_index::{Filter, Part, Sort, State};
use rest::error::ApiError;

/// Open incidents whose evidence is examined, those with the newest activity first: each is two point reads.
pub(crate) const MOST_EXAMINED: usize = 200;
const PAGE: usize = 500;
/// Incidents that are read at a time.
const READ_AT_ONCE: usize = 8;

/// An open incident that a suppression covers.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CoveredIncident)]
pub(crate) struct CoveredIncidentView {
    /// The incident's id.
    #[schema(format = Uuid)]
    id: String,
    /// Its title.
    title: String,
    /// Its severity.
    #[schema(schema_with = crate::schema::severity)]
    severity: Severity,
    /// Whether it was resolved by this request.
    resolved: bool,
}

/// Resolution of incidents: its author and the reason.
pub(crate) struct Resolution {
    pub(crate) title: String,
    pub(crate) reason: String,
    pub(crate) actor: Actor,
    pub(crate) request_id: String,
}

/// The open incidents of whose kept evidence a suppression takes away every record.
pub(crate) async fn find(app: &App, reader: Reader<'_>, yaml: &str) -> Result<Vec<IncidentHead>, ApiError> {
    let open = Filter { state: Some(State::Open), ..Filter::default() };
    let (mut heads, mut evidence) = (Vec::new(), Vec::new());
    let mut offset = 0;
    while heads.len() < MOST_EXAMINED {
        let part = Part { sort: Sort::Activity, offset, limit: PAGE };
        let listed = app.index.list(reader.organization, &open, part).await?;
        let is_last = listed.rows.len() < PAGE;
        offset += PAGE;
        let rows = listed.rows.iter().take(MOST_EXAMINED - heads.len());
        let ids: Vec<IncidentId> = rows.map(|(row, _)| row.id).collect();
        let read = stream::iter(ids).map(|id| examined(reader, id)).buffered(READ_AT_ONCE);
        let read: Vec<Option<(IncidentHead, Vec<Evidence>)>> = read.try_collect().await?;
        for (head, kept) in read.into_iter().flatten() {
            heads.push(head);
            evidence.push(kept);
        }
        if is_last {
            break;
        }
    }
    let yaml = yaml.to_owned();
    let check = move |check: &dyn DocumentCheck, asked: Asked<'_>| check.covered(asked, &yaml, &evidence);
    let covered = app.checking.ask(&app.kit, reader.organization, check).await?;
    Ok(heads.into_iter().zip(covered).filter(|(_, covered)| *covered).map(|(head, _)| head).collect())
}

/// An incident and its kept evidence; `None` where its retention has ended since it was listed.
async fn examined(
    reader: Reader<'_>,
    id: IncidentId,
) -> Result<Option<(IncidentHead, Vec<Evidence>)>, ReadError> {
    let head = match reader.head(id).await {
        Ok(head) => head,
        Err(ReadError::NotFound) => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some((head, reader.detail(id).await?.evidence)))
}

/// Resolves incidents as reviews with the suppression as the reason. One that changed since is left alone.
pub(crate) async fn resolve(
    app: &App,
    reader: Reader<'_>,
    heads: Vec<IncidentHead>,
    by: &Resolution,
) -> Result<Vec<CoveredIncidentView>, ApiError> {
    let stored = |head: &IncidentHead, seq| app.index.apply(head, seq);
    let reviewer = Reviewer { reader, escalation: &app.escalation, stored: &stored };
    let comment = format!("Covered by the suppression \"{}\": {}", by.title, by.reason);
    let comment: String = comment.chars().take(MAX_COMMENT_CHARS).collect();
    let mut views = Vec::with_capacity(heads.len());
    for head in heads {
        let command = Command {
            triage_version: head.triage.version,
            status: TriageStatus::Resolved,
            resolution: Some(TriageResolution::FalsePositive),
            comment: Some(comment.clone()),
            actor: by.actor.clone(),
            at: app.kit.clock.now(),
            request_id: by.request_id.clone(),
        };
        let resolved = match reviewer.review(head.id, &command).await {
            Ok(()) => true,
            Err(ReviewError::Stale { .. } | ReviewError::Read(ReadError::NotFound)) => false,
            Err(error) => return Err(error.into()),
        };
        views.push(CoveredIncidentView { resolved, ..CoveredIncidentView::open(head) });
    }
    Ok(views)
}

impl CoveredIncidentView {
    /// One that stays open.
    pub(crate) fn open(head: IncidentHead) -> Self {
        Self {
            id: head.id.to_string(),
            title: head.analysis.title,
            severity: head.analysis.severity,
            resolved: false,
        }
    }
}
