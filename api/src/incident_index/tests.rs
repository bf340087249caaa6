//! Lists of an organization's incidents against a model: a list that is sorted and filtered anew each time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use common::ids::{IncidentId, OrganizationId, SourceId};
use common::incident::{Analysis, Entity, IncidentHead, Triage};
use common::partition::Partition;
use common::severity::Severity;
use common::timestamp::Timestamp;
use common::triage::TriageStatus;
use ledger::Seq;
use proptest::prelude::*;
use uuid::Uuid;

use super::filter::{Filter, SourceNames, State};
use super::incidents::OrganizationIndex;
use super::list::{Part, Sort, list};
use super::summary::{facets, histogram};

pub(super) const PARTITION: Partition = Partition(0);

pub(super) fn head(number: u8, activity: u8) -> IncidentHead {
    let at = Timestamp(0).plus(Duration::from_micros(u64::from(activity) * 400));
    IncidentHead {
        id: IncidentId::new(PARTITION, &[number; 32]),
        organization: OrganizationId(Uuid::nil()),
        source: SourceId(Uuid::from_u128(u128::from(number % 3))),
        application_group: format!("group {}", number % 2),
        environment: "production".to_owned(),
        family: "family".to_owned(),
        entity: Entity { kind: "host.name".to_owned(), value: format!("HOST-{number}") },
        episode: 1,
        created_at: Timestamp::from_millis(i64::from(number % 7)),
        analysis: Analysis {
            title: format!("Title {activity}"),
            severity: Severity::ALL[usize::from(number % 5)],
            event_count: 1,
            first_seen_at: at,
            last_activity_at: at,
            updated_at: at,
            revision: 1,
            superseded: false,
        },
        triage: Triage { status: TriageStatus::ALL[usize::from(activity % 5)], ..Triage::default() },
    }
}

fn ids(index: &OrganizationIndex, filter: &Filter, offset: usize, limit: usize) -> (Vec<IncidentId>, usize) {
    ids_by(index, filter, Part { sort: Sort::Activity, offset, limit })
}

fn ids_by(index: &OrganizationIndex, filter: &Filter, part: Part) -> (Vec<IncidentId>, usize) {
    let names = SourceNames::from([(SourceId(Uuid::from_u128(1)), "Named Source".into())]);
    let (rows, total) = list(index, filter, &names, part);
    (rows.iter().map(|row| row.id).collect(), total)
}

/// Expected list.
fn sorted(model: &BTreeMap<u8, u8>, keep: impl Fn(&IncidentHead) -> bool) -> Vec<IncidentId> {
    let mut heads: Vec<IncidentHead> =
        model.iter().map(|(number, activity)| head(*number, *activity)).collect();
    heads.retain(keep);
    heads.sort_by_key(|head| (head.analysis.last_activity_at.as_millis(), head.id));
    heads.iter().rev().map(|head| head.id).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn lists_are_what_sorting_and_filtering_gives(
        changes in prop::collection::vec((any::<u8>(), prop::option::weighted(0.8, any::<u8>())), 0..300),
        offset in 0_usize..40,
    ) {
        let mut index = OrganizationIndex::new(1, usize::MAX);
        let mut model = BTreeMap::new();
        for (step, (number, activity)) in changes.into_iter().enumerate() {
            let seq = Seq(step as u64);
            if let Some(activity) = activity {
                index.put(&head(number, activity), seq);
                model.insert(number, activity);
            } else {
                index.remove(head(number, 0).id, seq);
                model.remove(&number);
            }
        }
        let page = |all: &[IncidentId]| (all.iter().skip(offset).take(25).copied().collect::<Vec<_>>(), all.len());

        let all = sorted(&model, |_| true);
        prop_assert_eq!(ids(&index, &Filter::default(), offset, 25), page(&all));

        let filter = Filter { severity: Some(Severity::High), triage_status: Some(TriageStatus::New), ..Filter::default() };
        let expected = sorted(&model, |head| head.analysis.severity == Severity::High && head.triage.status == TriageStatus::New);
        prop_assert_eq!(ids(&index, &filter, offset, 25), page(&expected));

        let filter = Filter { application_group: Some("group 1".to_owned()), text: Some("host-1".to_owned()), ..Filter::default() };
        let expected = sorted(&model, |head| head.application_group == "group 1" && head.entity.value.contains("HOST-1"));
        prop_assert_eq!(ids(&index, &filter, offset, 25), page(&expected));

        let (from, to) = (Timestamp::from_millis(20), Timestamp::from_millis(70));
        let within = |head: &IncidentHead| (20..70).contains(&head.analysis.last_activity_at.as_millis());
        let filter = Filter { state: Some(State::Open), from: Some(from), to: Some(to), ..Filter::default() };
        let is_open = |head: &IncidentHead| head.triage.status != TriageStatus::Resolved;
        let expected = sorted(&model, |head| within(head) && is_open(head));
        prop_assert_eq!(ids(&index, &filter, offset, 25), page(&expected));

        let heads: HashMap<IncidentId, IncidentHead> =
            model.iter().map(|(number, activity)| head(*number, *activity)).map(|head| (head.id, head)).collect();
        for sort in [Sort::Created, Sort::Severity] {
            let mut expected = sorted(&model, is_open);
            expected.sort_by_key(|id| Reverse(match sort {
                Sort::Created => heads[id].created_at.as_millis(),
                _ => heads[id].analysis.severity as i64,
            }));
            let filter = Filter { state: Some(State::Open), ..Filter::default() };
            prop_assert_eq!(ids_by(&index, &filter, Part { sort, offset, limit: 25 }), page(&expected));
        }

        let counted = histogram(&index, &Filter::default(), &SourceNames::new(), (from, to), 7);
        for (number, counts) in counted.counts.iter().enumerate() {
            let span = counted.bounds[number]..counted.bounds[number + 1];
            for severity in Severity::ALL {
                let is_in = |head: &&IncidentHead| head.analysis.severity == severity
                    && span.contains(&head.analysis.last_activity_at.as_millis());
                prop_assert_eq!(counts[severity as usize], heads.values().filter(is_in).count() as u64);
            }
        }
        prop_assert_eq!((counted.bounds[0], counted.bounds[7]), (20, 70));

        let counted = facets(&index, &Filter::default(), &SourceNames::new());
        prop_assert_eq!(counted.total, heads.len() as u64);
        for (group, count) in counted.application_groups {
            let of_group = heads.values().filter(|head| head.application_group == *group).count() as u64;
            prop_assert_eq!(count, of_group);
        }
        prop_assert!(counted.sources.is_sorted_by_key(|(id, count)| (Reverse(*count), *id)));

        let filter = Filter { text: Some("named s".to_owned()), ..Filter::default() };
        let expected = sorted(&model, |head| head.source == SourceId(Uuid::from_u128(1)));
        prop_assert_eq!(ids(&index, &filter, offset, 25), page(&expected));
    }
}

#[test]
fn a_superseded_incident_is_not_listed_unless_a_person_has_worked_on_it() {
    let mut index = OrganizationIndex::new(1, usize::MAX);
    let found = |index: &OrganizationIndex| ids(index, &Filter::default(), 0, 25).1;
    let mut superseded = head(1, 1);
    index.put(&superseded, Seq(1));
    assert_eq!(found(&index), 1);
    superseded.analysis.superseded = true;
    index.put(&superseded, Seq(2));
    assert_eq!(found(&index), 0);
    superseded.triage.version = 2;
    index.put(&superseded, Seq(3));
    assert_eq!(found(&index), 1);
}
