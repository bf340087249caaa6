//! Lists of random findings under random filters, compared with filtering and sorting them one by one.

use std::cmp::Reverse;

use common::ids::{AgentId, ApplicationId, OrganizationId, RecordId};
use common::partition::Shard;
use common::timestamp::Timestamp;
use common::triage::{TriageResolution, TriageStatus};
use engine::Level;
use index::Part;
use ledger::Seq;
use proptest::prelude::*;

use super::finding;
use crate::counts::{facets, histogram};
use crate::filter::{Filter, Sort, State, list};
use crate::finding::{Finding, FindingKind, FindingSource};
use crate::listed::OrganizationIndex;
use crate::target::Target;

const ORGANIZATION: OrganizationId = OrganizationId(uuid::Uuid::from_u128(7));

fn target(number: u8) -> Target {
    match number % 4 {
        0 => Target::Application { id: ApplicationId::from_bytes([number; 16]) },
        1 => Target::Agent { id: AgentId::from_bytes([number; 16]) },
        2 => Target::Repository { id: number.to_string(), full_name: format!("Acme/shop-{number}") },
        _ => Target::Package { ecosystem: "npm".to_owned(), name: format!("left-pad-{number}") },
    }
}

/// One of all values by number.
fn pick<T: Copy>(all: &[T], number: u8) -> T {
    all[usize::from(number) % all.len()]
}

fn findings() -> impl Strategy<Value = Vec<Finding>> {
    prop::collection::vec(any::<[u8; 10]>(), 0..60).prop_map(|all| {
        all.into_iter()
            .enumerate()
            .map(|(number, chance)| {
                let mut hash = [0; 32];
                hash[..8].copy_from_slice(&(number as u64).to_be_bytes());
                let mut one = finding(ORGANIZATION, RecordId::new(Shard(0), &hash));
                one.kind = pick(&FindingKind::ALL, chance[0]);
                one.source = pick(&FindingSource::ALL, chance[1]);
                one.target = target(chance[2] % 6);
                one.severity = (chance[3] % 6 > 0).then(|| pick(&Level::ALL, chance[3]));
                one.risk = pick(&Level::ALL, chance[4]);
                one.cwes = (0..chance[5] % 3).map(|cwe| u32::from(cwe + chance[5] % 4)).collect();
                one.created_at = Timestamp::from_millis(i64::from(chance[6] % 8) * 1_000);
                one.triage.status = pick(&TriageStatus::ALL, chance[7]);
                let is_resolved = one.triage.status == TriageStatus::Resolved;
                one.triage.resolution = is_resolved.then(|| pick(&TriageResolution::ALL, chance[8]));
                one.triage.board_position = u64::from(chance[8] % 4);
                one.triage.assignee = (chance[9] % 3 > 0).then(|| format!("Ana {}", chance[9] % 3));
                one.report = (chance[9] % 2 > 0).then(|| RecordId::from_bytes([chance[9] % 4; 16]));
                one.title = format!("Weakness {} in {}", chance[0] % 3, chance[1] % 3);
                one
            })
            .collect()
    })
}

fn filters() -> impl Strategy<Value = Filter> {
    (any::<u16>(), any::<[u8; 12]>()).prop_map(|(asked, chance)| {
        let asks = |bit: u16| asked & asked.rotate_left(5) & (1 << bit) != 0;
        let target = target(chance[6] % 6);
        let (application_id, agent_id) = match target {
            Target::Application { id } => (asks(7).then_some(id), None),
            Target::Agent { id } => (None, asks(8).then_some(id)),
            _ => (None, None),
        };
        let (id, name) = (chance[7] % 6, format!("aCME/Shop-{}", chance[7] % 6));
        Filter {
            kind: asks(0).then(|| pick(&FindingKind::ALL, chance[0])),
            triage_status: asks(1).then(|| pick(&TriageStatus::ALL, chance[1])),
            state: asks(2).then(|| pick(&State::ALL, chance[2])),
            severity: asks(3).then(|| pick(&Level::ALL, chance[3])),
            risk_level: asks(4).then(|| pick(&Level::ALL, chance[4])),
            triage_resolution: asks(5).then(|| pick(&TriageResolution::ALL, chance[5])),
            source: asks(6).then(|| pick(&FindingSource::ALL, chance[5])),
            report_id: asks(9).then(|| RecordId::from_bytes([chance[8] % 4; 16])),
            application_id,
            agent_id,
            repository_id: None,
            repository: asks(10).then(|| if chance[7] > 99 { name } else { id.to_string() }),
            cwe: asks(11).then(|| u32::from(chance[9] % 5)),
            assignee: asks(12).then(|| format!("Ana {}", chance[9] % 3)),
            from: asks(13).then(|| Timestamp::from_millis(i64::from(chance[10] % 8) * 1_000)),
            to: asks(14).then(|| Timestamp::from_millis(i64::from(chance[11] % 8) * 1_000)),
            q: asks(15)
                .then(|| pick(&["WEAKNESS 1", "shop-2", "ana 1", "in 0", "none"], chance[8]).to_owned()),
        }
    })
}

