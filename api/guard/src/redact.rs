//! `POST /api/redact`: removal of personal data and secrets from text or PDF input (specification, Redact request and response).

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
use crate::envelope::Envelope;
use crate::inputs::{self, Inputs};
use crate::intake::Analysis;
use crate::{Shared, measure};

/// Request body of redact; at least one of `text`, `file` and `url` is required.
#[derive(ToSchema)]
#[schema(as = RedactRequest, example = json!({"text": "Write to Ana Pereira, ana@example.com.", "rewrite": false}))]
#[expect(dead_code, reason = "a shape of the description; `intake` reads bodies")]
pub(crate) struct Body {
    /// Text to redact, at most 1 MiB.
    text: Option<String>,
    /// A PDF of at most 25 MiB as a data URI: `data:application/pdf;base64,…`. In a form, the file itself.
    file: Option<String>,
    /// URL of a PDF of at most 25 MiB.
    #[schema(format = "uri", max_length = 2048)]
    url: Option<String>,
    /// Types to remove in place of the default ones: type names (`EMAIL`), aliases (`UK passports`) or descriptions
    /// (`project names`). In a form, the array as JSON text.
    #[schema(min_items = 1)]
    entities: Option<Vec<String>>,
    /// Whether invented values take the place of placeholders. In a form, `true` or `false`.
    #[schema(default = false)]
    rewrite: Option<bool>,
}

/// Remove personal data and secrets from text or a PDF
///
/// Replaces names, addresses, identifiers and secrets by placeholders of the form `<TYPE_REDACTED>`, or by invented values. Companies,
/// job titles, order numbers and other values that do not identify a person stay as they are. The content is the redacted text; of a PDF, the
/// redacted text of its pages. The input is neither stored nor logged.
#[utoipa::path(
    post,
    path = "/api/redact",
    operation_id = "redact",
    tag = "Guard",
    request_body(content((Body = "application/json"), (Body = "multipart/form-data"))),
    responses((status = 200, description = "The redacted text", body = Envelope<String>), MessageRefusals)
)]
pub(crate) async fn redact(
    State(app): State<Shared>,
    caller: Caller<GuardUse>,
    StrictQuery(()): StrictQuery<()>,
    request: Request,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    let Inputs { texts, wish, .. } = inputs::of(&app, organization, request, Analysis::Redact).await?;
    let id = app.kit.directory.new_id();
    let bytes = inputs::bytes(&texts);
    let rewrite = wish.rewrite;
    let (envelope, counts) =
        charged(&app, (organization, id), bytes, move |engines| engines.conceal(id, &texts, &wish)).await?;
    measure::redacted(rewrite, &counts);
    reply::json(StatusCode::OK, &envelope)
}
