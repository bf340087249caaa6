//! The nested forms of Windows events made flat: XML as JSON (`{"Event": {"System": …, "EventData": …}}`),
//! the collector's (`{"channel": …, "event_id": {"id": …}, "event_data": …}`) and Winlogbeat's.

use std::borrow::Cow;

use sigma::event::Value;

use crate::record::Entries;

/// Parts of an event whose elements are fields.
const PARTS: [&str; 5] = ["System", "EventData", "UserData", "event_data", "winlog.event_data"];

/// Lifts the parts of an event to the top level. XML attributes are joined to their element's name with
/// `_`. Other records are read once.
pub(crate) fn flatten(fields: &mut Entries<'_>) {
    if !fields.iter().any(|(name, value)| is_nested(name, value)) {
        return;
    }
    unwrap(fields, "Event");
    unwrap(fields, "winlog");
    let is_event = fields.iter().any(|(name, value)| match value {
        Value::Map(entries) => name == "System" && entries.iter().any(|(key, _)| key == "EventID"),
        _ => name.eq_ignore_ascii_case("Channel") || name == "winlog.channel",
    });
    if !is_event {
        return;
    }
    let mut lifted = Vec::new();
    for (name, value) in fields.iter_mut() {
        if PARTS.iter().any(|part| name == part) {
            match std::mem::replace(value, Value::Null) {
                Value::Map(entries) if name == "UserData" => user_data(entries, &mut lifted),
                Value::Map(entries) => {
                    entries.into_iter().for_each(|(name, value)| element(name, value, &mut lifted));
                }
                other => *value = other,
            }
        }
    }
    for (name, known) in [("event_id", "EventID"), ("provider", "Provider_Name")] {
        let inside = fields.iter().find_map(|(own, value)| match value {
            Value::Map(entries) if own == name => {
                entries.iter().find(|(key, _)| key == "id" || key == "name")
            }
            _ => None,
        });
        if let Some((_, value)) = inside {
            lifted.push((Cow::Borrowed(known), value.clone()));
        }
    }
    fields.extend(lifted);
}

fn is_nested(name: &str, value: &Value<'_>) -> bool {
    matches!(value, Value::Map(_)) && (matches!(name, "Event" | "winlog") || PARTS.contains(&name))
}

/// Moves the parts inside a wrapper to the top level; other content stays.
fn unwrap(fields: &mut Entries<'_>, wrapper: &str) {
    let Some((_, Value::Map(inside))) = fields.iter_mut().find(|(name, _)| name == wrapper) else { return };
    let (parts, others) =
        std::mem::take(inside).into_iter().partition(|(name, _)| PARTS.iter().any(|part| name == part));
    *inside = others;
    let parts: Entries<'_> = parts;
    let has_channel = wrapper == "winlog" && !parts.is_empty();
    let channel = inside.iter().find(|(name, _)| has_channel && name == "channel").cloned();
    fields.extend(parts);
    fields.extend(channel);
}

/// One element of XML inside `UserData` names the kind of event; the fields are in it.
fn user_data<'a>(entries: Entries<'a>, into: &mut Entries<'a>) {
    for (name, value) in entries {
        match value {
            Value::Map(inside) => inside.into_iter().for_each(|(name, value)| element(name, value, into)),
            value => into.push((name, value)),
        }
    }
}

fn element<'a>(name: Cow<'a, str>, value: Value<'a>, into: &mut Entries<'a>) {
    match value {
        Value::Array(items) if name.eq_ignore_ascii_case("Data") => data(name, items, into),
        Value::Map(entries) => attributes(name, entries, into),
        value => into.push((name, value)),
    }
}

/// `<Data Name="…">…</Data>`, as different converters write it. Data without a name stays together.
fn data<'a>(name: Cow<'a, str>, items: Vec<Value<'a>>, into: &mut Entries<'a>) {
    let mut unnamed = Vec::new();
    for item in items {
        match item {
            Value::Map(mut entries) => match named(&mut entries) {
                Some(entry) => into.push(entry),
                None => unnamed.extend(entries.into_iter().map(|(_, value)| value)),
            },
            value => unnamed.push(value),
        }
    }
    if !unnamed.is_empty() {
        into.push((name, Value::Array(unnamed)));
    }
}

fn named<'a>(entries: &mut Entries<'a>) -> Option<(Cow<'a, str>, Value<'a>)> {
    let mut take = |names: &[&str]| {
        let at = entries.iter().position(|(own, _)| names.iter().any(|name| own == name))?;
        Some(entries.swap_remove(at).1)
    };
    let name = match take(&["@Name", "Name", "#attributes"]) {
        Some(Value::Map(attributes)) => {
            attributes.into_iter().find(|(key, _)| key == "Name").map(|(_, name)| name)
        }
        name => name,
    };
    if let Some(Value::String(name)) = name {
        return Some((name, take(&["#text", "Value", "text", "content"]).unwrap_or(Value::Null)));
    }
    // `{"TargetUserName": "alice"}`, as older collectors write it.
    let is_pair = entries.len() == 1
        && entries.first().is_some_and(|(name, _)| !name.is_empty() && !name.starts_with('#'));
    if is_pair { entries.pop() } else { None }
}

/// An element with attributes: `{"#attributes": {"Name": …}, "#text": …}`, or with an `@` before each.
fn attributes<'a>(name: Cow<'a, str>, entries: Entries<'a>, into: &mut Entries<'a>) {
    let (marked, plain): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|(key, _)| key.starts_with(['#', '@']));
    for (key, value) in marked {
        match value {
            Value::Map(attributes) => into.extend(
                attributes
                    .into_iter()
                    .map(|(attribute, value)| (Cow::Owned(format!("{name}_{attribute}")), value)),
            ),
            value if key == "#text" => into.push((name.clone(), value)),
            value => {
                let Some(attribute) = key.strip_prefix('@') else { continue };
                into.push((Cow::Owned(format!("{name}_{attribute}")), value));
            }
        }
    }
    if !plain.is_empty() {
        into.push((name, Value::Map(plain)));
    }
}
