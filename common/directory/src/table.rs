//! Settings resources: at most a few thousand rows of a collection in their organization's ledger, created, listed, changed
//! and deleted in one way. A resource states its collection and its rules; the table does the rest.

use std::marker::PhantomData;

use common::ids::OrganizationId;
use common::timestamp::Timestamp;
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
    /// The collection of a resource that has several, or the state that a change was decided on.
    type Context: Copy + Send + Sync;

    /// The collection of a context.
    fn collection(context: Self::Context) -> Collection;

    /// Its id.
    fn id(&self) -> Self::Id;

    /// Refuses one that is not allowed, naming the first field that is not. A value that `before` has already is allowed: a
    /// rule that is newer than the row must not prevent other changes.
    ///
    /// # Errors
    /// `Invalid`.
    fn check(&self, before: Option<&Self>) -> Result<(), DirectoryError>;

    /// Notes the time of a change; nothing where it is never changed.
    fn touch(&mut self, _before: &Self, _now: Timestamp) {}

    /// Decides a change by other rows of the organization, read at the same sequence number, and returns operations to
    /// commit together with it.
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

/// A collection of resources.
#[derive(Clone, Copy, Debug)]
pub struct Collection {
    /// Prefix of the rows.
    pub prefix: &'static [u8],
    /// Name of one resource.
    pub name: &'static str,
    /// Name of several.
    pub plural: &'static str,
    /// Most of them in an organization.
    pub limit: usize,
}

/// A change of one resource: without `before` it is created, without `after` deleted.
pub struct Change<'a, R> {
    /// Before the change.
    pub before: Option<&'a R>,
    /// After it.
    pub after: Option<&'a R>,
}

impl<'a, R> Change<'a, R> {
    /// A value before the change and after it.
    pub fn map<T>(&self, value: impl Fn(&'a R) -> T) -> (Option<T>, Option<T>) {
        (self.before.map(&value), self.after.map(&value))
    }
}

/// The resources of one collection, of every organization.
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
    /// The resources of a type, for the crate that defines it.
    pub fn table<R: Resource>(&self, context: R::Context) -> Table<'_, R> {
        Table { directory: self, context, kind: PhantomData }
    }
}

impl<R: Resource> Table<'_, R> {
    /// Creates one. Where its id exists already, returns the existing one: an earlier attempt created it.
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
        let counter = self.counter(organization);
        let mut attempts = self.directory.attempts(LedgerId::Organization(organization));
        while attempts.next().await? {
            if let Some(present) = self.get(organization, new.id()).await? {
                return Ok(present);
            }
            let mut ops = vec![put(self.key(new.id()), &new)?, counter.add(self.directory).await?];
            ops.extend(R::beside(&self, organization, Change { before: None, after: Some(&new) }).await?);
            if attempts.commit(ops).await? {
                return Ok(new);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// One of the organization, or `None`: also for one of another organization.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when its row cannot be read.
    pub async fn get(self, organization: OrganizationId, id: R::Id) -> Result<Option<R>, DirectoryError> {
        self.directory.read(LedgerId::Organization(organization), &self.key(id)).await
    }

    /// All of the organization, oldest first.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when a row cannot be read.
    pub async fn list(self, organization: OrganizationId) -> Result<Vec<R>, DirectoryError> {
        let Collection { prefix, limit, .. } = self.collection();
        self.directory.list(LedgerId::Organization(organization), prefix, limit).await
    }

    /// Changes one: `change` is applied to the row that was read, and again when another commit came first. Nothing is
    /// written when the row is the same afterwards, and `updated_at` stays.
    ///
    /// # Errors
    /// The error of `change`, `Invalid` for a field that is not allowed, `NotFound` without such a resource in the
    /// organization, `Conflict` and `Unavailable` as their documentation says.
    pub async fn update(
        self,
        organization: OrganizationId,
        id: R::Id,
        change: impl FnMut(&mut R) -> Result<(), DirectoryError>,
    ) -> Result<R, DirectoryError> {
        let outcome = self.try_update(organization, id, change).await;
        R::changed(self.directory, organization, id).await;
        outcome
    }

    async fn try_update(
        self,
        organization: OrganizationId,
        id: R::Id,
        mut change: impl FnMut(&mut R) -> Result<(), DirectoryError>,
    ) -> Result<R, DirectoryError> {
        let mut attempts = self.directory.attempts(LedgerId::Organization(organization));
        let mut tried = None;
        while attempts.next().await? {
            let before = self.get(organization, id).await?.ok_or(DirectoryError::NotFound)?;
            if attempts.is_after_unknown() && tried.as_ref() == Some(&before) {
                return Ok(before);
            }
            let mut after = before.clone();
            change(&mut after)?;
            after.check(Some(&before))?;
            if after == before {
                return Ok(before);
            }
            after.touch(&before, self.directory.clock.now());
            let mut ops = vec![put(self.key(id), &after)?];
            let change = Change { before: Some(&before), after: Some(&after) };
            ops.extend(R::beside(&self, organization, change).await?);
            if attempts.commit(ops).await? {
                return Ok(after);
            }
            tried = Some(after);
        }
        Err(DirectoryError::Conflict)
    }

    /// Deletes one; `false` when the organization has no such resource.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn delete(self, organization: OrganizationId, id: R::Id) -> Result<bool, DirectoryError> {
        let outcome = self.try_delete(organization, id).await;
        R::changed(self.directory, organization, id).await;
        outcome
    }

    async fn try_delete(self, organization: OrganizationId, id: R::Id) -> Result<bool, DirectoryError> {
        let counter = self.counter(organization);
        let mut attempts = self.directory.attempts(LedgerId::Organization(organization));
        while attempts.next().await? {
            let Some(before) = self.get(organization, id).await? else {
                // Deleted in a later attempt: by an attempt whose outcome was unknown, or by another request at the same
                // time. It existed when this began.
                return Ok(!attempts.is_first());
            };
            let mut ops = vec![delete(self.key(id)), counter.subtract(self.directory, 1).await?];
            let change = Change { before: Some(&before), after: None };
            ops.extend(R::beside(&self, organization, change).await?);
            if attempts.commit(ops).await? {
                return Ok(true);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// Name of one resource.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.collection().name
    }

    pub(crate) fn counter(self, organization: OrganizationId) -> Counter<'static> {
        let Collection { prefix, plural, limit, .. } = self.collection();
        Counter { ledger: LedgerId::Organization(organization), prefix, things: plural, limit }
    }

    pub(crate) fn key(self, id: R::Id) -> Vec<u8> {
        [self.collection().prefix, id.as_ref()].concat()
    }

    pub(crate) fn collection(self) -> Collection {
        R::collection(self.context)
    }
}
