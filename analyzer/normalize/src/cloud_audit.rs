//! Audit logs of clouds and of services run by others, identified by the fields only they have. Rules use the
//! records' own names; action and outcome are added.

mod gitlab;
mod google_kubernetes;
mod google_workspace;
mod wrapped;

use common::timestamp::Timestamp;
use sigma::event::{Event, LogSource, Value};

use super::json;
use super::reading::{Outcome, Reading, source};
use super::roles::{Role, Roles};
use super::time;
use crate::record::Entries;

/// Which audit log a record is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Audit {
    CloudTrail,
    Kubernetes,
    Google,
    Okta,
    GitHub,
    Azure,
    Workspace,
    GitLab,
}

/// The audit log that a record's fields are typical of.
pub(super) fn of<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<Audit> {
    let all = |marks: &[Role]| marks.iter().all(|mark| roles.has(*mark));
    if all(&[Role::EventSource, Role::EventName, Role::EventVersion]) {
        return Some(Audit::CloudTrail);
    }
    // A request without an object (`/healthz`) has a stage all the same.
    if roles.has(Role::AuditId) && roles.str(Role::Kind) == Some("Event") {
        return (roles.has(Role::ObjectRef) || roles.has(Role::Stage)).then_some(Audit::Kubernetes);
    }
    if roles.has(Role::ProtoPayload) {
        let kind = text(event, roles, "protoPayload.@type").unwrap_or_default();
        return kind.ends_with("AuditLog").then_some(Audit::Google);
    }
    if roles.str(Role::Kind) == Some(google_workspace::KIND) {
        return Some(Audit::Workspace);
    }
    if all(&[Role::EventType, Role::Actor, Role::Published]) {
        return Some(Audit::Okta);
    }
    if all(&[Role::Action, Role::Actor, Role::DocumentId]) {
        return Some(Audit::GitHub);
    }
    if gitlab::is_event(roles.presence()) {
        return Some(Audit::GitLab);
    }
    all(&[Role::OperationName, Role::Category, Role::Properties]).then_some(Audit::Azure)
}

/// Time of a record, under a name that means a time in its log only.
pub(super) fn own_time<'e, 'a>(
    audit: Audit,
    event: &'e Event<'a>,
    roles: &Roles<'e, 'a>,
) -> Option<Timestamp> {
    let name = match audit {
        Audit::Okta => "published",
        Audit::Kubernetes => "stageTimestamp",
        Audit::GitHub | Audit::GitLab => "created_at",
        Audit::Workspace => "id.time",
        // Theirs are among the names that ingestion knows.
        Audit::CloudTrail | Audit::Google | Audit::Azure => return None,
    };
    time::of_value(roles.field(event, name)?)
}

/// Adds the content of a record of an audit log, and its log source.
pub(super) fn read<'e, 'a>(
    audit: Audit,
    event: &'e Event<'a>,
    roles: &Roles<'e, 'a>,
    reading: &mut Reading<'a>,
) {
    if audit == Audit::GitLab {
        return gitlab::read(event, reading);
    }
    reading.log_source = match audit {
        Audit::Workspace => google_workspace::log_source(event, roles),
        _ => log_source(audit, event, roles),
    };
    let (action, outcome) = match audit {
        Audit::CloudTrail => (roles.get(Role::EventName), cloudtrail_outcome(event, roles)),
        Audit::Kubernetes => (roles.field(event, "verb"), kubernetes_outcome(event, roles)),
        Audit::Google => (roles.field(event, "protoPayload.methodName"), google_outcome(event, roles)),
        Audit::Okta => (roles.get(Role::EventType), okta_outcome(event, roles)),
        Audit::GitHub | Audit::GitLab => (roles.get(Role::Action), None),
        Audit::Azure => (roles.get(Role::OperationName), azure_outcome(event, roles)),
        Audit::Workspace => google_workspace::action(event, roles),
    };
    if let Some(action @ Value::String(_)) = action {
        reading.push("event.action", action.clone());
    }
    reading.outcome(outcome);
    // `user` is who it was done to.
    let actor = match audit {
        Audit::GitHub => roles.get(Role::Actor),
        Audit::Workspace => roles.field(event, "actor.email"),
        _ => None,
    };
    if let Some(actor @ Value::String(_)) = actor {
        reading.push("user.name", actor.clone());
    }
}

/// The fields of an audit record that the record carries inside; `None` for other records.
pub(super) fn carried<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<Entries<'a>> {
    wrapped::fields(event, roles)
}

/// Puts Azure's details in the place of the text that holds them.
pub(super) fn put_details<'a>(fields: &mut Entries<'a>, details: Entries<'a>) {
    let is_text =
        |value: &Value<'_>| matches!(value, Value::String(text) if text.trim_start().starts_with('{'));
    let place =
        fields.iter_mut().find(|(name, value)| name.eq_ignore_ascii_case("properties") && is_text(value));
    if let Some((_, value)) = place {
        *value = Value::Map(details);
    }
}

