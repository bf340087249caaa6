//! Opening of sealed secrets, its failures, and the content of the ledger.

use std::sync::Arc;

use common::ids::OrganizationId;
use ledger::LedgerId;
use ledger::memory::MemoryLedger;

use super::*;

const SECRET: &[u8] = b"whsec_very_secret_indeed_0123456789";

fn organization(number: u8) -> OrganizationId {
    OrganizationId::from_bytes([number; 16])
}

fn location(number: u8) -> FieldLocation<'static> {
    FieldLocation {
        organization: organization(number),
        table: "webhook_target",
        row: b"row",
        field: "signing_secret",
    }
}

fn keys(numbers: &[u8]) -> KeyEncryptionKeys {
    KeyEncryptionKeys::new(numbers.iter().map(|number| KeyEncryptionKey::new([*number; 32])).collect())
        .unwrap()
}

#[tokio::test]
async fn what_was_sealed_opens_at_its_place_only() {
    let ledger = Arc::new(MemoryLedger::new());
    let vault = Vault::new(ledger.clone(), keys(&[1]));
    let sealed = vault.seal(&location(1), SECRET).await.unwrap();
    assert_eq!(vault.open(&location(1), &sealed).await.unwrap().as_slice(), SECRET);
    let again = Vault::new(ledger.clone(), keys(&[1]));
    assert_eq!(again.open(&location(1), &sealed).await.unwrap().as_slice(), SECRET, "after a restart");
    vault.seal(&location(2), SECRET).await.unwrap();
    let elsewhere = [
        location(2),
        FieldLocation { row: b"other", ..location(1) },
        FieldLocation { field: "header", ..location(1) },
        FieldLocation { table: "telemetry_destination", ..location(1) },
        FieldLocation { row: b"rowsigning", field: "_secret", ..location(1) },
    ];
    for location in elsewhere {
        assert!(matches!(vault.open(&location, &sealed).await, Err(SecretsError::Sealed(_))), "{location:?}");
    }
    let mut changed = sealed.clone();
    *changed.bytes.last_mut().unwrap() ^= 1;
    assert!(matches!(vault.open(&location(1), &changed).await, Err(SecretsError::Sealed(_))));
}

#[tokio::test]
async fn equal_secrets_do_not_look_alike_and_rows_hold_nothing_of_them() {
    let ledger = Arc::new(MemoryLedger::new());
    let vault = Vault::new(ledger.clone(), keys(&[1]));
    let [first, second] =
        [vault.seal(&location(1), SECRET).await.unwrap(), vault.seal(&location(1), SECRET).await.unwrap()];
    assert_ne!(first, second);
    let row = serde_json_of(&first);
    for hidden in [SECRET, &[1; 32]] {
        let holds = |bytes: &[u8]| bytes.windows(hidden.len()).any(|window| window == hidden);
        assert!(!holds(row.as_bytes()));
        assert!(ledger.dump().iter().all(|(_, _, row)| !holds(&row.body)));
    }
    assert!(!format!("{:?}", keys(&[1])).contains("0101010101010101010101010101"));
}

fn serde_json_of(sealed: &Sealed) -> String {
    String::from_utf8(common::row::encode(sealed).unwrap()).unwrap()
}

