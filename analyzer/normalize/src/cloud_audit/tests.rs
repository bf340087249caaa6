//! Records of audit logs, in the fields that tell them.

use super::*;
use crate::json;

/// Record, product, service, action, outcome.
type Case = (&'static str, &'static str, Option<&'static str>, Option<&'static str>, Option<&'static str>);

const CASES: &[Case] = &[
    (
        r#"{"eventVersion":"1.08","eventSource":"iam.amazonaws.com","eventName":"CreateUser"}"#,
        "aws",
        Some("cloudtrail"),
        Some("CreateUser"),
        Some("success"),
    ),
    (
        r#"{"eventVersion":"1.08","eventSource":"iam.amazonaws.com","eventName":"CreateUser","errorCode":"AccessDenied"}"#,
        "aws",
        Some("cloudtrail"),
        Some("CreateUser"),
        Some("failure"),
    ),
    (
        r#"{"eventVersion":"1.08","eventSource":"signin.amazonaws.com","eventName":"ConsoleLogin","responseElements":{"ConsoleLogin":"Failure"}}"#,
        "aws",
        Some("cloudtrail"),
        Some("ConsoleLogin"),
        Some("failure"),
    ),
    (
        r#"{"kind":"Event","auditID":"i","stage":"ResponseComplete","verb":"list","objectRef":{"resource":"secrets"},"responseStatus":{"code":403}}"#,
        "kubernetes",
        Some("audit"),
        Some("list"),
        Some("failure"),
    ),
    (
        r#"{"kind":"Event","auditID":"i","stage":"RequestReceived","verb":"get","requestURI":"/healthz"}"#,
        "kubernetes",
        Some("audit"),
        Some("get"),
        None,
    ),
    (
        r#"{"protoPayload":{"@type":"type.googleapis.com/google.cloud.audit.AuditLog","methodName":"SetIamPolicy","status":{"code":7}}}"#,
        "gcp",
        Some("gcp.audit"),
        Some("SetIamPolicy"),
        Some("failure"),
    ),
    (
        r#"{"eventType":"user.session.start","actor":{"id":"u"},"published":"2026-07-08T09:10:11Z","outcome":{"result":"FAILURE"}}"#,
        "okta",
        Some("okta"),
        Some("user.session.start"),
        Some("failure"),
    ),
    (
        r#"{"action":"repo.create","actor":"alice","_document_id":"d"}"#,
        "github",
        Some("audit"),
        Some("repo.create"),
        None,
    ),
    (
        r#"{"operationName":"Sign-in activity","category":"SignInLogs","resultType":"50126","properties":{}}"#,
        "azure",
        Some("signinlogs"),
        Some("Sign-in activity"),
        Some("failure"),
    ),
    (
        r#"{"operationName":"MICROSOFT.KEYVAULT/VAULTS/DELETE","category":"Administrative","resultType":"Success","properties":{}}"#,
        "azure",
        Some("activitylogs"),
        Some("MICROSOFT.KEYVAULT/VAULTS/DELETE"),
        Some("success"),
    ),
    (
        r#"{"operationName":{"value":"Microsoft.Authorization/locks/delete"},"category":{"value":"Administrative"},"status":{"value":"Failed"},"properties":{}}"#,
        "azure",
        Some("activitylogs"),
        None,
        Some("failure"),
    ),
    (
        r#"{"kind":"admin#reports#activity","id":{"time":"2026-11-20T09:10:11Z","uniqueQualifier":"1","applicationName":"admin"},"actor":{"email":"root@corp.example"},"events":[{"type":"DELEGATED_ADMIN_SETTINGS","name":"ASSIGN_ROLE"}]}"#,
        "gcp",
        Some("google_workspace.admin"),
        Some("ASSIGN_ROLE"),
        None,
    ),
    (
        r#"{"kind":"admin#reports#activity","id":{"applicationName":"login"},"actor":{"email":"a@corp.example"},"events":[{"name":"login_failure"}]}"#,
        "gcp",
        Some("google_workspace.login"),
        Some("login_failure"),
        Some("failure"),
    ),
    (
        r#"{"operationName":{"value":"x"},"category":"NetworkSecurityGroupEvent","properties":{}}"#,
        "azure",
        None,
        None,
        None,
    ),
];

fn reading<'a>(event: &Event<'a>) -> Option<Reading<'a>> {
    let roles = Roles::of(&event.fields);
    let mut reading = Reading::default();
    read(of(event, &roles)?, event, &roles, &mut reading);
    Some(reading)
}

#[test]
fn every_log_is_told_and_says_what_was_done() {
    for (text, product, service, action, outcome) in CASES {
        let fields = json::entries(text).unwrap();
        let event = Event { fields, ..Event::default() };
        let reading = reading(&event).unwrap_or_else(|| panic!("not read: {text}"));
        let value = |name: &str| reading.fields.iter().find(|(own, _)| *own == name)?.1.as_str();
        let category = if *product == "kubernetes" { "application" } else { "audit" };
        assert_eq!(reading.log_source, source(Some(product), Some(category), *service), "{text}");
        assert_eq!((value("event.action"), value("event.outcome")), (*action, *outcome), "{text}");
    }
}

#[test]
fn other_records_are_no_audit_logs() {
    for text in [
        r#"{"eventName":"click","eventSource":"web"}"#,
        r#"{"kind":"Event","reason":"Pulled"}"#,
        r#"{"protoPayload":{"@type":"type.googleapis.com/google.appengine.logging.v1.RequestLog"}}"#,
        r#"{"action":"login","actor":"alice"}"#,
        r#"{"category":"shoes","properties":{}}"#,
    ] {
        let fields = json::entries(text).unwrap();
        let event = Event { fields, ..Event::default() };
        assert_eq!(reading(&event), None, "{text}");
    }
}
