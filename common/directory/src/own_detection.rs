//! Documents of an organization beside the shared rules, as a whole: its version, its bounds, and how a
//! change becomes known to every process. The rules and suppressions themselves stand beside this file.
//!
//! The rows lie in the organization's ledger, and whoever analyses polls one range of the platform's, so
//! that a change takes two commits. The announcement comes first: version `v` is announced, then rows
//! and version `v` are written together. A process that ends between the two has announced what never
//! came: a reader looks, finds nothing new, and looks again while the announcement is ahead. The other
//! way round, a change could stay unknown for ever.

use std::collections::BTreeMap;

use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use ledger::{LedgerId, Op};
use serde::{Deserialize, Serialize};

use crate::detection_rule::DetectionRule;
use crate::directory::{Directory, put};
use crate::error::DirectoryError;
use crate::organization::MAX_ORGANIZATIONS;
use crate::rows::{OWN_DETECTION, OWN_DETECTION_VERSIONS, own_detection_version_key};
use crate::suppression::Suppression;

/// Most reads of rows that change in between.
const MAX_READS: usize = 32;
/// Most detection rules of an organization: every record is matched against them.
pub(crate) const MAX_RULES: usize = 1_000;
/// Most suppressions of an organization, the expired ones included.
pub(crate) const MAX_SUPPRESSIONS: usize = 1_000;
/// Longest YAML of one rule or suppression, in bytes: many times that of any published rule.
pub(crate) const MAX_YAML_BYTES: usize = 64 * 1024;
/// Most YAML of an organization's rules and suppressions together, in bytes: they are read and compiled
/// at once.
pub(crate) const MAX_ALL_YAML_BYTES: usize = 8 * 1024 * 1024;

/// Documents of an organization beside the shared rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnDetection {
    /// Whose it is.
    pub organization: OrganizationId,
    /// Grows with every change of a rule or suppression and never goes back; 0 where nothing was ever
    /// added. That a suppression expires is no change: the caller looks at `expires_at`.
    pub version: u64,
    /// The rules, disabled ones included, oldest first.
    pub rules: Vec<DetectionRule>,
    /// The suppressions, expired ones included, oldest first.
    pub suppressions: Vec<Suppression>,
}

/// An announcement.
#[derive(Serialize, Deserialize)]
struct Announcement {
    organization: OrganizationId,
    version: u64,
}

/// Sums over the rows of an organization: written with each change of them, so that they are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Account {
    pub(crate) version: u64,
    pub(crate) yaml_bytes: usize,
    pub(crate) changed_at: Timestamp,
}

impl Directory {
    /// The version that each organization's own detection was announced under; organizations that never
    /// had any are not among them. Cheap enough to be asked every second. While the announced version is
    /// above that of the [`OwnDetection`] a reader holds, it asks [`Directory::own_detection_size`]
    /// again: the change is under way, or will never come.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when a row cannot be read.
    pub async fn own_detection_versions(&self) -> Result<BTreeMap<OrganizationId, u64>, DirectoryError> {
        let announced: Vec<Announcement> =
            self.list(LedgerId::Platform, OWN_DETECTION_VERSIONS, MAX_ORGANIZATIONS).await?;
        Ok(announced.into_iter().map(|row| (row.organization, row.version)).collect())
    }

    /// Documents of an organization, all as one change left them.
    ///
    /// # Errors
    /// `Conflict` when it changed during every attempt to read it, `Unavailable` or `Corrupt` when a row
    /// cannot be read.
    pub async fn own_detection(&self, organization: OrganizationId) -> Result<OwnDetection, DirectoryError> {
        let mut before = self.account(organization).await?;
        for _ in 0..MAX_READS {
            let rules = self.detection_rules(None).list(organization).await?;
            let suppressions = self.suppressions(None).list(organization).await?;
            let after = self.account(organization).await?;
            if after.version == before.version {
                return Ok(OwnDetection { organization, version: after.version, rules, suppressions });
            }
            before = after;
        }
        Err(DirectoryError::Conflict)
    }

    /// The version of what an organization added, and the bytes of its YAML: one small read.
    ///
    /// # Errors
    /// `Unavailable` or `Corrupt` when the row cannot be read.
    pub async fn own_detection_size(
        &self,
        organization: OrganizationId,
    ) -> Result<(u64, usize), DirectoryError> {
        let account = self.account(organization).await?;
        Ok((account.version, account.yaml_bytes))
    }

    /// Sums over the rows.
    pub(crate) async fn account(&self, organization: OrganizationId) -> Result<Account, DirectoryError> {
        let account = self.read(LedgerId::Organization(organization), OWN_DETECTION).await?;
        Ok(account.unwrap_or_default())
    }

    /// Announces a change, given the bytes of YAML before and after it, and returns the account that it leaves. `Changed`
    /// where the change was decided on another version.
    pub(crate) async fn account_for(
        &self,
        organization: OrganizationId,
        decided_on: Option<u64>,
        (before, after): (Option<usize>, Option<usize>),
    ) -> Result<Vec<Op>, DirectoryError> {
        let account = self.account(organization).await?;
        if after.is_some() || decided_on.is_some() {
            account.check_version(decided_on)?;
        }
        let account = account.with_yaml(before.unwrap_or(0), after.unwrap_or(0))?;
        let version = self.announce(organization, account.version).await?;
        let account = Account { version, changed_at: self.clock.now(), ..account };
        Ok(vec![put(OWN_DETECTION.to_vec(), &account)?])
    }

    /// Announces a version above every earlier one, and above `committed`.
    async fn announce(&self, organization: OrganizationId, committed: u64) -> Result<u64, DirectoryError> {
        let key = own_detection_version_key(organization);
        let mut attempts = self.attempts(LedgerId::Platform);
        while attempts.next().await? {
            let announced: Option<Announcement> = self.read(LedgerId::Platform, &key).await?;
            let version = announced.map_or(0, |row| row.version).max(committed) + 1;
            let row = put(key.clone(), &Announcement { organization, version })?;
            if attempts.commit(vec![row]).await? {
                return Ok(version);
            }
        }
        Err(DirectoryError::Conflict)
    }
}

impl Account {
    /// Refuses a change that was decided on another version than this.
    fn check_version(&self, decided_on: Option<u64>) -> Result<(), DirectoryError> {
        if Some(self.version) == decided_on { Ok(()) } else { Err(DirectoryError::Changed) }
    }

    /// The account after `removed` bytes of YAML gave way to `added`.
    fn with_yaml(self, removed: usize, added: usize) -> Result<Self, DirectoryError> {
        let needed = self.yaml_bytes.saturating_sub(removed) + added;
        if added > removed && needed > MAX_ALL_YAML_BYTES {
            return Err(DirectoryError::TooMuchYaml { needed, limit: MAX_ALL_YAML_BYTES });
        }
        Ok(Self { yaml_bytes: needed, ..self })
    }
}

/// Refuses YAML that is blank or too long.
pub(crate) fn check_yaml(yaml: &str) -> Result<(), DirectoryError> {
    let length = yaml.len();
    if yaml.trim().is_empty() || length > MAX_YAML_BYTES {
        let expected = format!("expected 1 to {MAX_YAML_BYTES} bytes that are not all blank, found {length}");
        return Err(DirectoryError::invalid("yaml", expected));
    }
    Ok(())
}
