//! Every entry is found under the spellings that products have for it.

use super::names::{LONGEST, WORDS};
use super::sides::SIDES;
use super::*;

#[test]
fn every_entry_is_found_in_every_spelling() {
    for (name, meaning) in &WORDS {
        assert!(name.len() <= LONGEST, "{name}");
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()), "{name}");
        let (head, tail) = name.split_at(name.len() / 2);
        for spelling in
            [name.to_string(), name.to_ascii_uppercase(), format!("{head}_{tail}"), format!("{head} {tail}")]
        {
            assert!(table::may_mean_anywhere(spelling.as_bytes()), "{spelling}");
            assert_eq!(table::word(&Squeezed::of(spelling.as_bytes())), Some(*meaning), "{spelling}");
        }
        assert_eq!(WORDS.iter().filter(|(other, ..)| other == name).count(), 1, "{name}");
    }
    assert!(WORDS.len() >= 400);
    for name in ["", "x", "commandlineofsomething", &"a".repeat(100)] {
        assert_eq!(table::word(&Squeezed::of(name.as_bytes())), None);
    }
}

#[test]
fn sides_are_distinct_and_squeezed() {
    for (name, _) in SIDES {
        assert_eq!(SIDES.iter().filter(|(other, _)| *other == name).count(), 1, "{name}");
    }
    assert!(SIDES.iter().all(|(name, _)| Squeezed::of(name.as_bytes()).bytes() == name.as_bytes()));
}

fn text(text: &str) -> Value<'_> {
    Value::String(text.into())
}

#[test]
fn maps_say_whose_an_address_is() {
    let map = |entries: &[(&'static str, &'static str)]| {
        Value::Map(entries.iter().map(|(name, value)| ((*name).into(), text(value))).collect())
    };
    let fields = vec![
        ("dst_endpoint".into(), map(&[("ip", "203.0.113.9"), ("port", "443")])),
        ("headers".into(), map(&[("client_ip", "203.0.113.10")])),
        ("device".into(), map(&[("ip", "203.0.113.11"), ("hostname", "gate-1")])),
        ("src_endpoint".into(), map(&[("ip", "198.51.100.7"), ("port", "50122")])),
        ("target".into(), map(&[("username", "bob")])),
        ("Actor".into(), map(&[("emailAddress", "alice@example.com")])),
    ];
    let mut roles = Roles::none();
    look(&mut roles, &fields, &mut Memo::default());
    for (role, expected) in [
        (Role::ClientAddress, Some("198.51.100.7")),
        (Role::ClientPort, Some("50122")),
        (Role::DestinationAddress, Some("203.0.113.9")),
        (Role::Host, Some("gate-1")),
        (Role::User, Some("alice@example.com")),
        (Role::TargetUser, Some("bob")),
    ] {
        assert_eq!(roles.str(role), expected, "{role:?}");
    }
}
