//! The item that keeps a rule from matching, in the words of the rule, and the values of the event.

use std::borrow::Cow;

use serde::Serialize;

use crate::document::{FieldTest, Scalar};
use crate::event::Value;
use crate::matcher::FieldCheck;
use crate::matcher::fields::FieldTable;
use crate::matcher::lookup::Lookup;
use crate::number::Number;

/// Expected values, field names and found values that are listed.
const MOST_TOLD: usize = 4;
/// Bytes of each of them.
const TOLD_BYTES: usize = 200;

/// The item that keeps a rule from matching.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Miss {
    /// The selection that contains it.
    pub selection: String,
    /// The field and its modifiers as the rule writes them; empty for a keyword.
    pub key: String,
    /// Whether the item should hold; else it holds and should not.
    pub should_hold: bool,
    /// The values as the rule writes them, the first ones, shortened.
    pub values: Vec<String>,
    /// Number of further ones.
    pub more_values: usize,
    /// The names that events have for the field, the first ones; empty for a keyword.
    pub names: Vec<String>,
    /// The value in the event.
    pub found: Observed,
}

/// The value of a field in an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Observed {
    /// The field is absent.
    Absent,
    /// The field is there without a value.
    Null,
    /// The field's values, the first ones, shortened.
    Values {
        /// The values.
        values: Vec<String>,
        /// Number of further ones.
        more: usize,
    },
    /// A keyword: all values of the event were searched.
    Everything,
}

impl Miss {
    /// An item of a selection, and the check that it was compiled to.
    pub(super) fn of(
        selection: &str,
        check: &FieldCheck,
        written: &FieldTest,
        fields: &FieldTable,
        lookup: &mut Lookup<'_, '_>,
    ) -> Self {
        let values = written.values.iter().take(MOST_TOLD).map(|value| shortened(&scalar(value))).collect();
        let names = check.field.into_iter().flat_map(|field| fields.names_of(field));
        let names = names.take(MOST_TOLD).map(str::to_owned).collect();
        Self {
            selection: selection.to_owned(),
            key: written.key.clone(),
            should_hold: !check.holds(lookup),
            values,
            more_values: written.values.len().saturating_sub(MOST_TOLD),
            names,
            found: observed(check, lookup),
        }
    }
}

fn observed(check: &FieldCheck, lookup: &mut Lookup<'_, '_>) -> Observed {
    if check.field.is_none() {
        return Observed::Everything;
    }
    let found = lookup.find(check.field);
    if found.is_empty() {
        return if found.present { Observed::Null } else { Observed::Absent };
    }
    let count = lookup.readings(found).count();
    let readings = lookup.readings(found).take(MOST_TOLD);
    let values = readings.map(|reading| shortened(&value_text(reading.value))).collect();
    Observed::Values { values, more: count.saturating_sub(MOST_TOLD) }
}

fn value_text<'e>(value: &'e Value<'_>) -> Cow<'e, str> {
    value.to_text().unwrap_or(Cow::Borrowed("(an object)"))
}

fn scalar(value: &Scalar) -> Cow<'_, str> {
    match value {
        Scalar::Text(text) => Cow::Borrowed(text),
        Scalar::Number(Number::Int(number)) => Cow::Owned(number.to_string()),
        Scalar::Number(Number::Double(number)) => Cow::Owned(number.to_string()),
        Scalar::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
        Scalar::Null => Cow::Borrowed("null"),
    }
}

fn shortened(text: &str) -> String {
    if text.len() <= TOLD_BYTES {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(TOLD_BYTES)])
}
