//! Settings resources: at most a few thousand rows of a kind in their organization's ledger, created, listed, changed and
//! deleted in one way. A resource states what it may look like; the table does the rest.

use std::marker::PhantomData;

use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use ledger::retry::{Attempt, Decision};
use ledger::{LedgerId, Op};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::counter::Counter;
use crate::directory::{Directory, delete, put};
use crate::error::DirectoryError;

/// A settings resource.
pub trait Resource: Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync {
    /// Its id: UUID version 7, so that rows lie in the order of creation.
    type Id: Copy + AsRef<[u8]> + Send + Sync;
    /// What rows committed together with a change are decided from, beside the ledger.
    type Context: Copy + Send + Sync;

    /// Prefix of its rows.
    const PREFIX: &'static [u8];
    /// Its name, in words.
    const NAME: &'static str;
    /// Its name in plural.
    const PLURAL: &'static str;
    /// Most of them in an organization.
    const LIMIT: usize;

    /// Its id.
    fn id(&self) -> Self::Id;

    /// Refuses one that is not allowed, naming the first field that is not. A value that `before` has already is allowed: a
    /// rule that is newer than the row must not stand in the way of other changes.
    ///
    /// # Errors
    /// `Invalid`.
    fn check(&self, before: Option<&Self>) -> Result<(), DirectoryError>;

    /// Notes the moment of a change; nothing where it is never changed.
    fn touch(&mut self, _before: &Self, _now: Timestamp) {}

    /// Decides a change by other rows of the organization, read at the same sequence number, and returns rows to commit
    /// together with it.
    fn beside(
        _table: &Table<'_, Self>,
        _organization: OrganizationId,
        _change: Change<'_, Self>,
    ) -> impl Future<Output = Result<Vec<Op>, DirectoryError>> + Send {
        std::future::ready(Ok(Vec::new()))
    }

    /// Called after one was changed or deleted, and after an error, which may have changed it.
    fn changed(
        _directory: &Directory,
        _organization: OrganizationId,
        _id: Self::Id,
    ) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// A change of one resource: without `before` it is created, without `after` deleted.
pub struct Change<'a, R> {
    /// As it is.
    pub before: Option<&'a R>,
    /// As it will be.
    pub after: Option<&'a R>,
}

/// The resources of one kind.
pub struct Table<'a, R: Resource> {
    pub(crate) directory: &'a Directory,
    pub(crate) context: R::Context,
    kind: PhantomData<fn() -> R>,
}

impl<R: Resource> Clone for Table<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Resource> Copy for Table<'_, R> {}

impl Directory {
    /// The resources of one kind that needs no context.
    #[must_use]
    pub fn table<R: Resource<Context = ()>>(&self) -> Table<'_, R> {
        self.table_with(())
    }

    pub(crate) fn table_with<R: Resource>(&self, context: R::Context) -> Table<'_, R> {
        Table { directory: self, context, kind: PhantomData }
    }
}

impl<R: Resource> Table<'_, R> {
    /// Creates one. Where its id exists already, returns what is there: an earlier attempt made it.
    ///
    /// # Errors
    /// `Invalid` for a field that is not allowed, `NotFound` without the organization, `Full` at the limit of the
    /// organization, `Conflict` and `Unavailable` as their documentation says.
    pub async fn create(self, organization: OrganizationId, new: R) -> Result<R, DirectoryError> {
        new.check(None)?;
        if self.directory.get_organization(organization).await?.is_none() {
            return Err(DirectoryError::NotFound);
        }
        self.insert(organization, new).await
    }

    /// Creates one of an organization that need not exist yet.
    pub(crate) async fn insert(self, organization: OrganizationId, new: R) -> Result<R, DirectoryError> {
        let (counter, new) = (&self.counter(organization), &new);
        self.directory
            .retry(LedgerId::Organization(organization), |_| async move {
                if let Some(present) = self.get(organization, new.id()).await? {
                    return Ok(Decision::Keep(present));
                }
                let mut ops = vec![put(key::<R>(new.id()), new)?, counter.add(self.directory).await?];
                ops.extend(R::beside(&self, organization, Change { before: None, after: Some(new) }).await?);
                Ok(Decision::Commit(ops, new.clone()))
            })
            .await
    }

    /// One of the organization, or `None`: also for one of another organization.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when its row cannot be read.
    pub async fn get(self, organization: OrganizationId, id: R::Id) -> Result<Option<R>, DirectoryError> {
        self.directory.read(LedgerId::Organization(organization), &key::<R>(id)).await
    }

    /// All of the organization, oldest first.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when a row cannot be read.
    pub async fn list(self, organization: OrganizationId) -> Result<Vec<R>, DirectoryError> {
        self.directory.list(LedgerId::Organization(organization), R::PREFIX, R::LIMIT).await
    }

    /// Changes one: `change` is applied to what is read, again when others commit in between. Nothing is written, and no
    /// time of a change noted, when it is the same afterwards.
    ///
    /// # Errors
    /// The error of `change`, `Invalid` for a field that is not allowed, `NotFound` without such a resource in the
    /// organization, `Conflict` and `Unavailable` as their documentation says.
    pub async fn update(
        self,
        organization: OrganizationId,
        id: R::Id,
        change: impl Fn(&mut R) -> Result<(), DirectoryError>,
    ) -> Result<R, DirectoryError> {
        let change = &change;
        let outcome = self.directory.retry(LedgerId::Organization(organization), |_| async move {
            let before = self.get(organization, id).await?.ok_or(DirectoryError::NotFound)?;
            let mut after = before.clone();
            change(&mut after)?;
            after.check(Some(&before))?;
            if after == before {
                return Ok(Decision::Keep(before));
            }
            after.touch(&before, self.directory.clock.now());
            let change = Change { before: Some(&before), after: Some(&after) };
            let mut ops = vec![put(key::<R>(id), &after)?];
            ops.extend(R::beside(&self, organization, change).await?);
            Ok(Decision::Commit(ops, after))
        });
        let outcome = outcome.await;
        R::changed(self.directory, organization, id).await;
        outcome
    }

    /// Deletes one; `false` when the organization has no such resource.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn delete(self, organization: OrganizationId, id: R::Id) -> Result<bool, DirectoryError> {
        let counter = &self.counter(organization);
        let outcome =
            self.directory.retry(LedgerId::Organization(organization), |attempt: Attempt| async move {
                let Some(before) = self.get(organization, id).await? else {
                    // Gone in a later attempt: by an attempt whose outcome was unknown, or by another request at the same
                    // time. It was there when this began.
                    return Ok(Decision::Keep(attempt.earlier > 0));
                };
                let mut ops = vec![delete(key::<R>(id)), counter.subtract(self.directory).await?];
                let change = Change { before: Some(&before), after: None };
                ops.extend(R::beside(&self, organization, change).await?);
                Ok(Decision::Commit(ops, true))
            });
        let outcome = outcome.await;
        R::changed(self.directory, organization, id).await;
        outcome
    }

    pub(crate) fn counter(self, organization: OrganizationId) -> Counter<'static> {
        Counter {
            ledger: LedgerId::Organization(organization),
            prefix: R::PREFIX,
            things: R::PLURAL,
            limit: R::LIMIT,
        }
    }
}

/// Key of a resource's row.
pub(crate) fn key<R: Resource>(id: R::Id) -> Vec<u8> {
    [R::PREFIX, id.as_ref()].concat()
}
