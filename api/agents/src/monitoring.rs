//! `/agent-monitoring`: requests of monitoring clients, which carry no API key.

use axum::extract::{FromRequestParts, State};
use axum::response::Response;
use common::ids::{AgentId, OrganizationId};
use directory::{AgentType, DirectoryError, check_text};
use http::StatusCode;
use http::request::Parts;
use rest::body::StrictJson;
use rest::error::{ApiError, ErrorBody};
use rest::openapi::{BodyRefusals, Conflicts};
use rest::query::StrictQuery;
use rest::reply;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::clients::{ClientError, Described};
use crate::organization_key::public_key;
use crate::{App, Shared};

/// Longest name of a client, in characters: host names have at most 253.
const MAX_NAME: usize = 255;
/// Longest operating system and version of a client, in characters.
const MAX_WORD: usize = 100;

/// Request body for pairing a client.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PairingRequest, example = json!({
    "pairing_code": "7W3KXHQ0M9TB",
    "client": {"name": "laptop-7", "os": "Linux", "version": "0.1.0"}
}))]
pub(crate) struct PairBody {
    /// The pairing code, in any case; hyphens and spaces are ignored.
    #[schema(min_length = 12, max_length = 24)]
    pairing_code: String,
    /// The client.
    client: ClientBody,
}

/// Properties of a client.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PairingClient, example = json!({"name": "laptop-7", "os": "Linux", "version": "0.1.0"}))]
pub(crate) struct ClientBody {
    /// Name of the client, in most cases that of the machine.
    #[schema(min_length = 1, max_length = 255)]
    name: String,
    /// Operating system.
    #[schema(min_length = 1, max_length = 100)]
    os: String,
    /// Version of the client.
    #[schema(min_length = 1, max_length = 100)]
    version: String,
}

/// The credential of a client.
#[derive(Serialize, ToSchema)]
#[schema(as = PairedClient)]
pub(crate) struct PairedView {
    /// The client's id.
    #[schema(format = Uuid)]
    client_id: String,
    /// The token of the client, shown only in this response.
    #[schema(example = "pal_agent_…")]
    client_token: String,
    /// Public key of the organization (Ed25519, Base64), by which the client verifies rules.
    organization_key: String,
}

/// Counts a try by the address of the client, before the body is read.
pub(crate) struct Try;

impl FromRequestParts<Shared> for Try {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, ApiError> {
        app.pairings.take(&parts.extensions)?;
        Ok(Self)
    }
}

/// The same for a wrong, a used and an expired code, and for one of an agent that was deleted.
fn refused() -> ApiError {
    ApiError::InvalidCredential("the pairing code is not known, used or expired")
}

impl From<ClientError> for ApiError {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Full { .. } => Self::Conflict(error.to_string().into()),
            ClientError::Record(error) => error.into(),
        }
    }
}

/// Pair a monitoring client
///
/// Exchanges a pairing code for the credential of a client. Needs no API key. From one address, 10 requests at once are answered, and
/// then one every 6 seconds; an agent has at most 10,000 clients.
#[utoipa::path(
    post,
    path = "/agent-monitoring/pair",
    operation_id = "pair_agent_client",
    tag = "Agent monitoring",
    security(()),
    request_body = PairBody,
    responses(
        (status = 201, description = "The credential, shown only in this response", body = PairedView),
        (status = 400, description = "The request is not valid", body = ErrorBody),
        (status = 401, description = "The pairing code is not known, used or expired", body = ErrorBody),
        (
            status = 429,
            description = "The address made too many requests",
            headers(("Retry-After" = u64, description = "Seconds to wait before the next request")),
            body = ErrorBody
        ),
        (status = 500, description = "Internal error", body = ErrorBody),
        (
            status = 503,
            description = "The service cannot reach its ledger",
            headers(("Retry-After" = u64, description = "Seconds to wait before the next request")),
            body = ErrorBody
        ),
        Conflicts,
        BodyRefusals
    )
)]
pub(crate) async fn pair(
    State(app): State<Shared>,
    _: Try,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<PairBody>,
) -> Result<Response, ApiError> {
    let PairBody { pairing_code, client } = body.value;
    let described = described(client)?;
    let paired = pair_with(&app, &pairing_code, described).await?;
    reply::json(StatusCode::CREATED, &paired)
}

/// Whatever may fail without the code is done before the code is used.
async fn pair_with(app: &App, pairing_code: &str, described: Described) -> Result<PairedView, ApiError> {
    let directory = &app.kit.directory;
    let code = directory.find_pairing_code(pairing_code).await?.ok_or_else(refused)?;
    let (organization, agent) = (code.organization, code.agent);
    if !takes_clients(app, organization, agent).await? {
        return Err(refused());
    }
    let organization_key = public_key(&app.kit.records, &app.vault, organization).await?;
    app.clients.check_room(organization, agent).await?;
    let id = app.clients.new_id(organization, agent, directory.new_id());
    match directory.use_pairing_code(&code, id).await {
        Err(DirectoryError::NotFound) => return Err(refused()),
        used => used?,
    }
    let token = app.clients.add(organization, agent, id, described).await?;
    // A deletion of the agent in between has removed all clients but this one.
    if !takes_clients(app, organization, agent).await? {
        app.clients.remove(organization, agent, id).await?;
        return Err(refused());
    }
    Ok(PairedView { client_id: id.to_string(), client_token: token.to_string(), organization_key })
}

/// Whether clients can be paired with an agent: it exists, and is still a coding agent.
async fn takes_clients(app: &App, organization: OrganizationId, agent: AgentId) -> Result<bool, ApiError> {
    let agent = app.kit.directory.agents().get(organization, agent).await?;
    Ok(agent.is_some_and(|agent| agent.agent_type == AgentType::CodingAgent))
}

fn described(client: ClientBody) -> Result<Described, ApiError> {
    let ClientBody { name, os, version } = client;
    check_text("client.name", &name, MAX_NAME)?;
    check_text("client.os", &os, MAX_WORD)?;
    check_text("client.version", &version, MAX_WORD)?;
    Ok(Described { name, os, version })
}
