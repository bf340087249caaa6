//! The reader of last resort: programs that have no reader, lines that are no failed logins, and text of a client's choice.

use std::net::{IpAddr, SocketAddr};

use proptest::prelude::*;

use super::Failure;
use super::gate::may_hold_address;
use crate::address::written;
use crate::tests::{line, only, payload};

pub(super) const CLIENT: &str = "203.0.113.9";

/// The failed login that a line of a program without a reader is, through every reader that does not ask for the program: its
/// client and user.
pub(super) fn failed(text: &str) -> Option<(String, String)> {
    let text = format!("Nov 25 10:11:12 host program7[1]: {text}");
    let payload = payload(line(&text), &[]);
    let normalized = only(&payload);
    let field = |name: &str| {
        let found = normalized.event.fields.iter().find(|(own, _)| own == name);
        found.and_then(|(_, value)| value.as_str()).unwrap_or_default().to_owned()
    };
    (field("event.action") == "login_failed").then(|| (field("client.address"), field("user.name")))
}

/// Numbers of lines of a table found and not found, and of wrong users. No wrong client is ever found.
fn found(table: &str) -> (usize, Vec<&str>, Vec<String>) {
    let rows: Vec<_> = table.lines().filter(|row| !row.starts_with('#')).collect();
    let (mut missed, mut wrong_users) = (Vec::new(), Vec::new());
    for row in &rows {
        let (_, text) = row.split_once(" | ").unwrap();
        match failed(text) {
            Some((address, user)) if address == CLIENT => {
                let is_known =
                    ["", "anna", "admin", "root"].contains(&user.as_str()) || user.starts_with("anna@");
                wrong_users.extend((!is_known).then(|| format!("{user} is no user: {row}")));
            }
            Some((address, _)) if !address.is_empty() => panic!("{address} is not the client: {row}"),
            _ => missed.push(*row),
        }
    }
    (rows.len() - missed.len(), missed, wrong_users)
}

#[test]
fn refused_logins_of_programs_without_a_reader_are_found() {
    let (count, missed, wrong_users) = found(include_str!("programs.txt"));
    println!("{count} found; missed: {missed:#?}");
    assert!(wrong_users.is_empty(), "{wrong_users:#?}");
    assert!(count * 10 >= (count + missed.len()) * 9, "{count} found, missed: {missed:#?}");
}

#[test]
fn refused_logins_of_programs_that_were_held_out_are_found() {
    let (count, missed, wrong_users) = found(include_str!("programs_held_out.txt"));
    println!("{count} found; missed: {missed:#?}; wrong users: {wrong_users:#?}");
    assert!(wrong_users.len() <= 1, "{wrong_users:#?}");
    assert!(count * 10 >= (count + missed.len()) * 8, "{count} found, missed: {missed:#?}");
}

#[test]
fn the_user_is_read_where_a_name_stands_before_it() {
    for (text, user) in [
        ("Login failed for user 'anna' from 203.0.113.9", Some("anna")),
        ("invalid password, username=anna, ip=203.0.113.9", Some("anna")),
        ("authentication failed from 203.0.113.9", None),
        ("Incorrect username or password from 203.0.113.9", None),
    ] {
        assert_eq!(super::read(text), Some(Failure { address: Some(CLIENT), user }), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_line_with_an_address_may_hold_one(address: IpAddr, zeros in 0..8_usize, port: u16) {
        // Few random addresses have a group of zeros that is left out.
        let address = match address {
            IpAddr::V4(_) => address,
            IpAddr::V6(address) => {
                let mut segments = address.segments();
                segments.iter_mut().skip(1).take(zeros).for_each(|segment| *segment = 0);
                IpAddr::from(segments)
            }
        };
        for word in [address.to_string(), SocketAddr::new(address, port).to_string()] {
            let line = format!("09:10:11 {word}: refused");
            prop_assert!(written(&word).is_none() || may_hold_address(line.as_bytes()), "{}", line);
        }
    }
}

#[test]
fn times_of_day_are_no_addresses() {
    for (line, expected) in [
        ("login from 198.51.100.7 failed", true),
        ("login from 2001:db8::9 failed", true),
        ("login from ::1 failed", false),
        ("login from ::ffff:198.51.100.7 failed", true),
        ("login from [fe80::1]:22 failed", true),
        ("2026-07-08 09:10:11 job: failed: no such file: report", false),
        ("version 1.9 of com.example.shop failed", false),
    ] {
        assert_eq!(may_hold_address(line.as_bytes()), expected, "{line}");
    }
}
