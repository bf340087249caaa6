//! Which field plays which part: the many names senders have for the client's address, the method,
//! the message and so on. The readers interpret the values.

mod form;
mod names;
mod role;
mod table;

use std::borrow::Cow;

use common::timestamp::Timestamp;
use sigma::event::{Event, Value};

use self::names::LONGEST_NAME;
pub(super) use self::role::Role;
use self::table::Name;
use super::presence::Presence;
use super::{program_name, split, time};

const ROLES: usize = Role::Activity as usize + 1;

/// Most fields of the action that are considered.
const MOST_ACTIVITIES: usize = 8;

/// From this rank on an address is that of a connection, which may be a relay's.
const PEER: u8 = 4;

/// From this rank on a program is named by its systemd unit.
const UNIT: u8 = 6;

/// Maps deeper than this have no names we know.
const MAX_DEPTH: u8 = 4;

/// The fields of one event by the part they play.
pub(super) struct Roles<'e, 'a> {
    found: [Option<&'e Value<'a>>; ROLES],
    /// Certainty of each of them.
    ranks: [u8; ROLES],
    activities: [Option<&'e Value<'a>>; MOST_ACTIVITIES],
    disputed: bool,
    login: bool,
    /// One bit for each part that is played.
    played: u64,
    presence: Presence,
}

impl<'e, 'a> Roles<'e, 'a> {
    /// Looks at each field once, and at the entries of maps whose names are known. Where several
    /// fields play a part the one with the more specific name counts, then the first.
    pub(super) fn of(fields: &'e [(Cow<'a, str>, Value<'a>)]) -> Self {
        let mut roles = Self::none();
        for (name, value) in fields {
            let known = Name::of(name.as_bytes());
            roles.presence.add_hash(known.hash);
            if let Some((role, rank)) = table::role(known) {
                roles.offer(role, rank, value);
            }
            if let Value::Map(entries) = value
                && table::is_parent(known)
            {
                roles.enter_top(name, entries);
            }
        }
        roles
    }

    /// Those of no fields.
    pub(super) fn none() -> Self {
        Self {
            found: [None; ROLES],
            ranks: [u8::MAX; ROLES],
            activities: [None; MOST_ACTIVITIES],
            disputed: false,
            login: false,
            played: 0,
            presence: Presence::default(),
        }
    }

    fn enter_top(&mut self, name: &str, entries: &'e [(Cow<'a, str>, Value<'a>)]) {
        let mut path = [0; LONGEST_NAME];
        let Some((dot, own)) = path.get_mut(..=name.len()).and_then(<[u8]>::split_last_mut) else { return };
        own.copy_from_slice(name.as_bytes());
        *dot = b'.';
        self.enter(&mut path, name.len() + 1, entries, MAX_DEPTH - 1);
    }

    /// Names inside known maps: `path` holds those of the maps above, each followed by a dot.
    fn enter(
        &mut self,
        path: &mut [u8; LONGEST_NAME],
        above: usize,
        fields: &'e [(Cow<'a, str>, Value<'a>)],
        depth: u8,
    ) {
        for (name, value) in fields {
            let end = above + name.len();
            let Some(own) = path.get_mut(above..end) else { continue };
            own.copy_from_slice(name.as_bytes());
            let known = Name::of(path.get(..end).unwrap_or_default());
            if let Some((role, rank)) = table::role(known) {
                self.offer(role, rank, value);
            }
            let Value::Map(entries) = value else { continue };
            let descend = depth > 1 && table::is_parent(known);
            if descend && let Some(dot) = path.get_mut(end) {
                *dot = b'.';
                self.enter(path, end + 1, entries, depth - 1);
            }
        }
    }

    /// Which names the fields can have.
    pub(super) fn presence(&self) -> &Presence {
        &self.presence
    }

