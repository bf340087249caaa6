//! Reads of the fold: rows of incidents from the ledger of the partition, monitoring policies and names of sources from
//! the directory.

use std::sync::Arc;

use bytes::Bytes;
use common::ids::{OrganizationId, SourceId};
use common::partition::Partition;
use common::row::{self, BodyError};
use directory::{DirectoryError, MonitoringPolicies};
use escalation::Escalation;
use incidents::attach::{IncidentRows, Incidents, MOST_CHUNKS, Missing};
use incidents::rows;
use ledger::{Kind, Ledger, LedgerError, LedgerId, Range};
use thiserror::Error;

/// The ledger of a partition, and the directory by way of escalation.
#[derive(Clone, Copy)]
pub(crate) struct Lookup<'a> {
    /// The ledger.
    pub ledger: &'a dyn Ledger,
    /// The partition being folded.
    pub partition: Partition,
    /// Reads policies, and makes events.
    pub escalation: &'a Escalation,
}

/// Reason why folding could not continue.
#[derive(Debug, Error)]
pub(crate) enum FoldError {
    /// The ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// Rows of an organization cannot be read.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// A row does not have the expected form.
    #[error("a row of the ledger cannot be used: {0}")]
    Body(#[from] BodyError),
}

impl FoldError {
    /// Whether a row is damaged, so that reading it again does not help.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::Ledger(error) => error.is_damage(),
            Self::Directory(error) => error.is_damage(),
            Self::Body(_) => true,
        }
    }
}

impl Lookup<'_> {
    /// The ledger of the partition.
    pub(crate) fn ledger_id(&self) -> LedgerId {
        LedgerId::Partition(self.partition)
    }

    /// The body of a row.
    pub(crate) async fn get(&self, kind: Kind, key: &[u8]) -> Result<Option<Bytes>, LedgerError> {
        self.ledger.get(self.ledger_id(), kind, key).await
    }

    /// Brings missing rows into memory.
    pub(crate) async fn restore(&self, incidents: &mut Incidents, missing: Missing) -> Result<(), FoldError> {
        match missing {
            Missing::Episode { organization, key } => {
                let body = self.get(Kind::State, &rows::episode_key(organization, &key)).await?;
                incidents.restore_episode(key, body.as_deref())?;
            }
            Missing::Incident { organization, incident } => {
                let head = self.get(Kind::Head, &row::incident_key(organization, incident)).await?;
                let rows = match head {
                    Some(head) => {
                        let working =
                            self.get(Kind::State, &rows::working_key(organization, incident)).await?;
                        let prefix = rows::members_prefix(organization, incident);
                        let range = Range { prefix: &prefix, ..Range::default() };
                        let chunks =
                            self.ledger.scan(self.ledger_id(), Kind::State, range, MOST_CHUNKS).await?;
                        let members = chunks.into_iter().map(|chunk| chunk.body).collect();
                        Some(IncidentRows { head, working, members })
                    }
                    None => None,
                };
                incidents.restore(incident, rows.as_ref())?;
            }
        }
        Ok(())
    }

    /// The name of a source; `None` once it is deleted.
    pub(crate) async fn source_name(
        &self,
        organization: OrganizationId,
        source: SourceId,
    ) -> Result<Option<String>, FoldError> {
        readable(organization, self.escalation.source_name(organization, source).await)
    }
}

/// Policies as they were read for the batch that is being folded. It lay in the log by then, so they hold all that
/// was acknowledged before the batch was accepted.
#[derive(Debug, Default)]
pub(crate) struct Policies {
    current: Option<(OrganizationId, Arc<MonitoringPolicies>)>,
}

impl Policies {
    /// Forgets policies: the next batch may have been accepted later than they were read.
    pub(crate) fn forget(&mut self) {
        self.current = None;
    }

    /// The policies of an organization.
    pub(crate) async fn of(
        &mut self,
        lookup: Lookup<'_>,
        organization: OrganizationId,
    ) -> Result<Arc<MonitoringPolicies>, FoldError> {
        if let Some((_, policies)) = self.current.as_ref().filter(|(current, _)| *current == organization) {
            return Ok(Arc::clone(policies));
        }
        let policies = Arc::new(readable(organization, lookup.escalation.policies(organization).await)?);
        self.current = Some((organization, Arc::clone(&policies)));
        Ok(policies)
    }
}

/// Unreadable rows of one organization do not stop the analysis of others: it continues without them.
fn readable<T: Default>(
    organization: OrganizationId,
    read: Result<T, DirectoryError>,
) -> Result<T, FoldError> {
    match read {
        Err(DirectoryError::Corrupt(error)) => {
            tracing::error!(%organization, %error, "monitoring policies cannot be read: incidents are not escalated");
            Ok(T::default())
        }
        read => Ok(read?),
    }
}
