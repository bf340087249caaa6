//! What a map is about, and what a field in it means for that.

use super::sides::Side;
use super::table::{self, Squeezed, word};
use crate::roles::Role;

/// Names that mean something else in maps of a side than elsewhere; `None` where they mean nothing there.
type Fields = &'static [(&'static str, Option<(Role, u8)>)];

const CLIENT: Fields = &[
    ("ip", Some((Role::ClientAddress, 1))),
    ("address", Some((Role::ClientAddress, 1))),
    ("ipaddress", Some((Role::ClientAddress, 1))),
    ("addr", Some((Role::ClientAddress, 1))),
    ("ipaddr", Some((Role::ClientAddress, 1))),
    ("ipv4", Some((Role::ClientAddress, 1))),
    ("ipv6", Some((Role::ClientAddress, 1))),
    ("ips", Some((Role::ClientAddress, 1))),
    ("hostaddress", Some((Role::ClientAddress, 1))),
    ("from", Some((Role::ClientAddress, 1))),
    ("port", Some((Role::ClientPort, 1))),
    ("path", Some((Role::Activity, 0))),
    ("name", None),
    ("id", None),
    ("type", None),
    ("method", None),
    ("status", None),
    ("host", None),
    ("hostname", None),
];

const PERSON: Fields = &[
    ("username", Some((Role::User, 1))),
    ("login", Some((Role::User, 1))),
    ("loginname", Some((Role::User, 1))),
    ("alternateid", Some((Role::User, 1))),
    ("upn", Some((Role::User, 1))),
    ("userprincipalname", Some((Role::User, 1))),
    ("principalname", Some((Role::User, 1))),
    ("accountname", Some((Role::User, 1))),
    ("userid", Some((Role::User, 1))),
    ("user", Some((Role::User, 1))),
    ("email", Some((Role::User, 2))),
    ("emailaddress", Some((Role::User, 2))),
    ("emailaddr", Some((Role::User, 2))),
    ("mail", Some((Role::User, 2))),
    ("primaryemail", Some((Role::User, 2))),
    ("useremail", Some((Role::User, 2))),
    ("name", Some((Role::User, 3))),
    ("displayname", Some((Role::User, 5))),
    ("fullname", Some((Role::User, 5))),
    ("nameid", Some((Role::User, 5))),
    ("id", Some((Role::User, 7))),
    ("uid", Some((Role::User, 7))),
    ("sub", Some((Role::User, 7))),
    ("ip", Some((Role::ClientAddress, 2))),
    ("address", Some((Role::ClientAddress, 2))),
    ("ipaddress", Some((Role::ClientAddress, 2))),
    ("addr", Some((Role::ClientAddress, 2))),
    ("ipaddr", Some((Role::ClientAddress, 2))),
    ("ips", Some((Role::ClientAddress, 2))),
    ("port", Some((Role::ClientPort, 2))),
    ("type", None),
    ("status", None),
    ("state", None),
    ("hostname", None),
    ("host", None),
    ("service", None),
];

const ANSWER: Fields = &[
    ("statuscode", Some((Role::Outcome, 4))),
    ("status", Some((Role::Outcome, 4))),
    ("code", Some((Role::Outcome, 4))),
    ("result", Some((Role::Outcome, 4))),
    ("errormessage", Some((Role::Reason, 3))),
    ("error", Some((Role::Reason, 3))),
];

const SERVER: Fields = &[
    ("ip", Some((Role::DestinationAddress, 2))),
    ("address", Some((Role::DestinationAddress, 2))),
    ("ipaddress", Some((Role::DestinationAddress, 2))),
    ("addr", Some((Role::DestinationAddress, 2))),
    ("ipaddr", Some((Role::DestinationAddress, 2))),
    ("ips", Some((Role::DestinationAddress, 2))),
    ("port", Some((Role::DestinationPort, 1))),
];

