//! Duration of lists of a million incidents. In release, alone:
//! `cargo test -p api --release --lib -- --ignored --nocapture million`.

use std::io::Write;
use std::time::Duration;

use common::clock::{Clock, SystemClock};
use common::ids::{IncidentId, SourceId};
use common::incident::IncidentHead;
use common::severity::Severity;
use common::timestamp::Timestamp;
use common::triage::TriageStatus;
use ledger::Seq;
use uuid::Uuid;

use super::filter::{Filter, SourceNames, State};
use super::incidents::OrganizationIndex;
use super::list::{Part, Sort, list};
use super::summary::{facets, histogram};
use super::tests::{PARTITION, head};

const INCIDENTS: u32 = 1_000_000;
const ROUNDS: u32 = 200;

/// Spreads a number over all 32 bits.
fn spread(number: u32) -> u32 {
    number.wrapping_mul(0x9E37_79B1).rotate_left(13).wrapping_mul(0x85EB_CA6B)
}

fn incident(number: u32) -> IncidentHead {
    let chance = spread(number);
    let mut head = head(0, 0);
    let mut hash = [0; 32];
    hash[..4].copy_from_slice(&chance.to_be_bytes());
    hash[4..8].copy_from_slice(&number.to_be_bytes());
    head.id = IncidentId::new(PARTITION, &hash);
    head.source = SourceId(Uuid::from_u128(u128::from(chance % 100)));
    head.application_group = format!("group {}", chance % 20);
    head.entity.value = format!("203.0.{}.{}", chance % 256, number % 256);
    head.created_at = Timestamp::from_millis(i64::from(chance));
    head.analysis.title = "SSH login succeeded after password guessing".to_owned();
    head.analysis.severity = Severity::ALL[chance as usize % 5];
    head.analysis.last_activity_at = Timestamp::from_millis(i64::from(number) * 1_000);
    head.triage.status = TriageStatus::ALL[chance as usize / 5 % 5];
    head
}

#[test]
#[ignore = "a measurement"]
fn lists_of_a_million_incidents() {
    let mut index = OrganizationIndex::new(1, usize::MAX);
    for number in 0..INCIDENTS {
        index.put(&incident(number), Seq(1));
    }
    let names = SourceNames::new();
    let all = Filter::default();
    let open = Filter { state: Some(State::Open), ..Filter::default() };
    let group = Filter { application_group: Some("group 7".to_owned()), ..open.clone() };
    let text = Filter { text: Some("no such words".to_owned()), ..Filter::default() };
    let common = Filter { text: Some("s".to_owned()), ..Filter::default() };
    let address = Filter { text: Some("203.0.7.".to_owned()), ..Filter::default() };
    let day = Filter { from: Some(Timestamp::from_millis(900_000_000)), ..Filter::default() };
    let part = |sort, offset| Part { sort, offset, limit: 100 };
    type Asked<'a> = Box<dyn Fn() -> usize + 'a>;
    let times = (Timestamp::from_millis(0), Timestamp::from_millis(1_000_000_000));
    let asked: [(&str, Asked<'_>); 12] = [
        ("all, offset 999,900", Box::new(|| list(&index, &all, &names, part(Sort::Activity, 999_900)).1)),
        ("open", Box::new(|| list(&index, &open, &names, part(Sort::Activity, 0)).1)),
        (
            "open, group, offset 30,000",
            Box::new(|| list(&index, &group, &names, part(Sort::Activity, 30_000)).1),
        ),
        ("text without a match", Box::new(|| list(&index, &text, &names, part(Sort::Activity, 0)).1)),
        ("text in all", Box::new(|| list(&index, &common, &names, part(Sort::Activity, 0)).1)),
        ("text in few", Box::new(|| list(&index, &address, &names, part(Sort::Activity, 0)).1)),
        ("last tenth of the time", Box::new(|| list(&index, &day, &names, part(Sort::Activity, 0)).1)),
        (
            "all by severity, offset 500,000",
            Box::new(|| list(&index, &all, &names, part(Sort::Severity, 500_000)).1),
        ),
        (
            "all by creation, offset 500,000",
            Box::new(|| list(&index, &all, &names, part(Sort::Created, 500_000)).1),
        ),
        ("open, group by severity", Box::new(|| list(&index, &group, &names, part(Sort::Severity, 0)).1)),
        ("histogram, 200 buckets", Box::new(|| histogram(&index, &all, &names, times, 200).counts.len())),
        ("facets", Box::new(|| facets(&index, &all, &names).severity.len())),
    ];
    let clock = SystemClock::new();
    let mut output = std::io::stderr();
    for (name, ask) in asked {
        let mut took: Vec<Duration> = (0..ROUNDS)
            .map(|_| {
                let began = clock.monotonic();
                std::hint::black_box(ask());
                clock.monotonic() - began
            })
            .collect();
        took.sort_unstable();
        let at = |part: usize| took[took.len() * part / 100].as_secs_f64() * 1_000.0;
        writeln!(output, "{name:<34} p50 {:>6.2} ms  p99 {:>6.2} ms", at(50), at(99)).unwrap();
    }
}
