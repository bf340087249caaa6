//! Changes of many resources of a collection, in as few commits as possible: for rows that follow a listing of another system.

use common::ids::OrganizationId;
use ledger::{LedgerId, Op};

use crate::directory::{delete, put};
use crate::error::DirectoryError;
use crate::table::{Change, Resource, Table};

/// Operations after which a commit takes no further resource; with those of one more resource it stays below the limit of the
/// ledger, 1,000.
const FULL_OPS: usize = 800;
/// Bytes of keys and bodies likewise; the limit of the ledger is 1 MiB, and a settings resource has at most some 100 KiB.
const FULL_BYTES: usize = 512 * 1024;

/// Outcome of [`Table::change_many`]. Rows of a commit whose outcome was unknown at first are not counted.
#[derive(Debug)]
pub struct ChangedRows<I> {
    /// Rows that were created.
    pub created: usize,
    /// Rows that were changed.
    pub changed: usize,
    /// Rows that were deleted.
    pub deleted: usize,
    /// Resources that were refused, each with its reason. Their rows are as they were.
    pub refused: Vec<(I, DirectoryError)>,
}

impl<I> Default for ChangedRows<I> {
    fn default() -> Self {
        Self { created: 0, changed: 0, deleted: 0, refused: Vec::new() }
    }
}

impl<I> ChangedRows<I> {
    /// Adds those of a later call.
    pub fn add(&mut self, other: Self) {
        self.created += other.created;
        self.changed += other.changed;
        self.deleted += other.deleted;
        self.refused.extend(other.refused);
    }
}

/// One commit in the making.
struct Batch<I> {
    /// Deletions of rows beside the resources come first: of two resources that exchange a value, the second one's deletion
    /// of its old value must not remove the first one's new row.
    deletions: Vec<Op>,
    others: Vec<Op>,
    bytes: usize,
    count: usize,
    touched: Vec<I>,
    outcome: ChangedRows<I>,
}

impl<R: Resource> Table<'_, R> {
    /// Changes many: `decide` is given an id with its row and returns the row that is to be there afterwards, `None` for none. It
    /// is called again when another commit came first. A resource that is not allowed, or for which there is no room, is
    /// refused alone. An id must not occur twice.
    ///
    /// For collections without a unique [`Lookup`](crate::Lookup): the resources of one commit are not compared with each other.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says; the changes of earlier commits remain.
    pub async fn change_many(
        self,
        organization: OrganizationId,
        ids: &[R::Id],
        decide: impl Fn(R::Id, Option<&R>) -> Option<R> + Send + Sync,
    ) -> Result<ChangedRows<R::Id>, DirectoryError> {
        let mut all = ChangedRows::default();
        let mut rest = ids;
        while !rest.is_empty() {
            let (taken, outcome) = self.change_some(organization, rest, &decide).await?;
            all.add(outcome);
            rest = rest.split_at_checked(taken).map_or(&[], |(_, rest)| rest);
        }
        Ok(all)
    }

    /// One commit for as many of the ids as fit into it; returns their number.
    async fn change_some(
        self,
        organization: OrganizationId,
        ids: &[R::Id],
        decide: &(impl Fn(R::Id, Option<&R>) -> Option<R> + Send + Sync),
    ) -> Result<(usize, ChangedRows<R::Id>), DirectoryError> {
        let counter = self.counter(organization);
        let mut attempts = self.directory.attempts(LedgerId::Organization(organization));
        while attempts.next().await? {
            let count = counter.read(self.directory).await?;
            let mut batch = Batch {
                deletions: Vec::new(),
                others: Vec::new(),
                bytes: 0,
                count,
                touched: Vec::new(),
                outcome: ChangedRows::default(),
            };
            let mut taken = 0;
            for id in ids {
                self.decide(organization, *id, decide, &mut batch).await?;
                taken += 1;
                if batch.is_full() {
                    break;
                }
            }
            if batch.touched.is_empty() {
                return Ok((taken, batch.outcome));
            }
            let mut ops = batch.deletions;
            ops.extend(batch.others);
            if batch.count != count {
                ops.push(counter.put(batch.count)?);
            }
            let done = attempts.commit(ops).await;
            for id in batch.touched {
                R::changed(self.directory, organization, id).await;
            }
            if done? {
                return Ok((taken, batch.outcome));
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// Adds the change of one resource to a commit.
    async fn decide(
        self,
        organization: OrganizationId,
        id: R::Id,
        decide: &(impl Fn(R::Id, Option<&R>) -> Option<R> + Send + Sync),
        batch: &mut Batch<R::Id>,
    ) -> Result<(), DirectoryError> {
        let before = self.get(organization, id).await?;
        let mut after = decide(id, before.as_ref());
        if after == before {
            return Ok(());
        }
        if let Some(after) = &mut after {
            if let Err(error) = after.check(before.as_ref()) {
                batch.outcome.refused.push((id, error));
                return Ok(());
            }
            if let Some(before) = &before {
                after.touch(before, self.directory.clock.now());
            }
        }
        let (limit, things) = (self.collection().limit, self.collection().plural);
        if before.is_none() && batch.count >= limit {
            batch.outcome.refused.push((id, DirectoryError::Full { things, limit }));
            return Ok(());
        }
        let change = Change { before: before.as_ref(), after: after.as_ref() };
        let beside = R::beside(&self, organization, change).await?;
        match (&before, &after) {
            (None, _) => (batch.outcome.created, batch.count) = (batch.outcome.created + 1, batch.count + 1),
            (Some(_), Some(_)) => batch.outcome.changed += 1,
            (Some(_), None) => {
                (batch.outcome.deleted, batch.count) =
                    (batch.outcome.deleted + 1, batch.count.saturating_sub(1));
            }
        }
        batch.touched.push(id);
        let row = match &after {
            Some(after) => put(self.key(id), after)?,
            None => delete(self.key(id)),
        };
        batch.add(row);
        beside.into_iter().for_each(|op| batch.add(op));
        Ok(())
    }
}

impl<I> Batch<I> {
    fn add(&mut self, op: Op) {
        match &op {
            Op::Put { key, body, .. } => self.bytes += key.len() + body.len(),
            Op::Delete { key, .. } => self.bytes += key.len(),
        }
        match op {
            Op::Delete { .. } => self.deletions.push(op),
            Op::Put { .. } => self.others.push(op),
        }
    }

    fn is_full(&self) -> bool {
        self.deletions.len() + self.others.len() >= FULL_OPS || self.bytes >= FULL_BYTES
    }
}
