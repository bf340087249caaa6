//! `POST /context/skill` and `POST /context/mcp`.

use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use common::ids::OrganizationId;
use rest::authenticate::Caller;
use rest::body::StrictJson;
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, Refusals};
use rest::query::StrictQuery;
use rest::scope::ContextWrite;
use serde::Deserialize;
use utoipa::ToSchema;

use super::public::scanned;
use crate::public_content::PublicContent;
use crate::query::ContextQuery;
use crate::repository::{Kind, NO_INSTALLATION, Target};
use crate::view::ArtifactView;
use crate::{App, Shared};

/// Time limit of the question for the default branch, within that of the identity tier.
const PATIENCE: Duration = Duration::from_secs(2);

/// Request body of a scan of a skill.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ContextSkill, example = json!({"target": "acme/toolkit/pdf"}))]
pub(crate) struct SkillBody {
    /// `owner/repository/skill`, with `@revision` for another branch, tag or commit than the default branch; URL of a skill at the code host,
    /// or of a registry of skills.
    #[schema(min_length = 1, max_length = 2048)]
    target: String,
}

/// Request body of a scan of an MCP server.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ContextMcp, example = json!({"target": "acme/weather-server"}))]
pub(crate) struct McpBody {
    /// `owner/repository`, or HTTPS URL of the repository at the code host, with or without `.git`.
    #[schema(min_length = 1, max_length = 2048)]
    target: String,
}

/// Scan a skill
///
/// Scores a skill in a public repository: its owner, its scripts and commands, and all text that an agent reads. Nothing is executed. The
/// identifier is the SHA-256 of `owner/repository/skill` in lower case, with `@revision` for another one than the default branch. A skill
/// that was not scanned is answered with the score of its identity and `pending_deep_scan`, and scanned; `mode=full` waits for that, at
/// most 35 s. A repository that does not exist or is not public, and a registry that is not known, are `dangerous`. Results are shared by
/// all organizations.
#[utoipa::path(
    post,
    path = "/context/skill",
    operation_id = "scan_skill",
    tag = "Context",
    params(ContextQuery),
    request_body = SkillBody,
    responses(
        (status = 200, description = "The result", body = ArtifactView),
        (status = 409, description = "The organization has no active installation at the code host", body = rest::error::ErrorBody),
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn scan_skill(
    State(app): State<Shared>,
    caller: Caller<ContextWrite>,
    StrictQuery(query): StrictQuery<ContextQuery>,
    body: StrictJson<SkillBody>,
) -> Result<Response, ApiError> {
    scan(&app, caller.organization(), (Kind::Skill, &body.value.target), query).await
}

/// Scan an MCP server
///
/// Scores the source of an MCP server in a public repository: its owner, the texts of its tools, and the code behind them. The server is
/// neither contacted nor executed. At most 200 files of 512 KB, 2 MB together, are read. The identifier is the SHA-256 of
/// `owner/repository` in lower case. A server that was not scanned is answered with the score of its identity and `pending_deep_scan`, and
/// scanned; `mode=full` waits for that, at most 35 s. A repository that cannot be read is `dangerous`, with the threat `mcp_unscannable`.
/// Results are shared by all organizations.
#[utoipa::path(
    post,
    path = "/context/mcp",
    operation_id = "scan_mcp",
    tag = "Context",
    params(ContextQuery),
    request_body = McpBody,
    responses(
        (status = 200, description = "The result", body = ArtifactView),
        (status = 409, description = "The organization has no active installation at the code host", body = rest::error::ErrorBody),
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn scan_mcp(
    State(app): State<Shared>,
    caller: Caller<ContextWrite>,
    StrictQuery(query): StrictQuery<ContextQuery>,
    body: StrictJson<McpBody>,
) -> Result<Response, ApiError> {
    scan(&app, caller.organization(), (Kind::Server, &body.value.target), query).await
}

async fn scan(
    app: &App,
    organization: OrganizationId,
    (kind, target): (Kind, &str),
    query: ContextQuery,
) -> Result<Response, ApiError> {
    let web_host = app.scanner.repositories.as_ref().map_or("github.com", |host| host.web_host());
    let target = Target::parse(kind, target, web_host)
        .map_err(|error| ApiError::Invalid(format!("target: {error}").into()))?;
    if !is_connected(app, organization).await? {
        return Err(ApiError::Conflict(NO_INSTALLATION.into()));
    }
    let target = named(app, organization, target).await;
    scanned(app, organization, &PublicContent::Repository(target), query).await
}

/// The target by its canonical name: a revision that is the default branch is no part of it. Where the code host does not say which one that
/// is, the revision stays, and is the one that is scanned.
async fn named(app: &App, organization: OrganizationId, target: Target) -> Target {
    let (Some(host), Some((repository, _))) = (&app.scanner.repositories, target.named_revision()) else {
        return target;
    };
    let asked = tokio::time::timeout(PATIENCE, host.default_branch(organization, repository)).await;
    match asked {
        Ok(Ok(default_branch)) => target.without_default(&default_branch),
        Ok(Err(_)) | Err(_) => target,
    }
}

/// Whether an organization has an active installation.
pub(super) async fn is_connected(app: &App, organization: OrganizationId) -> Result<bool, ApiError> {
    match &app.scanner.repositories {
        Some(host) => Ok(host.installation(organization).await?.is_some()),
        None => Ok(false),
    }
}
