//! Writes of commits, the order of reading them, and concurrent writes.

use std::sync::Arc;

use common::ids::{OrganizationId, RecordId};
use ledger::Seq;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::{Note, NoteResult, Stage};
use crate::{Change, Home, Record, RecordError, Table, Touched, Written};

pub(super) async fn one_commit_writes_everything(stage: Stage) {
    let id = stage.id("a", 1);
    let before = stage.records.seq(Home::Records, id.shard()).await.expect("it can be asked");
    let change = Change::put(stage.note(id, 7)).detail("large".to_owned()).history("made".to_owned());
    let change = change.event(stage.event("made")).state(b"identity", &id).expect("it is JSON");
    stage.put(change).await;
    let (records, organization) = (&stage.records, stage.organization);
    let after = records.seq(Home::Records, id.shard()).await.expect("it can be asked");
    assert_eq!(after, Seq(before.0 + 1), "it is one commit");
    assert_eq!(stage.get(id).await, Some(stage.note(id, 7)));
    let detail = records.detail::<Note>(organization, id).await.expect("it can be read");
    assert_eq!(detail.as_deref(), Some("large"));
    let history = records.history::<Note>(organization, id, None, 10).await.expect("it can be read");
    assert_eq!(history.iter().map(|entry| entry.entry.as_str()).collect::<Vec<_>>(), ["made"]);
    assert_eq!(stage.outbox(id.shard()).await, [stage.event("made")]);
    let state = records.state::<Note, RecordId>(organization, id.shard(), b"identity").await;
    assert_eq!(state.expect("it can be read"), Some(id));

    stage.put(Change::put(stage.note(id, 8)).without_state(b"identity")).await;
    assert_eq!(stage.get(id).await, Some(stage.note(id, 8)));
    let detail = records.detail::<Note>(organization, id).await.expect("it can be read");
    assert_eq!(detail.as_deref(), Some("large"), "a change that names no detail leaves it");
    let state = records.state::<Note, RecordId>(organization, id.shard(), b"identity").await;
    assert_eq!(state.expect("it can be read"), None);
}

pub(super) async fn a_history_is_read_from_its_end(stage: Stage) {
    let (id, other) = (stage.id("a", 1), stage.id("a", 2));
    for number in 0..12_u64 {
        let change = Change::put(stage.note(id, number)).history(format!("{number} first"));
        stage.put(change.history(format!("{number} second"))).await;
    }
    stage.put(Change::put(stage.note(other, 0)).history("of another".to_owned())).await;
    let mut read = Vec::new();
    let mut before = None;
    loop {
        let page = stage.records.history::<Note>(stage.organization, id, before, 5).await;
        let page = page.expect("it can be read");
        let Some(last) = page.last() else { break };
        assert!(page.len() <= 5);
        before = Some(last.number);
        read.extend(page.into_iter().map(|entry| entry.entry));
    }
    let expected = (0..12_u64).rev().flat_map(|n| [format!("{n} second"), format!("{n} first")]);
    assert_eq!(read, expected.collect::<Vec<_>>());
}

pub(super) async fn events_keep_their_order(stage: Stage) {
    let (id, other) = (stage.id("a", 1), stage.id("a", 2));
    stage
        .commit(id.shard(), |draft| {
            let change = Change::put(stage.note(id, 1)).event(stage.event("1")).event(stage.event("2"));
            draft.add(change).expect("it is allowed");
            let change = Change::put(stage.note(other, 1)).event(stage.event("3"));
            draft.add(change).expect("it is allowed");
        })
        .await;
    stage.put(Change::put(stage.note(id, 2)).event(stage.event("4"))).await;
    let expected = ["1", "2", "3", "4"].map(|name| stage.event(name));
    assert_eq!(stage.outbox(id.shard()).await, expected);
}

pub(super) async fn a_late_draft_changes_nothing(stage: Stage) {
    let id = stage.id("a", 1);
    let (mut late, mut draft) = stage.begin(id.shard()).await;
    stage.put(Change::put(stage.note(id, 1))).await;
    let change = Change::put(stage.note(id, 2)).history("late".to_owned()).event(stage.event("late"));
    draft.add(change).expect("it is allowed");
    assert!(!late.commit(draft).await.expect("the ledger can be asked"), "it was decided before");
    assert_eq!(stage.get(id).await, Some(stage.note(id, 1)));
    assert_eq!(stage.outbox(id.shard()).await, []);
    let (mut attempts, draft) = stage.begin(id.shard()).await;
    let before = stage.records.seq(Home::Records, id.shard()).await.expect("it can be asked");
    assert!(attempts.commit(draft).await.expect("the ledger can be asked"));
    let after = stage.records.seq(Home::Records, id.shard()).await.expect("it can be asked");
    assert_eq!(after, before, "an empty draft is not committed");
}

