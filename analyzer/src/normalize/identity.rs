//! The id a source gave its record: the same id means the same record, however often it is
//! delivered. Equal text is no identity.

use sigma::event::{Event, Value};

use super::cloud_audit::Audit;
use super::roles::{Role, Roles};

/// The native id with the kind of id in front, so that ids of different kinds never meet. `None`
/// where the source gives none.
pub(super) fn native_id<'e, 'a>(
    event: &'e Event<'a>,
    roles: &Roles<'e, 'a>,
    audit: Option<Audit>,
) -> Option<String> {
    if let Some(id) = roles.str(Role::RecordUid) {
        return Some(joined("otel", [id]));
    }
    if let Some(id) = audit.and_then(|audit| audit_id(audit, event, roles)) {
        return Some(id);
    }
    if let Some(id) = roles.str(Role::InsertId)
        && let Some(time) = roles.field(event, "timestamp").and_then(Value::as_str)
    {
        return Some(joined("gcp", [id, time]));
    }
    // Cloudflare: data sets about rules write several records for one request, with an action each.
    let is_of_rule = || ["Action", "MatchIndex"].iter().any(|name| roles.field(event, name).is_some());
    if let Some(id) = roles.str(Role::RayId)
        && roles.field(event, "EdgeResponseStatus").is_some()
        && !is_of_rule()
    {
        return Some(joined("cloudflare", ["http_requests", id]));
    }
    if let (Some(id), true) = (roles.str(Role::Id), roles.has(Role::DeploymentId)) {
        return Some(joined("vercel", [id]));
    }
    None
}

/// The ids that audit logs give their records.
fn audit_id<'e, 'a>(audit: Audit, event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<String> {
    match audit {
        Audit::CloudTrail => Some(joined("cloudtrail", [roles.str(Role::EventId)?])),
        // A request is recorded once for each of its stages.
        Audit::Kubernetes => Some(joined("kubernetes", [roles.str(Role::AuditId)?, roles.str(Role::Stage)?])),
        Audit::Okta => Some(joined("okta", [roles.field(event, "uuid")?.as_str()?])),
        Audit::GitHub => Some(joined("github", [roles.str(Role::DocumentId)?])),
        // Google's entries of any kind have one, which takes their time, too.
        Audit::Google | Audit::Azure => None,
    }
}

/// The kind of an id and its parts with colons between them.
fn joined<const PARTS: usize>(kind: &str, parts: [&str; PARTS]) -> String {
    let length = kind.len() + parts.iter().map(|part| part.len() + 1).sum::<usize>();
    let mut id = String::with_capacity(length);
    id.push_str(kind);
    for part in parts {
        id.push(':');
        id.push_str(part);
    }
    id
}
