//! `/agents/{agent_id}/clients`: the clients of an agent, and their revocation.

use axum::extract::{FromRequestParts, RawPathParams, State};
use axum::response::Response;
use common::ids::{AgentId, RecordId};
use directory::Agent;
use http::StatusCode;
use http::request::Parts;
use rest::authenticate::Caller;
use rest::error::ApiError;
use rest::openapi::{NotFound, Refusals};
use rest::page::{Page, PageQuery};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::{AgentsRead, AgentsWrite};
use rest::settings::found;
use serde::Serialize;
use utoipa::ToSchema;

use crate::Shared;
use crate::clients::Client;
use crate::routes::AgentPath;

/// A monitoring client of an agent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentClient)]
pub(crate) struct ClientView {
    /// The client's id.
    #[schema(format = Uuid)]
    id: String,
    /// `agent_client`.
    #[schema(example = "agent_client")]
    object: &'static str,
    /// Its name, in most cases that of a machine.
    #[schema(example = "laptop-7")]
    name: String,
    /// Its operating system.
    #[schema(example = "Linux")]
    os: String,
    /// Its version.
    #[schema(example = "0.1.0")]
    version: String,
    /// When it was paired.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it last made a request.
    #[schema(format = DateTime)]
    last_seen_at: String,
}

impl From<Client> for ClientView {
    fn from(client: Client) -> Self {
        Self {
            id: client.id.to_string(),
            object: "agent_client",
            name: client.name,
            os: client.os,
            version: client.version,
            created_at: client.created_at.to_iso(),
            last_seen_at: client.last_seen_at.to_iso(),
        }
    }
}

/// The agent and the client in a path.
pub(crate) struct ClientIds {
    agent: AgentId,
    client: RecordId,
}

impl<S: Send + Sync> FromRequestParts<S> for ClientIds {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let unknown = || ApiError::NotFound("client");
        let parameters = RawPathParams::from_request_parts(parts, state).await.map_err(|_| unknown())?;
        let mut texts = parameters.iter().map(|(_, text)| text);
        let agent = texts.next().and_then(|text| text.parse().ok()).ok_or_else(unknown)?;
        let client = texts.next().and_then(|text| text.parse().ok()).ok_or_else(unknown)?;
        Ok(Self { agent, client })
    }
}

/// List the monitoring clients of an agent
///
/// Newest first.
#[utoipa::path(
    get,
    path = "/agents/{agent_id}/clients",
    operation_id = "list_agent_clients",
    tag = "Agents",
    params(("agent_id" = String, Path, format = Uuid, description = "The agent's id"), PageQuery),
    responses((status = 200, description = "A page of clients", body = Page<ClientView>), NotFound, Refusals)
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    caller: Caller<AgentsRead>,
    Id(id): Id<AgentPath>,
    StrictQuery(query): StrictQuery<PageQuery>,
) -> Result<Response, ApiError> {
    let _: Agent = found(app.kit.directory.agents(), caller.organization(), id).await?;
    let (offset, limit) = (query.offset as usize, query.limit as usize);
    let (clients, total) = app.clients.page((caller.organization(), id), offset, limit).await?;
    let views = clients.into_iter().map(ClientView::from).collect();
    reply::json(StatusCode::OK, &Page::new(query, views, total as u64))
}

/// Revoke a monitoring client
///
/// Its token is refused from then on.
#[utoipa::path(
    delete,
    path = "/agents/{agent_id}/clients/{client_id}",
    operation_id = "revoke_agent_client",
    tag = "Agents",
    params(
        ("agent_id" = String, Path, format = Uuid, description = "The agent's id"),
        ("client_id" = String, Path, format = Uuid, description = "The client's id")
    ),
    responses((status = 204, description = "Revoked"), NotFound, Refusals)
)]
pub(crate) async fn revoke(
    State(app): State<Shared>,
    caller: Caller<AgentsWrite>,
    ClientIds { agent, client }: ClientIds,
    StrictQuery(()): StrictQuery<()>,
) -> Result<StatusCode, ApiError> {
    if app.clients.remove(caller.organization(), agent, client).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    Err(ApiError::NotFound("client"))
}
