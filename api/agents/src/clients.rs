//! Monitoring clients of agents: rows beside the records of their agent, so that a client and what it reports change in one
//! commit.

mod activity;
mod token;

use std::sync::Arc;

use common::clock::SharedClock;
use common::digest::digest;
use common::ids::{AgentId, OrganizationId, RecordId};
use common::partition::Shard;
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use findings::Target;
use records::{Draft, Home, MAX_PAGE, RecordError, Records, Table};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use thiserror::Error;
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::status::ClientStatus;
use token::{new_token, parse};

pub(crate) use activity::Summary;

/// Clients by organization, agent and client.
const CLIENTS: Table = Table::new("agent-client");
/// Number of clients by organization and agent.
const COUNTS: Table = Table::new("agent-client-count");
/// Actions that a client has reported, by organization, agent and client.
pub(crate) const PROGRESS: Table = Table::new("agent-client-progress");
/// Most clients of an agent: a listing reads all of them, ten calls of the ledger.
const MAX_CLIENTS: usize = 10_000;
/// Clients that are removed by one commit.
const REMOVED_AT_ONCE: usize = 200;

/// A client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// Its id.
    pub id: RecordId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// The agent it belongs to.
    pub agent: AgentId,
    /// Its name, in most cases that of a machine.
    pub name: String,
    /// Its operating system.
    pub os: String,
    /// Its version.
    pub version: String,
    hash: [u8; 32],
    /// When it was paired.
    pub created_at: Timestamp,
    /// When it last made a request.
    pub last_seen_at: Timestamp,
    /// State that it reported last.
    pub(crate) status: Option<ClientStatus>,
}

/// Properties of a client as it states them.
#[derive(Clone, Debug)]
pub(crate) struct Described {
    pub(crate) name: String,
    pub(crate) os: String,
    pub(crate) version: String,
}

/// Reason why a client was not added.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The agent has as many clients as it may have.
    #[error("the agent has {limit} clients already, which is the limit")]
    Full {
        /// Most clients of an agent.
        limit: usize,
    },
    /// The ledger did not do its part.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Clients of the agents of all organizations.
pub struct Clients {
    records: Arc<Records>,
    pepper: Pepper,
    clock: SharedClock,
}

impl Clients {
    /// Over records. The pepper keys the hashes of tokens: with another pepper no token is known.
    #[must_use]
    pub fn new(records: Arc<Records>, pepper: Pepper, clock: SharedClock) -> Self {
        Self { records, pepper, clock }
    }

    /// The id of a client that is to be added; `seed` is a new UUID.
    pub(crate) fn new_id(&self, organization: OrganizationId, agent: AgentId, seed: Uuid) -> RecordId {
        RecordId::new(self.shard(organization, agent), &digest(&[seed.as_bytes()]))
    }

    /// Refuses another client of an agent that has as many as it may have.
    pub(crate) async fn check_room(
        &self,
        organization: OrganizationId,
        agent: AgentId,
    ) -> Result<(), ClientError> {
        let place = (Home::Records, self.shard(organization, agent));
        let count: Option<usize> = self.records.row(place, COUNTS, &agent_key(organization, agent)).await?;
        if count.unwrap_or(0) < MAX_CLIENTS { Ok(()) } else { Err(ClientError::Full { limit: MAX_CLIENTS }) }
    }

    /// Adds a client. Its token is in the answer and nowhere else.
    pub(crate) async fn add(
        &self,
        organization: OrganizationId,
        agent: AgentId,
        id: RecordId,
        described: Described,
    ) -> Result<Zeroizing<String>, ClientError> {
        let (now, token) = (self.clock.now(), new_token(organization, agent, id));
        let Described { name, os, version } = described;
        let hash = self.hash(&token);
        let client = Client {
            id,
            organization,
            agent,
            name,
            os,
            version,
            hash,
            created_at: now,
            last_seen_at: now,
            status: None,
        };
        let mut attempts = self.records.attempts(Home::Records, id.shard());
        while let Some(mut draft) = attempts.next().await? {
            self.check_room(organization, agent).await?;
            draft.put_row(CLIENTS, &client_key(organization, agent, id), &client)?;
            self.count(&mut draft, organization, agent, 1).await?;
            if attempts.commit(draft).await? {
                return Ok(token);
            }
        }
        Err(RecordError::Conflict.into())
    }

