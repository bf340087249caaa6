//! `POST /api/verify`: claims of a text checked against sources.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::openapi::MessageRefusals;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::GuardUse;
use utoipa::ToSchema;

use crate::charge::charged;
use crate::engines::{Claims, Engines};
use crate::envelope::Envelope;
use crate::room::Analysed;
use crate::{Shared, intake, measure};

/// Request body of verify. Text and sources together have at most 4 MiB.
#[derive(ToSchema)]
#[schema(as = VerifyRequest, example = json!({
    "text": "The bridge was opened in 1937.",
    "sources": [{"content": "The bridge was opened in 1931.", "name": "Chronicle", "url": "https://example.com/chronicle"}]
}))]
#[expect(dead_code, reason = "a shape of the description; `intake` reads bodies")]
pub(crate) struct Body {
    /// Text whose claims are checked.
    text: String,
    /// Texts that claims are checked against.
    #[schema(min_items = 1, max_items = 100)]
    sources: Vec<SourceBody>,
}

/// A source.
#[derive(ToSchema)]
#[schema(as = VerifySource)]
#[expect(dead_code, reason = "a shape of the description; `intake` reads bodies")]
pub(crate) struct SourceBody {
    /// Its text.
    content: String,
    /// Its name, which replies repeat.
    #[schema(max_length = 256)]
    name: Option<String>,
    /// Its URL, which replies repeat. It is not fetched.
    #[schema(max_length = 2048)]
    url: Option<String>,
}

/// Check the claims of a text against sources
///
/// Splits a text into claims, finds the passages of the sources that are about each of them, and compares them: numbers, dates, units,
/// names, negations, opposites and the order of words. The verdict is true where the sources support a claim; it is false where they
/// contradict it and where they do not state it. Nothing but the sources is consulted. The input is neither stored nor logged.
#[utoipa::path(
    post,
    path = "/api/verify",
    operation_id = "verify",
    tag = "Guard",
    request_body(content = Body, content_type = "application/json"),
    responses((status = 200, description = "The claims with their verdicts", body = Envelope<Claims>), MessageRefusals)
)]
pub(crate) async fn verify(
    State(app): State<Shared>,
    caller: Caller<GuardUse>,
    StrictQuery(()): StrictQuery<()>,
    request: Request,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    let statement = intake::statement(&app.room, organization, request).await?;
    let id = app.kit.directory.new_id();
    let text = Analysed { bytes: statement.bytes(), kept: statement.kept(), written_pages: 0 };
    let check = move |engines: &Engines| engines.verify(id, &statement);
    let (envelope, _held) = charged(&app, (organization, id), text, check).await?;
    measure::verified(envelope.content());
    reply::json(StatusCode::OK, &envelope)
}
