//! Reading of a line or of a record's structure: canonical fields and a log source, to
//! be added to the event. Names the values that rules rely on.

use std::borrow::Cow;

use common::timestamp::Timestamp;
use sigma::event::{Event, LogSource, Value};

use super::address;
use super::presence::Presence;
use crate::record::{Entries, push_entry, push_with};

/// Outcome of the attempt (`event.outcome`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Success,
    Failure,
}

impl Outcome {
    fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
        }
    }
}

/// The category of a system's own messages. No rules name it: with a category, rules for every database or
/// web server are not for such records.
pub(super) const SYSTEM: &str = "system";

/// Room enough for most readings: growing copies the fields.
pub(super) const USUAL_FIELDS: usize = 16;

/// Canonical fields in the order they were read.
pub(super) type Fields<'t> = Vec<(&'static str, Value<'t>)>;

/// Canonical fields and the log source.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reading<'t> {
    pub(super) fields: Fields<'t>,
    pub(super) log_source: LogSource<'t>,
}

/// Content of a text whose format defines its names.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Structure<'t> {
    /// Everything, under the names of the format.
    pub(super) entries: Entries<'t>,
    /// Its meaning.
    pub(super) reading: Reading<'t>,
    /// When it happened.
    pub(super) time: Option<Timestamp>,
}

impl<'t> Reading<'t> {
    /// A reading of a Linux service's line, still without fields.
    pub(super) fn linux(category: Option<&'static str>, service: Option<&'static str>) -> Self {
        let fields = Vec::with_capacity(USUAL_FIELDS);
        Self { fields, log_source: source(Some("linux"), category, service) }
    }

    /// A reading of the log source alone.
    pub(super) fn of(log_source: LogSource<'t>) -> Self {
        Self { fields: Vec::new(), log_source }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Whether it has a field.
    pub(super) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(own, _)| *own == name)
    }

    #[inline]
    pub(super) fn push(&mut self, name: &'static str, value: Value<'t>) {
        match value {
            Value::String(Cow::Borrowed(text)) => {
                self.text_or_empty(name, text);
                // It owns nothing, which the compiler does not see.
                std::mem::forget(value);
            }
            Value::Int(number) => push_with(&mut self.fields, || (name, Value::Int(number))),
            value => self.fields.push((name, value)),
        }
    }

    /// Adds a text; an empty one is left out.
    pub(super) fn text(&mut self, name: &'static str, text: &'t str) {
        if !text.is_empty() {
            self.text_or_empty(name, text);
        }
    }

    #[inline(always)]
    fn text_or_empty(&mut self, name: &'static str, text: &'t str) {
        push_with(&mut self.fields, || (name, Value::String(Cow::Borrowed(text))));
    }

    /// Adds a whole number written in decimal digits; anything else is left out.
    pub(super) fn number(&mut self, name: &'static str, digits: &str) {
        if let Ok(number) = digits.parse() {
            self.push(name, Value::Int(number));
        }
    }

    /// Takes over the fields of another reading, behind its own.
    pub(super) fn append(&mut self, other: Self) {
        self.fields.extend(other.fields);
    }

    /// Sets the action and its outcome.
    pub(super) fn action(&mut self, action: &'static str, outcome: Option<Outcome>) {
        self.text("event.action", action);
        self.outcome(outcome);
    }

    /// Adds a device's own word for its action, beside ours if there is one.
    pub(super) fn word_of_device(&mut self, word: Value<'t>) {
        let ours = self.fields.iter_mut().find(|(name, _)| *name == "event.action");
        match ours {
            Some((_, value)) => {
                let ours = std::mem::replace(value, Value::Null);
                *value = Value::Array(vec![ours, word]);
            }
            None => self.push("event.action", word),
        }
    }

    /// Says whether it worked, where that is known.
    pub(super) fn outcome(&mut self, outcome: Option<Outcome>) {
        if let Some(outcome) = outcome {
            self.text("event.outcome", outcome.as_str());
        }
    }

    /// The same, kept apart from the text it was read from.
    pub(super) fn into_owned(self) -> Reading<'static> {
        let fields = self.fields.into_iter().map(|(name, value)| (name, into_owned(value))).collect();
        let LogSource { product, category, service } = self.log_source;
        let [product, category, service] =
            [product, category, service].map(|text| text.map(|text| Cow::Owned(text.into_owned())));
        Reading { fields, log_source: LogSource { product, category, service } }
    }

    /// Adds action and outcome beside the event's own words for them: rules for either find theirs.
    pub(super) fn stand_beside(&self, event: &mut Event<'t>, presence: Presence) {
        for known in ["event.action", "event.outcome"] {
            let own = self.fields.iter().find(|(name, _)| *name == known);
            if let Some((name, value)) = own.filter(|_| presence.has(known)) {
                beside(event, name, value);
            }
        }
    }

    /// Moves the fields into the event, except where the event already has one of that name. Gives their room back.
    pub(super) fn add_to(mut self, event: &mut Event<'t>, presence: &mut Presence) -> Fields<'t> {
        event.fields.reserve(self.fields.len());
        for (name, value) in self.fields.drain(..) {
            let value = if name == "client.address" { address::canonical(value) } else { value };
            add_absent(event, presence, name, value);
        }
        self.fields
    }
}

/// Adds a field unless the event has one of that name. `presence` knows the names the event has.
#[inline]
pub(super) fn add_absent<'a>(
    event: &mut Event<'a>,
    presence: &mut Presence,
    name: &'static str,
    value: Value<'a>,
) {
    if presence.add(name) && has_field(event, name) {
        return;
    }
    push_entry(&mut event.fields, name, value);
}

/// Puts a canonical value beside an event's own of the same name: rules for either find theirs.
fn beside<'a>(event: &mut Event<'a>, name: &str, canonical: &Value<'a>) {
    let own = event.fields.iter_mut().find(|(own, _)| own == name);
    if let Some((_, value)) = own
        && value != canonical
    {
        let before = std::mem::replace(value, Value::Null);
        *value = match before {
            Value::Array(mut values) => {
                values.push(canonical.clone());
                Value::Array(values)
            }
            Value::Null => canonical.clone(),
            before => Value::Array(vec![before, canonical.clone()]),
        };
    }
}

#[inline(never)]
fn has_field(event: &Event<'_>, name: &str) -> bool {
    event.fields.iter().any(|(own, _)| own == name)
}

/// A log source of fixed words.
pub(super) fn source(
    product: Option<&'static str>,
    category: Option<&'static str>,
    service: Option<&'static str>,
) -> LogSource<'static> {
    LogSource {
        product: product.map(Cow::Borrowed),
        category: category.map(Cow::Borrowed),
        service: service.map(Cow::Borrowed),
    }
}

/// Copies borrowed data of a value.
pub(super) fn into_owned(value: Value<'_>) -> Value<'static> {
    match value {
        Value::Null => Value::Null,
        Value::Bool(flag) => Value::Bool(flag),
        Value::Int(number) => Value::Int(number),
        Value::Double(number) => Value::Double(number),
        Value::String(text) => Value::String(Cow::Owned(text.into_owned())),
        Value::Array(values) => Value::Array(values.into_iter().map(into_owned).collect()),
        Value::Map(entries) => Value::Map(
            entries
                .into_iter()
                .map(|(name, value)| (Cow::Owned(name.into_owned()), into_owned(value)))
                .collect(),
        ),
    }
}