    /// The client that presents a token; `None` for a token that is not known, or was revoked.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub async fn authenticate(&self, presented: &str) -> Result<Option<Client>, RecordError> {
        let Some((organization, agent, id)) = parse(presented) else { return Ok(None) };
        let place = (Home::Records, self.shard(organization, agent));
        let key = client_key(organization, agent, id);
        let client: Option<Client> = self.records.row(place, CLIENTS, &key).await?;
        let hash = self.hash(presented);
        Ok(client.filter(|client| bool::from(client.hash.ct_eq(&hash))))
    }

    /// The clients of an agent, newest first.
    pub(crate) async fn list(
        &self,
        organization: OrganizationId,
        agent: AgentId,
    ) -> Result<Vec<Client>, RecordError> {
        let place = (Home::Records, self.shard(organization, agent));
        let prefix = agent_key(organization, agent);
        let (mut clients, mut after) = (Vec::new(), None::<Vec<u8>>);
        while clients.len() < MAX_CLIENTS {
            let rows: Vec<(_, Client)> =
                self.records.rows(place, CLIENTS, &prefix, after.as_deref(), MAX_PAGE).await?;
            let Some((last, _)) = rows.last() else { break };
            after = Some(last.to_vec());
            clients.extend(rows.into_iter().map(|(_, client)| client));
        }
        clients.sort_by_key(|client| (std::cmp::Reverse(client.created_at), client.id));
        Ok(clients)
    }

    /// Removes a client, whose token is refused from then on; `false` when the agent has no such client.
    pub(crate) async fn remove(
        &self,
        organization: OrganizationId,
        agent: AgentId,
        id: RecordId,
    ) -> Result<bool, RecordError> {
        let place = (Home::Records, self.shard(organization, agent));
        let key = client_key(organization, agent, id);
        let mut attempts = self.records.attempts(place.0, place.1);
        while let Some(mut draft) = attempts.next().await? {
            if self.records.row::<Client>(place, CLIENTS, &key).await?.is_none() {
                return Ok(false);
            }
            draft.delete_row(CLIENTS, &key);
            draft.delete_row(PROGRESS, &key);
            self.count(&mut draft, organization, agent, -1).await?;
            if attempts.commit(draft).await? {
                return Ok(true);
            }
        }
        Err(RecordError::Conflict)
    }

    /// Removes all clients of an agent.
    pub(crate) async fn remove_all(
        &self,
        organization: OrganizationId,
        agent: AgentId,
    ) -> Result<(), RecordError> {
        let place = (Home::Records, self.shard(organization, agent));
        let prefix = agent_key(organization, agent);
        let mut attempts = self.records.attempts(place.0, place.1);
        while let Some(mut draft) = attempts.next().await? {
            let rows =
                self.records.each_row::<Client>(place, CLIENTS, &prefix, None, REMOVED_AT_ONCE).await?;
            if rows.is_empty() {
                return Ok(());
            }
            for (key, _) in &rows {
                draft.delete_row(CLIENTS, key);
                draft.delete_row(PROGRESS, key);
            }
            self.count(&mut draft, organization, agent, -i64::try_from(rows.len()).unwrap_or(0)).await?;
            if attempts.commit(draft).await? {
                attempts = self.records.attempts(place.0, place.1);
            }
        }
        Err(RecordError::Conflict)
    }

    /// Changes the number of clients of an agent.
    async fn count(
        &self,
        draft: &mut Draft,
        organization: OrganizationId,
        agent: AgentId,
        change: i64,
    ) -> Result<(), RecordError> {
        let key = agent_key(organization, agent);
        let count: i64 = self.records.row(draft.place(), COUNTS, &key).await?.unwrap_or(0);
        match count + change {
            ..=0 => draft.delete_row(COUNTS, &key),
            count => draft.put_row(COUNTS, &key, &count)?,
        }
        Ok(())
    }

    /// Clients, alerts and findings of an agent change together.
    pub(crate) fn shard(&self, organization: OrganizationId, agent: AgentId) -> Shard {
        self.records.shard(organization, &Target::Agent { id: agent }.anchor())
    }

    fn hash(&self, token: &str) -> [u8; 32] {
        self.pepper.hash("agent-client-token", &[token.as_bytes()])
    }
}

pub(crate) fn agent_key(organization: OrganizationId, agent: AgentId) -> Vec<u8> {
    [organization.as_bytes().as_slice(), agent.as_bytes()].concat()
}

pub(crate) fn client_key(organization: OrganizationId, agent: AgentId, id: RecordId) -> Vec<u8> {
    [organization.as_bytes().as_slice(), agent.as_bytes(), id.as_bytes()].concat()
}

#[cfg(test)]
mod tests;
