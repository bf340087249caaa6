//! Organizations, API keys and sources: who may send what, and where it belongs; what an organization looks
//! for beyond the shared rules, its escalations, and the receivers of its events; and what the processes of a
//! deployment agree on. The rules and the rows are here; HTTP is not.
//!
//! Organizations and keys lie in the platform's ledger, because a key is looked up before its organization is known.
//! Sources, detection rules, suppressions, monitoring policies, webhook targets, telemetry endpoints, applications and
//! agents lie in their organization's ledger.

mod agent;
mod api_key;
mod application;
mod authenticate;
pub mod deployment;
mod binding;
pub mod bootstrap;
mod bulk;
mod counter;
mod detection_rule;
mod directory;
mod document_check;
mod error;
mod fields;
mod generations;
mod key_text;
mod lookup;
mod monitoring_policy;
mod one_time;
mod organization;
mod own_detection;
mod pairing_code;
mod read_through;
mod receiver;
mod red_team;
mod rows;
mod sealed_values;
mod source;
mod source_filter;
mod source_lookup;
mod suppression;
mod subscription;
mod table;
mod target_url;
mod unusable;

pub use agent::{Agent, AgentEvidence, AgentMode, AgentType, NewAgent, TargetKind, seal_for_agent};
pub use api_key::{ApiKey, NewKey, SCOPES};
pub use application::{Application, NewApplication, open_headers_of_application, seal_for_application};
pub use authenticate::{AuthenticateError, Authenticator, Grant};
pub use binding::{Binding, Bound};
pub use bulk::ChangedRows;
pub use detection_rule::{DetectionRule, NewDetectionRule};
pub use directory::Directory;
pub use document_check::{
    Asked, Dependent, Described, DocumentCheck, DocumentFault, DocumentRefusal, TrialMatch,
};
pub use error::DirectoryError;
pub use fields::{check_text, direction_fault, title_fault};
pub use key_text::KeyText;
pub use lookup::Lookup;
pub use monitoring_policy::{EscalationTrigger, MonitoringPolicies, MonitoringPolicy, NewMonitoringPolicy};
pub use one_time::{OneTime, Permission, Spending};
pub use organization::Organization;
pub use own_detection::OwnDetection;
pub use pairing_code::{MAX_PAIRING_LIFETIME, MAX_PAIRING_USES, PairingCode};
pub use receiver::{NewReceiver, Receiver, ReceiverKind, TelemetryProtocol, Transport};
pub use red_team::{NewCredentials, RedTeamSchedule, RedTeamSettings, RunWindow, SealedCredentials};
pub use rows::is_receiver_key;
pub use sealed_values::{RowLocation, SealError, header_field, sealed_headers};
pub use source::{DEFAULT_APPLICATION_GROUP, DEFAULT_ENVIRONMENT, NewSource, Source};
pub use source_filter::{SourceFilter, SourceSelection};
pub use source_lookup::{LookupError, SourceLookup};
pub use suppression::{NewSuppression, Suppression};
pub use table::{Change, Collection, Resource, Table};
pub use target_url::TargetUrl;
pub use unusable::{ALL_DOCUMENTS, UnusableDocument, UnusableDocuments};

#[cfg(test)]
mod tests;
