//! Webhook targets in their organization's ledger. Secrets come sealed; what a target may look like is decided in
//! `webhook_target`.

use common::ids::{OrganizationId, WebhookTargetId};
use common::timestamp::Timestamp;
use ledger::Op;

use crate::directory::Directory;
use crate::error::DirectoryError;
use crate::receiver::{Receiver, ReceiverState, touch};
use crate::rows::WEBHOOK_TARGETS;
use crate::subscription::default_events;
use crate::table::{Change, Resource, Table};
use crate::webhook_target::{MAX_WEBHOOK_TARGETS, NewWebhookTarget, SourceSelection, WebhookTarget, check};

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
        self.webhook_targets().create(organization, target).await
    }

    /// The webhook targets.
    #[must_use]
    pub fn webhook_targets(&self) -> Table<'_, WebhookTarget> {
        self.table()
    }
}

impl Resource for WebhookTarget {
    type Id = WebhookTargetId;
    type Context = ();

    const PREFIX: &'static [u8] = WEBHOOK_TARGETS;
    const NAME: &'static str = "webhook target";
    const PLURAL: &'static str = "webhook targets";
    const LIMIT: usize = MAX_WEBHOOK_TARGETS;

    fn id(&self) -> WebhookTargetId {
        self.id
    }

    fn check(&self, before: Option<&Self>) -> Result<(), DirectoryError> {
        check(self, before)
    }

    fn touch(&mut self, before: &Self, now: Timestamp) {
        touch(self, before.enabled, now);
    }

    /// Refuses sources that the organization does not have. One that was named before and deleted since must not stand in
    /// the way of other changes.
    async fn beside(
        table: &Table<'_, Self>,
        organization: OrganizationId,
        change: Change<'_, Self>,
    ) -> Result<Vec<Op>, DirectoryError> {
        let selection = |target: &'_ Self| target.sources.infrastructure.clone();
        let (before, after) = (change.before.map(selection), change.after.map(selection));
        let Some(SourceSelection::Exactly(ids)) = after.filter(|after| before.as_ref() != Some(after)) else {
            return Ok(Vec::new());
        };
        for text in ids {
            let known = match text.parse() {
                Ok(id) => table.directory.sources().get(organization, id).await?.is_some(),
                Err(_) => false,
            };
            if !known {
                let reason = format!("the organization has no source {text:?}");
                return Err(DirectoryError::invalid("sources.infrastructure", reason));
            }
        }
        Ok(Vec::new())
    }
}

impl Receiver for WebhookTarget {
    fn state(&mut self) -> ReceiverState<'_> {
        ReceiverState {
            enabled: &mut self.enabled,
            enabled_at: &mut self.enabled_at,
            disabled_reason: &mut self.disabled_reason,
            updated_at: &mut self.updated_at,
        }
    }
}
