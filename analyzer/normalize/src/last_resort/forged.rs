//! Text of a client's choice never makes another address the peer.

use proptest::prelude::*;

use super::read;
use super::tests::{CLIENT, failed};

/// Another address, which a client wants to be blamed.
const FRAMED: &str = "198.51.100.1";

/// Forms in which programs write the client, of the two families.
const CLIENTS: [&str; 9] = [
    "203.0.113.9",
    "203.0.113.9:51234",
    // The superuser of a host chooses ports of services as well.
    "203.0.113.9:80",
    "[203.0.113.9]",
    "[203.0.113.9]:51234",
    "::ffff:203.0.113.9",
    "vps.example.org [203.0.113.9]",
    "2001:db8:bad::10",
    "[2001:db8:bad::10]:51234",
];

/// Lines of refused logins: `{}` is the user, `<>` the client.
const LINES: [&str; 25] = [
    "login failed for {} from <>",
    "login failed for {} <>",
    "login failed: {} (<>)",
    "login failed from <> for {}",
    "login failed from <>: unknown user {}",
    "failed login <> {}",
    "failed login {}, <>",
    "authentication failure; rhost=<> user={}",
    "authentication failure; user={} rhost=<>",
    "user={} ip=<> invalid password",
    "invalid password for {}@<>",
    "invalid password: user \"{}\" from <>",
    "invalid password: user '{}' from <>",
    "invalid password: from <>, user '{}', agent \"Mozilla\"",
    "invalid user [{}] client [<>]",
    "[client <>] user {} : authentication failed",
    "{} failed to log in via <>",
    "{}: wrong password from <>, dst=198.51.100.10:22",
    "rejected login of <{}> rip=<>, lip=198.51.100.10, agent={}",
    "LOGIN_FAILED|{}|<>|{}",
    "auth failed on module {} from <> for {}: no such user",
    "Access denied for user {}@<> (using password: YES)",
    "login failed: {}[<>]",
    "login failed for {}(<>)",
    "authentication failed: {}/<>",
];

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(FRAMED.to_owned()),
        Just(format!("{FRAMED}:51234")),
        Just(format!("[{FRAMED}]")),
        Just(format!("from {FRAMED}")),
        Just(format!("from {FRAMED} to")),
        Just(format!("rhost={FRAMED}")),
        Just(format!("ip={FRAMED} lip=")),
        Just(format!("from {FRAMED} server ")),
        Just(format!("from {FRAMED} on local host")),
        Just(format!("source {FRAMED} destination")),
        Just(format!("client {FRAMED}] dst [")),
        Just(format!("{FRAMED} -> ")),
        Just("2001:db8::1".to_owned()),
        Just("from 2001:db8::1 to server".to_owned()),
        Just("::ffff".to_owned()),
        Just("::".to_owned()),
        Just("lip=".to_owned()),
        Just(format!("{FRAMED} lip=")),
        Just(format!("{FRAMED} to ")),
        Just("version 1.".to_owned()),
        Just("login failed".to_owned()),
        Just("\"".to_owned()),
        Just("'".to_owned()),
        Just("\\".to_owned()),
        Just("<".to_owned()),
        Just("anna".to_owned()),
        "[ -~]{0,12}",
    ];
    let mark = prop_oneof![Just(" "), Just(""), Just(", "), Just(": "), Just("|")];
    prop::collection::vec((piece, mark), 0..6)
        .prop_map(|pieces| pieces.into_iter().map(|(piece, mark)| piece + mark).collect())
}

/// Whether an address is the client's.
fn is_client(address: &str) -> bool {
    address == CLIENT || address == "2001:db8:bad::10"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_name_with_an_address_never_makes_another_address_the_peer(
        line in prop::sample::select(&LINES[..]), client in prop::sample::select(&CLIENTS[..]), name in pieces(),
    ) {
        // The program's own marks first, so that the name may hold them.
        let text = line.replace("<>", client).replace("{}", &name);
        if let Some(address) = read(&text).and_then(|failure| failure.address) {
            prop_assert!(is_client(address), "{} is the peer of {}", address, text);
        }
    }
}

