//! The type of a value in words, with its bounds, and links to the types it names.

use serde_json::Value;

use super::elements;
use rest::html::escape;

/// Values of a set that are listed in place; longer sets are types of their own.
const MAX_LISTED: usize = 24;

/// The type of a schema, as HTML.
pub(super) fn kind(schema: &Value) -> String {
    if let Some(name) = referenced(schema) {
        return link(name);
    }
    let variants: Vec<&Value> =
        ["oneOf", "anyOf"].iter().flat_map(|combination| elements(&schema[*combination])).collect();
    if !variants.is_empty() {
        return variants.into_iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    if schema["allOf"].is_array() {
        return elements(&schema["allOf"]).filter_map(referenced).map(link).collect::<Vec<_>>().join(" and ");
    }
    let words: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        several => elements(several).filter_map(Value::as_str).collect(),
    };
    let words: Vec<String> = words.into_iter().map(|word| word_of(word, schema)).collect();
    let kind = if words.is_empty() { "any value".to_owned() } else { words.join(" or ") };
    format!("{kind}{}", bounds(schema))
}

/// The name of the component that a schema refers to.
pub(super) fn referenced(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}

fn link(name: &str) -> String {
    let name = escape(name);
    format!("<a href=\"#schema-{name}\">{name}</a>")
}

fn word_of(word: &str, schema: &Value) -> String {
    match word {
        "array" => format!("array of {}", kind(&schema["items"])),
        "object" if schema["additionalProperties"].is_object() => {
            format!("map of {}", kind(&schema["additionalProperties"]))
        }
        other => escape(other),
    }
}

/// Format, value set, lengths and range, each where there is one.
fn bounds(schema: &Value) -> String {
    let mut bounds = Vec::new();
    if let Some(format) = schema["format"].as_str() {
        bounds.push(escape(format));
    }
    if let Some(values) = schema["enum"].as_array() {
        let listed = values.iter().take(MAX_LISTED).map(|value| format!("<code>{}</code>", plain(value)));
        bounds.push(format!("one of {}", listed.collect::<Vec<_>>().join(", ")));
    }
    for (least, most, unit) in [
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " items"),
        ("minProperties", "maxProperties", " properties"),
        ("minimum", "maximum", ""),
    ] {
        match (schema[least].as_u64(), schema[most].as_u64()) {
            (Some(least), Some(most)) if least == most => bounds.push(format!("{least}{unit}")),
            (Some(least), Some(most)) => bounds.push(format!("{least} to {most}{unit}")),
            (Some(least), None) if least > 0 || unit.is_empty() => {
                bounds.push(format!("at least {least}{unit}"))
            }
            (None, Some(most)) => bounds.push(format!("at most {most}{unit}")),
            _ => {}
        }
    }
    if let Some(pattern) = schema["pattern"].as_str() {
        bounds.push(format!("matching <code>{}</code>", escape(pattern)));
    }
    if schema["uniqueItems"] == true {
        bounds.push("each once".to_owned());
    }
    if !schema["default"].is_null() {
        bounds.push(format!("default <code>{}</code>", plain(&schema["default"])));
    }
    if bounds.is_empty() { String::new() } else { format!(", {}", bounds.join(", ")) }
}

/// A value without the quotes of a string.
fn plain(value: &Value) -> String {
    escape(&value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}