    /// Offers a value for a part; the surest that has the form of the part is kept.
    pub(super) fn offer(&mut self, role: Role, rank: u8, value: &'e Value<'a>) {
        let held = &mut self.ranks[role as usize];
        if role == Role::ClientAddress {
            let found = self.found[role as usize];
            self.disputed |= found.is_some_and(|found| found != value) && form::fits(role, value);
        }
        if rank < *held && form::fits(role, value) {
            *held = rank;
            self.found[role as usize] = Some(value);
            self.played |= 1 << role as u64;
        }
    }

    /// Whether some field has been offered for one of these parts.
    pub(super) fn has_any(&self, roles: &[Role]) -> bool {
        let wanted = roles.iter().fold(0, |wanted, role| wanted | 1 << *role as u64);
        self.played & wanted != 0
    }

    /// Adds a field of the action.
    pub(super) fn add_activity(&mut self, value: &'e Value<'a>) {
        if let Some(place) = self.activities.iter_mut().find(|place| place.is_none()) {
            *place = Some(value);
        }
    }

    /// Takes note that a field's name speaks of a login.
    pub(super) fn add_login(&mut self) {
        self.login = true;
    }

    /// Whether a field's name speaks of a login.
    pub(super) fn names_login(&self) -> bool {
        self.login
    }

    /// The texts of the fields of the action, those with names of their own among them.
    pub(super) fn activities(&self) -> impl Iterator<Item = &'e str> {
        const NAMED: [Role; 6] =
            [Role::Action, Role::EventType, Role::EventName, Role::Category, Role::OperationName, Role::Kind];
        let named = NAMED.map(|role| self.found[role as usize]);
        self.activities
            .into_iter()
            .chain(named)
            .flatten()
            .flat_map(|value| match value {
                Value::Array(values) => values.as_slice(),
                value => std::slice::from_ref(value),
            })
            .filter_map(Value::as_str)
    }

    /// Takes the message from these fields alone: a line's text is not a message where the line is made of fields.
    pub(super) fn look_for_message(&mut self, fields: &'e [(Cow<'a, str>, Value<'a>)]) {
        self.found[Role::Message as usize] = None;
        self.ranks[Role::Message as usize] = u8::MAX;
        for (name, value) in fields {
            if let Some((Role::Message, rank)) = table::role(Name::of(name.as_bytes())) {
                self.offer(Role::Message, rank, value);
            }
        }
    }

    /// Whether several addresses have been offered for the client's.
    pub(super) fn is_disputed(&self) -> bool {
        self.disputed
    }

    /// Removes the client.
    pub(super) fn forget_client(&mut self) {
        self.found[Role::ClientAddress as usize] = None;
        self.ranks[Role::ClientAddress as usize] = u8::MAX;
    }

    /// A field of the event these are the roles of.
    pub(super) fn field(&self, event: &'e Event<'a>, name: &str) -> Option<&'e Value<'a>> {
        let has_name = self.presence.has(name);
        if has_name && let Some((_, value)) = event.fields.iter().find(|(own, _)| own == name) {
            return Some(value);
        }
        if !self.presence.leads_to(name) {
            return None;
        }
        match split::at_byte(name, b'.') {
            // A path of one step, and no field has all of it for its name.
            Some((map, inside)) if !inside.contains('.') && !has_name => {
                event.fields.iter().filter(|(own, _)| own == map).find_map(|(_, value)| entry(value, inside))
            }
            _ => event.field(name),
        }
    }

    /// The value that plays a part; of several values, the first.
    pub(super) fn get(&self, role: Role) -> Option<&'e Value<'a>> {
        match self.found[role as usize]? {
            Value::Array(values) => values.first(),
            value => Some(value),
        }
    }

    /// The values that play a part, where there are several.
    pub(super) fn list(&self, role: Role) -> Option<&'e [Value<'a>]> {
        match self.found[role as usize]? {
            Value::Array(values) => Some(values),
            _ => None,
        }
    }

    /// Whether some field plays a part.
    pub(super) fn has(&self, role: Role) -> bool {
        self.found[role as usize].is_some()
    }

    /// Whether the record itself names its client. A forwarder (`network.peer.address` and its
    /// like) is not meant.
    pub(super) fn says_client(&self) -> bool {
        self.ranks[Role::ClientAddress as usize] < PEER
    }

    /// The text that plays a part.
    pub(super) fn text(&self, role: Role) -> Option<Cow<'a, str>> {
        text(self.get(role)?)
    }

    /// The text that plays a part, borrowed.
    pub(super) fn str(&self, role: Role) -> Option<&'e str> {
        self.get(role)?.as_str()
    }

    /// The whole number that plays a part, also where it is written as text.
    pub(super) fn number(&self, role: Role) -> Option<i64> {
        match self.get(role)? {
            Value::Int(number) => Some(*number),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The record's own time, where a field holds one. `received_at` completes a date without a year.
    pub(super) fn time(&self, received_at: Timestamp) -> Option<Timestamp> {
        time::of_field(self.get(Role::Time)?, received_at)
    }

    /// The name of the program that wrote the record, without its directory. A systemd unit is not a program.
    pub(super) fn program_name(&self) -> Option<Cow<'a, str>> {
        if self.ranks[Role::Program as usize] >= UNIT {
            return None;
        }
        let name = match self.text(Role::Program)? {
            Cow::Borrowed(path) => Cow::Borrowed(program_name::base_name(path)),
            Cow::Owned(path) => Cow::Owned(program_name::base_name(&path).to_owned()),
        };
        Some(name).filter(|name| !name.is_empty())
    }
}

