//! Subject of an alert.

use std::borrow::Cow;

use sigma::event::Value;

use super::formats::Format;
use super::lookup::{equals, find, text};
use crate::address;
use crate::address::written;
use crate::reading::Reading;
use crate::record::Entries;

/// The subject of alerts about hosts.
pub(super) const HOST: &str = "host";

/// Kind of subject of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Host,
    User,
    Address,
    Resource,
}

/// Subject of an alert; a host without a name where nothing is given.
pub(super) struct Subject<'a> {
    kind: Kind,
    name: Option<Cow<'a, str>>,
}

/// The first of the format's subjects that the alert names.
pub(super) fn of<'a>(format: &Format, fields: &Entries<'a>, root: &Entries<'a>) -> Subject<'a> {
    let turned =
        format.answers.filter(|(path, _)| find(root, path).is_some_and(|way| equals(way, &["to_client"])));
    let first = turned.map(|(_, address)| (Kind::Address, address));
    let named = first.iter().chain(format.subjects).find_map(|(kind, path)| {
        let value = find(root, path).or_else(|| find(fields, path))?;
        named(*kind, text(value)?)
    });
    named.unwrap_or(Subject { kind: Kind::Host, name: None })
}

/// A subject by its name, if it may be one.
fn named(kind: Kind, name: Cow<'_, str>) -> Option<Subject<'_>> {
    let name = if kind == Kind::Address { address(name)? } else { name };
    (!name.is_empty()).then_some(Subject { kind, name: Some(name) })
}

/// Alone, or with additions of appliances: `198.51.100.7:4711:X1`.
fn address(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    match text {
        Cow::Borrowed(text) => address_in(text).map(Cow::Borrowed),
        Cow::Owned(text) => address_in(&text).map(|address| Cow::Owned(address.to_owned())),
    }
}

fn address_in(text: &str) -> Option<&str> {
    written(text).map(|found| found.address).or_else(|| address::in_value(text))
}

impl<'a> Subject<'a> {
    /// The host that wrote a line.
    pub(super) fn own_host() -> Self {
        Self { kind: Kind::Host, name: None }
    }

    /// An address, where a text is one.
    pub(super) fn address(text: &'a str) -> Option<Self> {
        named(Kind::Address, Cow::Borrowed(text))
    }

    /// The same of a text that may be owned.
    pub(super) fn of_address(text: Cow<'a, str>) -> Option<Self> {
        named(Kind::Address, text)
    }

    pub(super) fn add_to(self, reading: &mut Reading<'a>) {
        let (kind, field) = match self.kind {
            Kind::Host => (HOST, "host.name"),
            Kind::User => ("user", "user.name"),
            Kind::Address => ("address", "client.address"),
            Kind::Resource => ("resource", "cloud.resource"),
        };
        reading.text("alert.subject", kind);
        if let Some(name) = self.name {
            reading.push(field, Value::String(name));
        }
    }
}
