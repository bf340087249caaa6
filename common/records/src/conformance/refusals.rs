//! Refusals, and the view of other organizations.

use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;

use super::{Note, NoteResult, SHARDS, Stage, event, refused};
use crate::{Change, Home, MAX_DETAIL_BYTES, MAX_HISTORY_BYTES, MAX_ROW_BYTES, RecordError, Table};

pub(super) async fn bodies_are_bounded(stage: Stage) {
    let id = stage.id("a", 1);
    let note = || Change::put(stage.note(id, 1));
    // A version byte, and the quotation marks of the JSON text.
    let text = |limit: usize, more: usize| "x".repeat(limit - 3 + more);
    let largest = note().detail(text(MAX_DETAIL_BYTES, 0)).history(text(MAX_HISTORY_BYTES, 0));
    stage.put(largest.state(b"s", &text(MAX_ROW_BYTES, 0)).expect("it is JSON")).await;
    let detail = stage.records.detail::<Note>(stage.organization, id).await.expect("it can be read");
    assert_eq!(detail.map(|detail| detail.len()), Some(MAX_DETAIL_BYTES - 3));
    let above = [
        note().detail(text(MAX_DETAIL_BYTES, 1)),
        note().history(text(MAX_HISTORY_BYTES, 1)),
        note().state(b"s", &text(MAX_ROW_BYTES, 1)).expect("it is JSON"),
    ];
    for change in above {
        let (_, mut draft) = stage.begin(id.shard()).await;
        let error = refused(draft.add(change));
        assert!(matches!(error, RecordError::TooLarge { found, limit, .. } if found == limit + 1), "{error}");
    }
    let (_, mut draft) = stage.begin(id.shard()).await;
    let error = refused(draft.put_row(Table::new("table"), b"k", &text(MAX_ROW_BYTES, 1)));
    assert!(matches!(error, RecordError::TooLarge { .. }), "{error}");
}

pub(super) async fn a_draft_is_of_one_ledger(stage: Stage) {
    let id = stage.id("a", 1);
    let elsewhere = RecordId::new(Shard((id.shard().0 + 1) % SHARDS), &[1; 32]);
    let (_, mut draft) = stage.begin(id.shard()).await;
    assert!(matches!(refused(draft.add(Change::put(stage.note(elsewhere, 1)))), RecordError::WrongLedger));
    let result = Change::put(NoteResult(stage.note(id, 1)));
    assert!(matches!(refused(draft.add(result)), RecordError::WrongLedger));
    let foreign = event(OrganizationId::from_bytes([0xfd; 16]), "foreign");
    let change = Change::put(stage.note(id, 1)).event(foreign);
    assert!(matches!(refused(draft.add(change)), RecordError::WrongOrganization));
    let mut attempts = stage.records.attempts(Home::Shared, id.shard());
    let mut draft = attempts.next().await.expect("it can be asked").expect("it is the first attempt");
    let result = Change::put(NoteResult(stage.note(id, 1))).event(stage.event("shared"));
    assert!(matches!(refused(draft.add(result)), RecordError::NoOutbox));
}

pub(super) async fn others_find_nothing(stage: Stage) {
    let id = stage.id("a", 1);
    let change = Change::put(stage.note(id, 1)).detail("large".to_owned()).history("made".to_owned());
    stage.put(change.state(b"s", &1_u8).expect("it is JSON")).await;
    let (records, stranger) = (&stage.records, OrganizationId::from_bytes([0xfc; 16]));
    assert_eq!(records.get::<Note>(stranger, id).await.expect("it can be read"), None);
    assert_eq!(records.detail::<Note>(stranger, id).await.expect("it can be read"), None);
    assert_eq!(records.history::<Note>(stranger, id, None, 10).await.expect("it can be read"), []);
    assert_eq!(records.scan::<Note>(stranger, id.shard(), None, 10).await.expect("it can be read"), []);
    let state = records.state::<Note, u8>(stranger, id.shard(), b"s").await;
    assert_eq!(state.expect("it can be read"), None);
    let update = records.update::<Note, RecordError>(stranger, id, |note| Ok(Some(Change::put(note)))).await;
    assert_eq!(update.expect("nothing is changed"), None);
    let nowhere = RecordId::new(Shard(SHARDS), &[1; 32]);
    assert_eq!(stage.get(nowhere).await, None, "an id of a shard that does not exist names nothing");
    let update =
        records.update::<Note, RecordError>(stage.organization, nowhere, |note| Ok(Some(Change::put(note))));
    assert_eq!(update.await.expect("nothing is changed"), None);
    let begun = records.attempts(Home::Records, nowhere.shard()).next().await;
    assert!(matches!(begun, Err(RecordError::NoShard { found: SHARDS, count: SHARDS })), "{begun:?}");
}
