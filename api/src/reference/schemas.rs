//! The types of the document: properties with their bounds, and an example.

use serde_json::Value;

use super::kinds::{kind, referenced};
use super::operations::table;
use super::{elements, inline, members, prose};
use rest::html::escape;

/// Every component.
pub(super) fn all(api: &Value) -> String {
    let mut html = String::from("<h2 id=\"types\">Types</h2>\n");
    for (name, schema) in members(&api["components"]["schemas"]) {
        html.push_str(&one(name, schema));
    }
    html
}

fn one(name: &str, schema: &Value) -> String {
    let name = escape(name);
    let mut html = format!("<section id=\"schema-{name}\">\n<h3>{name}</h3>\n");
    html.push_str(&prose(&schema["description"]));
    let parts: Vec<&Value> = match &schema["allOf"] {
        Value::Array(parts) => parts.iter().collect(),
        _ => vec![schema],
    };
    for base in parts.iter().filter(|part| referenced(part).is_some()) {
        html.push_str(&format!("<p>All properties of {}, and:</p>\n", kind(base)));
    }
    let rows: String = parts.iter().map(|part| properties(part)).collect();
    if rows.is_empty() {
        html.push_str(&format!("<p>{}</p>\n", kind(schema)));
    }
    html.push_str(&table("", ["Property", "Type", "Description"], &rows));
    if !schema["example"].is_null() {
        let example = serde_json::to_string_pretty(&schema["example"]).unwrap_or_default();
        html.push_str(&format!("<h4>Example</h4>\n<pre><code>{}</code></pre>\n", escape(&example)));
    }
    html.push_str("</section>\n");
    html
}

fn properties(schema: &Value) -> String {
    let required: Vec<&str> = elements(&schema["required"]).filter_map(Value::as_str).collect();
    let row = |(name, property): (&String, &Value)| {
        let optional = if required.contains(&name.as_str()) { "" } else { ", optional" };
        format!(
            "<tr><td><code>{}</code></td><td>{}{optional}</td><td>{}</td></tr>\n",
            escape(name),
            kind(property),
            inline(property["description"].as_str().unwrap_or_default()),
        )
    };
    members(&schema["properties"]).map(row).collect()
}
