//! Client of a structured record: address, port, user and cloud account.

use std::borrow::Cow;

use sigma::event::Value;

use super::address::{forwarded, in_value, plain};
use super::reading::Reading;
use super::roles::{Role, Roles};

/// Adds who is behind any structured record.
pub(super) fn read<'a>(roles: &Roles<'_, 'a>, reading: &mut Reading<'a>) {
    if let Some(address) = address(roles) {
        reading.push("client.address", Value::String(address));
    }
    if let Some(port) = roles.number(Role::ClientPort) {
        reading.push("client.port", Value::Int(port));
    }
    for (role, name) in [(Role::User, "user.name"), (Role::CloudAccount, "cloud.account.id")] {
        if let Some(text) = roles.text(role) {
            reading.push(name, Value::String(text));
        }
    }
}

fn address<'a>(roles: &Roles<'_, 'a>) -> Option<Cow<'a, str>> {
    address_of(roles, Role::ClientAddress)
}

/// The address that plays a part.
pub(super) fn address_of<'a>(roles: &Roles<'_, 'a>, role: Role) -> Option<Cow<'a, str>> {
    if let Some(passed_on) = roles.list(role) {
        let addresses = passed_on.iter().filter_map(|value| match value {
            Value::String(text) => Some(text),
            _ => None,
        });
        return forwarded(addresses.rev(), |text| text).map(plain);
    }
    match roles.text(role)? {
        Cow::Borrowed(text) => in_value(text).map(Cow::Borrowed),
        Cow::Owned(text) => in_value(&text).map(|address| Cow::Owned(address.to_owned())),
    }
}
