//! The verification must be able to fail: invented answers of a server, each with one error.

use serde_json::json;

use super::*;
use crate::account::Fate;

/// Two attacks on source `s`: the first acknowledged whole, of the second one batch is acknowledged and
/// one unknown. The first is reviewed once.
fn books() -> Books {
    let mut account = Books::default();
    let first = account.begin("s", 0);
    for batch in 0..3 {
        account.settle(&first, batch, Fate::Acknowledged);
    }
    let second = account.begin("s", 0);
    account.settle(&second, 0, Fate::Acknowledged);
    account.settle(&second, 1, Fate::Unknown);
    account.opened("shop", Some("s"));
    account.reviewed("i0", vec![reviewed()]);
    account
}

fn reviewed() -> Review {
    Review { status: "resolved".to_owned(), resolution: Some("fixed".to_owned()), version: 2 }
}

fn incident(id: &str, entity: &str, event_count: u64) -> Incident {
    Incident {
        id: id.to_owned(),
        source: "s".to_owned(),
        entity_kind: ENTITY_KIND.to_owned(),
        entity: entity.to_owned(),
        event_count,
        review: Review::untouched(),
        reviews: None,
        summary: json!({"event_count": event_count}),
    }
}

/// Answers of a correct server for [`books`].
fn faithful() -> Collected {
    let first = Incident { review: reviewed(), reviews: Some(1), ..incident("i0", "10.100.100.100", 52) };
    let second = incident("i1", "10.100.100.101", 10);
    Collected { incidents: vec![first, second], sources: vec![("shop".to_owned(), "s".to_owned())] }
}

fn violations_after(change: impl FnOnce(&mut Collected)) -> Vec<Violation> {
    let mut collected = faithful();
    change(&mut collected);
    verify(&books(), &collected)
}

#[test]
fn a_faithful_server_passes_with_or_without_the_unknown_batch() {
    assert_eq!(violations_after(|_| {}), []);
    assert_eq!(violations_after(|collected| collected.incidents[1].event_count = 23), []);
    assert_eq!(violations_after(|collected| collected.incidents.reverse()), []);
}

#[test]
fn a_missing_incident_is_reported() {
    let found = violations_after(|collected| drop(collected.incidents.pop()));
    assert!(matches!(found.as_slice(), [Violation::Missing { acknowledged: 10, .. }]), "{found:?}");
}

#[test]
fn a_missing_batch_and_a_missing_record_are_reported() {
    for count in [0, 10, 39, 42, 51] {
        let found = violations_after(|collected| collected.incidents[0].event_count = count);
        assert!(
            matches!(found.as_slice(), [Violation::TooFew { acknowledged: 52, .. }]),
            "{count}: {found:?}"
        );
    }
}

#[test]
fn a_batch_counted_twice_and_a_record_counted_twice_are_reported() {
    for count in [53, 62, 65, 81, 104] {
        let found = violations_after(|collected| collected.incidents[0].event_count = count);
        assert!(matches!(found.as_slice(), [Violation::TooMany { .. }]), "{count}: {found:?}");
    }
    for count in [11, 20, 22, 24, 33, 36, 39] {
        let found = violations_after(|collected| collected.incidents[1].event_count = count);
        assert!(matches!(found.as_slice(), [Violation::TooMany { .. }]), "{count}: {found:?}");
    }
}

#[test]
fn an_incident_told_twice_is_reported() {
    let found = violations_after(|collected| collected.incidents.push(incident("i2", "10.100.100.101", 10)));
    assert!(
        matches!(found.as_slice(), [Violation::Twice { incidents, .. }] if incidents == &["i1", "i2"]),
        "{found:?}"
    );
}

#[test]
fn an_incident_nobody_caused_is_reported() {
    let strangers = [
        incident("i2", "10.100.100.102", 10),
        Incident { source: "t".to_owned(), ..incident("i2", "10.100.100.101", 10) },
        Incident { entity_kind: "host.name".to_owned(), ..incident("i2", "10.100.100.101", 10) },
    ];
    for stranger in strangers {
        let found = violations_after(|collected| collected.incidents.push(stranger));
        assert!(
            matches!(found.as_slice(), [Violation::Foreign { incident, .. }] if incident == "i2"),
            "{found:?}"
        );
    }
}

#[test]
fn a_batch_that_never_reached_the_server_must_not_be_there() {
    let mut books = books();
    books.attacks.get_mut(&1).unwrap().batches = [Fate::Unsent; 3];
    let found = verify(&books, &faithful());
    assert!(matches!(found.as_slice(), [Violation::TooMany { found: 10, .. }]), "{found:?}");
    let mut without = faithful();
    without.incidents.truncate(1);
    assert_eq!(verify(&books, &without), []);
}

#[test]
fn a_review_that_was_lost_or_invented_is_reported() {
    let found = violations_after(|collected| collected.incidents[0].review = Review::untouched());
    assert!(matches!(found.as_slice(), [Violation::Review { .. }]), "{found:?}");
    let found = violations_after(|collected| collected.incidents[1].review = reviewed());
    assert!(matches!(found.as_slice(), [Violation::Review { .. }]), "{found:?}");
    let found = violations_after(|collected| collected.incidents[0].reviews = Some(2));
    assert!(matches!(found.as_slice(), [Violation::History { history: Some(2), .. }]), "{found:?}");
    let mut books = books();
    books.reviews.insert("i9".to_owned(), vec![reviewed()]);
    let found = verify(&books, &faithful());
    assert_eq!(found, [Violation::ReviewLost { incident: "i9".to_owned() }]);
}

#[test]
fn a_review_whose_answer_was_lost_may_be_there_or_not() {
    let mut books = books();
    books.reviews.insert("i0".to_owned(), vec![Review::untouched(), reviewed()]);
    assert_eq!(verify(&books, &faithful()), []);
    let mut collected = faithful();
    collected.incidents[0].review = Review::untouched();
    collected.incidents[0].reviews = Some(0);
    assert_eq!(verify(&books, &collected), []);
}

#[test]
fn a_source_that_is_gone_or_there_twice_is_reported() {
    let found = violations_after(|collected| collected.sources.clear());
    assert!(matches!(found.as_slice(), [Violation::Source { found, .. }] if found.is_empty()), "{found:?}");
    let again = || ("shop".to_owned(), "t".to_owned());
    let found = violations_after(|collected| collected.sources.push(again()));
    assert!(
        matches!(found.as_slice(), [Violation::Source { found, .. }] if found == &["s", "t"]),
        "{found:?}"
    );
    let mut books = books();
    books.sources.insert("never told".to_owned(), None);
    let mut collected = faithful();
    for expected in [0, 0, 1] {
        assert_eq!(verify(&books, &collected).len(), expected);
        collected.sources.push(("never told".to_owned(), "u".to_owned()));
    }
}

#[test]
fn what_changes_by_itself_is_reported() {
    assert_eq!(compare(&faithful(), &faithful()), []);
    let mut after = faithful();
    after.incidents[1].summary = json!({"event_count": 10, "severity": "low"});
    after.incidents[0].id = "i7".to_owned();
    let found = compare(&faithful(), &after);
    assert_eq!(found.len(), 3, "{found:?}");
}
