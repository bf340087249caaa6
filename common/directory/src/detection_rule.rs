//! Detection rules of an organization: Sigma documents beside the shared rules. Whether one can
//! be used is found out before, see `document_check`; here it is kept.

use common::ids::{DetectionRuleId, OrganizationId};
use common::incident::Actor;
use common::timestamp::Timestamp;
use ledger::Op;
use serde::{Deserialize, Serialize};

use crate::directory::Directory;
use crate::document_check::Described;
use crate::error::DirectoryError;
use crate::fields::check_title;
use crate::own_detection::{MAX_RULES, check_yaml};
use crate::rows::DETECTION_RULES;
use crate::table::{Change, Collection, Resource, Table};

/// A detection rule of an organization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DetectionRule {
    /// Its id; the Sigma documents in it have their own.
    pub id: DetectionRuleId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// One Sigma rule or correlation, or a correlation with the rules it needs; at most 64 KiB.
    pub yaml: String,
    /// Whether it is in force.
    pub enabled: bool,
    /// Title in its YAML.
    pub title: String,
    /// The ids of the Sigma documents in it: findings and counts name them.
    pub sigma_ids: Vec<String>,
    /// The key that created it.
    pub created_by: Actor,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Number of replacements while it was suspended: a suspension is one of a revision.
    pub revision: u64,
}

/// Values of a detection rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDetectionRule {
    /// The id it is to have, drawn beforehand so that a repeat finds what was made; `None` draws one.
    pub id: Option<DetectionRuleId>,
    /// Sigma documents, 1 byte to 64 KiB.
    pub yaml: String,
    /// Whether it is to be in force.
    pub enabled: bool,
    /// Result of checking the YAML.
    pub described: Described,
    /// Whether the rule that it replaces is suspended: it is in force again even where nothing else changes.
    pub ends_suspension: bool,
}

impl Directory {
    /// Creates a detection rule, checked against what the organization had at version `checked_on`.
    ///
    /// # Errors
    /// `Invalid` for YAML of a length that is not allowed, `NotFound` without the organization,
    /// `Changed` when what it was checked against is not what there is, `Full` at 1,000 rules,
    /// `TooMuchYaml` above 8 MiB of YAML, `Conflict` and `Unavailable` as their documentation says.
    pub async fn create_detection_rule(
        &self,
        organization: OrganizationId,
        checked_on: u64,
        new: NewDetectionRule,
        created_by: Actor,
    ) -> Result<DetectionRule, DirectoryError> {
        let now = self.clock.now();
        let rule = DetectionRule {
            id: new.id.unwrap_or_else(|| DetectionRuleId(self.new_id())),
            organization,
            yaml: new.yaml,
            enabled: new.enabled,
            title: new.described.title,
            sigma_ids: new.described.sigma_ids,
            created_by,
            created_at: now,
            updated_at: now,
            revision: 0,
        };
        self.detection_rules(Some(checked_on)).create(organization, rule).await
    }

    /// The detection rules, changed only if what the organization has is of this version.
    #[must_use]
    pub fn detection_rules(&self, checked_on: Option<u64>) -> Table<'_, DetectionRule> {
        self.table(checked_on)
    }

    /// Replaces the YAML of a detection rule and whether it is in force. `updated_at` and the version
    /// move only when something is different afterwards, which the end of a suspension is.
    ///
    /// # Errors
    /// `NotFound` without such a rule in the organization, else as for
    /// [`Directory::create_detection_rule`], but not `Full`.
    pub async fn replace_detection_rule(
        &self,
        organization: OrganizationId,
        checked_on: u64,
        id: DetectionRuleId,
        new: NewDetectionRule,
    ) -> Result<DetectionRule, DirectoryError> {
        let change = |rule: &mut DetectionRule| {
            if rule.yaml == new.yaml && rule.enabled == new.enabled && !new.ends_suspension {
                return Ok(());
            }
            rule.yaml.clone_from(&new.yaml);
            rule.title.clone_from(&new.described.title);
            rule.sigma_ids.clone_from(&new.described.sigma_ids);
            rule.enabled = new.enabled;
            rule.revision += u64::from(new.ends_suspension);
            Ok(())
        };
        self.detection_rules(Some(checked_on)).update(organization, id, change).await
    }
}

impl Resource for DetectionRule {
    type Id = DetectionRuleId;
    /// The version of what the organization has that a change was decided on.
    type Context = Option<u64>;

    fn collection(_: Option<u64>) -> Collection {
        Collection {
            prefix: DETECTION_RULES,
            name: "detection rule",
            plural: "detection rules",
            limit: MAX_RULES,
        }
    }

    fn id(&self) -> DetectionRuleId {
        self.id
    }

    fn check(&self, before: Option<&Self>) -> Result<(), DirectoryError> {
        if before.is_none_or(|before| before.yaml != self.yaml) {
            check_yaml(&self.yaml)?;
        }
        check_title(&self.title, before.map(|before| before.title.as_str()))
    }

    fn touch(&mut self, _: &Self, now: Timestamp) {
        self.updated_at = now;
    }

    async fn beside(
        table: &Table<'_, Self>,
        organization: OrganizationId,
        change: Change<'_, Self>,
    ) -> Result<Vec<Op>, DirectoryError> {
        let bytes = change.map(|rule| rule.yaml.len());
        table.directory.account_for(organization, table.context, bytes).await
    }
}
