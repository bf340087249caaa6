//! The id a source gave its record: the same id means the same record, however often it is
//! delivered. Equal text is no identity.

use std::borrow::Cow;
use std::fmt;

use sigma::event::Event;

use super::cloud_audit::Audit;
use super::roles::{Role, Roles, text};

/// The id that a source gave its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeId<'a> {
    /// Kind of the id, so that ids of different kinds never meet.
    kind: &'static str,
    id: Cow<'a, str>,
    /// Scope of the id, if it is not unique by itself.
    with: Option<Cow<'a, str>>,
}

/// Kind, id and scope, with colons between them.
impl fmt::Display for NativeId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.id)?;
        self.with.as_ref().map_or(Ok(()), |with| write!(f, ":{with}"))
    }
}

/// The native id; `None` if the source gives none.
pub(super) fn native_id<'e, 'a>(
    event: &'e Event<'a>,
    roles: &Roles<'e, 'a>,
    audit: Option<Audit>,
) -> Option<NativeId<'a>> {
    if let Some(id) = roles.text(Role::RecordUid) {
        return Some(NativeId::new("otel", id));
    }
    if let Some(id) = audit.and_then(|audit| audit_id(audit, event, roles)) {
        return Some(id);
    }
    if let Some(id) = roles.text(Role::InsertId)
        && let Some(time) = roles.field(event, "timestamp").and_then(text)
    {
        return Some(NativeId::new("gcp", id).told_with(time));
    }
    // Cloudflare: data sets about rules write several records for one request, with an action each.
    let is_of_rule = || ["Action", "MatchIndex"].iter().any(|name| roles.field(event, name).is_some());
    if let Some(id) = roles.text(Role::RayId)
        && roles.field(event, "EdgeResponseStatus").is_some()
        && !is_of_rule()
    {
        return Some(NativeId::new("cloudflare", Cow::Borrowed("http_requests")).told_with(id));
    }
    if let (Some(id), true) = (roles.text(Role::Id), roles.has(Role::DeploymentId)) {
        return Some(NativeId::new("vercel", id));
    }
    None
}

/// The ids that audit logs give their records.
fn audit_id<'e, 'a>(audit: Audit, event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<NativeId<'a>> {
    Some(match audit {
        Audit::CloudTrail => NativeId::new("cloudtrail", roles.text(Role::EventId)?),
        // A request is recorded once for each of its stages.
        Audit::Kubernetes => {
            NativeId::new("kubernetes", roles.text(Role::AuditId)?).told_with(roles.text(Role::Stage)?)
        }
        Audit::Okta => NativeId::new("okta", text(roles.field(event, "uuid")?)?),
        Audit::GitHub => NativeId::new("github", roles.text(Role::DocumentId)?),
        Audit::GitLab => NativeId::new("gitlab", text(roles.field(event, "id")?)?)
            .told_with(text(roles.field(event, "created_at")?)?),
        Audit::Workspace => NativeId::new("workspace", text(roles.field(event, "id.uniqueQualifier")?)?)
            .told_with(text(roles.field(event, "id.time")?)?),
        // Google's entries of any kind have one, which takes their time, too.
        Audit::Google | Audit::Azure => return None,
    })
}

impl<'a> NativeId<'a> {
    fn new(kind: &'static str, id: Cow<'a, str>) -> Self {
        Self { kind, id, with: None }
    }

    fn told_with(self, with: Cow<'a, str>) -> Self {
        Self { with: Some(with), ..self }
    }
}
