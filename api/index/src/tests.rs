//! A second listed resource: notes with a day and a colour. Incidents, the first user, test lists and filters.

mod sorting;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use common::clock::ManualClock;
use common::ids::{OrganizationId, RecordId};
use common::partition::Shard;
use common::row;
use common::timestamp::Timestamp;
use ledger::memory::MemoryLedger;
use ledger::{Commit, Kind, Ledger, LedgerId, Op, Seq};
use proptest::prelude::*;
use records::{Change, Record, RecordError, Records};
use rest::page::PageQuery;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::{
    Config, Dictionary, Index, Listed, ListedRecord, Match, Needle, OrganizationIndex, Part, Scan, all,
    by_activity, by_key,
};

const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(7));
const NAME: &[u8] = b"note/";
const CONFIG: Config = Config {
    memory_bytes: 1 << 20,
    organization_bytes: 1 << 20,
    idle: Duration::from_secs(900),
    poll: Duration::from_millis(200),
};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Note {
    organization: OrganizationId,
    number: u32,
    millis: i64,
    colour: String,
    text: String,
}

#[derive(Debug)]
enum Notes {}

impl Listed for Notes {
    const NAME: &'static str = "notes";
    type Id = u32;
    type Head = Note;
    type Facets = u32;
    type Values = Dictionary<Arc<str>>;
    type Row = String;
    type Beside = ();

    fn ledger(shard: u16) -> LedgerId {
        LedgerId::Records(Shard(shard))
    }

    fn shard(id: u32) -> u16 {
        u16::try_from(id % 2).unwrap()
    }

    fn prefix(organization: OrganizationId) -> Vec<u8> {
        [organization.as_bytes(), NAME].concat()
    }

    fn key(organization: OrganizationId, id: u32) -> Vec<u8> {
        [organization.as_bytes(), NAME, &id.to_be_bytes()].concat()
    }

    fn parse_key(key: &[u8]) -> Option<(OrganizationId, u32)> {
        let (organization, rest) = key.split_first_chunk::<16>()?;
        let id = rest.strip_prefix(NAME)?.try_into().ok()?;
        Some((OrganizationId::from_bytes(*organization), u32::from_be_bytes(id)))
    }

    fn identity(head: &Note) -> (OrganizationId, u32) {
        (head.organization, head.number)
    }

    fn activity_millis(head: &Note) -> i64 {
        head.millis
    }

    fn created_millis(head: &Note) -> i64 {
        -head.millis
    }

    fn facets(head: &Note, values: &mut Self::Values) -> (u32, String) {
        (values.intern(head.colour.as_str()).0, head.text.clone())
    }

    fn texts(head: &Note) -> Vec<&str> {
        vec![&head.text]
    }

    fn values_count(values: &Self::Values) -> usize {
        values.len()
    }

    fn row_bytes(row: &String) -> usize {
        row.capacity()
    }
}

fn note(number: u32, millis: i64) -> Note {
    let colour = ["red", "green", "blue"][number as usize % 3].to_owned();
    Note { organization: ORGANIZATION, number, millis, colour, text: format!("Note {number} of {millis}") }
}

fn rows(index: &OrganizationIndex<Notes>, offset: usize, limit: usize) -> (Vec<String>, usize) {
    let (rows, total) = all(index, Part { offset, limit });
    (rows.iter().map(|row| String::clone(row)).collect(), total)
}