pub(super) async fn updates_at_once_all_count(stage: Stage) {
    const WRITERS: u64 = 4;
    const EACH: u64 = 5;
    let id = stage.id("a", 1);
    stage.put(Change::put(stage.note(id, 0))).await;
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let (records, organization) = (Arc::clone(&stage.records), stage.organization);
        writers.spawn(async move {
            for _ in 0..EACH {
                let more = |note: Note| {
                    let note = Note { count: note.count + 1, ..note };
                    let entry = note.count.to_string();
                    Ok::<_, RecordError>(Some(Change::put(note).history(entry)))
                };
                records
                    .update(organization, id, more)
                    .await
                    .expect("it can be changed")
                    .expect("it is there");
            }
        });
    }
    while let Some(ended) = writers.join_next().await {
        ended.expect("a writer does not panic");
    }
    assert_eq!(stage.get(id).await, Some(stage.note(id, WRITERS * EACH)));
    let history =
        stage.records.history::<Note>(stage.organization, id, None, 100).await.expect("it can be read");
    assert_eq!(history.len() as u64, WRITERS * EACH);
    let unchanged = stage.records.update::<Note, RecordError>(stage.organization, id, |_| Ok(None)).await;
    let record = stage.note(id, WRITERS * EACH);
    assert_eq!(unchanged.expect("nothing is changed"), Some(Written { record, seq: None }));
}

pub(super) async fn a_repeated_creation_returns_the_first_record(stage: Stage) {
    let id = stage.records.lone_id(stage.organization, Uuid::from_u128(5));
    let create = |count| {
        let with_history = |change: Change<Note>| Ok::<_, RecordError>(change.history("made".to_owned()));
        stage.records.create(stage.note(id, count), with_history)
    };
    let first = create(1).await.expect("it is created");
    let seq = stage.records.seq(Home::Records, id.shard()).await.expect("it can be read");
    assert_eq!(first, Written { record: stage.note(id, 1), seq: Some(seq) });
    let second = create(2).await.expect("it is found");
    assert_eq!(second, Written { record: stage.note(id, 1), seq: None });
    let history = stage.records.history::<Note>(stage.organization, id, None, 10).await;
    assert_eq!(history.expect("it can be read").len(), 1);
    let change = |note: Note| Ok::<_, RecordError>(Some(Change::put(Note { count: 3, ..note })));
    let changed = stage.records.update(stage.organization, id, change).await.expect("it is changed");
    let seq = stage.records.seq(Home::Records, id.shard()).await.expect("it can be read");
    assert_eq!(changed, Some(Written { record: stage.note(id, 3), seq: Some(seq) }));
}

pub(super) async fn scans_page_by_type_and_organization(stage: Stage) {
    let shard = stage.records.shard(stage.organization, b"a");
    let mut ids: Vec<RecordId> = (0..7_u8).map(|number| stage.id("a", number)).collect();
    ids.sort();
    for id in &ids {
        stage.put(Change::put(stage.note(*id, 1))).await;
    }
    let foreign = Note { organization: OrganizationId::from_bytes([0xfe; 16]), ..stage.note(ids[0], 9) };
    stage.put(Change::put(foreign)).await;
    let mut attempts = stage.records.attempts(Home::Shared, shard);
    let mut draft = attempts.next().await.expect("it can be asked").expect("it is the first attempt");
    draft.add(Change::put(NoteResult(stage.note(ids[0], 3)))).expect("it is allowed");
    assert!(attempts.commit(draft).await.expect("it is allowed"));
    let (mut read, mut after) = (Vec::new(), None);
    loop {
        let page =
            stage.records.scan::<Note>(stage.organization, shard, after, 3).await.expect("it can be read");
        let Some(last) = page.last() else { break };
        after = Some(last.id());
        read.extend(page.into_iter().map(|note| (note.id, note.count)));
    }
    assert_eq!(read, ids.iter().map(|id| (*id, 1)).collect::<Vec<_>>());
    let results = stage.records.scan::<NoteResult>(stage.organization, shard, None, 10).await;
    assert_eq!(results.expect("it can be read"), [NoteResult(stage.note(ids[0], 3))]);
}

