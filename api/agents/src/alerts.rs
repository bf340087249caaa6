//! Alerts of an agent: actions that were sent to receivers as events. The last ones stay, in rows that are used in turn, so that their
//! number is bounded, a page is a range of rows, and the total is exact.

use std::sync::Arc;

use common::digest::digest;
use common::event::{Event, EventId, EventKind, EventSource, SourceGroup};
use common::ids::{AgentId, OrganizationId, RecordId};
use common::partition::Shard;
use common::timestamp::Timestamp;
use engine::Level;
use records::{Draft, Home, MAX_PAGE, RecordError, Records, Table};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::action::{Action, Decision};
use crate::clients::{Client, Clients, agent_key};

/// Alerts by organization, agent and place.
const ALERTS: Table = Table::new("agent-alert");
/// Number of alerts so far by organization and agent.
const ALERT_COUNTS: Table = Table::new("agent-alert-count");
/// Most alerts of an agent that stay: more than a person reads, and ten reads for removing all.
pub(crate) const KEPT: u64 = 10_000;
/// Alerts that are removed by one commit.
const REMOVED_AT_ONCE: usize = 400;

/// An alert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Alert {
    /// Hash of the client and the action.
    pub(crate) id: RecordId,
    pub(crate) client: RecordId,
    /// Name of the client at that time.
    pub(crate) client_name: String,
    /// The rule that stands for the action.
    pub(crate) rule: AlertRule,
    /// Ids of all matching rules.
    pub(crate) rules: Vec<String>,
    pub(crate) decision: Decision,
    pub(crate) program: String,
    pub(crate) session: String,
    pub(crate) tool: String,
    pub(crate) effects: Vec<String>,
    pub(crate) target_class: String,
    pub(crate) excerpt: Option<String>,
    pub(crate) finding: RecordId,
    pub(crate) event: EventId,
    pub(crate) observed_at: Timestamp,
    pub(crate) created_at: Timestamp,
}

/// The rule of an alert: title and severity as the service has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AlertRule {
    pub(crate) id: String,
    /// Version of the rule at the client.
    pub(crate) version: String,
    pub(crate) title: String,
    pub(crate) severity: Level,
}

impl Alert {
    /// The alert about an action.
    pub(crate) fn new(
        client: &Client,
        action: &Action,
        rule: AlertRule,
        finding: RecordId,
        now: Timestamp,
    ) -> Self {
        let cause: [&[u8]; 3] = [b"agent-action", client.id.as_bytes(), action.id.as_bytes()];
        Self {
            id: RecordId::new(client.id.shard(), &digest(&cause)),
            client: client.id,
            client_name: client.name.clone(),
            rule,
            rules: action.rules.iter().map(|rule| rule.id.clone()).collect(),
            decision: action.decision,
            program: action.program.clone(),
            session: action.session.clone(),
            tool: action.tool.clone(),
            effects: action.effects.clone(),
            target_class: action.target_class.clone(),
            excerpt: action.excerpt.clone(),
            finding,
            event: EventId::of_cause(&cause),
            observed_at: action.observed_at,
            created_at: now,
        }
    }

    /// `action_blocked` or `finding_created`, as in the kind of its event.
    pub(crate) fn kind(&self) -> &'static str {
        if self.decision == Decision::Blocked { "action_blocked" } else { "finding_created" }
    }

    /// The event about the action (specification, Object shapes: Agent alert).
    pub(crate) fn event(&self, client: &Client, site_url: &str) -> Event {
        let kind = match self.decision {
            Decision::Blocked => EventKind::AgentActionBlocked,
            Decision::Alerted | Decision::WouldBlock => EventKind::AgentFindingCreated,
        };
        let AlertRule { id, title, severity, .. } = &self.rule;
        Event {
            id: self.event,
            kind,
            organization: client.organization,
            source: Some(EventSource { group: SourceGroup::Agents, id: Some(client.agent.to_string()) }),
            created_at: self.created_at,
            object: json!({
                "object": "agent_alert",
                "id": self.id.to_string(),
                "type": self.kind(),
                "rule": {"id": id, "title": title, "severity": severity.as_str()},
                "client": {"id": client.id.to_string(), "name": self.client_name},
                "dashboard_url": format!("{site_url}/console/agents/{}", client.agent),
            }),
            incident: None,
        }
    }
}

