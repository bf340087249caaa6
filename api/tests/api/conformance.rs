//! Whether a reply is what the interface description says: statuses and the shape of JSON bodies.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use http::{Method, StatusCode};
use serde_json::{Map, Value};

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(&crate::document()).unwrap());

/// Checks a reply of a described operation; others, such as unknown paths, are not described.
#[track_caller]
pub(crate) fn check(method: &Method, path: &str, status: StatusCode, body: &[u8]) {
    let Some(operation) = operation(method, path) else { return };
    let response = &operation["responses"][status.as_str()];
    assert!(response.is_object(), "{method} {path} answered {status}, which is not described");
    let schema = &response["content"]["application/json"]["schema"];
    if body.is_empty() || *method == Method::HEAD {
        assert!(schema.is_null() || *method == Method::HEAD, "{method} {path} {status} answered no body");
        return;
    }
    let body = serde_json::from_slice(body).unwrap();
    if let Err(difference) = fits(&body, schema) {
        panic!("{method} {path} {status}: {difference}");
    }
}

fn operation(method: &Method, path: &str) -> Option<&'static Value> {
    let templates = DOCUMENT["paths"].as_object().unwrap();
    let found = templates.iter().find(|(template, _)| is_at(path, template));
    let method = if *method == Method::HEAD { "get".to_owned() } else { method.as_str().to_lowercase() };
    found.and_then(|(_, operations)| operations.get(method))
}

fn is_at(path: &str, template: &str) -> bool {
    let (given, template): (Vec<_>, Vec<_>) = (path.split('/').collect(), template.split('/').collect());
    let same = |(segment, given): (&&str, &&str)| segment == given || segment.starts_with('{');
    given.len() == template.len() && template.iter().zip(&given).all(same)
}

/// The part of JSON Schema that the document uses. Properties that are not described are a difference.
fn fits(value: &Value, schema: &Value) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let pointer = reference.strip_prefix('#').unwrap();
        return fits(value, DOCUMENT.pointer(pointer).ok_or_else(|| format!("{reference} leads nowhere"))?);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let fitting = choices.iter().filter(|choice| fits(value, choice).is_ok()).count();
        return if fitting == 1 { Ok(()) } else { Err(format!("{value} fits {fitting} of {choices:?}")) };
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(some) => some.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|kind| is_a(value, kind)) {
        return Err(format!("{value} is not {types:?}"));
    }
    if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
        return Err(format!("{value} is not one of {}", schema["enum"]));
    }
    match value {
        Value::Array(items) if !schema["items"].is_null() => {
            items.iter().try_for_each(|item| fits(item, &schema["items"]))
        }
        Value::Object(object) if schema["properties"].is_object() || schema["allOf"].is_array() => {
            object_fits(object, schema)
        }
        Value::Object(object) if schema["additionalProperties"].is_object() => {
            object.values().try_for_each(|value| fits(value, &schema["additionalProperties"]))
        }
        _ => Ok(()),
    }
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    }
}

fn object_fits(object: &Map<String, Value>, schema: &Value) -> Result<(), String> {
    let (mut properties, mut required) = (Map::new(), BTreeSet::new());
    gather(schema, &mut properties, &mut required);
    if let Some(missing) = required.iter().find(|name| !object.contains_key(**name)) {
        return Err(format!("`{missing}` is missing"));
    }
    for (name, value) in object {
        let property = properties.get(name).ok_or_else(|| format!("`{name}` is not described"))?;
        fits(value, property).map_err(|difference| format!("{name}: {difference}"))?;
    }
    Ok(())
}

fn gather<'s>(schema: &'s Value, properties: &mut Map<String, Value>, required: &mut BTreeSet<&'s str>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = DOCUMENT.pointer(reference.strip_prefix('#').unwrap()).unwrap();
        return gather(target, properties, required);
    }
    properties.extend(schema["properties"].as_object().cloned().unwrap_or_default());
    required.extend(schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str));
    for part in schema["allOf"].as_array().into_iter().flatten() {
        gather(part, properties, required);
    }
}