pub(super) async fn rows_of_tables_are_followed(stage: Stage) {
    const TABLE: Table = Table::new("numbers");
    const LONGER: Table = Table::new("numbers-more");
    let shard = stage.records.shard(stage.organization, b"tables");
    let at = (Home::Records, shard);
    let before = stage.records.seq(Home::Records, shard).await.expect("it can be asked");
    stage
        .commit(shard, |draft| {
            for number in 0..5_u8 {
                draft.put_row(TABLE, &[b'a', number], &number).expect("it is small");
            }
            draft.put_row(TABLE, b"b", &9_u8).expect("it is small");
            draft.put_row(LONGER, b"a", &9_u8).expect("it is small");
            draft.put_row(LONGER, b"a", &10_u8).expect("it is small");
            draft.delete_row(LONGER, b"c");
        })
        .await;
    let (_, mut draft) = stage.begin(shard).await;
    draft.put_row(TABLE, b"b", &1_u8).expect("it is small");
    draft.delete_row(LONGER, b"a");
    let of = async |table, key: &'static [u8]| stage.records.row_after::<u8>(&draft, table, key).await;
    assert_eq!(of(TABLE, b"b").await.expect("it can be read"), Some(1), "the draft counts");
    assert_eq!(of(LONGER, b"a").await.expect("it can be read"), None, "so does what it removes");
    assert_eq!(of(TABLE, &[b'a', 4]).await.expect("it can be read"), Some(4));
    let rows = stage.records.rows::<u8>(at, TABLE, b"a", Some(&[b'a', 1]), 2).await.expect("it can be read");
    let rows: Vec<_> = rows.iter().map(|(key, number)| (key.as_ref(), *number)).collect();
    assert_eq!(rows, [([b'a', 2].as_slice(), 2), ([b'a', 3].as_slice(), 3)]);
    stage.commit(shard, |draft| draft.delete_row(TABLE, b"b")).await;
    assert_eq!(stage.records.row::<u8>(at, TABLE, b"b").await.expect("it can be read"), None);
    assert_eq!(stage.records.row::<u8>(at, LONGER, b"a").await.expect("it can be read"), Some(10));
    let touched = stage.records.touched(at, &[TABLE], Seq(before.0 + 1)).await.expect("it can be read");
    assert_eq!(touched, Touched::Rows { seq: Seq(before.0 + 2), rows: vec![(TABLE, "b".into())] });
    let ahead = stage.records.touched(at, &[TABLE], Seq(before.0 + 100)).await.expect("it can be read");
    assert_eq!(ahead, Touched::Gap);
}

pub(super) async fn a_record_of_any_type_exists(stage: Stage) {
    let (note, other, result) = (stage.id("a", 1), stage.id("a", 2), stage.id("a", 3));
    stage.put(Change::put(stage.note(note, 1))).await;
    let mut attempts = stage.records.attempts(Home::Shared, result.shard());
    let mut draft = attempts.next().await.expect("it can be asked").expect("it is the first attempt");
    draft.add(Change::put(NoteResult(stage.note(result, 1)))).expect("it has room");
    draft.add(Change::put(NoteResult(stage.note(other, 1)))).expect("it has room");
    assert!(attempts.commit(draft).await.expect("it can be committed"));
    let exists =
        async |organization, id| stage.records.exists(organization, id).await.expect("it can be read");
    for id in [note, other, result] {
        assert!(exists(stage.organization, id).await, "{id}");
        assert!(!exists(OrganizationId::from_bytes([0xfb; 16]), id).await, "a stranger finds nothing");
    }
    assert!(!exists(stage.organization, stage.id("a", 4)).await);
    let elsewhere = RecordId::new(common::partition::Shard(u16::MAX), &[1; 32]);
    assert!(!exists(stage.organization, elsewhere).await, "there is no such shard");
    // Types are found behind others.
    let last = stage.id("a", 5);
    let after = Change::put(After(stage.note(last, 1)));
    stage.commit(last.shard(), |draft| draft.add(after).expect("it has room")).await;
    assert!(exists(stage.organization, last).await && !exists(stage.organization, stage.id("a", 4)).await);
}

/// A type behind the others.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct After(Note);

impl Record for After {
    const NAME: &'static str = "zz";
    type Detail = ();
    type History = ();

    fn id(&self) -> RecordId {
        self.0.id
    }

    fn organization(&self) -> OrganizationId {
        self.0.organization
    }
}
