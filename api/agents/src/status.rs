//! State that a client reports: its hooks in the programs of agents, its rules, and actions that it has not sent.

use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use common::ids::RecordId;
use common::timestamp::Timestamp;
use common::words;
use directory::check_text;
use http::StatusCode;
use records::Home;
use rest::body::{StrictJson, moment};
use rest::error::ApiError;
use rest::openapi::{BodyRefusals, ClientRefusals};
use rest::query::StrictQuery;
use rest::reply;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Shared;
use crate::clients::{PROGRESS, client_key};
use crate::monitored::{Monitored, refused};
use crate::progress::Progress;

/// Most programs of a status: more than there are programs with hooks.
const MAX_HOOKS: usize = 16;
/// Most characters of a program and of a version.
const MAX_WORD: usize = 64;
/// Most faults that are shown of an agent.
pub(crate) const MAX_ATTENTION: usize = 100;

/// State of a client, as it reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientStatus {
    /// Version of the rules in force.
    pub(crate) rules_version: Option<String>,
    pub(crate) hooks: Vec<Hook>,
    /// Actions that were dropped since the pairing.
    pub(crate) dropped: u64,
}

/// The hook in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hook {
    pub(crate) program: String,
    pub(crate) in_use: bool,
    pub(crate) configured: bool,
    pub(crate) trusted: bool,
    pub(crate) was_called: bool,
}

/// Actions that a client dropped, as it reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Dropped {
    /// Since the pairing.
    count: u64,
    /// When a report last stated more than the one before.
    at: Option<Timestamp>,
}

impl Dropped {
    pub(crate) fn report(&mut self, count: u64, now: Timestamp) {
        if count > self.count {
            self.at = Some(now);
        }
        self.count = count;
    }

    pub(crate) fn is_recent(self, now: Timestamp, within: Duration) -> bool {
        self.at.is_some_and(|at| at.plus(within) > now)
    }
}

words!(
    /// Fault of a client.
    AttentionReason {
        /// A program is in use without a hook.
        HookNotConfigured = "hook_not_configured",
        /// A program does not trust the hook, and does not call it.
        HookNotTrusted = "hook_not_trusted",
        /// A program is in use and has never called its hook.
        HookNeverCalled = "hook_never_called",
        /// Actions were dropped before they were sent.
        ActionsDropped = "actions_dropped",
    }
);

/// A fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fault {
    reason: AttentionReason,
    /// The program, where the fault is one of its hook.
    program: Option<String>,
}

/// A fault of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attention {
    pub(crate) client: RecordId,
    pub(crate) client_name: String,
    pub(crate) reason: AttentionReason,
    /// The program, where the fault is one of its hook.
    pub(crate) program: Option<String>,
}

impl Attention {
    /// A fault of a client, given by the bytes of its id.
    pub(crate) fn new(client: [u8; 16], client_name: &str, Fault { reason, program }: Fault) -> Self {
        Self { client: RecordId::from_bytes(client), client_name: client_name.to_owned(), reason, program }
    }
}

/// The faults in a state.
pub(crate) fn faults(status: &ClientStatus, has_dropped: bool) -> Vec<Fault> {
    let fault = |hook: &Hook| {
        let reason = match hook {
            Hook { in_use: false, .. } => return None,
            Hook { configured: false, .. } => AttentionReason::HookNotConfigured,
            Hook { trusted: false, .. } => AttentionReason::HookNotTrusted,
            Hook { was_called: false, .. } => AttentionReason::HookNeverCalled,
            Hook { .. } => return None,
        };
        Some(Fault { reason, program: Some(hook.program.clone()) })
    };
    let dropped = has_dropped.then_some(Fault { reason: AttentionReason::ActionsDropped, program: None });
    status.hooks.iter().filter_map(fault).chain(dropped).collect()
}

/// Request body for reporting the state of a client.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AgentClientStatus, example = json!({
    "rules_version": "9f86d081884c7d659a2feaa0c55ad015",
    "hooks": [{"program": "claude-code", "in_use": true, "configured": true, "trusted": true, "last_called_at": null}],
    "spool": 0,
    "dropped": 0
}))]
pub(crate) struct StatusBody {
    /// Version of the rules in force; null without rules.
    #[schema(required, min_length = 1, max_length = 64)]
    rules_version: Option<String>,
    /// The programs of agents on the machine.
    #[schema(max_items = 16)]
    hooks: Vec<HookBody>,
    /// Number of actions that are not sent yet; not stored.
    #[expect(dead_code, reason = "checked, not stored")]
    spool: u64,
    /// Number of actions that were dropped since the pairing.
    dropped: u64,
}

/// The hook in a program of an agent.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AgentClientHook)]
struct HookBody {
    /// The program.
    #[schema(min_length = 1, max_length = 64)]
    program: String,
    /// Whether the program is used on the machine.
    in_use: bool,
    /// Whether the hook is in the program's configuration.
    configured: bool,
    /// Whether the program calls the hook without confirmation by a person.
    trusted: bool,
    /// When the program last called the hook; null for never.
    #[schema(required, format = DateTime)]
    last_called_at: Option<String>,
}

/// Reply to a status.
#[derive(Serialize, ToSchema)]
#[schema(as = AgentClientProgress)]
pub(crate) struct ProgressView {
    /// Highest sequence number of the client's recorded actions; 0 before the first.
    last_sequence: u64,
}

/// Report the state of a client
///
/// Shown as `runtime` of the agent.
#[utoipa::path(
    post,
    path = "/agent-monitoring/status",
    operation_id = "report_agent_client_status",
    tag = "Agent monitoring",
    security(("client_token" = [])),
    request_body = StatusBody,
    responses(
        (status = 200, description = "Recorded", body = ProgressView),
        BodyRefusals,
        ClientRefusals
    )
)]
pub(crate) async fn report(
    State(app): State<Shared>,
    Monitored { client, .. }: Monitored,
    StrictQuery(()): StrictQuery<()>,
    body: StrictJson<StatusBody>,
) -> Result<Response, ApiError> {
    let status = body.value.checked()?;
    if !app.clients.seen(&client, Some(&status)).await? {
        return Err(refused());
    }
    let place = (Home::Records, client.id.shard());
    let key = client_key(client.organization, client.agent, client.id);
    let progress: Option<Progress> = app.kit.records.row(place, PROGRESS, &key).await?;
    let last_sequence = progress.map_or(0, |progress| progress.highest);
    reply::json(StatusCode::OK, &ProgressView { last_sequence })
}

impl StatusBody {
    fn checked(self) -> Result<ClientStatus, ApiError> {
        if let Some(version) = &self.rules_version {
            check_text("rules_version", version, MAX_WORD)?;
        }
        if self.hooks.len() > MAX_HOOKS {
            let message = format!("hooks: expected at most {MAX_HOOKS}, found {}", self.hooks.len());
            return Err(ApiError::Invalid(message.into()));
        }
        let hooks = self.hooks.into_iter().map(HookBody::checked).collect::<Result<_, _>>()?;
        Ok(ClientStatus { rules_version: self.rules_version, hooks, dropped: self.dropped })
    }
}

impl HookBody {
    fn checked(self) -> Result<Hook, ApiError> {
        let Self { program, in_use, configured, trusted, last_called_at } = self;
        check_text("hooks.program", &program, MAX_WORD)?;
        let called_at = last_called_at.map(|text| moment("hooks.last_called_at", &text)).transpose()?;
        Ok(Hook { program, in_use, configured, trusted, was_called: called_at.is_some() })
    }
}
