//! Objects of one result. Only the properties that are used; sections of the standard are named at each.

use serde::Deserialize;

use super::document::Properties;
use super::lenient::{Capped, CappedMap, Words};

/// Most locations of a result that are read: those beyond `Limits::LOCATIONS` are only counted.
const MAX_LOCATIONS: usize = 1_000;
/// Most steps of a data flow that are read, from whose beginning and end `Limits::LOCATIONS` are kept.
const MAX_STEPS: usize = 10_000;
/// Most fingerprints, suppressions, taxa and logical locations of a result.
pub(super) const MAX_FEW: usize = 32;
/// Most headers of a request, and most arguments of a message.
pub(super) const MAX_HEADERS: usize = 100;

/// A result (section 3.27).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "a result object")]
pub(super) struct ToolResult {
    pub(super) rule_id: Option<String>,
    pub(super) rule_index: Option<i64>,
    pub(super) rule: Option<DescriptorReference>,
    pub(super) kind: Option<String>,
    pub(super) level: Option<String>,
    pub(super) message: Option<Message>,
    pub(super) locations: Capped<Location, MAX_LOCATIONS>,
    pub(super) related_locations: Capped<Location, MAX_LOCATIONS>,
    pub(super) code_flows: Capped<CodeFlow, 1>,
    pub(super) fingerprints: CappedMap<Words, MAX_FEW>,
    pub(super) partial_fingerprints: CappedMap<Words, MAX_FEW>,
    pub(super) suppressions: Capped<Suppression, MAX_FEW>,
    pub(super) baseline_state: Option<String>,
    pub(super) taxa: Capped<DescriptorReference, MAX_FEW>,
    pub(super) fixes: Capped<Fix, 1>,
    pub(super) web_request: Option<WebRequest>,
    pub(super) web_response: Option<WebResponse>,
    pub(super) properties: Option<Properties>,
}

/// Reference to a rule or taxon (section 3.52).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "a reference to a rule")]
pub(super) struct DescriptorReference {
    pub(super) id: Option<String>,
    pub(super) index: Option<i64>,
    pub(super) guid: Option<String>,
    pub(super) tool_component: Option<ComponentReference>,
}

/// Reference to a component of the tool, or to a taxonomy (section 3.54).
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a reference to a tool component")]
pub(super) struct ComponentReference {
    pub(super) name: Option<String>,
    pub(super) index: Option<i64>,
    pub(super) guid: Option<String>,
}

/// A message (section 3.11).
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a message")]
pub(super) struct Message {
    pub(super) text: Option<String>,
    pub(super) markdown: Option<String>,
    pub(super) id: Option<String>,
    pub(super) arguments: Capped<String, MAX_HEADERS>,
}

/// A text in one or two formats (section 3.12).
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a message string")]
pub(super) struct MessageString {
    pub(super) text: Option<String>,
    pub(super) markdown: Option<String>,
}

/// A location (section 3.28).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "a location")]
pub(super) struct Location {
    pub(super) physical_location: Option<PhysicalLocation>,
    pub(super) logical_locations: Capped<LogicalLocation, MAX_FEW>,
    pub(super) message: Option<Message>,
}

/// A place in a file (section 3.29).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "a physical location")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: Option<ArtifactLocation>,
    pub(super) region: Option<Region>,
    pub(super) context_region: Option<Region>,
}

/// The place of a file (section 3.4).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "the location of a file")]
pub(super) struct ArtifactLocation {
    pub(super) uri: Option<String>,
    pub(super) uri_base_id: Option<String>,
    pub(super) index: Option<i64>,
}

/// A file (section 3.24).
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a file")]
pub(super) struct Artifact {
    pub(super) location: Option<ArtifactLocation>,
}

/// Lines and columns (section 3.30).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "a region")]
pub(super) struct Region {
    pub(super) start_line: Option<i64>,
    pub(super) end_line: Option<i64>,
    pub(super) start_column: Option<i64>,
    pub(super) end_column: Option<i64>,
    pub(super) snippet: Option<Content>,
}

/// Content of a file or request (section 3.3).
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "content")]
pub(super) struct Content {
    pub(super) text: Option<String>,
}

/// A function, class or resource (section 3.33).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "a logical location")]
pub(super) struct LogicalLocation {
    pub(super) name: Option<String>,
    pub(super) fully_qualified_name: Option<String>,
}

/// Flows of data that illustrate the result (section 3.36).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "a code flow")]
pub(super) struct CodeFlow {
    pub(super) thread_flows: Capped<ThreadFlow, 1>,
}

/// A flow in one thread (section 3.37).
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a thread flow")]
pub(super) struct ThreadFlow {
    pub(super) locations: Capped<Step, MAX_STEPS>,
}

/// A step of a flow (section 3.38).
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a step of a thread flow")]
pub(super) struct Step {
    pub(super) index: Option<i64>,
    pub(super) location: Option<Location>,
}

/// A request to suppress the result (section 3.35).
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a suppression")]
pub(super) struct Suppression {
    pub(super) kind: Option<String>,
    pub(super) status: Option<String>,
}

/// A proposed change (section 3.55).
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a fix")]
pub(super) struct Fix {
    pub(super) description: Option<Message>,
}

/// A request over HTTP (section 3.46).
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "a web request")]
pub(super) struct WebRequest {
    pub(super) index: Option<i64>,
    pub(super) protocol: Option<String>,
    pub(super) version: Option<String>,
    pub(super) method: Option<String>,
    pub(super) target: Option<String>,
    pub(super) headers: CappedMap<Words, MAX_HEADERS>,
    pub(super) body: Option<Content>,
}

/// A response over HTTP (section 3.47).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "a web response")]
pub(super) struct WebResponse {
    pub(super) index: Option<i64>,
    pub(super) protocol: Option<String>,
    pub(super) version: Option<String>,
    pub(super) status_code: Option<i64>,
    pub(super) reason_phrase: Option<String>,
    pub(super) headers: CappedMap<Words, MAX_HEADERS>,
    pub(super) body: Option<Content>,
}