fn newest(model: &BTreeMap<u32, i64>) -> Vec<String> {
    let mut notes: Vec<Note> = model.iter().map(|(number, millis)| note(*number, *millis)).collect();
    notes.sort_by_key(|note| std::cmp::Reverse((note.millis, note.number)));
    notes.into_iter().map(|note| note.text).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn rows_within_a_budget_are_the_newest_part(
        changes in prop::collection::vec((0_u32..60, 0_i64..100), 1..200),
        room in 500_usize..9_000,
    ) {
        let mut index = OrganizationIndex::<Notes>::new(2, room);
        let mut model = BTreeMap::new();
        for (step, (number, millis)) in changes.into_iter().enumerate() {
            // Activity goes forward only, as it does in incidents.
            let millis = model.get(&number).copied().unwrap_or(0).max(millis);
            index.put(&note(number, millis), Seq(step as u64));
            model.insert(number, millis);
            prop_assert!(index.bytes() <= room);
        }
        let (kept, total) = rows(&index, 0, 1000);
        prop_assert_eq!(total, kept.len());
        let all = newest(&model);
        prop_assert_eq!(&all[..kept.len()], kept.as_slice());
        prop_assert!(index.is_truncated() || kept.len() == all.len());
    }

    #[test]
    fn a_text_is_found_in_every_order_of_a_list(
        notes in prop::collection::btree_map(0_u32..200, 0_i64..100, 0..150),
        q in "(note|NOTE 1|[0-9]|of [0-9])",
        offset in 0_usize..20,
    ) {
        let mut index = OrganizationIndex::<Notes>::new(2, usize::MAX);
        notes.iter().for_each(|(number, millis)| index.put(&note(*number, *millis), Seq(1)));
        let needle = Needle::new(&q);
        let scan = Scan { needle: Some(&needle), ..Scan::default() };
        let green = index.values().code("green");
        let matches = |item: &crate::Item<'_, Notes>| {
            if Some(*item.facets) == green { Match::No } else { Match::IfText }
        };
        let part = Part { offset, limit: 10 };
        let mut expected = newest(&notes);
        let is_green = |text: &str| text.split(' ').nth(1).and_then(|number| number.parse::<u32>().ok()).is_some_and(|number| number % 3 == 1);
        expected.retain(|text| text.to_lowercase().contains(&q.to_lowercase()) && !is_green(text));
        let page = |all: &[String]| all.iter().skip(offset).take(10).cloned().collect::<Vec<_>>();
        let texts = |rows: Vec<Arc<String>>| rows.iter().map(|row| String::clone(row)).collect::<Vec<_>>();

        let (found, total) = by_activity(&index, &scan, matches, part);
        prop_assert_eq!((texts(found), total), (page(&expected), expected.len()));
        // Newest creation first is oldest activity first here; equal ones keep their order.
        let millis = |text: &String| text.rsplit(' ').next().unwrap().parse::<i64>().unwrap();
        expected.sort_by_key(millis);
        let (found, total) = by_key(&index, &scan, matches, |item: &crate::Item<'_, Notes>| item.created_millis(), part);
        prop_assert_eq!((texts(found), total), (page(&expected), expected.len()));
    }
}

#[test]
fn blocks_split_and_vanish_without_a_trace() {
    let mut index = OrganizationIndex::<Notes>::new(1, usize::MAX);
    let numbered = |number: u32| note(number, i64::from(number.reverse_bits() >> 8));
    for number in 0..5000 {
        index.put(&numbered(number), Seq(1));
    }
    let (whole, total) = rows(&index, 0, 5000);
    assert_eq!((whole.len(), total), (5000, 5000));
    assert_eq!(rows(&index, 4999, 25).0, &whole[4999..]);
    assert_eq!(rows(&index, 3100, 100).0, &whole[3100..3200]);
    for number in 0..5000 {
        index.remove(number, Seq(2));
    }
    assert_eq!((index.bytes(), index.len(), index.blocks().len()), (0, 0, 0));
}

