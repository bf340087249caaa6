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
use crate::record::Artifact;
use crate::repository::HostFailure;
use crate::scan_job::enqueue;
use crate::store::owned;

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
    let known = app.store.seen(organization, subject.origin, &subject.identifier).await?;
    let is_wanted =
        known.as_ref().is_none_or(|known| query.refresh && known.is_stale(now) || known.is_overdue(now));
    // The connection of the organization permits facts that the result lacks.
    let is_wanted = is_wanted
        || known.as_ref().is_some_and(|known| known.is_partial) && is_connected(app, organization).await?;
    if let Some(known) =
        known.as_ref().filter(|known| !(is_wanted || query.mode.is_some() && known.is_pending))
    {
        return answer(app, known.clone(), query);
    }
    // Nothing can be read without an installation: an earlier result stays.
    if content.needs_code_host() && !is_connected(app, organization).await? {
        let unread = || {
            let failure = HostFailure::no_connection();
            let assessment = content.failed(&app.scanner, &failure).unwrap_or_default();
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
                let rows = (app.kit.ledger.as_ref(), app.kit.partitions);
                let artifact = owned(rows, artifact, organization).await?;
                return stored(app, artifact, query).await;
            }
        }
    }
    enqueue(&app.jobs, organization, content, app.kit.partitions).await?;
    let assessment = match (known, early) {
        // The current result until there is another one (contracts: context result).
        (Some(known), _) if !known.is_pending => return answer(app, known.scanned_again(), query),
        (_, Some(early)) => early,
        (Some(known), None) => return answer(app, known, query),
        (None, None) => content.preliminary(&app.scanner, requester, now).await,
    };
    let artifact = Artifact::new(subject, organization, now, &assessment);
    answer(app, app.store.put_pending(artifact).await?, query)
}
