//! `/context`.

mod email;
mod file;
mod message;
mod package;
mod repository;
mod public;
mod show;

pub(crate) use email::{__path_scan as __path_scan_email, scan as scan_email};
pub(crate) use file::{__path_scan as __path_scan_file, scan as scan_file};
pub(crate) use message::{__path_scan as __path_scan_message, scan as scan_message};
pub(crate) use package::{__path_scan as __path_scan_package, scan as scan_package};
pub(crate) use repository::{__path_scan_mcp, __path_scan_skill, scan_mcp, scan_skill};
pub(crate) use show::{__path_show, show, show_below};

use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use common::ids::OrganizationId;
use http::StatusCode;
use rest::body::{Bounds, largest, receive};
use rest::error::ApiError;
use rest::reply;
use rest::turns::Turn;

use crate::App;
use crate::query::ContextQuery;
use crate::record::Artifact;
use crate::view::ArtifactView;

/// Memory of an analysis for each byte of the content, in KiB for each KiB: views, words and places. Measured for guard.
const ANALYSIS: usize = 64;

/// Receives a body, which is refused with 400 where it is too large, and holds the memory of its analysis.
async fn received(
    app: &App,
    organization: OrganizationId,
    request: Request,
    bounds: Bounds,
) -> Result<(Bytes, Turn), ApiError> {
    let too_large = |error: ApiError| match error {
        ApiError::BodyTooLarge { most } => {
            ApiError::Invalid(format!("expected a body of at most {most} bytes, found a larger one").into())
        }
        other => other,
    };
    let bytes = largest(request.headers(), bounds).map_err(too_large)?;
    let units = u32::try_from(bytes.saturating_mul(ANALYSIS).div_ceil(1024)).unwrap_or(u32::MAX);
    let turn = app.turns.begin(organization, units).await?;
    Ok((receive(request, bounds).await.map_err(too_large)?, turn))
}

/// Stores a new result, and answers with it.
async fn stored(app: &App, artifact: Artifact, query: ContextQuery) -> Result<Response, ApiError> {
    app.store.put(&artifact).await?;
    answer(app, artifact, query)
}

/// The reply of every operation.
fn answer(app: &App, artifact: Artifact, query: ContextQuery) -> Result<Response, ApiError> {
    let view = ArtifactView::new(artifact, query, app.kit.clock.now());
    let headers = view.headers();
    let mut response = reply::json(StatusCode::OK, &view)?;
    response.headers_mut().extend(headers);
    Ok(response)
}
