//! The records of one audit event as a JSON object, by the name of their type: `{"ID": "1783501811.000:12", "SYSCALL":
//! {…}, "EXECVE": {"ARGV": […]}}`.

use std::borrow::Cow;

use sigma::event::Value;

use super::kinds::{self, Kind};
use super::{Record, time};
use crate::reading::Reading;
use crate::reading::Structure;
use crate::record::Entries;

/// Arguments beyond these are left out.
const MOST_ARGUMENTS: usize = 200;

/// Reads an event; `None` for other objects.
pub(crate) fn read<'t>(fields: &[(Cow<'t, str>, Value<'t>)]) -> Option<Structure<'t>> {
    let text = |name: &str| fields.iter().find(|(own, _)| own == name).and_then(|(_, value)| value.as_str());
    let (moment, _) = text("ID")?.rsplit_once(':')?;
    let time = time(moment)?;
    let mut reading: Option<Reading<'t>> = None;
    // The action is more specific than the system call.
    for wants_report in [true, false] {
        for (name, value) in fields {
            let Value::Map(entries) = value else { continue };
            let kind = kinds::of(name);
            let is_wanted = if wants_report {
                kind != Kind::Other
            } else {
                matches!(name.as_ref(), "SYSCALL" | "EXECVE")
            };
            if !is_wanted {
                continue;
            }
            let entries = texts(entries);
            let found = Record { kind, entries: &entries }.reading(name);
            match &mut reading {
                None => reading = Some(found),
                Some(reading) => {
                    if name == "EXECVE" {
                        reading.log_source = found.log_source.clone();
                    }
                    reading.append(found);
                }
            }
        }
    }
    let mut reading = reading?;
    if let Some((_, Value::String(node))) = fields.iter().find(|(name, _)| name == "NODE") {
        reading.push("host.name", Value::String(node.clone()));
    }
    Some(Structure { entries: Vec::new(), reading, time: Some(time) })
}

/// The fields as texts, and arguments one by one.
fn texts<'t>(entries: &Entries<'t>) -> Entries<'t> {
    let mut found: Entries<'t> = Vec::with_capacity(entries.len());
    for (name, value) in entries {
        match value {
            Value::Array(values) if name == "ARGV" => {
                let arguments = values.iter().take(MOST_ARGUMENTS).enumerate();
                found.extend(
                    arguments.map(|(number, value)| (Cow::Owned(format!("a{number}")), value.clone())),
                );
            }
            Value::Int(number) => found.push((name.clone(), Value::String(number.to_string().into()))),
            value => found.push((name.clone(), value.clone())),
        }
    }
    found
}
