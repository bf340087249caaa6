//! Monitoring policies in their organization's ledger: a table, and its version.

use common::ids::{OrganizationId, PolicyId};
use common::timestamp::Timestamp;
use ledger::{LedgerId, Op};

use super::{MAX_POLICIES, MonitoringPolicies, MonitoringPolicy, NewMonitoringPolicy, check};
use crate::directory::{Directory, put};
use crate::error::DirectoryError;
use crate::rows::{MONITORING_POLICIES, MONITORING_POLICIES_VERSION};
use crate::table::{Change, Collection, Resource, Table};

impl Directory {
    /// All monitoring policies of the organization, with the version that they had before they were read: a change at the
    /// same time may be among them already.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when a row cannot be read.
    pub async fn all_monitoring_policies(
        &self,
        organization: OrganizationId,
    ) -> Result<MonitoringPolicies, DirectoryError> {
        let version = self.policies_version(organization).await?;
        Ok(MonitoringPolicies { version, policies: self.monitoring_policies().list(organization).await? })
    }

    /// Creates a policy. Names need not be unique.
    ///
    /// # Errors
    /// As [`Table::create`], at 50 policies of the organization.
    pub async fn create_monitoring_policy(
        &self,
        organization: OrganizationId,
        new: NewMonitoringPolicy,
    ) -> Result<MonitoringPolicy, DirectoryError> {
        let id = new.id.unwrap_or_else(|| PolicyId(self.new_id()));
        let policy = MonitoringPolicy::new(id, new, self.clock.now());
        self.monitoring_policies().create(organization, policy).await
    }

    /// The monitoring policies. A change applies to everything analysed after it; a policy that is enabled again, to
    /// everything accepted after that. Escalations of a deleted policy stay.
    #[must_use]
    pub fn monitoring_policies(&self) -> Table<'_, MonitoringPolicy> {
        self.table(())
    }

    async fn policies_version(&self, organization: OrganizationId) -> Result<u64, DirectoryError> {
        let ledger = LedgerId::Organization(organization);
        Ok(self.read(ledger, MONITORING_POLICIES_VERSION).await?.unwrap_or_default())
    }
}

impl Resource for MonitoringPolicy {
    type Id = PolicyId;
    type Context = ();

    fn collection((): ()) -> Collection {
        Collection {
            prefix: MONITORING_POLICIES,
            name: "monitoring policy",
            plural: "monitoring policies",
            limit: MAX_POLICIES,
        }
    }

    fn id(&self) -> PolicyId {
        self.id
    }

    fn check(&self, before: Option<&Self>) -> Result<(), DirectoryError> {
        check(self, before)
    }

    fn touch(&mut self, before: &Self, now: Timestamp) {
        self.updated_at = now;
        if self.enabled && !before.enabled {
            self.in_force_since = now;
        }
    }

    /// Refuses sources that the organization does not have: they would never escalate anything. One that was named before
    /// and deleted since must not prevent other changes.
    async fn beside(
        table: &Table<'_, Self>,
        organization: OrganizationId,
        change: Change<'_, Self>,
    ) -> Result<Vec<Op>, DirectoryError> {
        let (before, after) = change.map(|policy| policy.source_ids.as_deref());
        if let Some(Some(sources)) = after.filter(|_| after != before) {
            for source in sources {
                if table.directory.sources().get(organization, *source).await?.is_none() {
                    let reason = format!("the organization has no source {source}");
                    return Err(DirectoryError::invalid("source_ids", reason));
                }
            }
        }
        let version = table.directory.policies_version(organization).await? + 1;
        Ok(vec![put(MONITORING_POLICIES_VERSION.to_vec(), &version)?])
    }
}
