//! Audit records that another log carries: Kubernetes audit events inside Azure resource logs, CloudWatch Logs
//! and Google Cloud's audit log, and audit records that EventBridge forwards. Gives the fields of the carried
//! record, so that the rules for it apply whichever way it was delivered.

use sigma::event::{Event, Value};

use super::super::json;
use super::super::roles::{Role, Roles};
use super::google_kubernetes;
use crate::record::Entries;

/// Categories of AKS resource logs whose `properties.log` is a Kubernetes audit event as JSON text.
/// <https://learn.microsoft.com/azure/aks/monitor-aks-reference#resource-logs>
const AKS_CATEGORIES: [&str; 2] = ["kube-audit", "kube-audit-admin"];

/// Fields under which log shippers place a record they have parsed, or its text.
const BODIES: [&str; 4] = ["message", "log", "@message", "detail"];

/// The fields of the audit record that a record carries; `None` where it carries none.
pub(super) fn fields<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<Entries<'a>> {
    if roles.has(Role::ProtoPayload) {
        return google_kubernetes::fields(event, roles);
    }
    if roles.str(Role::Category).is_some_and(|category| AKS_CATEGORIES.contains(&category)) {
        return audit_record(roles.field(event, "properties.log")?);
    }
    // A CloudWatch Logs subscription delivers events in groups; a group of one is a single record.
    if let Some(Value::Array(events)) = roles.field(event, "logEvents")
        && let [carried] = events.as_slice()
    {
        return audit_record(carried.field("message")?);
    }
    BODIES.iter().find_map(|name| {
        let body = roles.field(event, name)?;
        // A text under one of the usual names is read by the envelope.
        let is_read = matches!(body, Value::String(_)) && *name != "@message";
        if is_read { None } else { audit_record(body) }
    })
}

/// The entries of a map, or of a JSON text, that has the fields of an audit record.
fn audit_record<'a>(body: &Value<'a>) -> Option<Entries<'a>> {
    let entries = match body {
        Value::Map(entries) => entries.clone(),
        Value::String(text) => {
            let mut entries = Vec::new();
            json::object(text, &mut entries).then_some(entries)?
        }
        _ => return None,
    };
    let has = |name: &str| entries.iter().any(|(own, _)| own == name);
    let is_audit = (has("auditID") && has("kind"))
        || (has("eventSource") && has("eventName") && has("eventVersion"))
        || (has("eventType") && has("actor") && has("published"));
    is_audit.then_some(entries)
}

#[cfg(test)]
mod tests;
