//! What a map is about, and what a field in it means for that.

use super::sides::{SIDES, Side};
use super::table::{Squeezed, word};
use crate::normalize::roles::Role;

/// What the fields of a map are about, given what the map lies in. A dotted name is several maps.
pub(super) fn of_path(path: &str, above: Side) -> Side {
    path.split('.').fold(above, |side, name| {
        if side == Side::Foreign {
            return side;
        }
        let squeezed = Squeezed::of(name);
        let own = SIDES.binary_search_by(|(known, _)| (*known).cmp(squeezed.text())).map(|at| SIDES[at].1);
        match (side, own) {
            (_, Ok(Side::Foreign)) => Side::Foreign,
            // A user of the target is not the one who asks.
            (Side::Server | Side::Affected | Side::Machine | Side::Answer, _) => side,
            // What a client says of itself beside its address: `source.user`, `client.request`.
            (_, Ok(own)) => own,
            (side, Err(_)) => side,
        }
    })
}

/// The part of a field in a map of this side.
pub(super) fn role(name: &Squeezed, side: Side) -> Option<(Role, u8)> {
    if side == Side::Neutral {
        return word(name);
    }
    let text = name.text();
    match side {
        Side::Client => match text {
            "ip" | "address" | "ipaddress" | "addr" | "ipaddr" | "ipv4" | "ipv6" | "ips" | "hostaddress"
            | "from" => Some((Role::ClientAddress, 1)),
            "port" => Some((Role::ClientPort, 1)),
            "path" => Some((Role::Activity, 0)),
            "name" | "id" | "type" | "method" | "status" | "host" | "hostname" => None,
            _ => word(name),
        },
        Side::Person => match text {
            "username" | "login" | "loginname" | "alternateid" | "upn" | "userprincipalname"
            | "principalname" | "accountname" | "userid" | "user" => Some((Role::User, 1)),
            "email" | "emailaddress" | "emailaddr" | "mail" | "primaryemail" | "useremail" => {
                Some((Role::User, 2))
            }
            "name" => Some((Role::User, 3)),
            "displayname" | "fullname" | "nameid" => Some((Role::User, 5)),
            "id" | "uid" | "sub" => Some((Role::User, 7)),
            "ip" | "address" | "ipaddress" | "addr" | "ipaddr" | "ips" => Some((Role::ClientAddress, 2)),
            "port" => Some((Role::ClientPort, 2)),
            "type" | "status" | "state" | "hostname" | "host" | "service" => None,
            _ => word(name),
        },
        Side::Answer => match text {
            "statuscode" | "status" | "code" | "result" => Some((Role::Outcome, 4)),
            "errormessage" | "error" => Some((Role::Reason, 3)),
            _ => None,
        },
        Side::Server => match text {
            "ip" | "address" | "ipaddress" | "addr" | "ipaddr" | "ips" => Some((Role::DestinationAddress, 2)),
            "port" => Some((Role::DestinationPort, 1)),
            _ => None,
        },
        Side::Machine => match text {
            "hostname" | "name" => Some((Role::Host, 3)),
            "product" | "productname" => Some((Role::Product, 0)),
            "vendor" => Some((Role::Product, 5)),
            _ => None,
        },
        Side::Affected => match text {
            "username" | "userid" | "login" | "alternateid" | "email" | "emailaddress" | "emailaddr" => {
                Some((Role::TargetUser, 2))
            }
            "ip" | "ipaddress" => Some((Role::DestinationAddress, 2)),
            "port" => Some((Role::DestinationPort, 2)),
            _ => None,
        },
        Side::Neutral | Side::Foreign => None,
    }
}
