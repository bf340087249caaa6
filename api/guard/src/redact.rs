//! `POST /api/redact`: removal of personal data and secrets from text or PDF input (specification, Redact request and response).

use axum::extract::{Request, State};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue};
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::openapi::MessageRefusals;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::GuardUse;
use serde::Serialize;
use utoipa::ToSchema;

use crate::charge::charged;
use crate::engines::{Engines, Output, Redaction};
use crate::envelope::Envelope;
use crate::inputs::{self, Inputs};
use crate::intake::Analysis;
use crate::room::{Analysed, Held};
use crate::{Shared, measure};

/// Usage of a reply in PDF (contracts: redact multipart).
const STATS: HeaderName = HeaderName::from_static("x-redaction-stats");

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
    /// `json`, or `pdf` for a reply in `application/pdf`.
    #[schema(default = "json", pattern = "^(json|pdf)$")]
    format: Option<String>,
}

/// The reply of redact in JSON.
#[derive(Serialize, ToSchema)]
#[schema(as = RedactReply)]
pub(crate) struct Reply {
    #[serde(flatten)]
    envelope: Envelope<String>,
    /// The redacted text of a PDF as a new PDF, page by page, as a data URL (`data:application/pdf;base64,…`). Present if the input
    /// has a PDF, unless its text has a character of an unsupported script or is too long, which the reasoning states. Text that the
    /// original hides is not part of it, except on pages without visible text, where it stands below a line that marks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    redacted_pdf: Option<String>,
}

/// A PDF.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "a shape of the description")]
pub(crate) struct PdfFile(Vec<u8>);

impl Reply {
    pub(crate) fn new(envelope: Envelope<String>, pdf: Option<Vec<u8>>) -> Self {
        let redacted_pdf = pdf.map(|pdf| {
            let mut url = "data:application/pdf;base64,".to_owned();
            STANDARD.encode_string(pdf, &mut url);
            url
        });
        Self { envelope, redacted_pdf }
    }
}

/// A body with its media type and, of a PDF, its usage. Made by the thread of the analysis, since a large one takes milliseconds.
struct Encoded {
    body: Vec<u8>,
    media_type: &'static str,
    usage: Option<String>,
}

/// A body that holds its memory until it is sent.
struct Kept {
    body: Vec<u8>,
    #[expect(dead_code, reason = "held until dropped")]
    held: Held,
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

/// Remove personal data and secrets from text or a PDF
///
/// Replaces names, addresses, identifiers and secrets by placeholders of the form `<TYPE_REDACTED>`, or by invented values. Companies,
/// job titles, order numbers and other values that do not identify a person stay as they are. The content is the redacted text; of a
/// PDF, the redacted text of its pages, of the text that they hide, such as white, tiny or covered text, and of annotations, metadata
/// and other texts beside the pages. With `format` `pdf` the reply is a new PDF of the redacted text, in which nothing else of the
/// original survives, and has the usage in a header. Hidden text is not part of the new PDF, except on pages without visible text, such
/// as scans, where it is marked; the reasoning of a reply in JSON counts the pages with hidden text. The input is neither stored nor
/// logged.
#[utoipa::path(
    post,
    path = "/api/redact",
    operation_id = "redact",
    tag = "Guard",
    request_body(content((Body = "application/json"), (Body = "multipart/form-data"))),
    responses(
        (
            status = 200,
            description = "The redacted text",
            content((Reply = "application/json"), (PdfFile = "application/pdf")),
            headers(("x-redaction-stats" = Option<String>, description = "With a PDF: the usage as JSON"))
        ),
        MessageRefusals
    )
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
    let text = Analysed {
        bytes: inputs::bytes(&texts),
        kept: inputs::kept(&texts) + wish.bytes(),
        written_pages: inputs::written_pages(&texts, wish.output),
    };
    let (rewrite, output) = (wish.rewrite, wish.output);
    let redact = move |engines: &Engines| {
        let Redaction { envelope, counts, pdf } = engines.conceal(id, &texts, &wish)?;
        Ok((encoded(envelope, pdf, output)?, counts))
    };
    let ((encoded, counts), held) = charged(&app, (organization, id), text, redact).await?;
    measure::redacted(rewrite, &counts);
    response(encoded, held)
}

fn encoded(envelope: Envelope<String>, pdf: Option<Vec<u8>>, output: Output) -> Result<Encoded, ApiError> {
    match (output, pdf) {
        (Output::Pdf, Some(body)) => {
            let usage = Some(reply::text(&envelope.usage())?);
            Ok(Encoded { body, media_type: "application/pdf", usage })
        }
        (_, pdf) => {
            let body = reply::text(&Reply::new(envelope, pdf))?.into_bytes();
            Ok(Encoded { body, media_type: "application/json", usage: None })
        }
    }
}

fn response(Encoded { body, media_type, usage }: Encoded, held: Held) -> Result<Response, ApiError> {
    let held = held.keep(body.len());
    let mut response = Response::new(axum::body::Body::from(Bytes::from_owner(Kept { body, held })));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    if let Some(usage) = usage {
        let usage = HeaderValue::try_from(usage).map_err(ApiError::internal)?;
        response.headers_mut().insert(STATS, usage);
    }
    Ok(response)
}
