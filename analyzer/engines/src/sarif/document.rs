//! Objects of a log that its results share: runs, tools and rules. Only the properties that are used; sections of the
//! standard are named at each.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::lenient::{Capped, CappedMap, Words};
use super::result::{ArtifactLocation, DescriptorReference, MessageString};
use super::{MAX_RESULTS, MAX_RUNS};

/// Most objects of an array to which results refer by index. Each takes 16 bytes until it is used.
const MAX_SHARED: usize = 200_000;
/// Most extensions or taxonomies of a run.
const MAX_COMPONENTS: usize = 100;
/// Most message strings of a rule or component.
const MAX_STRINGS: usize = 10_000;
/// Most bases of addresses of a run.
const MAX_BASES: usize = 100;
/// Most repositories and calls of a run. Each location may be compared with every one.
const MAX_FEW: usize = 8;
/// Most bytes of a shared object that many results may refer to, since it is read for each of them.
const MAX_SHARED_BYTES: usize = 16 * 1024;
/// Most relationships of a rule.
const MAX_RELATIONSHIPS: usize = 100;

/// Objects that are read when a result refers to them.
pub(super) type Shared<'a> = Capped<&'a RawValue, MAX_SHARED>;

/// The object at an index (section 3.7.4); `None` when there is none, or it is large or malformed.
pub(super) fn shared<T: DeserializeOwned>(objects: &Shared<'_>, index: Option<i64>) -> Option<T> {
    let raw = objects.items.get(usize::try_from(index?).ok()?)?;
    let raw = Some(raw.get()).filter(|raw| raw.len() <= MAX_SHARED_BYTES)?;
    serde_json::from_str(raw).ok()
}

/// The log (section 3.13).
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object with `version` and `runs`")]
pub(super) struct Document<'a> {
    #[serde(borrow)]
    pub(super) version: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) runs: Option<Capped<&'a RawValue, MAX_RUNS>>,
}

/// A run of a tool (section 3.14).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "a run")]
pub(super) struct Run<'a> {
    #[serde(borrow)]
    pub(super) tool: Option<Tool<'a>>,
    #[serde(borrow)]
    pub(super) results: Capped<&'a RawValue, MAX_RESULTS>,
    #[serde(borrow)]
    pub(super) artifacts: Shared<'a>,
    pub(super) original_uri_base_ids: CappedMap<ArtifactLocation, MAX_BASES>,
    pub(super) version_control_provenance: Capped<VersionControl, MAX_FEW>,
    pub(super) invocations: Capped<Invocation, MAX_FEW>,
    #[serde(borrow)]
    pub(super) taxonomies: Capped<Component<'a>, MAX_COMPONENTS>,
    #[serde(borrow)]
    pub(super) thread_flow_locations: Shared<'a>,
    #[serde(borrow)]
    pub(super) web_requests: Shared<'a>,
    #[serde(borrow)]
    pub(super) web_responses: Shared<'a>,
}

/// The tool (section 3.18).
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a tool")]
pub(super) struct Tool<'a> {
    #[serde(borrow)]
    pub(super) driver: Option<Component<'a>>,
    #[serde(borrow)]
    pub(super) extensions: Capped<Component<'a>, MAX_COMPONENTS>,
}

/// The tool itself, one of its extensions, or a taxonomy (section 3.19).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "a tool component")]
pub(super) struct Component<'a> {
    pub(super) name: Option<String>,
    pub(super) guid: Option<String>,
    pub(super) version: Option<String>,
    pub(super) semantic_version: Option<String>,
    #[serde(borrow)]
    pub(super) rules: Shared<'a>,
    #[serde(borrow)]
    pub(super) taxa: Shared<'a>,
    pub(super) global_message_strings: CappedMap<MessageString, MAX_STRINGS>,
}

/// The repository that was analysed (section 3.23); `mappedTo` is its root on the machine of the tool.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "details of a repository")]
pub(super) struct VersionControl {
    pub(super) mapped_to: Option<ArtifactLocation>,
}

/// A call of the tool (section 3.20).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "an invocation")]
pub(super) struct Invocation {
    pub(super) working_directory: Option<ArtifactLocation>,
}

/// The names under which a rule or taxon is found.
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a rule")]
pub(super) struct Identified {
    pub(super) id: Option<String>,
    pub(super) guid: Option<String>,
}

/// A rule (section 3.49).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "a rule")]
pub(super) struct Rule {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) short_description: Option<MessageString>,
    pub(super) full_description: Option<MessageString>,
    pub(super) help: Option<MessageString>,
    pub(super) help_uri: Option<String>,
    pub(super) message_strings: CappedMap<MessageString, MAX_STRINGS>,
    pub(super) default_configuration: Option<Configuration>,
    pub(super) relationships: Capped<Relationship, MAX_RELATIONSHIPS>,
    pub(super) properties: Option<Properties>,
}

/// Settings of a rule (section 3.50).
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a configuration")]
pub(super) struct Configuration {
    pub(super) level: Option<String>,
}

/// A relationship of a rule to a taxon (section 3.53).
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a relationship")]
pub(super) struct Relationship {
    pub(super) target: Option<DescriptorReference>,
}

/// The property bag of a rule or result (section 3.8), with the properties that tools agree on.
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a property bag")]
pub(super) struct Properties {
    pub(super) tags: Words,
    pub(super) cwe: Words,
    #[serde(rename = "security-severity")]
    pub(super) security_severity: Words,
}
