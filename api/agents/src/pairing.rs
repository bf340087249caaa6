//! `/agents/{agent_id}/pairing-codes`, and the details for pairing the first client of a coding agent.

use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use directory::{Agent, AgentType, PairingCode};
use http::{HeaderMap, StatusCode};
use rest::authenticate::Caller;
use rest::body::StrictJson;
use rest::creation;
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, Conflicts, NotFound, Refusals};
use rest::path::Id;
use rest::query::StrictQuery;
use rest::reply;
use rest::scope::AgentsWrite;
use rest::settings::{found, missing};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use zeroize::Zeroizing;

use crate::routes::AgentPath;
use crate::{App, Shared};

/// Time for pairing the first client, and the default of further codes: a person goes from one window to another.
pub(crate) const LIFETIME: Duration = Duration::from_secs(15 * 60);

/// Request body for creating a pairing code.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewPairingCode, example = json!({"max_uses": 200, "expires_in": 604_800}))]
pub(crate) struct NewPairingCodeBody {
    /// Number of clients that the code pairs.
    #[serde(default = "one")]
    #[schema(minimum = 1, maximum = 1000, default = 1)]
    max_uses: u32,
    /// Seconds until the code expires.
    #[serde(default = "lifetime")]
    #[schema(minimum = 1, maximum = 2_592_000, default = 900)]
    expires_in: u64,
}

fn one() -> u32 {
    1
}

fn lifetime() -> u64 {
    LIFETIME.as_secs()
}

/// Details for pairing.
#[derive(Serialize, ToSchema)]
#[schema(as = Pairing)]
pub(crate) struct PairingView {
    /// The pairing code, shown only in this response.
    #[schema(example = "7W3KXHQ0M9TB")]
    code: String,
    /// Number of clients that the code pairs.
    #[schema(minimum = 1, maximum = 1000)]
    max_uses: u32,
    /// When it expires.
    #[schema(format = DateTime)]
    expires_at: String,
    /// URL below which clients send their requests.
    server_url: String,
    /// Command for a shell that pairs the machine it runs on, and prints the credential of the client.
    command: String,
}

impl PairingView {
    pub(crate) fn new(app: &App, code: &PairingCode, text: &Zeroizing<String>) -> Self {
        let server_url = format!("{}/agent-monitoring", app.kit.base_url);
        let command = command(&server_url, text);
        let (code, max_uses, expires_at) = (text.to_string(), code.max_uses, code.expires_at.to_iso());
        Self { code, max_uses, expires_at, server_url, command }
    }
}

/// The command in the language of POSIX shells: the name and system of the machine are filled in where it runs.
fn command(server_url: &str, code: &str) -> String {
    let url = format!("{server_url}/pair").replace('\'', "%27");
    let client = r#""client":{"name":"'"$(uname -n)"'","os":"'"$(uname -s)"'","version":"curl"}"#;
    format!(
        "curl -sS '{url}' -H 'Content-Type: application/json' -d '{{\"pairing_code\":\"{code}\",{client}}}'"
    )
}

/// Create a pairing code
///
/// For a coding agent. With `max_uses`, the clients of a fleet are paired with one code. An organization has at most 1,000 codes
/// that can be used; another one is answered with 409. `Idempotency-Key` is rejected here, because the response
/// contains a secret that is not stored.
#[utoipa::path(
    post,
    path = "/agents/{agent_id}/pairing-codes",
    operation_id = "create_pairing_code",
    tag = "Agents",
    params(("agent_id" = String, Path, format = Uuid, description = "The agent's id")),
    request_body = NewPairingCodeBody,
    responses(
        (status = 201, description = "The pairing code, shown only in this response", body = PairingView),
        NotFound,
        Conflicts,
        BodyRefusals,
        Refusals
    )
)]
pub(crate) async fn create(
    State(app): State<Shared>,
    caller: Caller<AgentsWrite>,
    Id(id): Id<AgentPath>,
    headers: HeaderMap,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<NewPairingCodeBody>,
) -> Result<Response, ApiError> {
    creation::refuse_key(&headers)?;
    let NewPairingCodeBody { max_uses, expires_in } = body.value;
    let (organization, directory) = (caller.organization(), &app.kit.directory);
    let agent: Agent = found(directory.agents(), organization, id).await?;
    if agent.agent_type != AgentType::CodingAgent {
        let found = agent.agent_type.as_str();
        let message = format!("expected an agent of the type coding_agent, found {found}");
        return Err(ApiError::Invalid(message.into()));
    }
    let lifetime = Duration::from_secs(expires_in);
    let created = directory.create_pairing_code(organization, id, max_uses, lifetime).await;
    let (code, text) = created.map_err(missing("agent"))?;
    reply::json(StatusCode::CREATED, &PairingView::new(&app, &code, &text))
}
