//! Fields of an event that are carried through the windows that count it, so that correlations of correlations can read their
//! groups and values in it when it becomes a point, long after the record itself was dropped.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sigma::event::{Event, Value};

use crate::identity::grouped;

/// Fields of an event and their values, each bounded as values are that things are grouped by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Carried(BTreeMap<String, String>);

impl Carried {
    /// The first value of each of `fields` that an event has; `None` where none is needed.
    pub fn of(fields: &[String], event: &Event<'_>) -> Option<Arc<Self>> {
        if fields.is_empty() {
            return None;
        }
        let mut values = Vec::new();
        let first = |name: &String| {
            values.clear();
            event.values(name, &mut values);
            let text = values.iter().find_map(|value| value.to_text())?;
            Some((name.clone(), grouped(text.into_owned())))
        };
        Some(Arc::new(Self(fields.iter().filter_map(first).collect())))
    }

    /// An event of these fields alone.
    pub fn event(&self) -> Event<'_> {
        let mut event = Event::default();
        for (name, value) in &self.0 {
            event.push(name.as_str(), Value::String(value.as_str().into()));
        }
        event
    }

    /// Bytes, about, that it takes.
    pub fn cost(&self) -> usize {
        self.0.iter().map(|(name, value)| name.len() + 2 * value.len() + 16).sum::<usize>() + 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_carried_reads_as_the_event_did() {
        let mut event = Event::default();
        event.push("user", Value::Array(vec![Value::Null, Value::String("eve".into()), Value::Int(2)]));
        event.push("http", Value::Map(vec![("bytes".into(), Value::Double(1.5))]));
        event.push("unasked", Value::Bool(true));
        let fields = ["user", "http.bytes", "absent"].map(str::to_owned);
        let carried = Carried::of(&fields, &event).unwrap();
        let read = |name: &str| carried.event().field(name).and_then(Value::to_text).map(String::from);
        assert_eq!((read("user"), read("http.bytes")), (Some("eve".to_owned()), Some("1.5".to_owned())));
        assert_eq!((read("absent"), read("unasked")), (None, None));
        assert_eq!(Carried::of(&[], &event), None);
    }
}
