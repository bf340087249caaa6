//! Which log source wrote a record, told from its content alone, for records that no reader placed.
//! A source that is not recognised stays unsaid, so that no rule is kept from it.

use std::borrow::Cow;

use sigma::event::{Event, LogSource};

use super::reading::source;
use super::roles::{Role, Roles};
use super::windows;

/// The log source, given what a reader already said of it.
pub(super) fn refine(
    read: LogSource<'static>,
    event: &Event<'_>,
    roles: &Roles<'_, '_>,
) -> LogSource<'static> {
    if let Some(native) = native(event, roles).or_else(|| windows::log_source(roles)) {
        return native;
    }
    if read.category.as_deref() == Some("webserver") && read.product.is_none() {
        return LogSource { product: web_product(event, roles).map(Cow::Borrowed), ..read };
    }
    read
}

/// The shapes of audit logs whose fields are what rules name.
fn native(event: &Event<'_>, roles: &Roles<'_, '_>) -> Option<LogSource<'static>> {
    let all = |marks: &[Role]| marks.iter().all(|mark| roles.has(*mark));
    if all(&[Role::EventSource, Role::EventName, Role::EventVersion]) {
        return Some(source(Some("aws"), None, Some("cloudtrail")));
    }
    if is_kubernetes_audit(roles) {
        return Some(source(Some("kubernetes"), None, Some("audit")));
    }
    if roles.has(Role::ProtoPayload) {
        let kind = event.field("protoPayload.@type").and_then(|kind| kind.as_str()).unwrap_or_default();
        return kind.ends_with("AuditLog").then(|| source(Some("gcp"), None, Some("gcp.audit")));
    }
    if all(&[Role::EventType, Role::Actor, Role::Published]) {
        return Some(source(Some("okta"), None, Some("okta")));
    }
    if all(&[Role::Action, Role::Actor, Role::DocumentId]) {
        return Some(source(Some("github"), None, Some("audit")));
    }
    if all(&[Role::OperationName, Role::Category, Role::Properties]) {
        return Some(source(Some("azure"), None, azure_service(roles.str(Role::Category)?)));
    }
    None
}

/// Kubernetes audit: an event with an id and a stage about an object.
pub(super) fn is_kubernetes_audit(roles: &Roles<'_, '_>) -> bool {
    roles.str(Role::Kind) == Some("Event") && roles.has(Role::AuditId) && roles.has(Role::ObjectRef)
}

fn azure_service(category: &str) -> Option<&'static str> {
    match category {
        "SignInLogs" | "NonInteractiveUserSignInLogs" | "ServicePrincipalSignInLogs" => Some("signinlogs"),
        "AuditLogs" => Some("auditlogs"),
        "Administrative" | "Security" | "Policy" | "Alert" => Some("activitylogs"),
        _ => None,
    }
}

/// The server's product, where the program, the file or the service it runs as says it.
fn web_product(event: &Event<'_>, roles: &Roles<'_, '_>) -> Option<&'static str> {
    let service = event.field("resource.service.name").and_then(|name| name.as_str());
    [roles.str(Role::Program), roles.str(Role::File), service].into_iter().flatten().find_map(|text| {
        if text.contains("nginx") {
            Some("nginx")
        } else if text.contains("apache") || text.contains("httpd") {
            Some("apache")
        } else {
            None
        }
    })
}
