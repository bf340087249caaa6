//! Ids and words of events, as they are printed and stored.

use common::event::{EventId, EventKind, SourceGroup, outbox_key};

#[test]
fn the_same_cause_has_the_same_id_and_no_other() {
    let id = EventId::of_cause(&[b"incident", b"1"]);
    assert_eq!(id, EventId::of_cause(&[b"incident", b"1"]));
    assert_ne!(id, EventId::of_cause(&[b"incident1", b""]));
    let printed = id.to_string();
    let digits = printed.strip_prefix("evt_").expect("the prefix");
    assert!(digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()), "{printed}");
}

#[test]
fn every_word_is_read_back_and_stored_as_it_is() {
    assert_eq!((EventKind::ALL.len(), SourceGroup::ALL.len()), (10, 4));
    for kind in EventKind::ALL {
        assert_eq!(EventKind::parse(kind.as_str()), Some(kind));
        assert_eq!(serde_json::to_value(kind).expect("a word"), kind.as_str());
    }
}

#[test]
fn what_comes_later_has_the_greater_key() {
    let keys = [outbox_key(1, 0), outbox_key(1, 300), outbox_key(2, 0), outbox_key(256, 1)];
    assert!(keys.is_sorted());
}
