//! Check after a load: was every acknowledged record analysed, once, and does each attacker have its one
//! incident, with exactly the acknowledged records? Read through the metrics and the API.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::api::{Call, INCIDENTS, PAGE, items, may_pass};
use crate::client::Client;
use crate::load::mix::Mix;
use crate::load::observe::backlog;
use crate::load::results::{Attacked, Results};
use crate::load::subject::Subject;
use crate::load::template::address;
use crate::metrics::Metrics;

/// Interval of asking whether all is analysed.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Attempts of reading a page.
const ATTEMPTS: u32 = 20;
/// Complaints that are listed; the rest is counted.
const MOST_COMPLAINTS: usize = 20;
/// Entity kind of the incidents of attackers.
const ENTITY_KIND: &str = "client.address";
/// Entity kind of an incident about many attackers together, in addition to theirs.
const TOGETHER_KIND: &str = "many_entities";

/// Results of the check.
#[derive(Clone, Debug, Default)]
pub struct Confirmed {
    /// Records acknowledged, and those sent without an answer.
    pub acknowledged: u64,
    pub unknown: u64,
    /// Records accepted and analysed according to the server; `None` when it was not asked.
    pub taken_in: Option<u64>,
    pub analysed: Option<u64>,
    /// Time from the end of the load until all was analysed.
    pub settled_after: Duration,
    pub attackers: usize,
    /// Attackers whose incident has the expected count.
    pub incidents: usize,
    /// Incidents about many attackers of a source together.
    pub together: usize,
    /// Incidents of the run's sources that belong to no attacker.
    pub others: usize,
    pub complaints: Vec<String>,
}

impl Confirmed {
    pub fn json(&self) -> Value {
        json!({
            "acknowledged_records": self.acknowledged, "unknown_records": self.unknown,
            "records_taken_in": self.taken_in, "records_analysed": self.analysed,
            "settled_after_seconds": self.settled_after.as_secs_f64(),
            "attackers": self.attackers, "incidents_that_count_right": self.incidents,
            "incidents_together": self.together, "other_incidents": self.others, "complaints": self.complaints,
        })
    }

    fn complain(&mut self, complaint: String) {
        if self.complaints.len() < MOST_COMPLAINTS {
            self.complaints.push(complaint);
        }
    }
}

