//! The client of a request below `/agent-monitoring`, by its token.

use axum::extract::FromRequestParts;
use directory::{Agent, AgentType};
use http::header::AUTHORIZATION;
use http::request::Parts;
use rest::error::ApiError;

use crate::Shared;
use crate::clients::Client;

/// The client that makes a request, and its coding agent. Its rate is counted.
pub(crate) struct Monitored {
    pub(crate) client: Client,
    pub(crate) agent: Agent,
}

/// The same for a missing, an unknown and a revoked token.
pub(crate) fn refused() -> ApiError {
    ApiError::InvalidCredential("a valid client token is required: Authorization: Bearer pal_agent_…")
}

impl FromRequestParts<Shared> for Monitored {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, ApiError> {
        let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let (scheme, token) = header.and_then(|header| header.split_once(' ')).ok_or_else(refused)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(refused());
        }
        let client = app.clients.authenticate(token.trim()).await?.ok_or_else(refused)?;
        // One that was paired during the deletion of its agent is removed a moment later.
        let agents = app.kit.directory.agents();
        let agent = agents.get(client.organization, client.agent).await?;
        let agent = agent.filter(|agent| agent.agent_type == AgentType::CodingAgent).ok_or_else(refused)?;
        app.requests.take(client.id)?;
        Ok(Self { client, agent })
    }
}
