//! Settings of dependency updates of a repository.

use common::words;
use directory::{DirectoryError, check_text};
use serde::{Deserialize, Serialize};

/// Most patterns of packages that are left out, and most groups.
pub const MAX_IGNORED: usize = 100;
/// Most groups.
pub const MAX_GROUPS: usize = 20;
/// Most patterns of a group.
pub const MAX_PATTERNS: usize = 20;
/// Longest pattern and longest name of a group, in characters: names of packages have at most 214.
pub const MAX_PATTERN: usize = 214;
/// Longest cool-down, in days.
pub const MAX_COOLDOWN_DAYS: u16 = 365;
/// Most pull requests that may be open at a time.
pub const MAX_OPEN_PULL_REQUESTS: u16 = 100;

words! {
    /// Period of scheduled runs.
    UpdateSchedule {
        /// No scheduled runs.
        Off = "off",
        /// Once a day.
        Daily = "daily",
        /// Once a week.
        Weekly = "weekly",
        /// Once a month.
        Monthly = "monthly",
    }
}

words! {
    /// A package ecosystem.
    UpdateEcosystem {
        /// Workflows and actions.
        GithubActions = "github-actions",
        /// Go modules.
        Go = "go",
        /// Rust crates.
        Cargo = "cargo",
        /// JavaScript packages.
        Npm = "npm",
        /// Python packages.
        Pypi = "pypi",
    }
}

words! {
    /// Use of the package managers of ecosystems, in the sandbox.
    PackageManagerUse {
        /// Where a lock file cannot be edited without it.
        WhenNeeded = "when_needed",
        /// Never: such updates are withheld.
        Never = "never",
    }
}

/// Packages whose updates are published together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdateGroup {
    /// Its name, unique in the repository.
    pub name: String,
    /// Names of packages, in which `*` stands for any characters.
    pub patterns: Vec<String>,
}

/// Settings of dependency updates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdateSettings {
    /// Period of scheduled runs.
    pub schedule: UpdateSchedule,
    /// Ecosystems; all without.
    pub ecosystems: Option<Vec<UpdateEcosystem>>,
    /// Days after its release before a version is proposed.
    pub cooldown_days: u16,
    /// Whether versions of another major line are proposed.
    pub majors: bool,
    /// Names of packages that are left out, in which `*` stands for any characters.
    pub ignore: Vec<String>,
    /// Packages whose updates are published together.
    pub groups: Vec<UpdateGroup>,
    /// Pull requests that may be open at a time.
    pub open_pull_requests: u16,
    /// Whether a version with less evidence of its publisher than the one before is proposed.
    pub allow_trust_downgrade: bool,
    /// Use of package managers.
    pub package_manager: PackageManagerUse,
}

impl Default for UpdateSettings {
    fn default() -> Self {
        Self {
            schedule: UpdateSchedule::Off,
            ecosystems: None,
            cooldown_days: 7,
            majors: true,
            ignore: Vec::new(),
            groups: Vec::new(),
            open_pull_requests: 10,
            allow_trust_downgrade: false,
            package_manager: PackageManagerUse::WhenNeeded,
        }
    }
}

impl UpdateSettings {
    /// Refuses settings that are out of their bounds.
    pub(crate) fn check(&self) -> Result<(), DirectoryError> {
        if let Some(ecosystems) = &self.ecosystems {
            within("ecosystems", ecosystems.len(), 1, UpdateEcosystem::ALL.len())?;
            distinct("ecosystems", ecosystems.iter().map(|ecosystem| ecosystem.as_str()))?;
        }
        within("cooldown_days", self.cooldown_days.into(), 0, MAX_COOLDOWN_DAYS.into())?;
        within("open_pull_requests", self.open_pull_requests.into(), 1, MAX_OPEN_PULL_REQUESTS.into())?;
        within("ignore", self.ignore.len(), 0, MAX_IGNORED)?;
        self.ignore.iter().try_for_each(|pattern| check_text("ignore", pattern, MAX_PATTERN))?;
        distinct("ignore", self.ignore.iter().map(String::as_str))?;
        within("groups", self.groups.len(), 0, MAX_GROUPS)?;
        distinct("groups", self.groups.iter().map(|group| group.name.as_str()))?;
        for group in &self.groups {
            check_text("groups", &group.name, MAX_PATTERN)?;
            within("groups", group.patterns.len(), 1, MAX_PATTERNS)?;
            group.patterns.iter().try_for_each(|pattern| check_text("groups", pattern, MAX_PATTERN))?;
        }
        Ok(())
    }
}

fn within(field: &'static str, found: usize, least: usize, most: usize) -> Result<(), DirectoryError> {
    if (least..=most).contains(&found) {
        return Ok(());
    }
    Err(DirectoryError::Invalid { field, reason: format!("expected {least} to {most}, found {found}") })
}

fn distinct<'t>(field: &'static str, texts: impl Iterator<Item = &'t str>) -> Result<(), DirectoryError> {
    let mut sorted: Vec<&str> = texts.collect();
    sorted.sort_unstable();
    match sorted.array_windows().find(|[one, next]| one == next) {
        Some([twice, _]) => {
            let reason = format!("expected different values, found {twice:?} twice");
            Err(DirectoryError::Invalid { field, reason })
        }
        None => Ok(()),
    }
}
