//! `/openapi.json`: the interface description, for anyone who can reach the service.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

use crate::app::Shared;
use rest::error::ApiError;
use rest::openapi::DocumentRefusals;
use rest::query::StrictQuery;
use rest::reply;

/// Read this document
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "get_openapi_document",
    tag = "Interface description",
    security(()),
    responses((status = 200, description = "An OpenAPI 3.1 document", body = Object), DocumentRefusals)
)]
pub(crate) async fn show(
    State(app): State<Shared>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    Ok(reply::raw_json(StatusCode::OK, app.document.clone()))
}
