//! Descriptions of tools, prompts and servers in JSON files.

use serde_json::Value;

/// Values that are looked at.
const MOST_VALUES: usize = 50_000;
/// Keys of texts that a model reads.
const DECLARED: [&str; 5] = ["description", "instructions", "prompt", "text", "title"];

/// Name of what a text describes, and the text.
pub(super) type Description = (String, String);

/// The descriptions of a file that declares a server; none for other files. The whole text of the file is read beside them.
pub(super) fn descriptions(content: &[u8]) -> Vec<Description> {
    let content = content.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(content);
    let Ok(json) = serde_json::from_slice::<Value>(content) else { return Vec::new() };
    if !["tools", "prompts", "mcpServers", "instructions"].iter().any(|key| json.get(key).is_some()) {
        return Vec::new();
    }
    let mut texts = Vec::new();
    let mut waiting: Vec<(&Value, &str, &str)> = vec![(&json, "", "")];
    for _ in 0..MOST_VALUES {
        let Some((value, key, name)) = waiting.pop() else { break };
        match value {
            Value::String(text) if DECLARED.contains(&key) => texts.push((name.to_owned(), text.clone())),
            Value::Array(list) => waiting.extend(list.iter().rev().map(|one| (one, key, name))),
            Value::Object(map) => {
                let name = map.get("name").and_then(Value::as_str).unwrap_or(name);
                waiting.extend(map.iter().rev().map(|(key, one)| (one, key.as_str(), name)));
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_of_tools_are_found_with_their_names() {
        let found = descriptions(br#"{"tools": [{"name": "add", "description": "Adds."}], "note": "more"}"#);
        assert_eq!(found, [("add".to_owned(), "Adds.".to_owned())]);
        assert_eq!(descriptions(br#"{"description": "A package."}"#), []);
        assert_eq!(descriptions(b"{"), []);
    }
}