/// Waits, up to a bound, until the server has analysed all accepted records; returns the elapsed time and
/// its metrics then.
pub async fn settle(subject: &Subject, bound: Duration) -> (Duration, Option<Metrics>) {
    let begun = Instant::now();
    loop {
        let metrics = subject.metrics().await;
        let is_done = metrics.as_ref().is_none_or(|metrics| backlog(metrics) < 1.0);
        if is_done && (metrics.is_some() || subject.admin.is_none()) || begun.elapsed() > bound {
            return (begun.elapsed(), metrics);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Performs all checks.
pub async fn confirm(
    subject: &Subject,
    (mix, results): (&Mix, &Results),
    before: Option<&Metrics>,
    (acknowledged, unknown): (u64, u64),
    bound: Duration,
) -> Confirmed {
    let attackers = results.attackers();
    let begun = Instant::now();
    let (settled_after, after) = settle(subject, bound).await;
    let mut confirmed = Confirmed {
        acknowledged,
        unknown,
        settled_after,
        attackers: attackers.len(),
        ..Confirmed::default()
    };
    if let Some((before, after)) = before.zip(after.as_ref()) {
        check_metrics(&mut confirmed, subject.is_ours_alone(), before, after);
    } else if subject.admin.is_some() {
        confirmed.complain("the metrics were not told".to_owned());
    }
    // Lists follow the analysis within a moment; without metrics, they are the only sign of completion.
    loop {
        let found = find(subject).await;
        let complaints = compare(&mut confirmed, mix, subject, &attackers, found);
        if complaints.is_empty() || begun.elapsed() > bound {
            complaints.into_iter().for_each(|complaint| confirmed.complain(complaint));
            return confirmed;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

fn check_metrics(confirmed: &mut Confirmed, alone: bool, before: &Metrics, after: &Metrics) {
    let grown = |name: &str| (after.sum(name) - before.sum(name)).max(0.0) as u64;
    let least = confirmed.acknowledged;
    // A partition that was read again counts some of its records twice.
    let counts_once = alone && grown("palisade_analysis_restarts_total") == 0;
    let most = if counts_once { least + confirmed.unknown } else { u64::MAX };
    for (what, name) in
        [("taken in", "palisade_ingest_records_total"), ("analysed", "palisade_analysis_records_total")]
    {
        let found = grown(name);
        if !(least..=most).contains(&found) {
            confirmed.complain(format!(
                "{found} records were {what} (metric {name}), acknowledged were {least}, and {} may be there",
                confirmed.unknown
            ));
        }
    }
    confirmed.taken_in = Some(grown("palisade_ingest_records_total"));
    confirmed.analysed = Some(grown("palisade_analysis_records_total"));
}

/// Records that incidents count, by source and address; and the number of incidents about other entities.
struct Found {
    counted: HashMap<(String, String), Vec<u64>>,
    together: usize,
    others: usize,
    complaints: Vec<String>,
}

impl Found {
    fn add(&mut self, source: &str, incident: &Value) {
        let entity = &incident["entity"];
        if entity["kind"] == TOGETHER_KIND {
            self.together += 1;
        } else if entity["kind"] == ENTITY_KIND {
            let address = entity["value"].as_str().unwrap_or_default().to_owned();
            let count = incident["event_count"].as_u64().unwrap_or_default();
            self.counted.entry((source.to_owned(), address)).or_default().push(count);
        } else {
            self.others += 1;
        }
    }
}

async fn find(subject: &Subject) -> Found {
    let mut found = Found { counted: HashMap::new(), together: 0, others: 0, complaints: Vec::new() };
    let mut client = subject.client();
    for source in &subject.sources {
        let mut offset = 0;
        while let Some(page) = page(&mut client, source, offset).await {
            let incidents = items(&page);
            incidents.iter().for_each(|incident| found.add(source, incident));
            offset += incidents.len();
            if page["pagination"]["has_more"] != true || incidents.is_empty() {
                break;
            }
        }
        if offset == 0 && page(&mut client, source, 0).await.is_none() {
            found.complaints.push(format!("the incidents of source {source} cannot be listed"));
        }
    }
    found
}

async fn page(client: &mut Client, source: &str, offset: usize) -> Option<Value> {
    let path = format!("{INCIDENTS}?source_id={source}&limit={PAGE}&offset={offset}");
    Some(Call::get(&path).repeated(client, ATTEMPTS, may_pass).await.ok()?.json())
}

fn compare(
    confirmed: &mut Confirmed,
    mix: &Mix,
    subject: &Subject,
    attackers: &BTreeMap<u32, Attacked>,
    mut found: Found,
) -> Vec<String> {
    confirmed.incidents = 0;
    for (attacker, attacked) in attackers {
        let source = subject.sources.get(mix.source_of(*attacker)).cloned().unwrap_or_default();
        let address = address(*attacker);
        let counts = found.counted.remove(&(source.clone(), address.clone())).unwrap_or_default();
        match judge(*attacked, &counts) {
            Ok(()) => confirmed.incidents += 1,
            Err(complaint) => found.complaints.push(format!("{address} at source {source}: {complaint}")),
        }
    }
    confirmed.together = found.together;
    confirmed.others = found.others + found.counted.len();
    found.complaints
}

/// Whether the counts of the incidents about an attacker are consistent with its records.
fn judge(attacked: Attacked, counts: &[u64]) -> Result<(), String> {
    let allowed = attacked.acknowledged..=attacked.acknowledged + attacked.unknown;
    match counts {
        [] if attacked.acknowledged == 0 => Ok(()),
        [] => Err(format!("no incident, {} records were acknowledged", attacked.acknowledged)),
        [count] if allowed.contains(count) => Ok(()),
        [count] => Err(format!("{count} records counted, {allowed:?} were sent")),
        several => Err(format!("{} incidents, with {several:?} records", several.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attacker_has_one_incident_with_its_records() {
        let attacked = Attacked { acknowledged: 24, unknown: 12 };
        for (counts, is_right) in [
            (vec![24], true),
            (vec![36], true),
            (vec![23], false),
            (vec![37], false),
            (vec![], false),
            (vec![12, 12], false),
        ] {
            assert_eq!(judge(attacked, &counts).is_ok(), is_right, "{counts:?}");
        }
        assert!(judge(Attacked { acknowledged: 0, unknown: 12 }, &[]).is_ok());
    }

    #[test]
    fn records_that_were_not_analysed_or_twice_are_noticed() {
        let metrics = |taken_in: u64, analysed: u64| {
            Metrics::read(&format!(
                "palisade_ingest_records_total {taken_in}\npalisade_analysis_records_total{{a=\"b\"}} {analysed}\n"
            ))
        };
        let complaints = |alone: bool, after: Metrics| {
            let mut confirmed = Confirmed { acknowledged: 100, unknown: 10, ..Confirmed::default() };
            check_metrics(&mut confirmed, alone, &metrics(50, 50), &after);
            confirmed.complaints.len()
        };
        assert_eq!(complaints(true, metrics(150, 150)), 0);
        assert_eq!(complaints(true, metrics(160, 155)), 0);
        assert_eq!(complaints(true, metrics(150, 149)), 1);
        assert_eq!(complaints(true, metrics(161, 161)), 2);
        assert_eq!(complaints(false, metrics(900, 900)), 0);
    }
}