#[tokio::test]
async fn keys_are_rotated_while_everything_stays_readable() {
    let ledger = Arc::new(MemoryLedger::new());
    let sealed = Vault::new(ledger.clone(), keys(&[1])).seal(&location(1), SECRET).await.unwrap();
    let alone = Vault::new(ledger.clone(), keys(&[2]));
    let error = alone.open(&location(1), &sealed).await.unwrap_err();
    assert!(matches!(error, SecretsError::KeyMissing { .. }), "{error}");
    assert!(error.to_string().contains(&KeyEncryptionKey::new([1; 32]).name()), "it names the key: {error}");
    let both = Vault::new(ledger.clone(), keys(&[2, 1]));
    assert_eq!(both.open(&location(1), &sealed).await.unwrap().as_slice(), SECRET);
    assert_eq!(both.rewrap(organization(1)).await.unwrap(), Rewrapped { rewrapped: 1, current: 0, lost: 0 });
    assert_eq!(both.rewrap(organization(1)).await.unwrap(), Rewrapped { rewrapped: 0, current: 1, lost: 0 });
    assert_eq!(both.rewrap(organization(9)).await.unwrap(), Rewrapped::default());
    let alone = Vault::new(ledger, keys(&[2]));
    assert_eq!(alone.open(&location(1), &sealed).await.unwrap().as_slice(), SECRET, "the old key may go");
}

#[tokio::test]
async fn what_was_sealed_under_a_lost_key_is_given_up_when_told_so_and_not_before() {
    let ledger = Arc::new(MemoryLedger::new());
    let old = Vault::new(ledger.clone(), keys(&[1])).seal(&location(1), SECRET).await.unwrap();
    let vault = Vault::new(ledger.clone(), keys(&[2]));
    let refused = vault.seal(&location(1), SECRET).await.unwrap_err();
    assert!(matches!(refused, SecretsError::KeyMissing { .. }), "{refused}");
    assert_eq!(vault.rewrap(organization(1)).await.unwrap(), Rewrapped { rewrapped: 0, current: 0, lost: 1 });
    assert!(vault.give_up_lost(organization(1)).await.unwrap());
    let sealed = vault.seal(&location(1), SECRET).await.unwrap();
    assert_eq!(vault.open(&location(1), &sealed).await.unwrap().as_slice(), SECRET);
    assert!(vault.open(&location(1), &old).await.is_err());
    assert!(!vault.give_up_lost(organization(1)).await.unwrap(), "nothing is lost any more");
    assert!(!vault.give_up_lost(organization(9)).await.unwrap(), "nothing was entrusted");
    assert_eq!(vault.rewrap(organization(1)).await.unwrap(), Rewrapped { rewrapped: 0, current: 1, lost: 1 });
    // Whoever finds the key after all reads both.
    let both = Vault::new(ledger, keys(&[2, 1]));
    assert_eq!(both.open(&location(1), &old).await.unwrap().as_slice(), SECRET);
    assert_eq!(both.rewrap(organization(1)).await.unwrap(), Rewrapped { rewrapped: 1, current: 1, lost: 0 });
}

#[tokio::test]
async fn two_who_seal_first_at_once_agree_on_a_data_key() {
    let ledger = Arc::new(MemoryLedger::new());
    let vaults: Vec<_> = (0..8).map(|_| Vault::new(ledger.clone(), keys(&[1]))).collect();
    let here = location(1);
    let sealed = futures_util::future::join_all(vaults.iter().map(|vault| vault.seal(&here, SECRET))).await;
    for sealed in sealed {
        assert_eq!(vaults[0].open(&location(1), &sealed.unwrap()).await.unwrap().as_slice(), SECRET);
    }
    let data_keys = ledger.dump().into_iter().filter(|(id, _, row)| {
        *id == LedgerId::Organization(organization(1)) && row.key.starts_with(b"data-key/")
    });
    assert_eq!(data_keys.count(), 1);
}

#[test]
fn keys_are_read_and_refused_without_a_word_of_what_they_are() {
    let one = "ab".repeat(32);
    assert_eq!(
        KeyEncryptionKeys::parse(&format!("{one}\n{}", "cd".repeat(32))).unwrap().current().name().len(),
        16
    );
    let error = KeyEncryptionKeys::parse(&format!("{one} {}", &one[1..])).unwrap_err();
    assert_eq!(error, KeysError::Malformed { number: 2, found: 63 });
    assert!(!error.to_string().contains("abab"));
    assert_eq!(KeyEncryptionKeys::parse(" ").unwrap_err(), KeysError::Count { found: 0 });
}