const MACHINE: Fields = &[
    ("hostname", Some((Role::Host, 3))),
    ("name", Some((Role::Host, 3))),
    ("product", Some((Role::Product, 0))),
    ("productname", Some((Role::Product, 0))),
    ("vendor", Some((Role::Product, 5))),
];

const AFFECTED: Fields = &[
    ("username", Some((Role::TargetUser, 2))),
    ("userid", Some((Role::TargetUser, 2))),
    ("login", Some((Role::TargetUser, 2))),
    ("alternateid", Some((Role::TargetUser, 2))),
    ("email", Some((Role::TargetUser, 2))),
    ("emailaddress", Some((Role::TargetUser, 2))),
    ("emailaddr", Some((Role::TargetUser, 2))),
    ("ip", Some((Role::DestinationAddress, 2))),
    ("ipaddress", Some((Role::DestinationAddress, 2))),
    ("port", Some((Role::DestinationPort, 2))),
];

/// The names in all of these.
pub(super) const fn names() -> [&'static [&'static str]; 6] {
    const fn of<const COUNT: usize>(fields: Fields) -> [&'static str; COUNT] {
        let mut names = [""; COUNT];
        let mut index = 0;
        while index < COUNT {
            names[index] = fields[index].0;
            index += 1;
        }
        names
    }
    const NAMES: [&[&str]; 6] = [
        &of::<{ CLIENT.len() }>(CLIENT),
        &of::<{ PERSON.len() }>(PERSON),
        &of::<{ ANSWER.len() }>(ANSWER),
        &of::<{ SERVER.len() }>(SERVER),
        &of::<{ MACHINE.len() }>(MACHINE),
        &of::<{ AFFECTED.len() }>(AFFECTED),
    ];
    NAMES
}

/// What the fields of a map are about, given what the map lies in. A dotted name is several maps.
pub(super) fn of_path(path: &str, above: Side) -> Side {
    let mut side = above;
    for name in path.as_bytes().split(|byte| *byte == b'.') {
        if side == Side::Foreign {
            return side;
        }
        side = match (side, table::map(name)) {
            (_, Some(Side::Foreign)) => Side::Foreign,
            // A user of the target is not the one who asks.
            (Side::Server | Side::Affected | Side::Machine | Side::Answer, _) => side,
            // What a client says of itself beside its address: `source.user`, `client.request`.
            (_, Some(own)) => own,
            (side, None) => side,
        };
    }
    side
}

/// The part of a field in a map of this side: by its own name, or by the last part of it behind those of maps.
#[inline]
pub(super) fn meaning(name: &str, side: Side) -> Option<(Role, u8)> {
    role(name, side).or_else(|| {
        let dot = name.bytes().rposition(|byte| byte == b'.')?;
        let (maps, last) = (name.get(..dot)?, name.get(dot + 1..)?);
        // Most last parts mean nothing in any map.
        let inside = table::may_mean_anywhere(last.as_bytes()).then(|| of_path(maps, side))?;
        role(last, inside)
    })
}

/// The part of a field by its own name.
#[inline]
fn role(name: &str, side: Side) -> Option<(Role, u8)> {
    let name = name.as_bytes();
    if table::may_mean(name, side) { looked_up(name, side) } else { None }
}

/// Apart from the filter, which most names fail, so that those cost no more than it.
#[inline(never)]
fn looked_up(name: &[u8], side: Side) -> Option<(Role, u8)> {
    let name = &Squeezed::of(name);
    let own =
        |fields: Fields| fields.iter().find(|(own, _)| own.as_bytes() == name.bytes()).map(|(_, role)| *role);
    match side {
        Side::Neutral => word(name),
        Side::Client => own(CLIENT).unwrap_or_else(|| word(name)),
        Side::Person => own(PERSON).unwrap_or_else(|| word(name)),
        Side::Answer => own(ANSWER)?,
        Side::Server => own(SERVER)?,
        Side::Machine => own(MACHINE)?,
        Side::Affected => own(AFFECTED)?,
        Side::Foreign => None,
    }
}
