//! Reading and changing the monitoring policies of an organization in its ledger.

use common::ids::{OrganizationId, PolicyId, SourceId};
use ledger::LedgerId;

use super::{
    MAX_POLICIES, MAX_SOURCES_NAMED, MonitoringPolicies, MonitoringPolicy, MonitoringPolicyChange,
    NewMonitoringPolicy, check,
};
use crate::directory::{Directory, put};
use crate::error::DirectoryError;
use crate::rows::MONITORING_POLICIES;

/// What became of the policies.
enum Decided<T> {
    Changed(T),
    Unchanged(T),
}

impl Directory {
    /// All monitoring policies of the organization: one small read.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when their row cannot be read.
    pub async fn monitoring_policies(
        &self,
        organization: OrganizationId,
    ) -> Result<MonitoringPolicies, DirectoryError> {
        let all = self.read(LedgerId::Organization(organization), MONITORING_POLICIES).await?;
        Ok(all.unwrap_or_default())
    }

    /// Creates a policy. Names need not be unique.
    ///
    /// # Errors
    /// `Invalid` for a field that is not allowed, `NotFound` without the organization, `Full` at 50 policies of the
    /// organization, `Conflict` and `Unavailable` as their documentation says.
    pub async fn create_monitoring_policy(
        &self,
        organization: OrganizationId,
        new: NewMonitoringPolicy,
    ) -> Result<MonitoringPolicy, DirectoryError> {
        if let Some(id) = new.id {
            // What it names may be gone since an earlier attempt made it.
            let all = self.monitoring_policies(organization).await?;
            if let Some(present) = all.policies.into_iter().find(|policy| policy.id == id) {
                return Ok(present);
            }
        }
        let policy =
            MonitoringPolicy::new(new.id.unwrap_or_else(|| PolicyId(self.new_id())), new, self.clock.now());
        check(&policy, None)?;
        if self.get_organization(organization).await?.is_none() {
            return Err(DirectoryError::NotFound);
        }
        self.check_sources(organization, policy.source_ids.as_deref()).await?;
        let decide = |policies: &mut Vec<MonitoringPolicy>| {
            // Present already: an earlier attempt took effect.
            if let Some(present) = policies.iter().find(|present| present.id == policy.id) {
                return Ok(Decided::Unchanged(present.clone()));
            }
            if policies.len() >= MAX_POLICIES {
                return Err(DirectoryError::Full { things: "monitoring policies", limit: MAX_POLICIES });
            }
            policies.push(policy.clone());
            Ok(Decided::Changed(policy.clone()))
        };
        self.change_policies(organization, decide).await
    }

    /// Changes a policy. `updated_at` moves only when something is different afterwards. A change holds for what is
    /// analysed after it; a policy that is enabled again, for what is accepted after that.
    ///
    /// # Errors
    /// `Invalid` for a field that is not allowed, `NotFound` without such a policy in the organization, `Conflict` and
    /// `Unavailable` as their documentation says.
    pub async fn update_monitoring_policy(
        &self,
        organization: OrganizationId,
        id: PolicyId,
        change: MonitoringPolicyChange,
    ) -> Result<MonitoringPolicy, DirectoryError> {
        // Only those that are named now: one that was deleted since keeps nobody from renaming a policy.
        self.check_sources(organization, change.source_ids.as_ref().and_then(Option::as_deref)).await?;
        let now = self.clock.now();
        let decide = |policies: &mut Vec<MonitoringPolicy>| {
            let Some(policy) = policies.iter_mut().find(|policy| policy.id == id) else {
                return Err(DirectoryError::NotFound);
            };
            let before = policy.clone();
            policy.apply(&change, now);
            check(policy, Some(&before))?;
            if *policy == before {
                return Ok(Decided::Unchanged(before));
            }
            policy.updated_at = now;
            Ok(Decided::Changed(policy.clone()))
        };
        self.change_policies(organization, decide).await
    }

    /// Deletes a policy; `false` when the organization has no such policy. What it has escalated stays.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn delete_monitoring_policy(
        &self,
        organization: OrganizationId,
        id: PolicyId,
    ) -> Result<bool, DirectoryError> {
        let mut seen = false;
        let decide = |policies: &mut Vec<MonitoringPolicy>| {
            let Some(at) = policies.iter().position(|policy| policy.id == id) else {
                // Gone in a later attempt: it was there when this began.
                return Ok(Decided::Unchanged(seen));
            };
            seen = true;
            policies.remove(at);
            Ok(Decided::Changed(true))
        };
        self.change_policies(organization, decide).await
    }

    /// Decides a change of the policies and commits it, again while others commit in between.
    async fn change_policies<T>(
        &self,
        organization: OrganizationId,
        mut decide: impl FnMut(&mut Vec<MonitoringPolicy>) -> Result<Decided<T>, DirectoryError>,
    ) -> Result<T, DirectoryError> {
        let ledger = LedgerId::Organization(organization);
        let mut attempts = self.attempts(ledger);
        while attempts.next().await? {
            let mut all = self.monitoring_policies(organization).await?;
            let outcome = match decide(&mut all.policies)? {
                Decided::Unchanged(outcome) => return Ok(outcome),
                Decided::Changed(outcome) => outcome,
            };
            all.version += 1;
            if attempts.commit(vec![put(MONITORING_POLICIES.to_vec(), &all)?]).await? {
                return Ok(outcome);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// Refuses sources that the organization does not have: they would never escalate anything.
    async fn check_sources(
        &self,
        organization: OrganizationId,
        sources: Option<&[SourceId]>,
    ) -> Result<(), DirectoryError> {
        // More than may be named are refused for that.
        for source in sources.unwrap_or_default().iter().take(MAX_SOURCES_NAMED) {
            if self.get_source(organization, *source).await?.is_none() {
                let reason = format!("the organization has no source {source}");
                return Err(DirectoryError::invalid("source_ids", reason));
            }
        }
        Ok(())
    }
}
