//! Kubernetes requests in Google Cloud's audit log (GKE), given the fields of a Kubernetes audit event.
//! <https://cloud.google.com/kubernetes-engine/docs/how-to/audit-logging>

use sigma::event::{Event, Value};

use super::super::roles::Roles;
use super::{number, text};
use crate::record::Entries;

/// The fields of the Kubernetes audit event that a log entry stands for; `None` for entries of other services.
pub(super) fn fields<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<Entries<'a>> {
    if text(event, roles, "protoPayload.serviceName")? != "k8s.io" {
        return None;
    }
    let id = text(event, roles, "insertId").or_else(|| text(event, roles, "operation.id"))?;
    let call = Call::of(text(event, roles, "protoPayload.methodName")?)?;
    let resource = text(event, roles, "protoPayload.resourceName").unwrap_or_default();
    let mut fields = vec![
        entry("kind", string("Event")),
        entry("auditID", string(id)),
        entry("stage", string("ResponseComplete")),
        entry("verb", string(call.verb)),
        entry("responseStatus", Value::Map(vec![entry("code", Value::Int(status(event, roles)))])),
    ];
    match call.resource {
        Some(kind) => fields.push(entry("objectRef", object(kind, &call, resource))),
        None => fields.push(entry("requestURI", string(&format!("/{}", resource.trim_start_matches('/'))))),
    }
    if let Some(user) = text(event, roles, "protoPayload.authenticationInfo.principalEmail") {
        fields.push(entry("user", Value::Map(vec![entry("username", string(user))])));
    }
    if let Some(address) = text(event, roles, "protoPayload.requestMetadata.callerIp") {
        fields.push(entry("sourceIPs", Value::Array(vec![string(address)])));
    }
    if let Some(agent) = text(event, roles, "protoPayload.requestMetadata.callerSuppliedUserAgent") {
        fields.push(entry("userAgent", string(agent)));
    }
    for (own, name) in
        [("protoPayload.request", "requestObject"), ("protoPayload.response", "responseObject")]
    {
        if let Some(body) = roles.field(event, own) {
            fields.push(entry(name, body.clone()));
        }
    }
    Some(fields)
}

fn entry<'a>(name: &'static str, value: Value<'a>) -> (std::borrow::Cow<'a, str>, Value<'a>) {
    (name.into(), value)
}

fn string<'a>(text: &str) -> Value<'a> {
    Value::String(text.to_owned().into())
}

/// The HTTP status of a `google.rpc.Code`, as far as rules tell them apart.
fn status<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> i64 {
    match number(event, roles, "protoPayload.status.code").unwrap_or(0) {
        0 => 200,
        16 => 401,
        7 => 403,
        5 => 404,
        6 => 409,
        _ => 500,
    }
}

/// `io.k8s.GROUP.VERSION.RESOURCE[.SUBRESOURCE].VERB`; without a version for URLs that name no resource.
struct Call<'m> {
    resource: Option<&'m str>,
    subresource: Option<&'m str>,
    verb: &'m str,
}

impl<'m> Call<'m> {
    fn of(method: &'m str) -> Option<Self> {
        let (path, verb) = method.strip_prefix("io.k8s.")?.rsplit_once('.').unwrap_or(("", "get"));
        let mut parts = path.split('.').skip_while(|part| !is_version(part)).skip(1);
        Some(Self { resource: parts.next(), subresource: parts.next(), verb })
    }
}

fn is_version(part: &str) -> bool {
    part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Object of `GROUP/VERSION[/namespaces/NAMESPACE]/RESOURCE[/NAME[/SUBRESOURCE]]`.
fn object<'a>(kind: &str, call: &Call<'_>, name: &str) -> Value<'a> {
    let mut parts = name.split('/');
    let group = parts.next().filter(|group| *group != "core").unwrap_or_default();
    let mut object = vec![entry("resource", string(kind))];
    if !group.is_empty() {
        object.push(entry("apiGroup", string(group)));
    }
    let mut rest: Vec<&str> = parts.skip(1).collect();
    if let ["namespaces", namespace, ..] = rest.as_slice() {
        object.push(entry("namespace", string(namespace)));
        if kind != "namespaces" {
            rest.drain(..2);
        }
    }
    if let Some(name) = rest.get(1).filter(|name| !name.is_empty()) {
        object.push(entry("name", string(name)));
    }
    if let Some(subresource) = call.subresource.or_else(|| rest.get(2).copied()) {
        object.push(entry("subresource", string(subresource)));
    }
    Value::Map(object)
}
