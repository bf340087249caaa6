//! Results of public content: one sequence for all of its origins.

use std::time::Duration;

use axum::response::Response;
use common::ids::OrganizationId;
use outbound::Requester;
use rest::error::ApiError;

use super::repository::is_connected;
use super::{answer, stored};
use crate::App;
use crate::artifact::Origin;
use crate::public_content::PublicContent;
use crate::query::ContextQuery;
use crate::record::{Artifact, owner};
use crate::repository::NO_INSTALLATION;
use crate::scan_job::enqueue;

/// Time that a client waits for the whole scan at most (design: pipeline).
const PATIENCE: Duration = Duration::from_secs(35);
/// Memory in KiB of a scan that a client waits for: two pages and their texts; an archive, its text and the analysis of a part of it.
fn memory(origin: Origin) -> u32 {
    match origin {
        Origin::WebPage => 32 * 1024,
        _ => (64 + 64) * 1024,
    }
}

/// The result of a content: an earlier one, the score of its identity while the content is scanned, or the whole scan where the client
/// waits.
pub(super) async fn scanned(
    app: &App,
    organization: OrganizationId,
    content: &PublicContent,
    query: ContextQuery,
) -> Result<Response, ApiError> {
    let (now, subject) = (app.kit.clock.now(), content.subject());
    let unowned = owner(subject.origin, organization);
    let known = app.store.get(unowned, subject.origin, &subject.identifier).await?;
    let is_wanted =
        known.as_ref().is_none_or(|known| query.refresh && known.is_stale(now) || known.is_overdue(now));
    if let Some(known) =
        known.as_ref().filter(|known| !(is_wanted || query.mode.is_some() && known.is_pending))
    {
        return answer(app, known.clone(), query);
    }
    // Nothing can be read without an installation: an earlier result stays, and the lack of one is no result for other organizations.
    if content.needs_code_host() && !is_connected(app, organization).await? {
        let unread = || {
            let assessment = content.failed(&app.scanner, NO_INSTALLATION.to_owned()).unwrap_or_default();
            Artifact::new(subject, organization, now, &assessment)
        };
        return answer(app, known.unwrap_or_else(unread), query);
    }
    let requester = Requester::interactive(organization);
    let mut early = None;
    if query.mode.is_some() {
        let _turn = app.turns.begin(organization, memory(subject.origin)).await?;
        let until = tokio::time::Instant::now() + PATIENCE;
        let begin = content.begin(&app.scanner, requester, now);
        if let Ok(begun) = tokio::time::timeout_at(until, begin).await {
            early = begun.assessment();
            let finish = content.finish(&app.scanner, requester, now, begun);
            if let Ok(assessment) = tokio::time::timeout_at(until, finish).await {
                let artifact = Artifact::new(subject, organization, now, &assessment);
                return stored(app, artifact, query).await;
            }
        }
    }
    enqueue(&app.jobs, organization, content, app.kit.partitions).await?;
    let assessment = match (early, known) {
        (Some(early), _) => early,
        (None, Some(known)) => return answer(app, Artifact { is_pending: true, ..known }, query),
        (None, None) => content.preliminary(&app.scanner, requester, now).await,
    };
    // The job may have ended meanwhile: a preliminary result never replaces a whole one.
    let later = app.store.get(unowned, subject.origin, &subject.identifier).await?;
    if let Some(whole) = later.filter(|later| !later.is_pending && later.scanned_at >= now) {
        return answer(app, whole, query);
    }
    stored(app, Artifact::new(subject, organization, now, &assessment), query).await
}
