//! The page against the document it is made from.

use serde_json::json;

use super::*;

#[test]
fn every_operation_and_every_type_stands_on_the_page_once() {
    let api: Value = serde_json::from_str(&crate::openapi::text(None, Vec::new())).unwrap();
    let page = page(&api, "/api/v1");
    let mut links = 0;
    for (path, methods) in members(&api["paths"]) {
        for (method, operation) in members(methods) {
            let id = operation["operationId"].as_str().unwrap();
            assert_eq!(page.matches(&format!("<section id=\"{id}\">")).count(), 1, "{id}");
            assert!(page.contains(&format!("<code>{} {path}</code>", method.to_uppercase())), "{id}");
            links += 1;
        }
    }
    assert!(links > 40, "{links}");
    for (name, _) in members(&api["components"]["schemas"]) {
        assert_eq!(page.matches(&format!("<section id=\"schema-{name}\">")).count(), 1, "{name}");
    }
    for target in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(page.contains(&format!("id=\"{target}\"")), "#{target} leads nowhere");
    }
    for outside in ["<script", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn what_a_description_holds_is_text() {
    let api = json!({
        "info": {"title": "<i>", "version": "1", "description": "a `<b>` & c\n\nd"},
        "tags": [{"name": "<t>"}],
        "paths": {"/x": {"get": {"tags": ["<t>"], "operationId": "x", "summary": "<s>", "responses": {}}}},
        "components": {"schemas": {"A": {
            "type": "object",
            "properties": {"n": {"type": "string", "enum": ["<e>"], "description": "`unclosed <"}},
            "example": {"n": "</code><e>"}
        }}}
    });
    let page = page(&api, "/api/v1");
    for tag in ["<i>", "<b>", "<t>", "<s>", "<e>"] {
        assert!(!page.contains(tag), "{tag}: {page}");
    }
    assert!(page.contains("<p>a <code>&lt;b&gt;</code> &amp; c</p>\n<p>d</p>"), "{page}");
}

#[test]
fn bounds_are_said_in_words() {
    for (schema, expected) in [
        (json!({"type": "string", "minLength": 1, "maxLength": 100}), "string, 1 to 100 characters"),
        (
            json!({"type": ["array", "null"], "items": {"type": "string"}, "maxItems": 2}),
            "array of string or null, at most 2 items",
        ),
        (
            json!({"type": "integer", "format": "int32", "minimum": 0, "default": 25}),
            "integer, int32, at least 0, default <code>25</code>",
        ),
        (
            json!({"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/A"}]}),
            "null or <a href=\"#schema-A\">A</a>",
        ),
        (json!({"type": "object", "additionalProperties": {"type": "string"}}), "map of string"),
        (json!({}), "any value"),
    ] {
        assert_eq!(kinds::kind(&schema), expected);
    }
}
