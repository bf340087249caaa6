//! Fields by the dictionary of spellings, for records whose names are none of those that `roles` knows: any
//! product's structured log. Asked only where no reader claims the record.
//!
//! A name is squeezed to its letters and digits and looked up once. Maps, and the parts of a dotted name, set the
//! subject of their fields (`source`, `user`, `dst`); data of the client, and data not about the event
//! (headers, parameters, labels), is not read.

mod filter;
mod memo;
mod names;
mod side;
mod sides;
mod table;

use std::borrow::Cow;

use sigma::event::Value;

pub(super) use self::memo::Memo;
use self::sides::Side;
use self::table::Squeezed;
use super::reading::Reading;
use super::roles::{Role, Roles};
use super::{address, client, verdict};

/// Maps deeper than this are not read.
const MAX_DEPTH: u8 = 6;
/// The most maps of a list that are examined.
const MOST_ITEMS: usize = 4;
/// Fields read in one record; no product writes more about one event.
const MOST_FIELDS: u32 = 400;
/// Fields among which a label's field is sought.
const MOST_LABELLED: usize = 100;
/// Names of this table are less sure than all that `roles` knows.
pub(super) const RANK: u8 = 16;

type Entry<'a> = (Cow<'a, str>, Value<'a>);

/// Adds the dictionary's meanings of the fields. Those that `roles` has found stay.
pub(super) fn look<'e, 'a>(roles: &mut Roles<'e, 'a>, fields: &'e [Entry<'a>], memo: &mut Memo<'a>) {
    let mut walk = Walk { roles, memo: Some(memo), left: MOST_FIELDS };
    if let Some((name, value)) = pair(fields) {
        walk.named(name, value, Side::Neutral, 0);
        return;
    }
    for (place, field) in fields.iter().enumerate() {
        if !walk.goes_on() {
            return;
        }
        let (name, value) = field;
        if walk.is_single(field, Side::Neutral, MAX_DEPTH)
            && let Some((role, rank)) = walk.meaning_at(place, field)
        {
            walk.offer(name, value, role, rank);
        }
    }
}

/// Adds the meaning of the fields of a known format: its own names are the dictionary's, and of custom ones (`cs1`) the
/// label is the name.
pub(super) fn complete<'t>(fields: &[Entry<'t>], reading: &mut Reading<'t>) {
    let mut roles = Roles::none();
    Walk { roles: &mut roles, memo: None, left: MOST_FIELDS }.map(fields, Side::Neutral, MAX_DEPTH);
    for (name, label) in fields {
        let labelled = name.strip_suffix("Label").zip(label.as_str());
        let value = labelled.and_then(|(own, label)| {
            fields.iter().take(MOST_LABELLED).find(|(name, _)| name == own).map(|(_, value)| (label, value))
        });
        if let Some((label, value)) = value {
            Walk { roles: &mut roles, memo: None, left: 1 }.named(label, value, Side::Neutral, 2);
        }
    }
    let category = verdict::read(&roles, reading);
    reading.log_source.category = category.map(Cow::Borrowed);
    client::read(&roles, reading);
    verdict::details(&roles, reading);
    verdict::product(&roles, reading);
}

struct Walk<'r, 'e, 'a> {
    roles: &'r mut Roles<'e, 'a>,
    memo: Option<&'r mut Memo<'a>>,
    left: u32,
}

impl<'e, 'a> Walk<'_, 'e, 'a> {
    fn map(&mut self, fields: &'e [Entry<'a>], side: Side, depth: u8) {
        if let Some((name, value)) = pair(fields) {
            self.named(name, value, side, MAX_DEPTH - depth);
            return;
        }
        for field in fields {
            if !self.goes_on() {
                return;
            }
            if self.is_single(field, side, depth) {
                self.leaf(field, side, MAX_DEPTH - depth);
            }
        }
    }

    /// Whether another field is read, which is counted.
    #[inline]
    fn goes_on(&mut self) -> bool {
        let left = self.left.checked_sub(1);
        self.left = left.unwrap_or_default();
        left.is_some()
    }

    /// Meaning of a field of the record that is in no map.
    #[inline]
    fn meaning_at(&mut self, place: usize, field: &Entry<'a>) -> Option<(Role, u8)> {
        match &mut self.memo {
            Some(memo) => memo.meaning_at(place, field),
            None => side::meaning(&field.0, Side::Neutral),
        }
    }

    /// Whether a field has a value of its own. Goes into one that has others inside.
    #[inline]
    fn is_single(&mut self, field: &'e Entry<'a>, side: Side, depth: u8) -> bool {
        match &field.1 {
            Value::Map(entries) => self.below(field, entries, side, depth),
            Value::Array(items) if matches!(items.first(), Some(Value::Map(_))) => {
                items.iter().take(MOST_ITEMS).for_each(|item| self.item(field, item, side, depth));
            }
            Value::Null => {}
            _ => return true,
        }
        false
    }

    fn item(&mut self, list: &'e Entry<'a>, item: &'e Value<'a>, side: Side, depth: u8) {
        if let Value::Map(entries) = item {
            self.below(list, entries, side, depth);
        }
    }

    fn below(&mut self, (name, _): &'e Entry<'a>, entries: &'e [Entry<'a>], side: Side, depth: u8) {
        let inside = match (name, &mut self.memo) {
            (Cow::Borrowed(name), Some(memo)) => memo.inside(name, side),
            (name, _) => side::of_path(name, side),
        };
        if inside != Side::Foreign && depth > 1 {
            self.map(entries, inside, depth - 1);
        }
    }

    /// One field.
    fn leaf(&mut self, (name, value): &'e Entry<'a>, side: Side, depth: u8) {
        let meaning = match (name, &mut self.memo) {
            (Cow::Borrowed(name), Some(memo)) => memo.meaning(name, side),
            (name, _) => side::meaning(name, side),
        };
        if let Some((role, rank)) = meaning {
            self.offer(name, value, role, rank + depth);
        }
    }

    /// A field whose name stands in a value.
    fn named(&mut self, name: &str, value: &'e Value<'a>, side: Side, depth: u8) {
        if let Some((role, rank)) = side::meaning(name, side) {
            self.offer(name, value, role, rank + depth);
        }
    }

    fn offer(&mut self, name: &str, value: &'e Value<'a>, role: Role, rank: u8) {
        // An address is no name, and an address in its place is mostly the machine's.
        let is_person = matches!(role, Role::User | Role::TargetUser);
        if is_person && value.as_str().is_some_and(address::is_address) {
            return;
        }
        if matches!(role, Role::Outcome | Role::Succeeded) && Squeezed::of(name.as_bytes()).is_of_login() {
            self.roles.add_login();
        }
        if role == Role::Activity {
            self.roles.add_activity(value);
        } else {
            self.roles.offer(role, RANK + rank, value);
        }
    }
}

/// `{"name": "ip", "value": "198.51.100.7"}`, as lists of parameters have their fields.
fn pair<'e, 'a>(fields: &'e [Entry<'a>]) -> Option<(&'e str, &'e Value<'a>)> {
    let [(first, name), (second, value)] = fields else { return None };
    let is_name = |key: &str| matches!(key, "name" | "Name" | "key" | "Key");
    let is_value = |key: &str| matches!(key, "value" | "Value");
    if is_name(first) && is_value(second) {
        return Some((name.as_str()?, value));
    }
    if is_name(second) && is_value(first) { Some((value.as_str()?, name)) } else { None }
}

#[cfg(test)]
mod tests;
