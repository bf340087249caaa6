//! `/organization`: whose key this is, and the limits it is under.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::Shared;
use rest::authenticate::Caller;
use rest::body::MAX_BODY_BYTES;
use rest::error::ApiError;
use rest::openapi::{NotFound, Refusals};
use rest::page::{MAX_LIMIT, MAX_OFFSET};
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::OrganizationRead;

/// An organization.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Organization)]
pub(crate) struct OrganizationView {
    /// The organization's id.
    #[schema(format = Uuid)]
    id: String,
    /// `organization`.
    #[schema(example = "organization")]
    object: &'static str,
    /// Display name.
    name: String,
    /// Plan of the organization: `unlimited`, or `limited` to a number of credits each calendar month.
    #[schema(example = "unlimited")]
    plan: &'static str,
    /// Credits of billable work.
    credits: CreditsView,
    /// The limits of this API.
    limits: LimitsView,
    /// When it was created.
    #[schema(format = DateTime)]
    created_at: String,
}

/// Credits of billable work.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrganizationCredits)]
struct CreditsView {
    /// Credits that billable requests can still reserve; null if the plan has no limit.
    #[schema(required)]
    balance: Option<u64>,
    /// Credits reserved by work that has not finished.
    reserved: u64,
    /// Credits charged in the current calendar month (UTC).
    used_this_period: u64,
}

/// The limits of this API.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrganizationLimits)]
struct LimitsView {
    /// Requests per minute of one key.
    requests_per_minute: u32,
    /// Requests per minute of all keys of the organization together.
    organization_requests_per_minute: u32,
    /// Maximum size of a request body in bytes.
    request_body_bytes: usize,
    /// Maximum number of items of a page.
    page_limit: u32,
    /// Maximum number of items to skip.
    page_offset: u32,
}

/// Get the organization
///
/// The organization of the API key.
#[utoipa::path(
    get,
    path = "/organization",
    operation_id = "get_organization",
    tag = "Organization",
    responses((status = 200, description = "The organization", body = OrganizationView), NotFound, Refusals)
)]
pub(crate) async fn show(
    State(app): State<Shared>,
    caller: Caller<OrganizationRead>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let found = app.kit.directory.get_organization(caller.organization()).await?;
    let organization = found.ok_or(ApiError::NotFound("organization"))?;
    let account = app.kit.credits.account(organization.id).await?;
    let view = OrganizationView {
        id: organization.id.to_string(),
        object: "organization",
        name: organization.name,
        plan: account.plan.name(),
        credits: CreditsView {
            balance: account.balance(),
            reserved: account.reserved,
            used_this_period: account.used,
        },
        limits: LimitsView {
            requests_per_minute: app.kit.limits.requests_per_minute,
            organization_requests_per_minute: app.kit.limits.organization_requests_per_minute,
            request_body_bytes: MAX_BODY_BYTES,
            page_limit: MAX_LIMIT,
            page_offset: MAX_OFFSET,
        },
        created_at: organization.created_at.to_iso(),
    };
    reply::json(StatusCode::OK, &view)
}