/// The filter in words.
fn is_wanted(filter: &Filter, one: &Finding) -> bool {
    let is_resolved = one.triage.status == TriageStatus::Resolved;
    let text = |text: &str| {
        let assignee = one.triage.assignee.as_deref().unwrap_or("");
        [&one.title, one.target.repository(), assignee]
            .iter()
            .any(|field| field.to_lowercase().contains(text))
    };
    let repository = |wanted: &String| match &one.target {
        Target::Repository { id, full_name } => {
            id == wanted || full_name.to_lowercase() == wanted.to_lowercase()
        }
        _ => false,
    };
    let application = |wanted: ApplicationId| one.target == Target::Application { id: wanted };
    filter.kind.is_none_or(|kind| kind == one.kind)
        && filter.triage_status.is_none_or(|status| status == one.triage.status)
        && filter.state.is_none_or(|state| is_resolved == (state == State::Resolved))
        && filter.severity.is_none_or(|severity| one.severity == Some(severity))
        && filter.risk_level.is_none_or(|risk| one.risk == risk)
        && filter.triage_resolution.is_none_or(|resolution| one.triage.resolution == Some(resolution))
        && filter.source.is_none_or(|source| one.source == source)
        && filter.report_id.is_none_or(|report| one.report == Some(report))
        && filter.application_id.is_none_or(application)
        && filter.agent_id.is_none_or(|wanted| one.target == Target::Agent { id: wanted })
        && filter.repository.as_ref().is_none_or(repository)
        && filter.cwe.is_none_or(|cwe| one.cwes.contains(&cwe))
        && filter.assignee.as_ref().is_none_or(|assignee| one.triage.assignee.as_ref() == Some(assignee))
        && filter.from.is_none_or(|from| one.created_at >= from)
        && filter.to.is_none_or(|to| one.created_at < to)
        && filter.q.as_ref().is_none_or(|wanted| text(&wanted.to_lowercase()))
}

proptest! {
    #[test]
    fn a_list_is_the_filtered_and_sorted_findings(
        all in findings(), filter in filters(), sort in 0..3_u8, offset in 0..20_usize, limit in 1..30_usize,
    ) {
        let mut index = OrganizationIndex::new(1, usize::MAX);
        all.iter().for_each(|one| index.put(one, Seq(1)));
        let mut wanted: Vec<&Finding> = all.iter().filter(|one| is_wanted(&filter, one)).collect();
        let newest = |one: &&Finding| Reverse((one.created_at, one.id));
        wanted.sort_by_key(newest);
        let sort = Sort::ALL[usize::from(sort)];
        match sort {
            Sort::Newest => {}
            Sort::Severity => wanted.sort_by_key(|one| (Reverse(one.severity), newest(one))),
            Sort::Board => {
                wanted.sort_by_key(|one| (one.triage.status, one.triage.board_position, one.id));
            }
        }
        let (rows, total) = list(&index, &filter, sort, Part { offset, limit });
        prop_assert_eq!(total, wanted.len());
        let expected: Vec<RecordId> = wanted.iter().skip(offset).take(limit).map(|one| one.id).collect();
        prop_assert_eq!(rows.iter().map(|row| **row).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn counts_are_those_of_the_filtered_findings(all in findings(), filter in filters(), spans in 1..9_usize) {
        let mut index = OrganizationIndex::new(1, usize::MAX);
        all.iter().for_each(|one| index.put(one, Seq(1)));
        let wanted: Vec<&Finding> = all.iter().filter(|one| is_wanted(&filter, one)).collect();
        let counted = facets(&index, &filter);
        prop_assert_eq!(counted.total, wanted.len() as u64);
        for (kind, count) in &counted.kind {
            prop_assert_eq!(*count, wanted.iter().filter(|one| one.kind == *kind).count() as u64);
        }
        for (cwe, count) in &counted.cwes {
            prop_assert_eq!(*count, wanted.iter().filter(|one| one.cwes.contains(cwe)).count() as u64);
        }
        let of_cwes: usize = wanted.iter().map(|one| one.cwes.len()).sum();
        prop_assert_eq!(counted.cwes.iter().map(|(_, count)| count).sum::<u64>(), of_cwes as u64);
        let unbounded = Filter { from: None, to: None, ..filter.clone() };
        let times = (Timestamp::from_millis(0), Timestamp::from_millis(8_000));
        let spread = histogram(&index, &unbounded, times, spans);
        let total: u64 = spread.counts.iter().flatten().sum();
        prop_assert_eq!(total, all.iter().filter(|one| is_wanted(&unbounded, one)).count() as u64);
    }
}
