//! Monitoring clients of agents: rows beside the records of their agent, so that a client and what it reports change in one
//! commit.

mod activity;
mod order;
mod token;

use std::sync::Arc;

use common::clock::SharedClock;
use common::ids::{AgentId, OrganizationId, RecordId};
use common::partition::Shard;
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use findings::Target;
use records::{Home, RecordError, Records, Table};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use thiserror::Error;
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::status::Dropped;
use activity::{ACTIVITY, Activity, FAULTS};
use order::newest_first;
use token::{new_token, parse};

pub(crate) use activity::Summary;

/// Clients by organization, agent and client, newest first.
const CLIENTS: Table = Table::new("agent-client");
/// Actions that a client has reported, by organization, agent and client.
pub(crate) const PROGRESS: Table = Table::new("agent-client-progress");
/// Most clients of an agent: the last page of a list reads all of them, ten calls of the ledger.
const MAX_CLIENTS: usize = 10_000;
/// Tables with a row for a client.
const OF_A_CLIENT: [Table; 3] = [CLIENTS, FAULTS, PROGRESS];
/// Clients that are removed by one commit, each with a row in three tables.
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
    /// Actions that it could not send.
    pub(crate) dropped: Dropped,
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
        newest_first(self.shard(organization, agent), self.clock.now(), seed)
    }

    /// Refuses another client of an agent that has as many as it may have.
    pub(crate) async fn check_room(
        &self,
        organization: OrganizationId,
        agent: AgentId,
    ) -> Result<(), ClientError> {
        self.room(organization, agent).await.map(drop)
    }

    /// The summary of an agent's clients, to which one can be added.
    async fn room(&self, organization: OrganizationId, agent: AgentId) -> Result<Activity, ClientError> {
        let activity = self.activity(organization, agent).await?;
        if activity.clients < MAX_CLIENTS {
            Ok(activity)
        } else {
            Err(ClientError::Full { limit: MAX_CLIENTS })
        }
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
            dropped: Dropped::default(),
        };
        let mut attempts = self.records.attempts(Home::Records, id.shard());
        while let Some(mut draft) = attempts.next().await? {
            let mut activity = self.room(organization, agent).await?;
            activity.add(now);
            draft.put_row(ACTIVITY, &agent_key(organization, agent), &activity)?;
            draft.put_row(CLIENTS, &client_key(organization, agent, id), &client)?;
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

    /// A part of the clients of an agent, newest first, and their number.
    pub(crate) async fn page(
        &self,
        (organization, agent): (OrganizationId, AgentId),
        offset: usize,
        limit: usize,
    ) -> Result<(Vec<Client>, usize), RecordError> {
        let place = (Home::Records, self.shard(organization, agent));
        let prefix = agent_key(organization, agent);
        let total = self.activity(organization, agent).await?.clients;
        let mut unread = if offset < total { offset + limit.min(total - offset) } else { 0 };
        let (mut page, mut before, mut after) = (Vec::new(), offset, None::<Vec<u8>>);
        while unread > 0 {
            let rows: Vec<(_, Client)> =
                self.records.rows(place, CLIENTS, &prefix, after.as_deref(), unread).await?;
            let Some((last, _)) = rows.last() else { break };
            after = Some(last.to_vec());
            unread -= rows.len();
            let skipped = before.min(rows.len());
            before -= skipped;
            page.extend(rows.into_iter().skip(skipped).map(|(_, client)| client));
        }
        Ok((page, total))
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
            let Some(client) = self.records.row::<Client>(place, CLIENTS, &key).await? else {
                return Ok(false);
            };
            OF_A_CLIENT.iter().for_each(|table| draft.delete_row(*table, &key));
            let mut activity = self.activity(organization, agent).await?;
            activity.remove(client.last_seen_at);
            let agent = agent_key(organization, agent);
            if activity.clients == 0 {
                draft.delete_row(ACTIVITY, &agent);
            } else {
                draft.put_row(ACTIVITY, &agent, &activity)?;
            }
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
            let mut activity = self.activity(organization, agent).await?;
            for (key, client) in &rows {
                OF_A_CLIENT.iter().for_each(|table| draft.delete_row(*table, key));
                if let Ok(client) = client {
                    activity.remove(client.last_seen_at);
                }
            }
            let is_last = rows.len() < REMOVED_AT_ONCE;
            if is_last || activity.clients == 0 {
                draft.delete_row(ACTIVITY, &prefix);
            } else {
                draft.put_row(ACTIVITY, &prefix, &activity)?;
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
