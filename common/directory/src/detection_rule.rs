//! Detection rules of an organization: Sigma documents beside the rules everybody has. Whether one can
//! be used is found out before, see `document_check`; here it is kept.

use common::ids::{DetectionRuleId, OrganizationId};
use common::incident::Actor;
use common::timestamp::Timestamp;
use ledger::LedgerId;
use serde::{Deserialize, Serialize};

use crate::directory::{Directory, delete, put};
use crate::document_check::Described;
use crate::error::DirectoryError;
use crate::fields::check_title;
use crate::own_detection::{Account, MAX_RULES, check_yaml};
use crate::rows::detection_rule_key;

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
    /// What its YAML says it is called.
    pub title: String,
    /// The ids of the Sigma documents in it: findings and counts name them.
    pub sigma_ids: Vec<String>,
    /// The key that created it.
    pub created_by: Actor,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// How often it was replaced while it was suspended: a suspension is one of a revision.
    #[serde(default)]
    pub revision: u64,
}

/// What a detection rule is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDetectionRule {
    /// The id it is to have, drawn beforehand so that a repeat finds what was made; `None` draws one.
    pub id: Option<DetectionRuleId>,
    /// Sigma documents, 1 byte to 64 KiB.
    pub yaml: String,
    /// Whether it is to be in force.
    pub enabled: bool,
    /// What was found out about the YAML.
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
        check_yaml(&new.yaml)?;
        check_title(&new.described.title, None)?;
        if self.get_organization(organization).await?.is_none() {
            return Err(DirectoryError::NotFound);
        }
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
        let mut attempts = self.attempts(LedgerId::Organization(organization));
        while attempts.next().await? {
            // Present already: an earlier attempt whose outcome was unknown took effect.
            if self.get_detection_rule(organization, rule.id).await?.is_some() {
                return Ok(rule);
            }
            let account = self.account(organization).await?;
            account.check_version(checked_on)?;
            if account.rules >= MAX_RULES {
                return Err(DirectoryError::Full { things: "detection rules", limit: MAX_RULES });
            }
            let account = Account { rules: account.rules + 1, ..account.with_yaml(0, rule.yaml.len())? };
            let ops = vec![put(detection_rule_key(rule.id), &rule)?];
            let ops = self.with_account(organization, account, ops).await?;
            if attempts.commit(ops).await? {
                return Ok(rule);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// A detection rule of the organization, or `None`: also for one of another organization.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when its row cannot be read.
    pub async fn get_detection_rule(
        &self,
        organization: OrganizationId,
        id: DetectionRuleId,
    ) -> Result<Option<DetectionRule>, DirectoryError> {
        self.read(LedgerId::Organization(organization), &detection_rule_key(id)).await
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
        check_yaml(&new.yaml)?;
        let NewDetectionRule { id: _, yaml, enabled, described, ends_suspension } = new;
        let Described { title, sigma_ids } = described;
        let mut revision = None;
        let mut attempts = self.attempts(LedgerId::Organization(organization));
        while attempts.next().await? {
            let before = self.get_detection_rule(organization, id).await?.ok_or(DirectoryError::NotFound)?;
            let revision = *revision.get_or_insert_with(|| before.revision + u64::from(ends_suspension));
            if before.yaml == yaml && before.enabled == enabled && before.revision >= revision {
                // As it was, or as an earlier attempt whose outcome was unknown left it.
                return Ok(before);
            }
            check_title(&title, Some(&before.title))?;
            let account = self.account(organization).await?;
            account.check_version(checked_on)?;
            let account = account.with_yaml(before.yaml.len(), yaml.len())?;
            let rule = DetectionRule {
                yaml: yaml.clone(),
                enabled,
                title: title.clone(),
                sigma_ids: sigma_ids.clone(),
                updated_at: self.clock.now(),
                revision,
                ..before
            };
            let ops = vec![put(detection_rule_key(id), &rule)?];
            let ops = self.with_account(organization, account, ops).await?;
            if attempts.commit(ops).await? {
                return Ok(rule);
            }
        }
        Err(DirectoryError::Conflict)
    }

    /// Deletes a detection rule that nothing needed at version `checked_on`; `false` when the
    /// organization has no such rule. What it has found stays.
    ///
    /// # Errors
    /// `Changed`, `Conflict` and `Unavailable` as their documentation says.
    pub async fn delete_detection_rule(
        &self,
        organization: OrganizationId,
        checked_on: u64,
        id: DetectionRuleId,
    ) -> Result<bool, DirectoryError> {
        let mut attempts = self.attempts(LedgerId::Organization(organization));
        while attempts.next().await? {
            let Some(rule) = self.get_detection_rule(organization, id).await? else {
                // Gone in a later attempt: by an attempt whose outcome was unknown, or by somebody else at
                // the same time. It was there when this began.
                return Ok(!attempts.is_first());
            };
            let account = self.account(organization).await?;
            account.check_version(checked_on)?;
            let account = account.with_yaml(rule.yaml.len(), 0)?;
            let account = Account { rules: account.rules.saturating_sub(1), ..account };
            let ops = vec![delete(detection_rule_key(id))];
            let ops = self.with_account(organization, account, ops).await?;
            if attempts.commit(ops).await? {
                return Ok(true);
            }
        }
        Err(DirectoryError::Conflict)
    }
}
