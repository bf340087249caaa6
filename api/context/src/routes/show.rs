//! `GET /context/{origin}/{identifier}`.

use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::Response;
use common::ids::OrganizationId;
use outbound::Requester;
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::openapi::{NotFound, Refusals};
use rest::query::StrictQuery;
use rest::scope::ContextRead;

use super::{answer, stored};
use crate::artifact::Origin;
use crate::query::ContextQuery;
use crate::record::{Artifact, owner};
use crate::view::ArtifactView;
use crate::web_page::{Scan, Target, enqueue};
use crate::{App, Shared, view};

/// Longest identifier in characters (specification, Limits).
const LONGEST_IDENTIFIER: usize = 2_048;
/// Time that a client waits for the whole scan at most (design: pipeline).
const PATIENCE: Duration = Duration::from_secs(35);
/// Hexadecimal digits of a SHA-256.
const DIGITS: usize = 64;

/// Get a result
///
/// The result of an earlier scan. The identifier of a web page is its host, or host and path, where `%2F` and `/` are the same; else
/// the SHA-256 of the content or of its name, in hexadecimal digits. A page that was not scanned is answered with the score of its
/// identity and `pending_deep_scan`, and scanned; `mode=full` waits for that, at most 35 s.
#[utoipa::path(
    get,
    path = "/context/{origin}/{identifier}",
    operation_id = "get_context",
    tag = "Context",
    params(
        ("origin" = inline(OriginWord), Path, description = "Kind of content"),
        ("identifier" = String, Path, min_length = 1, max_length = 2048, description = "Identifier of the content"),
        ContextQuery
    ),
    responses((status = 200, description = "The result", body = ArtifactView), NotFound, Refusals)
)]
pub(crate) async fn show(
    state: State<Shared>,
    caller: Caller<ContextRead>,
    Path((origin, identifier)): Path<(String, String)>,
    query: StrictQuery<ContextQuery>,
) -> Result<Response, ApiError> {
    found(state, caller, (origin, identifier), query).await
}

/// The same for a web page whose path is written with `/`.
pub(crate) async fn show_below(
    state: State<Shared>,
    caller: Caller<ContextRead>,
    Path((origin, host, path)): Path<(String, String, String)>,
    query: StrictQuery<ContextQuery>,
) -> Result<Response, ApiError> {
    found(state, caller, (origin, format!("{host}/{path}")), query).await
}

async fn found(
    State(app): State<Shared>,
    caller: Caller<ContextRead>,
    (origin, identifier): (String, String),
    StrictQuery(query): StrictQuery<ContextQuery>,
) -> Result<Response, ApiError> {
    let words: Vec<&str> = Origin::ALL.into_iter().map(Origin::as_str).collect();
    let expected = || ApiError::Invalid(format!("origin: expected one of {}", words.join(", ")).into());
    let origin = Origin::parse(&origin).ok_or_else(expected)?;
    let identifier = identifier_of(origin, identifier)?;
    if origin == Origin::WebPage {
        return page(&app, caller.organization(), &identifier, query).await;
    }
    let owner = owner(origin, caller.organization());
    let artifact = app.store.get(owner, origin, &identifier).await?;
    answer(&app, artifact.ok_or(ApiError::NotFound("context result"))?, query)
}

/// The result of a page: an earlier one, the score of its identity while the page is scanned, or the whole scan where the client waits.
async fn page(
    app: &App,
    organization: OrganizationId,
    identifier: &str,
    query: ContextQuery,
) -> Result<Response, ApiError> {
    let target = Target::parse(identifier)
        .map_err(|error| ApiError::Invalid(format!("identifier: {error}").into()))?;
    let now = app.kit.clock.now();
    let unowned = owner(Origin::WebPage, organization);
    let known = app.store.get(unowned, Origin::WebPage, target.identifier()).await?;
    let is_wanted = known.as_ref().is_none_or(|known| query.refresh && known.is_stale(now));
    if let Some(known) =
        known.as_ref().filter(|known| !(is_wanted || query.mode.is_some() && known.is_pending))
    {
        return answer(app, known.clone(), query);
    }
    let requester = Requester::interactive(organization);
    let scan = Scan { engine: &app.engine, network: &app.network, requester, target: &target, now };
    if query.mode.is_some()
        && let Ok(assessment) = tokio::time::timeout(PATIENCE, scan.whole()).await
    {
        let artifact = Artifact::new(target.subject(), organization, now, &assessment);
        return stored(app, artifact, query).await;
    }
    enqueue(&app.jobs, organization, &target, app.kit.partitions).await?;
    if let Some(known) = known {
        return answer(app, Artifact { is_pending: true, ..known }, query);
    }
    let artifact = Artifact::new(target.subject(), organization, now, &scan.preliminary().await);
    stored(app, artifact, query).await
}

fn identifier_of(origin: Origin, identifier: String) -> Result<String, ApiError> {
    let characters = identifier.chars().count();
    if !(1..=LONGEST_IDENTIFIER).contains(&characters) {
        let message =
            format!("identifier: expected 1 to {LONGEST_IDENTIFIER} characters, found {characters}");
        return Err(ApiError::Invalid(message.into()));
    }
    if origin == Origin::WebPage {
        return Ok(identifier);
    }
    if identifier.len() != DIGITS || !identifier.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let message = format!("identifier: expected a SHA-256 in {DIGITS} hexadecimal digits");
        return Err(ApiError::Invalid(message.into()));
    }
    Ok(identifier.to_ascii_lowercase())
}

/// The origins, in the description.
pub(crate) enum OriginWord {}

impl utoipa::PartialSchema for OriginWord {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        view::words::origin().build().into()
    }
}

impl utoipa::ToSchema for OriginWord {}