/// Alerts of the agents of all organizations.
pub(crate) struct Alerts {
    records: Arc<Records>,
    clients: Arc<Clients>,
}

impl Alerts {
    pub(crate) fn new(records: Arc<Records>, clients: Arc<Clients>) -> Self {
        Self { records, clients }
    }

    /// Adds alerts to a draft, oldest first.
    pub(crate) async fn add(
        &self,
        draft: &mut Draft,
        client: &Client,
        alerts: &[Alert],
    ) -> Result<(), RecordError> {
        if alerts.is_empty() {
            return Ok(());
        }
        let key = agent_key(client.organization, client.agent);
        let mut count: u64 = self.records.row(draft.place(), ALERT_COUNTS, &key).await?.unwrap_or(0);
        for alert in alerts {
            draft.put_row(ALERTS, &place_key(&key, count), alert)?;
            count += 1;
        }
        draft.put_row(ALERT_COUNTS, &key, &count)
    }

    /// A part of the alerts of an agent, newest first, and their number.
    pub(crate) async fn page(
        &self,
        (organization, agent): (OrganizationId, AgentId),
        offset: u64,
        limit: usize,
    ) -> Result<(Vec<Alert>, u64), RecordError> {
        let place = (Home::Records, self.clients.shard(organization, agent));
        let key = agent_key(organization, agent);
        let count: u64 = self.records.row(place, ALERT_COUNTS, &key).await?.unwrap_or(0);
        let total = count.min(KEPT);
        let end = count - offset.min(total);
        let first = end - (limit as u64).min(end - (count - total));
        // Where the places begin anew.
        let turn = (end / KEPT * KEPT).max(first);
        let mut alerts = Vec::new();
        for numbers in [first..turn, turn..end] {
            alerts.extend(self.range(place, &key, numbers).await?);
        }
        alerts.reverse();
        Ok((alerts, total))
    }

    /// The alerts of consecutive numbers whose places are consecutive, oldest first.
    async fn range(
        &self,
        place: (Home, Shard),
        key: &[u8],
        numbers: std::ops::Range<u64>,
    ) -> Result<Vec<Alert>, RecordError> {
        let Some(last) = numbers.clone().next_back() else { return Ok(Vec::new()) };
        let before = (numbers.start % KEPT).checked_sub(1).map(|number| place_key(key, number));
        let limit = usize::try_from(last - numbers.start + 1).unwrap_or(MAX_PAGE);
        let last = place_key(key, last);
        let rows: Vec<(_, Alert)> = self.records.rows(place, ALERTS, key, before.as_deref(), limit).await?;
        Ok(rows.into_iter().filter(|(row, _)| row[..] <= last[..]).map(|(_, alert)| alert).collect())
    }

    /// Removes all alerts of an agent.
    pub(crate) async fn remove_all(
        &self,
        organization: OrganizationId,
        agent: AgentId,
    ) -> Result<(), RecordError> {
        let place = (Home::Records, self.clients.shard(organization, agent));
        let key = agent_key(organization, agent);
        let mut attempts = self.records.attempts(place.0, place.1);
        while let Some(mut draft) = attempts.next().await? {
            let most = REMOVED_AT_ONCE.min(MAX_PAGE);
            let rows = self.records.each_row::<Alert>(place, ALERTS, &key, None, most).await?;
            rows.iter().for_each(|(row, _)| draft.delete_row(ALERTS, row));
            let is_last = rows.len() < most;
            if is_last {
                draft.delete_row(ALERT_COUNTS, &key);
            }
            if attempts.commit(draft).await? {
                if is_last {
                    return Ok(());
                }
                attempts = self.records.attempts(place.0, place.1);
            }
        }
        Err(RecordError::Conflict)
    }
}

fn place_key(agent: &[u8], number: u64) -> Vec<u8> {
    [agent, &(number % KEPT).to_be_bytes()].concat()
}

#[cfg(test)]
mod tests;
