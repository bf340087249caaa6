//! Requests of clients: when a client made the last one, the state that it reported, and a summary of all clients of an agent,
//! which is kept up to date so that it is read without them.

use std::collections::BTreeMap;
use std::time::Duration;

use common::ids::{AgentId, OrganizationId};
use common::timestamp::Timestamp;
use records::{Draft, Home, MAX_PAGE, RecordError, Table};
use serde::{Deserialize, Serialize};

use super::{CLIENTS, Client, Clients, agent_key, client_key};
use crate::status::{Attention, ClientStatus, Fault, MAX_ATTENTION, faults};

/// Summaries by organization and agent.
pub(super) const ACTIVITY: Table = Table::new("agent-client-activity");
/// Faults by organization, agent and client; no row for a client without.
pub(super) const FAULTS: Table = Table::new("agent-client-fault");
/// Hours for which a client counts as active after its last request, the hour of that request included.
const ACTIVE_HOURS: i64 = 24;
/// Time after which a fault that is not reported again is not shown any more.
const SHOWN: Duration = Duration::from_secs(24 * 3_600);
/// Time between two records of requests that change nothing else, so that reading the rules seldom writes.
const SEEN_EVERY: Duration = Duration::from_secs(60);

/// State of the clients of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) clients: usize,
    pub(crate) active: usize,
    pub(crate) last_seen_at: Option<Timestamp>,
    /// Version of the rules that a client reported last.
    pub(crate) rules_version: Option<String>,
    /// Faults that clients reported lately, at most [`MAX_ATTENTION`].
    pub(crate) attention: Vec<Attention>,
}

/// Summary of the clients of an agent, as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Activity {
    pub(super) clients: usize,
    /// Clients by the hour of their last request, since 1970; without hours that do not count as active.
    hours: BTreeMap<i64, usize>,
    last_seen_at: Option<Timestamp>,
    rules_version: Option<String>,
}

/// Faults of a client.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ClientFaults {
    at: Timestamp,
    client_name: String,
    faults: Vec<Fault>,
}

fn hour_of(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(3_600_000)
}

impl Activity {
    /// Counts a new client.
    pub(super) fn add(&mut self, now: Timestamp) {
        self.clients += 1;
        self.count(now);
    }

    /// Takes a client out.
    pub(super) fn remove(&mut self, last_seen_at: Timestamp) {
        self.clients = self.clients.saturating_sub(1);
        self.uncount(last_seen_at);
    }

    /// Counts a request of a client.
    fn saw(&mut self, before: Timestamp, now: Timestamp) {
        self.uncount(before);
        self.count(now);
    }

    fn count(&mut self, at: Timestamp) {
        *self.hours.entry(hour_of(at)).or_default() += 1;
        self.last_seen_at = self.last_seen_at.max(Some(at));
        let newest = self.hours.last_key_value().map_or(0, |(hour, _)| *hour);
        self.hours = self.hours.split_off(&(newest - ACTIVE_HOURS + 1));
    }

    fn uncount(&mut self, at: Timestamp) {
        if let Some(count) = self.hours.get_mut(&hour_of(at)) {
            *count = count.saturating_sub(1);
        }
        self.hours.retain(|_, count| *count > 0);
    }

    fn active(&self, now: Timestamp) -> usize {
        self.hours.range(hour_of(now) - ACTIVE_HOURS + 1..).map(|(_, count)| count).sum()
    }
}

impl Clients {
    /// State of the clients of an agent.
    pub(crate) async fn summary(
        &self,
        organization: OrganizationId,
        agent: AgentId,
    ) -> Result<Summary, RecordError> {
        let activity = self.activity(organization, agent).await?;
        if activity.clients == 0 {
            return Ok(Summary::default());
        }
        Ok(Summary {
            clients: activity.clients,
            active: activity.active(self.clock.now()),
            last_seen_at: activity.last_seen_at,
            rules_version: activity.rules_version,
            attention: self.attention(organization, agent).await?,
        })
    }

    pub(super) async fn activity(
        &self,
        organization: OrganizationId,
        agent: AgentId,
    ) -> Result<Activity, RecordError> {
        let place = (Home::Records, self.shard(organization, agent));
        let stored = self.records.row(place, ACTIVITY, &agent_key(organization, agent)).await?;
        Ok(stored.unwrap_or_default())
    }

    async fn attention(
        &self,
        organization: OrganizationId,
        agent: AgentId,
    ) -> Result<Vec<Attention>, RecordError> {
        let place = (Home::Records, self.shard(organization, agent));
        let (prefix, now) = (agent_key(organization, agent), self.clock.now());
        let (mut found, mut after) = (Vec::new(), None::<Vec<u8>>);
        while found.len() < MAX_ATTENTION {
            let rows: Vec<(_, ClientFaults)> =
                self.records.rows(place, FAULTS, &prefix, after.as_deref(), MAX_PAGE).await?;
            let Some((last, _)) = rows.last() else { break };
            after = Some(last.to_vec());
            for (key, ClientFaults { at, client_name, faults }) in rows {
                let Some(client) = key.last_chunk().filter(|_| at.plus(SHOWN) > now) else { continue };
                let of = |fault| Attention::new(*client, &client_name, fault);
                found.extend(faults.into_iter().map(of));
            }
        }
        found.truncate(MAX_ATTENTION);
        Ok(found)
    }

    /// The client as it is now; `None` after its revocation.
    pub(crate) async fn current(&self, client: &Client) -> Result<Option<Client>, RecordError> {
        let place = (Home::Records, self.shard(client.organization, client.agent));
        let key = client_key(client.organization, client.agent, client.id);
        self.records.row(place, CLIENTS, &key).await
    }

    /// Writes a request of a client, and the state that it reports. The client is as it was read in the attempt of the draft.
    pub(crate) async fn saw(
        &self,
        draft: &mut Draft,
        mut client: Client,
        now: Timestamp,
        status: Option<&ClientStatus>,
    ) -> Result<(), RecordError> {
        let (organization, agent) = (client.organization, client.agent);
        let key = client_key(organization, agent, client.id);
        let mut activity = self.activity(organization, agent).await?;
        let at = now.max(client.last_seen_at);
        activity.saw(client.last_seen_at, at);
        client.last_seen_at = at;
        if let Some(status) = status {
            activity.rules_version.clone_from(&status.rules_version);
            client.dropped.report(status.dropped, at);
            let faults = faults(status, client.dropped.is_recent(at, SHOWN));
            if faults.is_empty() {
                draft.delete_row(FAULTS, &key);
            } else {
                let client_name = client.name.clone();
                draft.put_row(FAULTS, &key, &ClientFaults { at, client_name, faults })?;
            }
        }
        draft.put_row(ACTIVITY, &agent_key(organization, agent), &activity)?;
        draft.put_row(CLIENTS, &key, &client)
    }

    /// Records a request of a client, and the state it reports; `false` after its revocation. A request without a state is
    /// recorded only if the last one was a while ago.
    pub(crate) async fn seen(
        &self,
        client: &Client,
        status: Option<&ClientStatus>,
    ) -> Result<bool, RecordError> {
        let now = self.clock.now();
        if status.is_none() && client.last_seen_at.plus(SEEN_EVERY) > now {
            return Ok(true);
        }
        let mut attempts = self.records.attempts(Home::Records, client.id.shard());
        while let Some(mut draft) = attempts.next().await? {
            let Some(current) = self.current(client).await? else { return Ok(false) };
            self.saw(&mut draft, current, now, status).await?;
            if attempts.commit(draft).await? {
                return Ok(true);
            }
        }
        Err(RecordError::Conflict)
    }
}
