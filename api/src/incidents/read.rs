//! Reading one incident, always from the ledger: its head, its detail, and the latest of its histories.

use common::ids::{IncidentId, OrganizationId};
use common::incident::{IncidentDetail, IncidentHead, Review, Revision};
use common::partition::Position;
use common::row::{self, BodyError, Progress};
use directory::{Directory, DirectoryError};
use ledger::{Kind, Ledger, LedgerError, LedgerId, Range};
use rest::error::ApiError;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::app::App;

/// Assessment revisions a detail shows (specification, Limits).
const MAX_REVISIONS: usize = 50;
/// Review changes a detail shows (specification, Limits).
const MAX_REVIEWS: usize = 100;
/// Most reads of the rows of an incident that keeps changing. The last time, histories may be ahead of the head.
const MAX_READS: usize = 4;

/// Reason why an incident cannot be read.
#[derive(Debug, Error)]
pub(crate) enum ReadError {
    #[error("incident not found in the organization")]
    NotFound,
    #[error("the ledger cannot be read")]
    Ledger(#[from] LedgerError),
    #[error("the name of the incident's source cannot be read")]
    Directory(#[from] DirectoryError),
    #[error("the {what} of incident {incident} cannot be read")]
    Body { incident: IncidentId, what: &'static str, source: BodyError },
    #[error("incident {incident} has a head but no detail")]
    NoDetail { incident: IncidentId },
    #[error("the head of incident {expected} is that of {found}")]
    Misplaced { expected: IncidentId, found: IncidentId },
}

/// An incident as the ledger has it.
#[derive(Debug)]
pub(crate) struct Incident {
    pub(crate) head: IncidentHead,
    pub(crate) detail: IncidentDetail,
    /// Newest first.
    pub(crate) revisions: Vec<Revision>,
    /// Newest first.
    pub(crate) reviews: Vec<Review>,
    /// `None` once the source is deleted.
    pub(crate) source_name: Option<String>,
}

/// Reads incidents of one organization.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) ledger: &'a dyn Ledger,
    pub(crate) directory: &'a Directory,
    pub(crate) partitions: u16,
    pub(crate) organization: OrganizationId,
}

impl<'a> Reader<'a> {
    /// A reader of an organization's incidents.
    pub(crate) fn of(app: &'a App, organization: OrganizationId) -> Self {
        Self {
            ledger: app.kit.ledger.as_ref(),
            directory: &app.kit.directory,
            partitions: app.kit.partitions,
            organization,
        }
    }

    /// An incident with everything the detail shows. Every change of an incident also changes its head, so rows between
    /// two equal reads of the head belong together; otherwise they are read again.
    pub(crate) async fn incident(&self, id: IncidentId) -> Result<Incident, ReadError> {
        let mut head = self.head(id).await?;
        for _ in 1..MAX_READS {
            let incident = self.with_head(head).await?;
            head = self.head(id).await?;
            if head == incident.head {
                return Ok(incident);
            }
        }
        self.with_head(head).await
    }

    async fn with_head(&self, head: IncidentHead) -> Result<Incident, ReadError> {
        let id = head.id;
        let revisions = row::revisions_prefix(self.organization, id);
        let reviews = row::reviews_prefix(self.organization, id);
        let source = self.directory.sources().get(self.organization, head.source).await?;
        Ok(Incident {
            detail: self.detail(id).await?,
            revisions: self.latest(id, &revisions, MAX_REVISIONS, "revisions").await?,
            reviews: self.latest(id, &reviews, MAX_REVIEWS, "reviews").await?,
            source_name: source.map(|source| source.name),
            head,
        })
    }

    /// An incident's head. One of another organization is not found, like one that never was: its key begins with
    /// another organization.
    pub(super) async fn head(&self, id: IncidentId) -> Result<IncidentHead, ReadError> {
        if id.partition().0 >= self.partitions {
            return Err(ReadError::NotFound);
        }
        let key = row::incident_key(self.organization, id);
        let head: IncidentHead = self.row(id, Kind::Head, &key, "head").await?.ok_or(ReadError::NotFound)?;
        if head.organization != self.organization {
            return Err(ReadError::NotFound);
        }
        if head.id != id {
            return Err(ReadError::Misplaced { expected: id, found: head.id });
        }
        Ok(head)
    }

    /// The detail that is written with an incident's head.
    pub(super) async fn detail(&self, id: IncidentId) -> Result<IncidentDetail, ReadError> {
        let key = row::incident_key(self.organization, id);
        let detail = self.row(id, Kind::Detail, &key, "detail").await?;
        detail.ok_or(ReadError::NoDetail { incident: id })
    }

    /// The review that produced a version of an incident's triage.
    pub(super) async fn review(&self, id: IncidentId, version: u64) -> Result<Option<Review>, ReadError> {
        self.row(id, Kind::History, &row::review_key(self.organization, id, version), "review").await
    }

    /// Position of the analyzer of an incident's partition; the very start where it has not begun.
    pub(super) async fn position(&self, id: IncidentId) -> Result<Position, ReadError> {
        let progress: Option<Progress> =
            self.row(id, Kind::State, &row::progress_key(), "partition's progress").await?;
        Ok(progress.map_or_else(Position::default, |progress| progress.position))
    }

    async fn row<T: DeserializeOwned>(
        &self,
        id: IncidentId,
        kind: Kind,
        key: &[u8],
        what: &'static str,
    ) -> Result<Option<T>, ReadError> {
        let body = self.ledger.get(LedgerId::Partition(id.partition()), kind, key).await?;
        body.map(|body| row::decode(&body)).transpose().map_err(|source| ReadError::Body {
            incident: id,
            what,
            source,
        })
    }

    async fn latest<T: DeserializeOwned>(
        &self,
        id: IncidentId,
        prefix: &[u8],
        limit: usize,
        what: &'static str,
    ) -> Result<Vec<T>, ReadError> {
        let range = Range { prefix, after: None, backwards: true };
        let rows = self.ledger.scan(LedgerId::Partition(id.partition()), Kind::History, range, limit).await?;
        let mut latest = Vec::with_capacity(rows.len());
        for read in rows {
            let body =
                row::decode(&read.body).map_err(|source| ReadError::Body { incident: id, what, source })?;
            latest.push(body);
        }
        Ok(latest)
    }
}

impl From<ReadError> for ApiError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::NotFound => Self::NotFound("incident"),
            ReadError::Ledger(error) => error.into(),
            ReadError::Directory(error) => error.into(),
            ReadError::Body { .. } | ReadError::NoDetail { .. } | ReadError::Misplaced { .. } => {
                Self::internal(error)
            }
        }
    }
}