/// Azure's details, where they are JSON in a text, as the diagnostic settings of some services write them.
/// `None` for other records.
pub(super) fn details_in_text<'a>(roles: &Roles<'_, 'a>) -> Option<Entries<'a>> {
    if !(roles.has(Role::OperationName) && roles.has(Role::Category)) {
        return None;
    }
    let mut details = Vec::new();
    json::object(&roles.text(Role::Properties)?, &mut details).then_some(details)
}

/// Public rules give these sources no category, but for Kubernetes. They have one all the same: rules for
/// every web server and proxy are not for them.
const CATEGORY: &str = "audit";

fn log_source<'e, 'a>(audit: Audit, event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> LogSource<'static> {
    let (product, category, service) = match audit {
        Audit::CloudTrail => ("aws", CATEGORY, Some("cloudtrail")),
        Audit::Kubernetes => ("kubernetes", "application", Some("audit")),
        Audit::Google => ("gcp", CATEGORY, Some("gcp.audit")),
        Audit::Okta => ("okta", CATEGORY, Some("okta")),
        Audit::GitHub => ("github", CATEGORY, Some("audit")),
        Audit::GitLab => ("gitlab", CATEGORY, Some("audit")),
        Audit::Azure => ("azure", CATEGORY, azure_service(azure_category(event, roles))),
        Audit::Workspace => ("gcp", CATEGORY, None),
    };
    source(Some(product), Some(category), service)
}

/// A word in exported logs, an object with a `value` in those of the REST interface.
fn azure_category<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> &'e str {
    roles.str(Role::Category).or_else(|| text(event, roles, "category.value")).unwrap_or_default()
}

/// The service that rules name for a category of Azure's. Categories not listed are left unsaid.
fn azure_service(category: &str) -> Option<&'static str> {
    match category {
        "SignInLogs"
        | "NonInteractiveUserSignInLogs"
        | "ServicePrincipalSignInLogs"
        | "ManagedIdentitySignInLogs"
        | "ADFSSignInLogs" => Some("signinlogs"),
        "AuditLogs" => Some("auditlogs"),
        "UserRiskEvents" | "RiskyUsers" | "ServicePrincipalRiskEvents" | "RiskyServicePrincipals" => {
            Some("riskdetection")
        }
        "Administrative" | "Security" | "Policy" | "Alert" | "ServiceHealth" | "ResourceHealth"
        | "Autoscale" | "Recommendation" | "Action" | "Write" | "Delete" => Some("activitylogs"),
        _ => None,
    }
}

fn text<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>, name: &str) -> Option<&'e str> {
    roles.field(event, name)?.as_str().filter(|text| !text.is_empty())
}

fn number<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>, name: &str) -> Option<i64> {
    match roles.field(event, name)? {
        Value::Int(number) => Some(*number),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

fn succeeded(worked: bool) -> Option<Outcome> {
    Some(if worked { Outcome::Success } else { Outcome::Failure })
}

/// A call that failed names its error; a console login has it in its response.
fn cloudtrail_outcome<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<Outcome> {
    let login = text(event, roles, "responseElements.ConsoleLogin");
    succeeded(text(event, roles, "errorCode").is_none() && login != Some("Failure"))
}

fn kubernetes_outcome<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<Outcome> {
    succeeded(number(event, roles, "responseStatus.code")? < 400)
}

/// `google.rpc.Status`; a call that worked has an empty one or none.
fn google_outcome<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<Outcome> {
    succeeded(number(event, roles, "protoPayload.status.code").unwrap_or(0) == 0)
}

fn okta_outcome<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<Outcome> {
    match text(event, roles, "outcome.result")? {
        "SUCCESS" | "ALLOW" => Some(Outcome::Success),
        "FAILURE" | "DENY" => Some(Outcome::Failure),
        _ => None,
    }
}

/// A word for activities, an error number for sign-ins.
fn azure_outcome<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<Outcome> {
    let named = ["resultType", "ResultType", "status.value"];
    let result = named.iter().find_map(|name| roles.field(event, name))?.to_text()?;
    match result.as_ref() {
        "0" | "Success" | "Succeeded" | "success" => Some(Outcome::Success),
        "Failure" | "Failed" | "failure" => Some(Outcome::Failure),
        // 50140 and its like only interrupt: the user is asked for more.
        "50140" | "50074" | "50076" | "50125" | "50129" | "65001" => None,
        number if number.bytes().all(|byte| byte.is_ascii_digit()) && !number.is_empty() => {
            Some(Outcome::Failure)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
