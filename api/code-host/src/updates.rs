//! Settings of dependency updates in bodies.

use code_host::{
    MAX_PATTERN, PackageManagerUse, Repository, UpdateEcosystem, UpdateGroup, UpdateSchedule, UpdateSettings,
};
use directory::DirectoryError;
use rest::body::{not_null, nullable};
use rest::openapi::word_of;
use rest::settings::{Patch, set};
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{Array, ArrayBuilder, ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Name of a package or several, as a type of the interface description.
pub(crate) enum PackagePattern {}

impl PartialSchema for PackagePattern {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("Name of a package, in which `*` stands for any characters"))
            .min_length(Some(1))
            .max_length(Some(MAX_PATTERN))
            .into()
    }
}

impl ToSchema for PackagePattern {}

/// Packages whose updates are published together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = UpdateGroup, example = json!({"name": "lint", "patterns": ["eslint*", "prettier"]}))]
pub(crate) struct GroupBody {
    /// Name of the group, unique in the repository.
    #[schema(min_length = 1, max_length = 214)]
    name: String,
    /// Names of packages, in which `*` stands for any characters.
    #[schema(min_items = 1, max_items = 20, value_type = Vec<PackagePattern>)]
    patterns: Vec<String>,
}

/// Settings of dependency updates as they are shown.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UpdateSettings)]
pub(crate) struct UpdateSettingsView {
    /// Period of scheduled dependency updates.
    #[schema(schema_with = schedule)]
    schedule: UpdateSchedule,
    /// Ecosystems that are updated; null for all.
    #[schema(required, schema_with = ecosystems)]
    ecosystems: Option<Vec<UpdateEcosystem>>,
    /// Days after its release before a version is proposed. Versions that fix an advisory are exempt.
    #[schema(minimum = 0, maximum = 365)]
    cooldown_days: u16,
    /// Whether versions of another major line are proposed.
    majors: bool,
    /// Names of packages that are left out, in which `*` stands for any characters.
    #[schema(max_items = 100, value_type = Vec<PackagePattern>)]
    ignore: Vec<String>,
    /// Packages whose updates are published together.
    #[schema(max_items = 20)]
    groups: Vec<GroupBody>,
    /// Pull requests of the service that may be open at a time.
    #[schema(minimum = 1, maximum = 100)]
    open_pull_requests: u16,
    /// Whether a version with less evidence of its publisher than the one before is proposed.
    allow_trust_downgrade: bool,
    /// Use of package managers, in the sandbox.
    #[schema(schema_with = package_manager)]
    package_manager: PackageManagerUse,
}

/// Request body for changing a repository: at least one property.
#[derive(Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RepositoryChange, min_properties = 1, example = json!({"schedule": "weekly", "cooldown_days": 14}))]
pub(crate) struct RepositoryChangeBody {
    /// Whether the service works on it.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false)]
    enabled: Option<bool>,
    /// Period of scheduled dependency updates.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = schedule, required = false)]
    schedule: Option<UpdateSchedule>,
    /// Ecosystems that are updated; null for all.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(schema_with = ecosystems, required = false)]
    ecosystems: Option<Option<Vec<UpdateEcosystem>>>,
    /// Days after its release before a version is proposed.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, minimum = 0, maximum = 365)]
    cooldown_days: Option<u16>,
    /// Whether versions of another major line are proposed.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false)]
    majors: Option<bool>,
    /// Names of packages that are left out, in which `*` stands for any characters.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, max_items = 100, value_type = Option<Vec<PackagePattern>>)]
    ignore: Option<Vec<String>>,
    /// Packages whose updates are published together.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, max_items = 20)]
    groups: Option<Vec<GroupBody>>,
    /// Pull requests of the service that may be open at a time.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false, minimum = 1, maximum = 100)]
    open_pull_requests: Option<u16>,
    /// Whether a version with less evidence of its publisher than the one before is proposed.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(nullable = false)]
    allow_trust_downgrade: Option<bool>,
    /// Use of package managers, in the sandbox.
    #[serde(default, deserialize_with = "not_null")]
    #[schema(schema_with = package_manager, required = false)]
    package_manager: Option<PackageManagerUse>,
}

fn schedule() -> ObjectBuilder {
    word_of::<UpdateSchedule>("Period of scheduled dependency updates")
}

fn package_manager() -> ObjectBuilder {
    word_of::<PackageManagerUse>("Use of package managers, in the sandbox")
}

fn ecosystems() -> OneOfBuilder {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    let words: Array = ArrayBuilder::new()
        .items(word_of::<UpdateEcosystem>("A package ecosystem"))
        .min_items(Some(1))
        .unique_items(true)
        .build();
    OneOfBuilder::new().description(Some("Ecosystems that are updated; null for all")).item(null).item(words)
}

impl From<UpdateSettings> for UpdateSettingsView {
    fn from(settings: UpdateSettings) -> Self {
        let group = |UpdateGroup { name, patterns }| GroupBody { name, patterns };
        Self {
            schedule: settings.schedule,
            ecosystems: settings.ecosystems,
            cooldown_days: settings.cooldown_days,
            majors: settings.majors,
            ignore: settings.ignore,
            groups: settings.groups.into_iter().map(group).collect(),
            open_pull_requests: settings.open_pull_requests,
            allow_trust_downgrade: settings.allow_trust_downgrade,
            package_manager: settings.package_manager,
        }
    }
}

impl Patch<Repository> for RepositoryChangeBody {
    fn apply(&self, repository: &mut Repository) -> Result<(), DirectoryError> {
        set(&mut repository.enabled, self.enabled.as_ref());
        let updates = &mut repository.updates;
        set(&mut updates.schedule, self.schedule.as_ref());
        set(&mut updates.ecosystems, self.ecosystems.as_ref());
        set(&mut updates.cooldown_days, self.cooldown_days.as_ref());
        set(&mut updates.majors, self.majors.as_ref());
        set(&mut updates.ignore, self.ignore.as_ref());
        if let Some(groups) = &self.groups {
            let group = |group: &GroupBody| UpdateGroup {
                name: group.name.clone(),
                patterns: group.patterns.clone(),
            };
            updates.groups = groups.iter().map(group).collect();
        }
        set(&mut updates.open_pull_requests, self.open_pull_requests.as_ref());
        set(&mut updates.allow_trust_downgrade, self.allow_trust_downgrade.as_ref());
        set(&mut updates.package_manager, self.package_manager.as_ref());
        Ok(())
    }
}
