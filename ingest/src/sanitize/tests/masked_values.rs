//! Fingerprints of masked values: their values, positions and number.

use common::fingerprint::{Fingerprint, Fingerprints, MOST_FINGERPRINTS};
use common::ids::OrganizationId;
use common::pepper::Pepper;

use super::*;

fn organization() -> OrganizationId {
    OrganizationId::from_bytes([1; 16])
}

/// The payload of these lines, masked, with its fingerprints.
fn masked_for(organization: OrganizationId, lines: &str) -> (Vec<u8>, Fingerprints) {
    let body = BytesMut::from(lines.as_bytes());
    let mut payload =
        validate(Format::Ndjson, body, &Limits::default(), Timestamp::default()).unwrap().payload.to_vec();
    let mut values = MaskedValues::of(&Pepper::new([7; 32]), organization);
    Workspace::default().sanitize(&USUAL, &mut payload, &mut values);
    (payload, values.into_fingerprints())
}

fn fingerprints(lines: &str) -> Vec<Fingerprint> {
    masked_for(organization(), lines).1.within(0..usize::MAX).to_vec()
}

fn values(lines: &str) -> Vec<u64> {
    fingerprints(lines).into_iter().map(|own| own.value).collect()
}

#[test]
fn equal_values_have_equal_fingerprints_and_others_others() {
    let token = |tail: &str| {
        format!("ghp_{}", "aB3dE6gH9jK2".repeat(3).split_at(36 - tail.len()).0.to_owned() + tail)
    };
    let (one, two) = (token("One1"), token("Two2"));
    // A whole value of a sensitive key, a token in prose, a password in a pair, and an argument of a command.
    for line in [
        r#"{"client_secret":"VALUE"}"#,
        r#"{"message":"denied for token VALUE from 203.0.113.9"}"#,
        r#"{"message":"login failed password=VALUE"}"#,
        r#"{"argv":["vault","--password","VALUE"]}"#,
        r#"{"user":"bob","pass":"VALUE"}"#,
        r#"{"name":"DB_PASSWORD","value":"VALUE"}"#,
    ] {
        let of = |value: &str| values(&line.replace("VALUE", value));
        assert_eq!(of(&one).len(), 1, "{line}");
        assert_eq!(of(&one), of(&one), "{line}");
        assert_ne!(of(&one), of(&two), "{line}");
    }
    let lines = format!("{{\"api_key\":\"{one}\"}}\n{{\"message\":\"key {one} used\"}}");
    let found = values(&lines);
    assert!(found.len() == 2 && found[0] == found[1], "wherever it stands: {found:?}");
}

#[test]
fn fingerprints_lie_where_the_masks_begin() {
    let lines =
        r#"{"a":"x","client_secret":"ZwPw1234","message":"password=Other9876 and password=ZwPw1234"}"#;
    let (payload, fingerprints) = masked_for(organization(), lines);
    let found = fingerprints.within(0..payload.len());
    assert_eq!(found.len(), 3);
    for fingerprint in found {
        let mask = &payload[fingerprint.offset as usize..][..8];
        assert!(
            mask.iter().all(|byte| *byte == b'*' || mask.starts_with(b"<")),
            "{}",
            String::from_utf8_lossy(mask)
        );
    }
    let distinct: std::collections::BTreeSet<u64> = found.iter().map(|own| own.value).collect();
    assert_eq!(distinct.len(), 2);
}

#[test]
fn organizations_and_deployments_have_keys_of_their_own() {
    let line = r#"{"client_secret":"ZwPw1234"}"#;
    let other = masked_for(OrganizationId::from_bytes([2; 16]), line).1;
    assert_ne!(other.within(0..usize::MAX)[0].value, values(line)[0]);
    let guess = Pepper::new([8; 32]).hash(FINGERPRINT_PURPOSE, &[b"ZwPw1234"]);
    assert_ne!(values(line)[0].to_be_bytes(), guess[..8]);
}

#[test]
fn nothing_is_kept_of_what_is_not_masked() {
    for line in [
        r#"{"message":"nothing secret"}"#,
        r#"{"client_secret":"<SECRET_REDACTED>***","password":"***"}"#,
        r#"{"secretId":"prod/db-password"}"#,
        r#"{"secret":"projects/shop/secrets/db"}"#,
        "{\"message\":\"-----BEGIN PRIVATE KEY-----\\nMIIEaB3dE6gH9jK2\\n-----END PRIVATE KEY-----\"}",
    ] {
        assert_eq!(values(line), Vec::<u64>::new(), "{line}");
    }
}

#[test]
fn records_and_batches_have_a_bound() {
    let crowded =
        (0..200).map(|number| format!("\"password{number}\":\"ZwPw{number}aB\"")).collect::<Vec<_>>();
    let crowded = format!("{{{}}}", crowded.join(","));
    let lines = format!("{crowded}\n{{\"client_secret\":\"ZwPw1234\"}}");
    let found = values(&lines);
    assert_eq!(found.len(), 64 + 1, "the next record has room of its own");
    assert_eq!(found.last(), values(r#"{"client_secret":"ZwPw1234"}"#).last());
    let many: String = (0..60).map(|_| format!("{crowded}\n")).collect();
    assert_eq!(values(&many).len(), MOST_FINGERPRINTS);
}
