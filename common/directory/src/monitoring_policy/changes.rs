//! Reading and changing the monitoring policies of an organization in its ledger.

use common::ids::{OrganizationId, PolicyId};
use ledger::LedgerId;
use ledger::retry::{Attempt, Decision};

use super::{MAX_POLICIES, MonitoringPolicies, MonitoringPolicy, NewMonitoringPolicy, check};
use crate::directory::{Directory, put};
use crate::error::DirectoryError;
use crate::rows::MONITORING_POLICIES;

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
        let id = new.id.unwrap_or_else(|| PolicyId(self.new_id()));
        let policy = MonitoringPolicy::new(id, new, self.clock.now());
        check(&policy, None)?;
        if self.get_organization(organization).await?.is_none() {
            return Err(DirectoryError::NotFound);
        }
        let policy = &policy;
        let outcome = self.change_policies(organization, |mut policies, _| async move {
            // Present already: an earlier attempt took effect, and the sources that it names may be gone since.
            if let Some(present) = policies.iter().find(|present| present.id == policy.id) {
                let present = present.clone();
                return Ok((policies, present));
            }
            if policies.len() >= MAX_POLICIES {
                return Err(DirectoryError::Full { things: "monitoring policies", limit: MAX_POLICIES });
            }
            self.check_sources(organization, policy, None).await?;
            policies.push(policy.clone());
            Ok((policies, policy.clone()))
        });
        outcome.await
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
        change: impl Fn(&mut MonitoringPolicy) -> Result<(), DirectoryError>,
    ) -> Result<MonitoringPolicy, DirectoryError> {
        let change = &change;
        let outcome = self.change_policies(organization, |mut policies, _| async move {
            let Some(policy) = policies.iter_mut().find(|policy| policy.id == id) else {
                return Err(DirectoryError::NotFound);
            };
            let before = policy.clone();
            change(policy)?;
            check(policy, Some(&before))?;
            self.check_sources(organization, policy, Some(&before)).await?;
            if *policy != before {
                policy.touch(&before, self.clock.now());
            }
            let policy = policy.clone();
            Ok((policies, policy))
        });
        outcome.await
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
        let outcome = self.change_policies(organization, |mut policies, attempt| async move {
            let count = policies.len();
            policies.retain(|policy| policy.id != id);
            // Gone in a later attempt: it was there when this began.
            let deleted = policies.len() < count || attempt.earlier > 0;
            Ok((policies, deleted))
        });
        outcome.await
    }

    /// Decides a change of the policies and commits it, again while others commit in between.
    async fn change_policies<T, F>(
        &self,
        organization: OrganizationId,
        decide: impl Fn(Vec<MonitoringPolicy>, Attempt) -> F,
    ) -> Result<T, DirectoryError>
    where
        F: Future<Output = Result<(Vec<MonitoringPolicy>, T), DirectoryError>>,
    {
        let decide = &decide;
        self.retry(LedgerId::Organization(organization), |attempt| async move {
            let before = self.monitoring_policies(organization).await?;
            let (policies, outcome) = decide(before.policies.clone(), attempt).await?;
            if policies == before.policies {
                return Ok(Decision::Keep(outcome));
            }
            let after = MonitoringPolicies { version: before.version + 1, policies };
            Ok(Decision::Commit(vec![put(MONITORING_POLICIES.to_vec(), &after)?], outcome))
        })
        .await
    }

    /// Refuses sources that the organization does not have: they would never escalate anything. One that was named before
    /// and deleted since must not stand in the way of other changes.
    async fn check_sources(
        &self,
        organization: OrganizationId,
        policy: &MonitoringPolicy,
        before: Option<&MonitoringPolicy>,
    ) -> Result<(), DirectoryError> {
        if before.is_some_and(|before| before.source_ids == policy.source_ids) {
            return Ok(());
        }
        for source in policy.source_ids.iter().flatten() {
            if self.sources().get(organization, *source).await?.is_none() {
                let reason = format!("the organization has no source {source}");
                return Err(DirectoryError::invalid("source_ids", reason));
            }
        }
        Ok(())
    }
}