/// The first entry of a name in a map.
fn entry<'e, 'a>(value: &'e Value<'a>, name: &str) -> Option<&'e Value<'a>> {
    let Value::Map(entries) = value else { return None };
    entries.iter().find(|(own, _)| own == name).map(|(_, value)| value)
}

/// The text that a value is; not a copy where it is part of the record.
pub(super) fn text<'a>(value: &Value<'a>) -> Option<Cow<'a, str>> {
    match value {
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::names::{NAMES, PARENTS};
    use super::*;

    fn text(text: &str) -> Value<'_> {
        Value::String(text.into())
    }

    #[test]
    fn names_are_distinct_and_fit() {
        for (name, _) in NAMES {
            assert_eq!(NAMES.iter().filter(|(other, _)| *other == name).count(), 1, "{name}");
        }
        for name in NAMES.iter().map(|(name, ..)| *name).chain(PARENTS) {
            assert!(name.len() < LONGEST_NAME && name == name.to_ascii_lowercase(), "{name}");
        }
    }

    #[test]
    fn the_more_specific_name_counts_whatever_the_order() {
        let mut fields = vec![
            ("network.peer.address".into(), text("10.0.0.1")),
            ("Client.Address".into(), text("198.51.100.7")),
            ("remote_addr".into(), text("10.0.0.2")),
        ];
        for _ in 0..fields.len() {
            assert_eq!(Roles::of(&fields).str(Role::ClientAddress), Some("198.51.100.7"));
            fields.rotate_left(1);
        }
    }

    #[test]
    fn known_maps_are_entered_and_others_are_not() {
        let proxy = Value::Map(vec![("clientIp".into(), text("198.51.100.7"))]);
        let fields = vec![
            ("labels".into(), Value::Map(vec![("method".into(), text("GET"))])),
            ("proxy".into(), proxy),
        ];
        let roles = Roles::of(&fields);
        assert_eq!(roles.str(Role::ClientAddress), Some("198.51.100.7"));
        assert!(!roles.has(Role::Method));
    }

    #[test]
    fn a_dash_says_nothing() {
        let fields = vec![("client.address".into(), text("-")), ("remote_addr".into(), text("198.51.100.7"))];
        assert_eq!(Roles::of(&fields).str(Role::ClientAddress), Some("198.51.100.7"));
    }
}
