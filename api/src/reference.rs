//! The interface description as a page for people: every operation and every type of the OpenAPI document, made once
//! from the document itself.

mod kinds;
mod operations;
mod schemas;

use serde_json::Value;

use rest::html::{document, escape};

/// The page of an OpenAPI document, which lies at `openapi.json` below `base_path`.
pub(crate) fn page(api: &Value, base_path: &str) -> String {
    let version = api["info"]["version"].as_str().unwrap_or_default();
    let mut body = format!(
        "<p class=\"quiet\">Version {}. Also available as <a href=\"{}/openapi.json\">OpenAPI 3.1 \
        document</a>, from which \
         clients can be generated.</p>\n",
        escape(version),
        escape(base_path.trim_start_matches('/')),
    );
    for server in elements(&api["servers"]) {
        let url = server["url"].as_str().unwrap_or_default();
        body.push_str(&format!("<p>Paths are below <code>{}</code>.</p>\n", escape(url)));
    }
    body.push_str(&prose(&api["info"]["description"]));
    body.push_str(&operations::contents(api));
    body.push_str(&operations::all(api));
    body.push_str(&schemas::all(api));
    document("API reference", &body)
}

/// The elements of an array; none where the value is anything else.
fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The members of an object; none where the value is anything else.
fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// A description: paragraphs, and code between backquotes.
fn prose(text: &Value) -> String {
    let paragraphs = text.as_str().unwrap_or_default().split("\n\n").filter(|text| !text.trim().is_empty());
    paragraphs.map(|text| format!("<p>{}</p>\n", inline(text))).collect()
}

/// One paragraph, code between backquotes.
fn inline(text: &str) -> String {
    let mut html = String::new();
    for (index, part) in text.split('`').enumerate() {
        match index % 2 {
            0 => html.push_str(&escape(part)),
            _ => html.push_str(&format!("<code>{}</code>", escape(part))),
        }
    }
    html
}

#[cfg(test)]
mod tests;
