//! Audit records that another log carries: Kubernetes audit events inside Azure resource logs, CloudWatch Logs
//! and Google Cloud's audit log, and audit records that EventBridge forwards. Gives the fields of the carried
//! record, so that the rules for it apply whichever way it was delivered.

use sigma::event::{Event, Value};

use super::super::json;
use super::super::presence::hash;
use super::super::roles::{Role, Roles};
use super::google_kubernetes;
use crate::record::Entries;

/// Categories of AKS resource logs whose `properties.log` is a Kubernetes audit event as JSON text.
/// <https://learn.microsoft.com/azure/aks/monitor-aks-reference#resource-logs>
const AKS_CATEGORIES: [&str; 2] = ["kube-audit", "kube-audit-admin"];

/// Fields under which log shippers place a record they have parsed, or its text, with their hashes.
const BODIES: [(&str, u32); 4] = [body("message"), body("log"), body("@message"), body("detail")];

/// The field in which CloudWatch Logs places events.
const EVENTS: (&str, u32) = body("logEvents");

const fn body(name: &str) -> (&str, u32) {
    (name, hash(name.as_bytes()))
}

/// The fields of the audit record that a record carries; `None` if it carries none.
pub(super) fn fields<'e, 'a>(event: &'e Event<'a>, roles: &Roles<'e, 'a>) -> Option<Entries<'a>> {
    if roles.has(Role::ProtoPayload) {
        return google_kubernetes::fields(event, roles);
    }
    if roles.str(Role::Category).is_some_and(|category| AKS_CATEGORIES.contains(&category)) {
        return audit_record(roles.field(event, "properties.log")?);
    }
    // None of these names has a dot, so that no map leads to them.
    let field = |(name, hash): (&str, u32)| {
        let may_be = roles.presence().has_hash(hash);
        let found = may_be.then(|| event.fields.iter().find(|(own, _)| own == name)).flatten();
        found.map(|(_, value)| value)
    };
    // A CloudWatch Logs subscription delivers events in groups; a group of one is a single record.
    if let Some(Value::Array(events)) = field(EVENTS)
        && let [carried] = events.as_slice()
    {
        return audit_record(carried.field("message")?);
    }
    BODIES.iter().find_map(|name| {
        let body = field(*name)?;
        // A text under one of the usual names is read by the envelope.
        let is_read = matches!(body, Value::String(_)) && name.0 != "@message";
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
mod tests {
    use super::*;
    use crate::roles::Roles;

    /// The carried fields of a record.
    fn carried(record: &str) -> Option<Event<'_>> {
        let event = Event { fields: json::entries(record).unwrap(), ..Event::default() };
        let roles = Roles::of(&event.fields);
        let fields = fields(&event, &roles)?;
        Some(Event { fields: into_static(fields), ..Event::default() })
    }

    fn into_static(fields: Entries<'_>) -> Entries<'static> {
        use crate::reading::into_owned;
        fields.into_iter().map(|(name, value)| (name.into_owned().into(), into_owned(value))).collect()
    }

    fn says(event: &Event<'_>, name: &str) -> Option<String> {
        event.field(name).and_then(Value::to_text).map(|text| text.into_owned())
    }

    const AUDIT: &str = r#"{\"kind\":\"Event\",\"auditID\":\"i\",\"stage\":\"ResponseComplete\",\"verb\":\"list\",\"user\":{\"username\":\"masterclient\"},\"objectRef\":{\"resource\":\"secrets\"},\"responseStatus\":{\"code\":200}}"#;

    #[test]
    fn azure_and_cloudwatch_carry_kubernetes_audit_events_as_text() {
        for record in [
            r#"{"time":"2026-11-20T09:10:11Z","resourceId":"/SUBSCRIPTIONS/X","category":"kube-audit","operationName":"Microsoft.ContainerService/managedClusters/diagnosticLogs/Read","properties":{"log":"AUDIT","stream":"stdout","pod":"kube-apiserver-1"}}"#,
            r#"{"time":"2026-11-20T09:10:11Z","category":"kube-audit-admin","operationName":"x","properties":{"log":"AUDIT"}}"#,
            r#"{"messageType":"DATA_MESSAGE","owner":"111122223333","logGroup":"/aws/eks/shop/cluster","logEvents":[{"id":"1","timestamp":1795165811000,"message":"AUDIT"}]}"#,
            r#"{"@timestamp":"2026-11-20 09:10:11.000","@message":"AUDIT"}"#,
        ] {
            let record = record.replace("AUDIT", AUDIT);
            let event = carried(&record).unwrap_or_else(|| panic!("{record}"));
            assert_eq!(says(&event, "objectRef.resource").as_deref(), Some("secrets"), "{record}");
            assert_eq!(says(&event, "user.username").as_deref(), Some("masterclient"), "{record}");
        }
    }

    #[test]
    fn event_bridge_carries_audit_records_as_maps() {
        for record in [
            r#"{"version":"0","detail-type":"AWS API Call via CloudTrail","source":"aws.iam","detail":{"eventVersion":"1.11","eventSource":"iam.amazonaws.com","eventName":"CreateUser"}}"#,
            r#"{"detail-type":"SystemLog","detail":{"eventType":"policy.lifecycle.delete","eventName":"x","actor":{"id":"u"},"published":"2026-11-20T09:10:11Z"}}"#,
            r#"{"message":{"kind":"Event","auditID":"i","verb":"get"}}"#,
        ] {
            assert!(carried(record).is_some(), "{record}");
        }
    }

    #[test]
    fn other_records_carry_nothing() {
        for record in [
            r#"{"category":"kube-apiserver","operationName":"x","properties":{"log":"I0101 started"}}"#,
            r#"{"category":"kube-audit","operationName":"x","properties":{"log":"not json"}}"#,
            r#"{"logEvents":[{"message":"AUDIT"},{"message":"AUDIT"}]}"#,
            r#"{"detail-type":"EC2 Instance State-change Notification","detail":{"state":"running"}}"#,
            r#"{"message":{"kind":"Deployment","auditID_":"i"}}"#,
            r#"{"insertId":"a","protoPayload":{"@type":"type.googleapis.com/google.cloud.audit.AuditLog","serviceName":"compute.googleapis.com","methodName":"v1.compute.firewalls.insert"}}"#,
        ] {
            let record = record.replace("AUDIT", AUDIT);
            assert!(carried(&record).is_none(), "{record}");
        }
    }

    /// Method, resource, status, and the fields expected: verb, resource, subresource, namespace, name, code.
    type GoogleCase = (&'static str, &'static str, &'static str, [Option<&'static str>; 6]);

    const GOOGLE_CASES: &[GoogleCase] = &[
        (
            "io.k8s.core.v1.pods.create",
            "core/v1/namespaces/shop/pods/web-1",
            "{}",
            [Some("create"), Some("pods"), None, Some("shop"), Some("web-1"), Some("200")],
        ),
        (
            "io.k8s.core.v1.pods.exec.create",
            "core/v1/namespaces/shop/pods/web-1/exec",
            "{}",
            [Some("create"), Some("pods"), Some("exec"), Some("shop"), Some("web-1"), Some("200")],
        ),
        (
            "io.k8s.core.v1.secrets.list",
            "core/v1/secrets",
            r#"{"code":7,"message":"Forbidden"}"#,
            [Some("list"), Some("secrets"), None, None, None, Some("403")],
        ),
        (
            "io.k8s.authorization.rbac.v1beta1.clusterrolebindings.create",
            "rbac.authorization.k8s.io/v1beta1/clusterrolebindings/x",
            "{}",
            [Some("create"), Some("clusterrolebindings"), None, None, Some("x"), Some("200")],
        ),
        (
            "io.k8s.core.v1.namespaces.delete",
            "core/v1/namespaces/shop",
            "{}",
            [Some("delete"), Some("namespaces"), None, Some("shop"), Some("shop"), Some("200")],
        ),
        ("io.k8s.get", "version", "{}", [Some("get"), None, None, None, None, Some("200")]),
    ];

    #[test]
    fn google_calls_have_the_fields_of_kubernetes() {
        for (method, resource, status, expected) in GOOGLE_CASES {
            let record = format!(
                r#"{{"insertId":"a","protoPayload":{{"@type":"type.googleapis.com/google.cloud.audit.AuditLog","serviceName":"k8s.io","methodName":"{method}","resourceName":"{resource}","status":{status},"authenticationInfo":{{"principalEmail":"dev@corp.example"}},"requestMetadata":{{"callerIp":"198.51.100.7"}},"request":{{"spec":{{"hostPID":true}}}}}}}}"#
            );
            let event = carried(&record).unwrap();
            let names = [
                "verb",
                "objectRef.resource",
                "objectRef.subresource",
                "objectRef.namespace",
                "objectRef.name",
                "responseStatus.code",
            ];
            let found = names.map(|name| says(&event, name));
            assert_eq!(found.each_ref().map(Option::as_deref), *expected, "{method}");
            assert_eq!(says(&event, "user.username").as_deref(), Some("dev@corp.example"));
            assert_eq!(says(&event, "requestObject.spec.hostPID").as_deref(), Some("true"));
        }
    }
}