#[test]
fn an_older_commit_does_not_undo_a_newer_one() {
    let mut index = OrganizationIndex::<Notes>::new(2, usize::MAX);
    index.put(&note(2, 50), Seq(7));
    index.put(&note(2, 40), Seq(6));
    index.remove(2, Seq(6));
    assert_eq!(rows(&index, 0, 25).0, ["Note 2 of 50"]);

    index.retain_seen(0, &HashSet::new(), Seq(6));
    assert_eq!(index.len(), 1, "a scan begun before does not know it");
    index.retain_seen(0, &HashSet::new(), Seq(7));
    assert_eq!(index.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_index_whose_values_are_stale_is_loaded_again() {
    let ledger = Arc::new(MemoryLedger::default());
    let clock = Arc::new(ManualClock::new(Timestamp(0)));
    let index = Arc::new(Index::<Notes>::new(ledger.clone(), clock, 2, CONFIG));
    commit(&ledger, &note(1, 1)).await;
    let opened = index.open(ORGANIZATION).await.unwrap();
    let changed = |number: u32| Note { colour: format!("colour {number}"), ..note(1, 1) };
    for number in 0..10_007 {
        let seq = Seq(10 + u64::from(number));
        index.apply(&changed(number), seq);
    }
    index.make_room();
    assert_eq!(index.slots().len(), 1, "eight values for each resource, and a few");
    index.apply(&changed(20_000), Seq(20_000));
    index.make_room();
    assert_eq!(index.slots().len(), 0);
    drop(opened);
    let opened = index.open(ORGANIZATION).await.unwrap();
    assert_eq!((opened.read().len(), opened.read().values().len()), (1, 1));
}

async fn commit(ledger: &MemoryLedger, note: &Note) -> Seq {
    let id = Notes::ledger(Notes::shard(note.number));
    let key = Notes::key(note.organization, note.number).into();
    let op = Op::Put { kind: Kind::Head, key, body: row::encode(note).unwrap().into() };
    let at = ledger.seq(id).await.unwrap();
    match ledger.commit(id, at, vec![op]).await.unwrap() {
        Commit::Done(seq) => seq,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_index_is_loaded_from_all_shards_follows_other_processes_and_ignores_other_resources() {
    let ledger = Arc::new(MemoryLedger::default());
    let clock = Arc::new(ManualClock::new(Timestamp(0)));
    let index = Arc::new(Index::<Notes>::new(ledger.clone(), clock, 2, CONFIG));
    for number in 1..=3 {
        commit(&ledger, &note(number, i64::from(number))).await;
    }
    let stranger = Note { organization: OrganizationId(Uuid::nil()), ..note(9, 9) };
    commit(&ledger, &stranger).await;
    let shard = Notes::ledger(0);
    let other = [ORGANIZATION.as_bytes(), b"memo/".as_slice(), &[0; 4]].concat();
    let op = Op::Put { kind: Kind::Head, key: other.into(), body: row::encode(&"memo").unwrap().into() };
    let at = ledger.seq(shard).await.unwrap();
    assert!(matches!(ledger.commit(shard, at, vec![op]).await.unwrap(), Commit::Done(_)));

    let opened = index.open(ORGANIZATION).await.unwrap();
    assert_eq!(rows(&opened.read(), 0, 25).0, ["Note 3 of 3", "Note 2 of 2", "Note 1 of 1"]);

    let own = note(4, 4);
    index.apply(&own, commit(&ledger, &own).await);
    assert_eq!(rows(&opened.read(), 0, 25).1, 4, "a commit of this process is shown at once");

    commit(&ledger, &note(1, 10)).await;
    let mut follower = JoinSet::new();
    follower.spawn(Arc::clone(&index).follow());
    tokio::time::timeout(Duration::from_secs(10), async {
        while rows(&opened.read(), 0, 1).0 != ["Note 1 of 10"] {
            tokio::time::advance(Duration::from_millis(100)).await;
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
}

/// A record that is listed by its size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Parcel {
    id: RecordId,
    organization: OrganizationId,
    label: String,
    millis: i64,
}

impl Record for Parcel {
    const NAME: &'static str = "parcel";
    type Detail = ();
    type History = ();

    fn id(&self) -> RecordId {
        self.id
    }

    fn organization(&self) -> OrganizationId {
        self.organization
    }
}

impl ListedRecord for Parcel {
    const PLURAL: &'static str = "parcels";
    type Facets = bool;
    type Values = ();
    type Row = String;

    fn activity_millis(&self) -> i64 {
        self.millis
    }

    fn created_millis(&self) -> i64 {
        self.millis
    }

    fn facets(&self, (): &mut ()) -> (bool, String) {
        (self.label.len() > 3, self.label.clone())
    }

    fn texts(&self) -> Vec<&str> {
        vec![&self.label]
    }

    fn row_bytes(row: &String) -> usize {
        row.capacity()
    }
}

#[tokio::test]
async fn a_record_is_listed_as_soon_as_it_is_written() {
    let ledger = Arc::new(MemoryLedger::default());
    let clock = Arc::new(ManualClock::new(Timestamp(0)));
    let records = Records::new(ledger.clone(), 2, Uuid::from_u128(1));
    let index = Index::<Parcel>::new(ledger, clock, 2, CONFIG);
    let parcel = |seed: u128, label: &str, millis| {
        let (id, label) = (records.lone_id(ORGANIZATION, Uuid::from_u128(seed)), label.to_owned());
        Parcel { id, organization: ORGANIZATION, label, millis }
    };
    let labels = async |needle: Option<&str>| {
        let needle = needle.map(Needle::new);
        let scan = Scan { needle: needle.as_ref(), ..Scan::default() };
        let cut =
            |index: &OrganizationIndex<Parcel>, part| by_activity(index, &scan, |_| Match::IfText, part);
        let page = index.open(ORGANIZATION).await.unwrap();
        page.page(PageQuery { limit: 10, offset: 0 }, cut, String::clone).data
    };
    let create = async |parcel| records.create::<_, RecordError>(parcel, Ok).await.unwrap();

    create(parcel(1, "one", 10)).await;
    assert_eq!(labels(None).await, ["one"], "it was there when the index was loaded");
    index.show(create(parcel(2, "two", 20)).await);
    assert_eq!(labels(None).await, ["two", "one"]);
    assert_eq!(labels(Some("ON")).await, ["one"]);
    let again = index.show(create(parcel(2, "other", 30)).await);
    assert_eq!(again, parcel(2, "two", 20), "it was created before");
    let change = |parcel: Parcel| Ok::<_, RecordError>(Some(Change::put(Parcel { millis: 40, ..parcel })));
    let id = parcel(1, "one", 0).id;
    index.show(records.update(ORGANIZATION, id, change).await.unwrap().unwrap());
    assert_eq!(labels(None).await, ["one", "two"]);
}
