//! `GET /context/{origin}/{identifier}`.

use axum::extract::{Path, State};
use axum::response::Response;
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::openapi::{NotFound, Refusals};
use rest::query::StrictQuery;
use rest::scope::ContextRead;

use super::answer;
use super::public::scanned;
use crate::artifact::Origin;
use crate::public_content::PublicContent;
use crate::query::ContextQuery;
use crate::view::ArtifactView;
use crate::{Shared, view};

/// Longest identifier in characters (specification, Limits).
const LONGEST_IDENTIFIER: usize = 2_048;
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
        let invalid = |error| ApiError::Invalid(format!("identifier: {error}").into());
        let content = PublicContent::parse(origin, &identifier).map_err(invalid)?;
        return scanned(&app, caller.organization(), &content, query).await;
    }
    let artifact = app.store.seen(caller.organization(), origin, &identifier).await?;
    let artifact = artifact.ok_or(ApiError::NotFound("context result"))?;
    match PublicContent::of(&artifact.subject) {
        Some(content) => scanned(&app, caller.organization(), &content, query).await,
        None => answer(&app, artifact, query),
    }
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
