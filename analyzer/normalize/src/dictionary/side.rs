//! Subject of a map, and the meaning of a field in it.

use super::sides::Side;
use super::table::{self, Squeezed, word};
use crate::roles::Role;
use crate::word_list::{grouped, texts};

/// A name that means something else in maps of a side than elsewhere; `None` if it means nothing there.
type Field = (&'static str, Option<(Role, u8)>);

const CLIENT: [Field; 19] = grouped(
    &[
        (Some((Role::ClientAddress, 1)), "ip address ipaddress addr ipaddr ipv4 ipv6 ips hostaddress from"),
        (Some((Role::ClientPort, 1)), "port"),
        (Some((Role::Activity, 0)), "path"),
        (None, "name id type method status host hostname"),
    ],
    None,
);

const PERSON: [Field; 36] = grouped(
    &[
        (
            Some((Role::User, 1)),
            "username login loginname alternateid upn userprincipalname principalname accountname userid user",
        ),
        (Some((Role::User, 2)), "email emailaddress emailaddr mail primaryemail useremail"),
        (Some((Role::User, 3)), "name"),
        (Some((Role::User, 5)), "displayname fullname nameid"),
        (Some((Role::User, 7)), "id uid sub"),
        (Some((Role::ClientAddress, 2)), "ip address ipaddress addr ipaddr ips"),
        (Some((Role::ClientPort, 2)), "port"),
        (None, "type status state hostname host service"),
    ],
    None,
);

const ANSWER: [Field; 6] = grouped(
    &[
        (Some((Role::Outcome, 4)), "statuscode status code result"),
        (Some((Role::Reason, 3)), "errormessage error"),
    ],
    None,
);

const SERVER: [Field; 7] = grouped(
    &[
        (Some((Role::DestinationAddress, 2)), "ip address ipaddress addr ipaddr ips"),
        (Some((Role::DestinationPort, 1)), "port"),
    ],
    None,
);

const MACHINE: [Field; 5] = grouped(
    &[
        (Some((Role::Host, 3)), "hostname name"),
        (Some((Role::Product, 0)), "product productname"),
        (Some((Role::Product, 5)), "vendor"),
    ],
    None,
);

const AFFECTED: [Field; 10] = grouped(
    &[
        (Some((Role::TargetUser, 2)), "username userid login alternateid email emailaddress emailaddr"),
        (Some((Role::DestinationAddress, 2)), "ip ipaddress"),
        (Some((Role::DestinationPort, 2)), "port"),
    ],
    None,
);

/// The names in all of these.
pub(super) const fn names() -> [&'static [&'static str]; 6] {
    const NAMES: [&[&str]; 6] = [
        &texts(&CLIENT),
        &texts(&PERSON),
        &texts(&ANSWER),
        &texts(&SERVER),
        &texts(&MACHINE),
        &texts(&AFFECTED),
    ];
    NAMES
}

/// Subject of the fields of a map, given that of the map around it. A dotted name is several maps.
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
            // Data of a client beside its address: `source.user`, `client.request`.
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
    let own = |fields: &[Field]| {
        fields.iter().find(|(own, _)| own.as_bytes() == name.bytes()).map(|(_, role)| *role)
    };
    match side {
        Side::Neutral => word(name),
        Side::Client => own(&CLIENT).unwrap_or_else(|| word(name)),
        Side::Person => own(&PERSON).unwrap_or_else(|| word(name)),
        Side::Answer => own(&ANSWER)?,
        Side::Server => own(&SERVER)?,
        Side::Machine => own(&MACHINE)?,
        Side::Affected => own(&AFFECTED)?,
        Side::Foreign => None,
    }
}
