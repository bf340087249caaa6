//! `/openapi.json`: served, committed, and strict where the endpoints are.

use http::{Method, StatusCode};
use serde_json::Value;

use crate::harness::{World, request};

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");

#[test]
fn the_committed_document_is_the_one_served() {
    let served = crate::document();
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        std::fs::write(COMMITTED, &served).unwrap();
    }
    let committed = std::fs::read_to_string(COMMITTED).unwrap_or_default();
    assert!(
        served == committed,
        "api/openapi.json is not what the API serves; after a look at the difference, write it with\n\
         UPDATE_OPENAPI=1 cargo test -p api --test api openapi"
    );
}

#[tokio::test]
async fn anyone_may_read_it() {
    let world = World::new();
    let reply = world.send(request(Method::GET, "/openapi.json", None, None)).await;
    let document = reply.ok(200);
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], "1.0.0");
    assert_eq!(document["servers"][0]["url"], "http://127.0.0.1:8080", "its own address");
    let reply = world.send(request(Method::GET, "/openapi.json?pretty=1", None, None)).await;
    reply.refused(400, "invalid_request");
    let reply = world.send(request(Method::HEAD, "/openapi.json", None, None)).await;
    assert_eq!((reply.status, reply.body.len()), (StatusCode::OK, 0));
}

/// Every operation.
const OPERATIONS: [&str; 100] = [
    "POST /api/guard",
    "POST /api/redact",
    "POST /api/v1/agent-monitoring/detections",
    "POST /api/v1/agent-monitoring/pair",
    "GET /api/v1/agent-monitoring/rules",
    "POST /api/v1/agent-monitoring/status",
    "GET /api/v1/agents",
    "POST /api/v1/agents",
    "DELETE /api/v1/agents/{agent_id}",
    "GET /api/v1/agents/{agent_id}",
    "PATCH /api/v1/agents/{agent_id}",
    "GET /api/v1/agents/{agent_id}/alerts",
    "GET /api/v1/agents/{agent_id}/clients",
    "DELETE /api/v1/agents/{agent_id}/clients/{client_id}",
    "POST /api/v1/agents/{agent_id}/pairing-codes",
    "GET /api/v1/api-keys",
    "POST /api/v1/api-keys",
    "DELETE /api/v1/api-keys/{key_id}",
    "POST /api/v1/api-keys/{key_id}/rotate",
    "GET /api/v1/applications",
    "POST /api/v1/applications",
    "DELETE /api/v1/applications/{application_id}",
    "GET /api/v1/applications/{application_id}",
    "PATCH /api/v1/applications/{application_id}",
    "GET /api/v1/applications/{application_id}/inventory",
    "POST /api/v1/applications/{application_id}/inventory",
    "PATCH /api/v1/applications/{application_id}/inventory/{asset_id}",
    "GET /api/v1/code-host/installations",
    "POST /api/v1/code-host/installations",
    "DELETE /api/v1/code-host/installations/{installation_id}",
    "POST /api/v1/context/email",
    "POST /api/v1/context/file",
    "POST /api/v1/context/mcp",
    "POST /api/v1/context/message",
    "POST /api/v1/context/package",
    "POST /api/v1/context/skill",
    "GET /api/v1/context/{origin}/{identifier}",
    "GET /api/v1/contributor-trust-scans/{scan_id}",
    "GET /api/v1/contributors/{login}/trust",
    "POST /api/v1/contributors/{login}/trust-scans",
    "GET /api/v1/detection-rules",
    "POST /api/v1/detection-rules",
    "POST /api/v1/detection-rules/test",
    "DELETE /api/v1/detection-rules/{rule_id}",
    "GET /api/v1/detection-rules/{rule_id}",
    "PUT /api/v1/detection-rules/{rule_id}",
    "GET /api/v1/findings",
    "GET /api/v1/findings/facets",
    "GET /api/v1/findings/histogram",
    "POST /api/v1/findings/import",
    "DELETE /api/v1/findings/{finding_id}",
    "GET /api/v1/findings/{finding_id}",
    "PATCH /api/v1/findings/{finding_id}",
    "POST /api/v1/findings/{finding_id}/triage",
    "GET /api/v1/incidents",
    "GET /api/v1/incidents/facets",
    "GET /api/v1/incidents/histogram",
    "GET /api/v1/incidents/{incident_id}",
    "PATCH /api/v1/incidents/{incident_id}",
    "GET /api/v1/infrastructure/sources",
    "POST /api/v1/infrastructure/sources",
    "DELETE /api/v1/infrastructure/sources/{source_id}",
    "GET /api/v1/infrastructure/sources/{source_id}",
    "PATCH /api/v1/infrastructure/sources/{source_id}",
    "GET /api/v1/infrastructure/sources/{source_id}/status",
    "POST /api/v1/infrastructure/sources/{source_id}/v1/logs",
    "GET /api/v1/monitoring-policies",
    "POST /api/v1/monitoring-policies",
    "DELETE /api/v1/monitoring-policies/{policy_id}",
    "GET /api/v1/monitoring-policies/{policy_id}",
    "PATCH /api/v1/monitoring-policies/{policy_id}",
    "GET /api/v1/openapi.json",
    "GET /api/v1/organization",
    "GET /api/v1/repositories",
    "GET /api/v1/repositories/{repository_id}",
    "PATCH /api/v1/repositories/{repository_id}",
    "GET /api/v1/suppressions",
    "POST /api/v1/suppressions",
    "POST /api/v1/suppressions/preview",
    "DELETE /api/v1/suppressions/{suppression_id}",
    "GET /api/v1/suppressions/{suppression_id}",
    "GET /api/v1/telemetry",
    "POST /api/v1/telemetry",
    "DELETE /api/v1/telemetry/{endpoint_id}",
    "GET /api/v1/telemetry/{endpoint_id}",
    "PATCH /api/v1/telemetry/{endpoint_id}",
    "POST /api/v1/telemetry/{endpoint_id}/test",
    "GET /api/v1/webhook-deliveries",
    "POST /api/v1/webhook-deliveries/{delivery_id}/redeliver",
    "GET /api/v1/webhooks",
    "POST /api/v1/webhooks",
    "DELETE /api/v1/webhooks/{webhook_id}",
    "GET /api/v1/webhooks/{webhook_id}",
    "PATCH /api/v1/webhooks/{webhook_id}",
    "GET /api/v1/webhooks/{webhook_id}/deliveries",
    "POST /api/v1/webhooks/{webhook_id}/recover",
    "POST /api/v1/webhooks/{webhook_id}/rotate-secret",
    "POST /api/v1/webhooks/{webhook_id}/test",
    "POST /api/verify",
    "POST /webhooks/github",
];

