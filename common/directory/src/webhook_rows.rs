//! Webhook targets in their organization's ledger. Secrets come sealed; what a target may look like is decided in
//! `webhook_target`.

use common::ids::{OrganizationId, SourceId, WebhookTargetId};
use ledger::LedgerId;

use crate::directory::{Directory, put};
use crate::error::DirectoryError;
use crate::rows::{WEBHOOK_TARGETS, webhook_target_key};
use crate::subscription::{default_events, set};
use crate::webhook_target::{
    MAX_WEBHOOK_TARGETS, NewWebhookTarget, SourceSelection, WebhookTarget, WebhookTargetChange, check,
};

impl Directory {
    /// An id for a target that is to be created.
    #[must_use]
    pub fn new_webhook_target_id(&self) -> WebhookTargetId {
        WebhookTargetId(self.new_id())
    }

    /// Creates a target. Names need not be unique.
    ///
    /// # Errors
    /// `Invalid` for a field that is not allowed, `NotFound` without the organization, `Full` at 400 targets of
    /// the organization, `Conflict` and `Unavailable` as their documentation says.
    pub async fn create_webhook_target(
        &self,
        organization: OrganizationId,
        new: NewWebhookTarget,
    ) -> Result<WebhookTarget, DirectoryError> {
        let now = self.clock.now();
        let target = WebhookTarget {
            id: new.id,
            organization,
            name: new.name,
            url: new.url,
            headers: new.headers,
            events: new.events.unwrap_or_else(default_events),
            sources: new.sources,
            enabled: new.enabled,
            enabled_at: now,
            disabled_reason: None,
            signing_secret: new.signing_secret,
            created_at: now,
            updated_at: now,
        };
        check(&target, None)?;
        self.check_target_sources(&target).await?;
        if self.get_organization(organization).await?.is_none() {
            return Err(DirectoryError::NotFound);
        }
        let room = (WEBHOOK_TARGETS, "webhook targets", MAX_WEBHOOK_TARGETS);
        let key = webhook_target_key(target.id);
        self.insert(LedgerId::Organization(organization), key, target, room).await
    }

    /// A target of the organization, or `None`: also for one of another organization.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when its row cannot be read.
    pub async fn get_webhook_target(
        &self,
        organization: OrganizationId,
        id: WebhookTargetId,
    ) -> Result<Option<WebhookTarget>, DirectoryError> {
        self.read(LedgerId::Organization(organization), &webhook_target_key(id)).await
    }

    /// All targets of the organization, oldest first.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when a row cannot be read.
    pub async fn list_webhook_targets(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<WebhookTarget>, DirectoryError> {
        self.list(LedgerId::Organization(organization), WEBHOOK_TARGETS, MAX_WEBHOOK_TARGETS).await
    }

    /// Changes a target. `updated_at` moves only when something is different afterwards.
    ///
    /// # Errors
    /// `Invalid` for a field that is not allowed, `NotFound` without such a target in the organization,
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn update_webhook_target(
        &self,
        organization: OrganizationId,
        id: WebhookTargetId,
        change: WebhookTargetChange,
    ) -> Result<WebhookTarget, DirectoryError> {
        let mut attempts = self.attempts(LedgerId::Organization(organization));
        while attempts.next().await? {
            let before = self.get_webhook_target(organization, id).await?.ok_or(DirectoryError::NotFound)?;
            let mut target = changed(&before, &change);
            check(&target, Some(&before))?;
            // One that was deleted since must not stand in the way of other changes.
            if change.sources.infrastructure.is_some() {
                self.check_target_sources(&target).await?;
            }
            if target == before {
                return Ok(before);
            }
            target.updated_at = self.clock.now();
            if target.enabled && !before.enabled {
                (target.enabled_at, target.disabled_reason) = (target.updated_at, None);
            }
            let row = put(webhook_target_key(id), &target)?;
            if attempts.commit(vec![row]).await? {
                return Ok(target);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// Disables a target that was found not to answer; `false` when people were faster: it is gone, disabled, or was
    /// enabled again since `enabled_at`.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn disable_webhook_target(
        &self,
        seen: &WebhookTarget,
        reason: &str,
    ) -> Result<bool, DirectoryError> {
        let ledger = LedgerId::Organization(seen.organization);
        let mut attempts = self.attempts(ledger);
        while attempts.next().await? {
            let Some(mut target) = self.get_webhook_target(seen.organization, seen.id).await? else {
                return Ok(false);
            };
            if !target.enabled || target.enabled_at != seen.enabled_at {
                return Ok(target.disabled_reason.as_deref() == Some(reason));
            }
            target.enabled = false;
            target.disabled_reason = Some(reason.to_owned());
            target.updated_at = self.clock.now();
            if attempts.commit(vec![put(webhook_target_key(seen.id), &target)?]).await? {
                return Ok(true);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// Deletes a target; `false` when the organization has no such target.
    ///
    /// # Errors
    /// `Conflict` and `Unavailable` as their documentation says.
    pub async fn delete_webhook_target(
        &self,
        organization: OrganizationId,
        id: WebhookTargetId,
    ) -> Result<bool, DirectoryError> {
        self.remove::<WebhookTarget>(LedgerId::Organization(organization), webhook_target_key(id)).await
    }

    async fn check_target_sources(&self, target: &WebhookTarget) -> Result<(), DirectoryError> {
        let SourceSelection::Exactly(ids) = &target.sources.infrastructure else { return Ok(()) };
        for text in ids {
            let known = match text.parse::<SourceId>() {
                Ok(id) => self.get_source(target.organization, id).await?.is_some(),
                Err(_) => false,
            };
            if !known {
                let reason = format!("the organization has no source {text:?}");
                return Err(DirectoryError::invalid("sources.infrastructure", reason));
            }
        }
        Ok(())
    }
}

fn changed(before: &WebhookTarget, change: &WebhookTargetChange) -> WebhookTarget {
    let mut target = before.clone();
    set(&mut target.name, change.name.as_ref());
    set(&mut target.url, change.url.as_ref());
    set(&mut target.headers, change.headers.as_ref());
    set(&mut target.events, change.events.as_ref());
    set(&mut target.sources.repositories, change.sources.repositories.as_ref());
    set(&mut target.sources.applications, change.sources.applications.as_ref());
    set(&mut target.sources.agents, change.sources.agents.as_ref());
    set(&mut target.sources.infrastructure, change.sources.infrastructure.as_ref());
    set(&mut target.enabled, change.enabled.as_ref());
    set(&mut target.signing_secret, change.signing_secret.as_ref());
    target
}
