//! `POST /context/email`.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use common::ids::OrganizationId;
use documents::{MOST_MAIL_BYTES, Mail, MailError};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use rest::authenticate::Caller;
use rest::body::{Bounds, check_coding};
use rest::error::ApiError;
use rest::openapi::Refusals;
use rest::query::StrictQuery;
use rest::scope::ContextWrite;
use rest::turns::Turn;

use super::{answer, received, stored};
use crate::email::{Authentication, attached, authenticate, subject};
use crate::outbound_names::OutboundNames;
use crate::query::ContextQuery;
use crate::record::Artifact;
use crate::score::Assessment;
use crate::view::ArtifactView;
use crate::{App, Shared};

/// Size of a mail, and the time that its arrival may take.
const BOUNDS: Bounds = Bounds { bytes: MOST_MAIL_BYTES, arrival: Duration::from_secs(30) };
/// Media types of the body.
const MEDIA_TYPES: [&str; 2] = ["message/rfc822", "text/plain"];
/// Time limit of the identity tier, in which signatures are checked.
const IDENTITY: Duration = Duration::from_secs(2);
/// Time limit of all look-ups of a scan that goes on after the reply.
const LOOKUPS: Duration = Duration::from_secs(5);

/// A mail under way, with its memory.
struct Scan {
    raw: Bytes,
    mail: Mail,
    organization: OrganizationId,
    _turn: Turn,
}

/// Scan a mail
///
/// Scores a mail as it was received, with all headers: signatures (DKIM, DMARC, ARC) and sender, links and attachments, orders to the
/// agent that reads it, pretexts, requests for credentials and payments. Without `mode=full`, a mail that was not scanned within 24
/// hours is answered with the score of its identity and `pending_deep_scan`; GET gives the whole result a moment later. The mail is
/// not stored; the result is kept for 30 days, without excerpts.
#[utoipa::path(
    post,
    path = "/context/email",
    operation_id = "scan_email",
    tag = "Context",
    params(ContextQuery),
    request_body(content(
        (String = "message/rfc822"),
        (String = "text/plain")
    ), description = "A mail (RFC 5322) of at most 1 MiB"),
    responses(
        (status = 200, description = "The result", body = ArtifactView),
        (status = 415, description = "The body is not sent as plain message/rfc822 or text/plain", body = rest::error::ErrorBody),
        Refusals
    )
)]
pub(crate) async fn scan(
    State(app): State<Shared>,
    caller: Caller<ContextWrite>,
    StrictQuery(query): StrictQuery<ContextQuery>,
    request: Request,
) -> Result<Response, ApiError> {
    let organization = caller.organization();
    check_media_type(request.headers())?;
    let (raw, turn) = received(&app, organization, request, BOUNDS).await?;
    let subject = subject(&raw);
    let known = app.store.get(organization, subject.origin, &subject.identifier).await?;
    let now = app.kit.clock.now();
    let known = known.filter(|known| !known.is_pending);
    let is_current = |known: &&Artifact| !query.refresh && !known.is_stale(now);
    if let Some(known) = known.as_ref().filter(is_current) {
        return answer(&app, known.clone(), query);
    }
    let read = {
        let raw = raw.clone();
        app.scan(move |_| Mail::read(&raw)).await?
    };
    let mail = read.map_err(not_a_mail)?;
    let scan = Scan { raw, mail, organization, _turn: turn };
    if query.mode.is_some() {
        let authentication = authenticated(&app, &scan, LOOKUPS).await;
        let assessment = analysed(&app, scan, authentication).await?;
        let artifact = Artifact::new(subject, organization, app.kit.clock.now(), &assessment);
        return stored(&app, artifact, query).await;
    }
    let place = app.background.place()?;
    // The current result until there is another one (contracts: context result).
    if let Some(known) = known {
        place.start(Box::pin(continued(Arc::clone(&app), scan)));
        return answer(&app, known.scanned_again(), query);
    }
    let authentication = authenticated(&app, &scan, IDENTITY).await;
    let preliminary = app.scanner.engine.email_preliminary(&scan.mail, authentication);
    let artifact = Artifact::new(subject, organization, app.kit.clock.now(), &preliminary);
    // Before the scan begins, so that it never replaces the whole result.
    let reply = stored(&app, artifact, query).await;
    place.start(Box::pin(continued(Arc::clone(&app), scan)));
    reply
}

/// Signatures and policies, as far as they are known within a time.
async fn authenticated(app: &App, scan: &Scan, within: Duration) -> Authentication {
    let names = OutboundNames { outbound: Arc::clone(&app.outbound), organization: scan.organization };
    let checking = authenticate(&scan.raw, &scan.mail, &names, &app.config);
    tokio::time::timeout(within, checking).await.unwrap_or_else(|_| Authentication::timed_out())
}

/// Reads texts, links and attachments.
async fn analysed(app: &App, scan: Scan, authentication: Authentication) -> Result<Assessment, ApiError> {
    let attached = attached(&app.sandbox, &scan.raw, &scan.mail).await.map_err(not_a_mail)?;
    app.scan(move |engine| {
        let assessment = engine.email(&scan.mail, authentication, attached);
        drop(scan);
        assessment
    })
    .await
}

/// Makes the whole scan after the reply. A failure leaves the preliminary result, which is reported as lost after ten minutes.
async fn continued(app: Shared, scan: Scan) {
    let (subject, organization) = (subject(&scan.raw), scan.organization);
    let authentication = authenticated(&app, &scan, LOOKUPS).await;
    let stored = match analysed(&app, scan, authentication).await {
        Ok(assessment) => {
            let artifact = Artifact::new(subject, organization, app.kit.clock.now(), &assessment);
            app.store.put(&artifact).await.map_err(ApiError::from)
        }
        Err(error) => Err(error),
    };
    if let Err(error) = stored {
        tracing::warn!(error = %error, "a context scan of a mail was not completed");
    }
}

fn not_a_mail(error: MailError) -> ApiError {
    ApiError::Invalid(format!("expected a mail with a header (RFC 5322); the body {error}").into())
}

fn check_media_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let essence = given.split(';').next().unwrap_or("").trim();
    if !MEDIA_TYPES.iter().any(|known| essence.eq_ignore_ascii_case(known)) {
        return Err(ApiError::UnsupportedMediaType(
            "the body must be sent as Content-Type: message/rfc822 or text/plain",
        ));
    }
    check_coding(headers)
}