#[test]
fn it_tells_of_every_endpoint_and_is_strict_about_bodies() {
    let document: Value = serde_json::from_str(&crate::document()).unwrap();
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap().to_owned();
            operations.push((format!("{} {path}", method.to_uppercase()), id));
            // The keys of logs are their sender's, and clients of guard, redact and verify send properties of newer versions.
            if !["accept_logs", "guard", "redact", "verify"].iter().any(|id| operation["operationId"] == *id)
            {
                let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
                check_strict(&document, path, schema);
            }
        }
    }
    let paths: Vec<&str> = operations.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, OPERATIONS);
    let mut ids: Vec<&str> = operations.iter().map(|(_, id)| id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), operations.len(), "operation ids are unique");
}

fn check_strict(document: &Value, path: &str, schema: &Value) {
    let references = schema["oneOf"].as_array().into_iter().flatten().chain([schema]);
    for name in references.filter_map(|schema| schema["$ref"].as_str()) {
        let name = name.rsplit('/').next().unwrap();
        let schema = &document["components"]["schemas"][name];
        assert_eq!(schema["additionalProperties"], false, "{path}: {name}");
        assert!(!schema["example"].is_null() || !schema["examples"].is_null(), "{path}: {name}");
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let document: Value = serde_json::from_str(&crate::document()).unwrap();
    let mut open = vec![&document];
    let mut references = 0;
    while let Some(value) = open.pop() {
        match value {
            Value::Object(object) => {
                if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
                    references += 1;
                    let pointer = reference.strip_prefix('#').unwrap();
                    assert!(document.pointer(pointer).is_some(), "{reference}");
                }
                open.extend(object.values());
            }
            Value::Array(array) => open.extend(array),
            _ => {}
        }
    }
    assert!(references > 50);
}

/// Properties that generated client types need: a name for each item, one value for each `object`, bounds for each text
/// that a request may carry.
#[test]
fn a_generated_client_is_typed() {
    let document: Value = serde_json::from_str(&crate::document()).unwrap();
    assert_eq!(document["servers"][0]["url"], "/");
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for (name, schema) in schemas {
        if let Some(item) = name.strip_prefix("Page_") {
            let reference = format!("#/components/schemas/{item}");
            assert_eq!(schema["properties"]["data"]["items"]["$ref"], reference, "{name}");
        }
        let object = &schema["properties"]["object"];
        let values = object["enum"].as_array().map(Vec::len);
        assert!(object.is_null() || values == Some(1), "{name}: {object}");
        for (property, about) in schema["properties"].as_object().into_iter().flatten() {
            let is_sent = schema["additionalProperties"] == false;
            assert!(!is_sent || is_bounded(about), "{name}.{property}: {about}");
        }
    }
    for operation in
        document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap())
    {
        for parameter in operation.1["parameters"].as_array().into_iter().flatten() {
            assert!(is_bounded(&parameter["schema"]), "{}: {parameter}", operation.1["operationId"]);
        }
    }
}

/// Whether a schema bounds the texts and numbers in it; a reference leads to one that is looked at itself.
fn is_bounded(schema: &Value) -> bool {
    let bounds = ["enum", "format", "maxLength", "pattern", "maximum", "$ref"];
    let is = |kind: &str| {
        schema["type"] == kind
            || schema["type"].as_array().is_some_and(|all| all.iter().any(|one| one == kind))
    };
    let parts = schema["oneOf"]
        .as_array()
        .into_iter()
        .flatten()
        .chain(schema.get("items"))
        .chain(schema.get("propertyNames"));
    let needs_bound = is("string") || is("integer");
    (!needs_bound || bounds.iter().any(|bound| !schema[*bound].is_null())) && parts.clone().all(is_bounded)
}