#[test]
fn marks_before_an_apostrophe_end() {
    // Once read for ever.
    for marks in [":'", ".-'", "::''", "#'x", "-' '"] {
        read(&format!("login failed from {CLIENT} {marks} x {marks}"));
        read(&format!("login failed {marks} from {CLIENT}"));
    }
}

#[test]
fn ordinary_names_leave_the_client_in_every_line() {
    for line in LINES {
        for client in CLIENTS {
            let text = line.replace("<>", client).replace("{}", "anna");
            let found = failed(&text).map(|(address, _)| address);
            assert!(found.as_deref().is_some_and(is_client), "{found:?}: {text}");
        }
    }
}

#[test]
fn an_address_in_a_path_is_not_the_peer() {
    for line in [
        "authentication failed: GET /files/198.51.100.1/x",
        "login failed at path=/u/198.51.100.1",
        "login failed: GET /u?x=198.51.100.1",
    ] {
        assert_eq!(read(line), None, "{line}");
    }
    // Java writes a slash before each address.
    for line in
        ["login failed from /203.0.113.9:51234", "authentication failed for anna at /api from /203.0.113.9"]
    {
        assert_eq!(read(line).and_then(|failure| failure.address), Some(CLIENT), "{line}");
    }
}

#[test]
fn a_name_of_a_pair_hides_no_failure() {
    for name in ["ok", "reset", "accepted", "upload"] {
        let text = format!("login failed: user={name} from {CLIENT}");
        let expected = Some((Some(CLIENT), Some(name)));
        assert_eq!(read(&text).map(|failure| (failure.address, failure.user)), expected, "{text}");
    }
}

#[test]
fn a_name_without_quotes_hides_no_failure() {
    const LINES: [&str; 9] = [
        "login failed for {} from <>",
        "login failed for user {} from <>:51234",
        "failed login of account {} via <>",
        "authentication failed for user {}, client <>",
        "invalid user {} from <> port 51234",
        "invalid password for {} (<>)",
        "invalid password for {} <>",
        "login denied for {}@<>",
        "user {}: authentication failed from <>",
    ];
    for name in ["ok", "success", "accepted", "granted", "reset", "timeout", "recipient"] {
        for line in LINES {
            let text = line.replace("<>", CLIENT).replace("{}", name);
            assert_eq!(read(&text).and_then(|failure| failure.address), Some(CLIENT), "{text}");
        }
    }
    for text in ["login failed for x accepted from 203.0.113.9", "invalid user all ok from 203.0.113.9"] {
        assert_eq!(read(text).and_then(|failure| failure.address), Some(CLIENT), "{text}");
    }
}

#[test]
fn a_success_behind_a_failure_is_no_name() {
    for text in [
        "login failed for anna from 203.0.113.9, then accepted",
        "public key authentication failed for anna, password accepted from 203.0.113.9",
        "failed logins of user anna reset by root from 203.0.113.9",
        "user accepted from 203.0.113.9 after 2 failed logins",
        "login for user anna from 203.0.113.9 succeeded after a failed password",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn a_name_that_is_an_address_is_not_the_peer() {
    for text in [
        "login failed for user 198.51.100.1 from 203.0.113.9",
        "invalid user 198.51.100.1 from [203.0.113.9]:51234",
        "login failed: user=198.51.100.1 ip=203.0.113.9",
    ] {
        assert_eq!(read(text).and_then(|failure| failure.address), Some(CLIENT), "{text}");
    }
}

#[test]
fn an_address_in_a_name_hides_no_failure() {
    for line in LINES {
        for name in [
            FRAMED,
            "root@198.51.100.1",
            "x from 198.51.100.1",
            "x from vps.example.org",
            "from 198.51.100.1 user",
            "x ip=198.51.100.1",
            "2001:db8::1",
        ] {
            let text = line.replace("<>", CLIENT).replace("{}", name);
            let address = failed(&text).map(|(address, _)| address);
            let is_right = |address: &str| address.is_empty() || is_client(address);
            assert!(address.as_deref().is_some_and(is_right), "{address:?}: {text}");
        }
    }
}
