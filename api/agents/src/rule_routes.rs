//! `/agent-monitoring/rules`: the rules of an agent's organization, signed, for its clients.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use directory::Agent;
use http::header::{ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, StatusCode};
use records::RecordError;
use rest::error::ApiError;
use rest::openapi::ClientRefusals;
use rest::query::StrictQuery;
use rest::reply;
use serde::Serialize;
use utoipa::ToSchema;

use crate::monitored::{Monitored, refused};
use crate::organization_key::sign;
use crate::rule_book::RuleBook;
use crate::signed_rules::{Signed, signed_bytes, version};
use crate::view::{agent_evidence, agent_mode};
use crate::{App, Shared};

/// The rules for a client.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentRules)]
pub(crate) struct RulesView<'r> {
    /// Changes with everything below.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015")]
    version: &'r str,
    /// Effect of blocking rules.
    #[schema(schema_with = agent_mode)]
    mode: &'static str,
    /// Excerpts in detections.
    #[schema(schema_with = agent_evidence)]
    evidence: &'static str,
    /// The enabled rules, by id.
    documents: Vec<DocumentView<'r>>,
    /// Ed25519 signature in Base64 of mode, evidence and documents; the documentation states the signed bytes.
    signature: &'r str,
}

/// A rule for agents.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentRuleDocument)]
struct DocumentView<'r> {
    /// The Sigma id.
    id: &'r str,
    /// Changes with the content of the rule.
    version: &'r str,
    /// The Sigma rule, with the attributes `response` and `reason`.
    yaml: &'r str,
}

/// Get the rules for a client
///
/// The enabled Sigma rules with `logsource.product: ai_agent`, those of the service and of the organization, at most 1 MiB.
/// With `If-None-Match` and the current `ETag` the response is 304.
#[utoipa::path(
    get,
    path = "/agent-monitoring/rules",
    operation_id = "get_agent_rules",
    tag = "Agent monitoring",
    security(("client_token" = [])),
    responses(
        (
            status = 200,
            description = "The rules",
            headers(("ETag" = String, description = "Version of the response")),
            body = RulesView
        ),
        (status = 304, description = "The rules of `If-None-Match` are current"),
        ClientRefusals
    )
)]
pub(crate) async fn rules(
    State(app): State<Shared>,
    Monitored { client, agent }: Monitored,
    headers: HeaderMap,
    StrictQuery(()): StrictQuery<()>,
) -> Result<Response, ApiError> {
    let book = app.rules.of(client.organization).await?;
    let signed = signed(&app, &agent, &book).await?;
    match app.clients.seen(&client, None).await {
        Ok(false) => return Err(refused()),
        // Others commit to the shard again and again: the next request is recorded instead.
        Ok(true) | Err(RecordError::Conflict) => {}
        Err(error) => return Err(error.into()),
    }
    let tag = format!("\"{}\"", signed.version);
    let mut response = if is_current(&headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        reply::json(StatusCode::OK, &RulesView::new(&agent, &book, &signed))?
    };
    response.headers_mut().insert(ETAG, HeaderValue::from_str(&tag).map_err(ApiError::internal)?);
    Ok(response)
}

async fn signed(app: &App, agent: &Agent, book: &Arc<RuleBook>) -> Result<Signed, ApiError> {
    let settings = (agent.mode, agent.evidence);
    if let Some(signed) = book.signatures.get(settings) {
        return Ok(signed);
    }
    let bytes = signed_bytes(settings, book.enabled.iter().map(AsRef::as_ref));
    let signature = sign(&app.kit.records, &app.vault, agent.organization, &bytes).await?;
    let signed = Signed { version: version(&bytes), signature };
    book.signatures.put(settings, signed.clone());
    Ok(signed)
}

/// Whether `If-None-Match` names the tag (RFC 9110 section 13.1.2, which compares weakly).
fn is_current(headers: &HeaderMap, tag: &str) -> bool {
    let values = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = values.flat_map(|value| value.split(',')).map(str::trim);
    tags.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

impl<'r> RulesView<'r> {
    fn new(agent: &Agent, book: &'r RuleBook, signed: &'r Signed) -> Self {
        let document = |rule: &'r Arc<agent_rules::AgentRule>| DocumentView {
            id: &rule.id,
            version: &rule.version,
            yaml: &rule.yaml,
        };
        Self {
            version: &signed.version,
            mode: agent.mode.as_str(),
            evidence: agent.evidence.as_str(),
            documents: book.enabled.iter().map(document).collect(),
            signature: &signed.signature,
        }
    }
}
