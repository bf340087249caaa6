//! Requests of clients: when a client made the last one, the state that it reported, and a summary of all clients of an agent.

use std::time::Duration;

use common::ids::{AgentId, OrganizationId};
use common::timestamp::Timestamp;
use records::{Draft, Home, RecordError};

use super::{CLIENTS, Client, Clients, client_key};
use crate::status::{Attention, ClientStatus, MAX_ATTENTION, attention};

/// Time without a request after which a client is not active.
pub(super) const ACTIVE: Duration = Duration::from_secs(24 * 3_600);
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
    /// Faults of active clients, at most [`MAX_ATTENTION`].
    pub(crate) attention: Vec<Attention>,
}

impl Clients {
    /// State of the clients of an agent.
    pub(crate) async fn summary(
        &self,
        organization: OrganizationId,
        agent: AgentId,
    ) -> Result<Summary, RecordError> {
        let (clients, now) = (self.list(organization, agent).await?, self.clock.now());
        let active: Vec<&Client> =
            clients.iter().filter(|client| client.last_seen_at.plus(ACTIVE) > now).collect();
        let reported = clients.iter().filter_map(|client| client.status.as_ref());
        Ok(Summary {
            clients: clients.len(),
            active: active.len(),
            last_seen_at: clients.iter().map(|client| client.last_seen_at).max(),
            rules_version: reported
                .max_by_key(|status| status.at)
                .and_then(|status| status.rules_version.clone()),
            attention: active.into_iter().flat_map(attention).take(MAX_ATTENTION).collect(),
        })
    }

    /// The client as it is now; `None` after its revocation.
    pub(crate) async fn current(&self, client: &Client) -> Result<Option<Client>, RecordError> {
        let place = (Home::Records, self.shard(client.organization, client.agent));
        let key = client_key(client.organization, client.agent, client.id);
        self.records.row(place, CLIENTS, &key).await
    }

    /// Writes a client that made a request.
    pub(crate) fn put(&self, draft: &mut Draft, client: &Client) -> Result<(), RecordError> {
        draft.put_row(CLIENTS, &client_key(client.organization, client.agent, client.id), client)
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
            let Some(mut current) = self.current(client).await? else { return Ok(false) };
            current.last_seen_at = now.max(current.last_seen_at);
            if let Some(status) = status {
                current.status = Some(status.clone());
            }
            self.put(&mut draft, &current)?;
            if attempts.commit(draft).await? {
                return Ok(true);
            }
        }
        Err(RecordError::Conflict)
    }
}
