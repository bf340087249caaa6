//! `/agents`.

use axum::extract::State;
use axum::response::Response;
use code_host::check_repository;
use common::ids::{AgentId, OrganizationId};
use directory::{Agent, AgentType, NewAgent, RedTeamSettings, seal_for_agent};
use http::{HeaderMap, StatusCode};
use red_team::{Target, check_target_url};
use rest::authenticate::Caller;
use rest::body::StrictJson;
use rest::creation;
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use rest::page::{Page, PageQuery};
use rest::path::{Id, PathParameter};
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::{AgentsRead, AgentsWrite};
use rest::settings::{Patch, found, missing};
use uuid::Uuid;

use crate::body::{AgentChangeBody, NewAgentBody};
use crate::pairing::{LIFETIME, PairingView};
use crate::view::{AgentDetailView, AgentView, CreatedAgentView};
use crate::{App, Shared};

/// An agent.
pub(crate) enum AgentPath {}

impl PathParameter for AgentPath {
    type Id = AgentId;
    const NAME: &'static str = "agent";
}

async fn view(app: &App, agent: Agent) -> Result<AgentView, ApiError> {
    let target = Target::Agent(agent.id);
    let schedule = app.schedules.show(agent.organization, target, &agent.red_team).await?;
    Ok(AgentView::new(agent, schedule))
}

/// List agents
///
/// Newest first.
#[utoipa::path(
    get,
    path = "/agents",
    operation_id = "list_agents",
    tag = "Agents",
    params(PageQuery),
    responses((status = 200, description = "A page of agents", body = Page<AgentView>), Refusals)
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    caller: Caller<AgentsRead>,
    StrictQuery(query): StrictQuery<PageQuery>,
) -> Result<Response, ApiError> {
    let all = app.kit.directory.agents().list(caller.organization()).await?;
    let (agents, total) = query.newest_first(all);
    let mut views = Vec::with_capacity(agents.len());
    for agent in agents {
        views.push(view(&app, agent).await?);
    }
    reply::json(StatusCode::OK, &Page::new(query, views, total))
}

/// Create an agent
///
/// A name that another agent of the organization has is answered with 409; so are more than 1,000 agents, and a coding agent while
/// the organization has 1,000 pairing codes that can be used. With an `Idempotency-Key`, a retry within 24 hours is answered with
/// the first response; for a coding agent the key is rejected, because the response contains a pairing code that is not stored.
#[utoipa::path(
    post,
    path = "/agents",
    operation_id = "create_agent",
    tag = "Agents",
    params(creation::RepetitionHeader),
    request_body = NewAgentBody,
    responses(
        (status = 201, description = "The agent; of a coding agent, with the details for pairing", body = CreatedAgentView),
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn create(
    State(app): State<Shared>,
    caller: Caller<AgentsWrite>,
    headers: HeaderMap,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<NewAgentBody>,
) -> Result<Response, ApiError> {
    if body.value.agent_type == AgentType::CodingAgent {
        creation::refuse_key(&headers)?;
        let created = create_once(&app, &caller, body.value, None).await?;
        return reply::json(StatusCode::CREATED, &created);
    }
    let request = ("create agent", body.raw.as_ref());
    let create = async |id| create_once(&app, &caller, body.value, id).await;
    creation::created(&app.kit, &caller, &headers, request, create).await
}

async fn create_once(
    app: &App,
    caller: &Caller<AgentsWrite>,
    body: NewAgentBody,
    id: Option<Uuid>,
) -> Result<CreatedAgentView, ApiError> {
    let (organization, repository) = (caller.organization(), (body.repository_id.as_deref(), None));
    check_repository(&app.kit.directory, organization, "repository_id", repository).await?;
    let NewAgentBody { name, agent_type, repository_id } = body;
    let directory = &app.kit.directory;
    let id = AgentId(id.unwrap_or_else(|| directory.new_id()));
    let new = NewAgent { id: Some(id), name, agent_type, repository_id };
    if agent_type != AgentType::CodingAgent {
        let agent = directory.create_agent(organization, new).await?;
        return Ok(CreatedAgentView { about: view(app, agent).await?, pairing: None });
    }
    // Read before the creation: a failure after it would lose the code.
    let (target, settings) = (Target::Agent(id), RedTeamSettings::default());
    let schedule = app.schedules.show(organization, target, &settings).await?;
    let (agent, code, text) = directory.create_coding_agent(organization, new, LIFETIME).await?;
    let pairing = Some(PairingView::new(app, &code, &text));
    Ok(CreatedAgentView { about: AgentView::new(agent, schedule), pairing })
}

/// Get an agent
#[utoipa::path(
    get,
    path = "/agents/{agent_id}",
    operation_id = "get_agent",
    tag = "Agents",
    params(("agent_id" = String, Path, format = Uuid, description = "The agent's id")),
    responses((status = 200, description = "The agent", body = AgentDetailView), NotFound, Refusals)
)]
pub(crate) async fn show(
    State(app): State<Shared>,
    caller: Caller<AgentsRead>,
    Id(id): Id<AgentPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let agent = found(app.kit.directory.agents(), caller.organization(), id).await?;
    let runtime = app.clients.summary(caller.organization(), id).await?.into();
    reply::json(StatusCode::OK, &AgentDetailView { about: view(&app, agent).await?, runtime })
}

