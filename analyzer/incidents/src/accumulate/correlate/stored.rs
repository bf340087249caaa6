//! Windows to and from the ledger's rows, and which of them are no longer needed.

use std::sync::Arc;

use common::ids::OrganizationId;
use common::row::{self, BodyError};
use common::timestamp::Timestamp;

use super::group::{Group, GroupRow, MemoryUse};
use super::{Correlations, GroupKey, wait};
use crate::plan::Plan;
use crate::rows::{self, PendingDeletes};
use crate::state_table::{Row, RowKey};

impl Correlations {
    /// Rows to write since the last call.
    ///
    /// # Errors
    /// When a window cannot be written as JSON.
    pub(crate) fn take_changes(&mut self) -> Result<Vec<Row>, BodyError> {
        self.groups.take_changed(|group| group.row())
    }

    /// Reads a window back; `key` is the part of its row's behind the prefix. One of a correlation that was removed or has
    /// changed is left out, and its row is to be deleted.
    ///
    /// # Errors
    /// When the row is broken.
    pub fn restore<'p>(
        &mut self,
        plan_of: impl Fn(OrganizationId) -> &'p Plan,
        key: &[u8],
        body: &[u8],
        pending_deletes: &mut PendingDeletes,
    ) -> Result<(), BodyError> {
        let (key, row) = (GroupKey::read(key), row::decode::<GroupRow>(body)?);
        let plan = plan_of(row.organization);
        let Some(correlation) = plan.find_correlation(&row.correlation, &row.content_hash) else {
            pending_deletes.push(rows::key(rows::WINDOW, &key));
            return Ok(());
        };
        let id = row.correlation.clone();
        let correlation_plan = plan.correlation(correlation);
        let mut group = Box::new(Group::restored(correlation, correlation_plan, row, &mut self.interner));
        self.per_correlation.entry(id).or_default().add(group.owner.organization, group.is_coarse);
        wait(&mut self.waiting, key, &mut group);
        self.usage.change(group.owner.organization, MemoryUse::default(), group.bytes());
        self.groups.insert_restored(key, group);
        Ok(())
    }

    /// All windows are read back.
    pub(crate) fn restored(&mut self) {
        self.interner.forget_records();
    }

    /// Drops windows that nothing has touched for longer than they can matter. Called at fixed places
    /// in the log only.
    pub(crate) fn forget_before(&mut self, log_time: Timestamp, pending_deletes: &mut PendingDeletes) {
        // A window that waits for its end is decided first.
        let is_over = |group: &Group| {
            group.waits.is_none() && group.touched_at.0.saturating_add(group.plan.spec.kept()) < log_time.0
        };
        for group in self.groups.remove_if(|_, group| is_over(group), pending_deletes) {
            self.removed(&group);
        }
        self.interner.forget_unused();
    }

    /// After a window was removed that does not wait for its end.
    fn removed(&mut self, group: &Group) {
        if let Some(groups) = self.per_correlation.get_mut(group.plan.id()) {
            groups.remove(group.owner.organization, group.is_coarse);
        }
        self.usage.change(group.owner.organization, group.bytes(), MemoryUse::default());
    }

    /// Continues under other rules: windows of correlations that were removed or have changed end here.
    pub fn adopt<'p>(
        &mut self,
        plan_of: impl Fn(OrganizationId) -> &'p Plan,
        pending_deletes: &mut PendingDeletes,
    ) {
        let found: Vec<(GroupKey, Option<usize>)> = self
            .groups
            .iter()
            .map(|(key, group)| {
                let subject = &group.plan.subject;
                let plan = plan_of(group.owner.organization);
                (*key, plan.find_correlation(&subject.matched.id, &subject.content_hash))
            })
            .collect();
        for (key, correlation) in found {
            if let (Some(correlation), Some(group)) = (correlation, self.groups.get_mut(&key)) {
                group.correlation = correlation;
                group.plan = Arc::clone(plan_of(group.owner.organization).correlation(correlation));
                // It may wait for another correlation's windows now.
                wait(&mut self.waiting, key, group);
            } else if let Some(group) = self.groups.remove(&key, pending_deletes) {
                if let Some(waits) = group.waits {
                    self.waiting.remove(&(waits, key));
                }
                self.removed(&group);
            }
        }
    }
}
