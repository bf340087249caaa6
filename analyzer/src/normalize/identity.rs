//! The id a source gave its record: the same id means the same record, however often it is
//! delivered. Equal text is no identity.

use sigma::event::{Event, Value};

use super::log_source;
use super::roles::{Role, Roles};

/// The native id with the kind of id in front, so that ids of different kinds never meet. `None`
/// where the source gives none.
pub(super) fn native_id(event: &Event<'_>, roles: &Roles<'_, '_>) -> Option<String> {
    if let Some(id) = roles.str(Role::RecordUid) {
        return Some(format!("otel:{id}"));
    }
    if let (Some(id), true, true) =
        (roles.str(Role::EventId), roles.has(Role::EventSource), roles.has(Role::EventName))
    {
        return Some(format!("cloudtrail:{id}"));
    }
    if let (Some(id), Some(stage), true) =
        (roles.str(Role::AuditId), roles.str(Role::Stage), log_source::is_kubernetes_audit(roles))
    {
        return Some(format!("kubernetes:{id}:{stage}"));
    }
    if let (Some(id), Some(time)) =
        (roles.str(Role::InsertId), event.field("timestamp").and_then(Value::as_str))
    {
        return Some(format!("gcp:{id}:{time}"));
    }
    // Cloudflare: other data sets write several records for one request.
    if let (Some(id), Some(_)) = (roles.str(Role::RayId), event.field("EdgeResponseStatus")) {
        return Some(format!("cloudflare:http_requests:{id}"));
    }
    if let (Some(id), true) = (roles.str(Role::Id), roles.has(Role::DeploymentId)) {
        return Some(format!("vercel:{id}"));
    }
    None
}