/// Change an agent
///
/// A `target_url` of another origin removes the credentials and headers that the body does not set. Another `agent_type` than
/// `coding_agent` revokes the pairing codes and clients of the agent; its alerts stay.
#[utoipa::path(
    patch,
    path = "/agents/{agent_id}",
    operation_id = "change_agent",
    tag = "Agents",
    params(("agent_id" = String, Path, format = Uuid, description = "The agent's id")),
    request_body = AgentChangeBody,
    responses(
        (status = 200, description = "The updated agent", body = AgentView),
        NotFound,
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn change(
    State(app): State<Shared>,
    caller: Caller<AgentsWrite>,
    Id(id): Id<AgentPath>,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<AgentChangeBody>,
) -> Result<Response, ApiError> {
    let mut body = body.value.named()?;
    let (organization, table) = (caller.organization(), app.kit.directory.agents());
    // Nothing is sealed, and no data key made, for an agent that does not exist.
    let stored: Agent = found(table, organization, id).await?;
    let repository = body.repository_id.as_ref().and_then(Option::as_deref);
    let repository = (repository, stored.repository_id.as_deref());
    check_repository(&app.kit.directory, organization, "repository_id", repository).await?;
    if let Some(url) = body.target_url() {
        check_target_url(&app.outbound, "target_url", url, stored.target_url.as_deref())?;
    }
    let credentials = seal_for_agent(&app.vault, organization, id, body.credentials()).await?;
    let change = |agent: &mut Agent| body.apply_sealed(agent, &credentials);
    let agent = table.update(organization, id, change).await.map_err(missing(table.name()))?;
    if body.agent_type.is_some() && agent.agent_type != AgentType::CodingAgent {
        app.kit.directory.remove_pairing_codes_of(organization, id).await?;
        app.clients.remove_all(organization, id).await?;
    }
    app.schedules.settle(organization, Target::Agent(id)).await?;
    reply::json(StatusCode::OK, &view(&app, agent).await?)
}

/// Delete an agent
///
/// Its pairing codes and clients are revoked, and its alerts removed; its findings stay. References to it in webhook targets stay and are shown as deleted.
#[utoipa::path(
    delete,
    path = "/agents/{agent_id}",
    operation_id = "delete_agent",
    tag = "Agents",
    params(("agent_id" = String, Path, format = Uuid, description = "The agent's id")),
    responses((status = 204, description = "Deleted"), NotFound, Refusals)
)]
pub(crate) async fn delete(
    State(app): State<Shared>,
    caller: Caller<AgentsWrite>,
    Id(id): Id<AgentPath>,
    StrictQuery(()): StrictQuery<()>,
) -> Result<StatusCode, ApiError> {
    let (organization, table) = (caller.organization(), app.kit.directory.agents());
    let _: Agent = found(table, organization, id).await?;
    // Before the agent, so that a repetition after a failure removes the remaining rows.
    remove_monitoring(&app, organization, id).await?;
    let is_deleted = app.kit.directory.delete_agent(organization, id).await?;
    // Of clients that were paired meanwhile.
    remove_monitoring(&app, organization, id).await?;
    app.schedules.settle(organization, Target::Agent(id)).await?;
    if is_deleted { Ok(StatusCode::NO_CONTENT) } else { Err(ApiError::NotFound(table.name())) }
}

/// Removes the clients of an agent and all that they reported, except findings.
async fn remove_monitoring(app: &App, organization: OrganizationId, id: AgentId) -> Result<(), ApiError> {
    app.clients.remove_all(organization, id).await?;
    app.alerts.remove_all(organization, id).await?;
    Ok(())
}
