//! Monitoring clients of agents: rows beside the records of their agent, so that a client and what it reports change in one
//! commit.
//!
//! A token is `pal_agent_` and 64 bytes in base64url: organization, agent and client, which lead to the row, and 128 random
//! bits. The row has their HMAC under the pepper. It is read for every request, so that a revocation takes effect at once.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use common::clock::SharedClock;
use common::digest::digest;
use common::ids::{AgentId, OrganizationId, RecordId};
use common::partition::Shard;
use common::pepper::Pepper;
use common::timestamp::Timestamp;
use rand::RngExt;
use records::{Draft, Home, MAX_PAGE, RecordError, Records, Table};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use thiserror::Error;
use uuid::Uuid;
use zeroize::Zeroizing;

/// Clients by organization, agent and client.
const CLIENTS: Table = Table::new("agent-client");
/// Number of clients by organization and agent.
const COUNTS: Table = Table::new("agent-client-count");
/// Most clients of an agent: a listing reads all of them, ten calls of the ledger.
const MAX_CLIENTS: usize = 10_000;
/// Clients that are removed by one commit.
const REMOVED_AT_ONCE: usize = 200;
/// Time without a request after which a client is not active.
const ACTIVE: Duration = Duration::from_secs(24 * 3_600);
/// Prefix of every token, so that scanners for leaked secrets can recognise one.
const PREFIX: &str = "pal_agent_";
/// Bytes of a token behind the prefix.
const TOKEN_BYTES: usize = 64;

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
}

/// Properties of a client as it states them.
#[derive(Clone, Debug)]
pub(crate) struct Described {
    pub(crate) name: String,
    pub(crate) os: String,
    pub(crate) version: String,
}

/// State of the clients of an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) clients: usize,
    pub(crate) active: usize,
    pub(crate) last_seen_at: Option<Timestamp>,
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
        let client =
            Client { id, organization, agent, name, os, version, hash, created_at: now, last_seen_at: now };
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

    /// State of the clients of an agent.
    pub(crate) async fn summary(
        &self,
        organization: OrganizationId,
        agent: AgentId,
    ) -> Result<Summary, RecordError> {
        let (clients, now) = (self.list(organization, agent).await?, self.clock.now());
        Ok(Summary {
            clients: clients.len(),
            active: clients.iter().filter(|client| client.last_seen_at.plus(ACTIVE) > now).count(),
            last_seen_at: clients.iter().map(|client| client.last_seen_at).max(),
        })
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
            rows.iter().for_each(|(key, _)| draft.delete_row(CLIENTS, key));
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
    fn shard(&self, organization: OrganizationId, agent: AgentId) -> Shard {
        self.records.shard(organization, agent.as_bytes())
    }

    fn hash(&self, token: &str) -> [u8; 32] {
        self.pepper.hash("agent-client-token", &[token.as_bytes()])
    }
}

fn agent_key(organization: OrganizationId, agent: AgentId) -> Vec<u8> {
    [organization.as_bytes().as_slice(), agent.as_bytes()].concat()
}

fn client_key(organization: OrganizationId, agent: AgentId, id: RecordId) -> Vec<u8> {
    [organization.as_bytes().as_slice(), agent.as_bytes(), id.as_bytes()].concat()
}

fn new_token(organization: OrganizationId, agent: AgentId, id: RecordId) -> Zeroizing<String> {
    let random: Zeroizing<[u8; 16]> = Zeroizing::new(rand::rng().random());
    let bytes = Zeroizing::new([client_key(organization, agent, id).as_slice(), random.as_slice()].concat());
    // The full capacity at once: growing would leave copies behind that are not wiped.
    let mut token = Zeroizing::new(String::with_capacity(PREFIX.len() + TOKEN_BYTES.div_ceil(3) * 4));
    token.push_str(PREFIX);
    URL_SAFE_NO_PAD.encode_string(bytes.as_slice(), &mut token);
    token
}

/// Location of the row that a token leads to.
fn parse(presented: &str) -> Option<(OrganizationId, AgentId, RecordId)> {
    let bytes = URL_SAFE_NO_PAD.decode(presented.strip_prefix(PREFIX)?).map(Zeroizing::new).ok()?;
    let ([organization, agent, id, _], []) = bytes.as_chunks::<16>() else { return None };
    Some((OrganizationId::from_bytes(*organization), AgentId::from_bytes(*agent), RecordId::from_bytes(*id)))
}

#[cfg(test)]
mod tests;
