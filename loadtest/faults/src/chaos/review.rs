//! Reviews after a phase: waits until all its records are analysed, then sets the triage of some of
//! its incidents, at any process, and checks that all of them show it, each within its promised time.

use std::ops::Range;
use std::time::Duration;

use http::Method;
use rand::RngExt;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::account::REVIEWS;
use crate::chaos::answers::{Answers, Judged, Side};
use crate::chaos::attacks::Attack;
use crate::chaos::caller::Caller;
use crate::chaos::deployment::Deployment;
use crate::chaos::input::{Input, SourceRef};
use crate::chaos::outcome::Reviewed;
use crate::chaos::weather::{AFTERMATH, Weather};
use crate::violations::Violation;
use loadtest::api::{Call, INCIDENTS, incident_path, text};
use loadtest::client::Content;
use loadtest::locked::Locked;

/// Longest time of the remaining analysis at the end of a phase, under faults.
const ANALYSIS_BOUND: Duration = Duration::from_secs(240);
/// Interval of looking for an expected result.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// One attack in this many is reviewed.
const REVIEWED: u32 = 3;
/// Even under disturbance, a change is visible within this.
const SEEN_BOUND: Duration = Duration::from_secs(90);

/// A reviewer of all organizations.
pub(crate) struct Reviewer {
    /// By organization.
    callers: Vec<Caller>,
    deployment: Deployment,
    input: Input,
    answers: Answers,
    weather: Weather,
    /// Another process lists a change within this, without disturbance.
    pub(crate) listed_within: Duration,
    /// Results of all phases.
    pub(crate) reviewed: Locked<Reviewed>,
}

/// An incident being reviewed.
struct Case {
    organization: usize,
    id: String,
    /// Path of its list.
    list: String,
    version: u64,
}

impl Reviewer {
    pub(crate) fn new(deployment: &Deployment, input: Input, answers: &Answers, weather: &Weather) -> Self {
        let caller = |organization: usize| {
            let chance = input.chance(SourceRef { organization, source: 0 }, 0, 6);
            deployment.caller(Side::Api, organization, answers, chance)
        };
        Self {
            callers: (0..deployment.tenants.len()).map(caller).collect(),
            deployment: deployment.clone(),
            input,
            answers: answers.clone(),
            weather: weather.clone(),
            listed_within: SEEN_BOUND,
            reviewed: Locked::default(),
        }
    }

    /// Reviews a phase; `scenes_of` returns the scenes of a source.
    pub(crate) async fn phase(mut self, phase: u64, scenes_of: impl Fn(SourceRef) -> Range<u64> + Send) {
        let begun = Instant::now();
        self.marks(phase, ANALYSIS_BOUND).await;
        self.reviewed.lock().caught_up.push(begun.elapsed());
        for place in self.deployment.places() {
            let input = self.input;
            for attack in scenes_of(place).filter_map(|scene| input.attack(place, scene)) {
                let mut chance = self.input.chance(place, attack.number, 7);
                if chance.random_ratio(1, REVIEWED) {
                    let first = chance.random_range(0..REVIEWS.len());
                    let changes = chance.random_range(1..=2);
                    self.attack(place, &attack, first, changes).await;
                }
            }
        }
    }

    /// Waits until all records of a phase are analysed; returns whether they are.
    pub(crate) async fn marks(&mut self, phase: u64, bound: Duration) -> bool {
        let mut all_there = true;
        for place in self.deployment.places() {
            let (mark, _) = self.input.mark(place, phase);
            if self.find(place, &mark, bound).await.is_none() {
                all_there = false;
                self.answers
                    .violated(Violation::Stuck { source_id: place.to_string(), seconds: bound.as_secs() });
            }
        }
        all_there
    }

    /// Makes some changes to the incident of an attack.
    async fn attack(&mut self, place: SourceRef, attack: &Attack, first: usize, changes: usize) {
        let Some((list, summary)) = self.find(place, attack, SEEN_BOUND).await else {
            let incident = format!("{place} {}", attack.entity().1);
            let what = "it is not listed, although what was sent after it is".to_owned();
            return self.answers.violated(Violation::Reviewing { incident, what });
        };
        let mut case = Case { organization: place.organization, id: text(&summary["id"]), list, version: 1 };
        for step in 0..changes {
            let Some((status, resolution)) = REVIEWS.get((first + step) % REVIEWS.len()) else { return };
            let answered_by = self.change(&case, status, *resolution).await;
            case.version += 1;
            self.reviewed.lock().changes += 1;
            self.look(&case, answered_by).await;
        }
    }

    /// Sets a state; returns the answering process, `None` when the answer was lost.
    async fn change(&mut self, case: &Case, status: &str, resolution: Option<&str>) -> Option<usize> {
        let path = incident_path(&case.id);
        let body = json!({
            "triage_version": case.version,
            "triage_status": status,
            "triage_resolution": resolution,
            "comment": format!("to version {}", case.version + 1),
        });
        let content = Content::json(&body);
        let request = Call { method: Method::PATCH, path: &path, content, expected: &[200, 409] };
        let mut lost = 0;
        loop {
            let caller = self.callers.get_mut(case.organization)?;
            let process = caller.any();
            match caller.once(process, &request).await {
                Judged::Done(answer) if answer.status == 200 => return Some(process),
                Judged::Done(answer) => {
                    let (_, detail) = caller.until_done(Call::get(&path)).await;
                    let detail = detail.json();
                    if lost > 0
                        && detail["triage_version"] == case.version + 1
                        && detail["triage_status"] == status
                        && detail["triage_resolution"] == json!(resolution)
                    {
                        self.reviewed.lock().unanswered += 1;
                        return None;
                    }
                    let what = format!(
                        "nobody else reviews it, but version {} is refused, {lost} answers were lost before: {}",
                        case.version,
                        answer.text()
                    );
                    self.answers.violated(Violation::Reviewing { incident: case.id.clone(), what });
                    return None;
                }
                Judged::Wrong(_) => return None,
                Judged::Again(pause) => {
                    lost += 1;
                    tokio::time::sleep(pause).await;
                }
            }
        }
    }

    /// A change is visible in every process's detail at once, in the list of the storing process at once, and in the
    /// lists of the others soon.
    async fn look(&mut self, case: &Case, answered_by: Option<usize>) {
        let begun = Instant::now();
        let detail = incident_path(&case.id);
        for process in 0..self.deployment.side(Side::Api).count() {
            let found =
                self.version(case, process, &detail, |detail| detail["triage_version"].as_u64()).await;
            self.expect(case, process, "detail", found);
        }
        let listed = |list: &Value| list["data"][0]["triage_version"].as_u64();
        if let Some(process) = answered_by {
            let found = self.version(case, process, &case.list, listed).await;
            self.expect(case, process, "list", found);
        }
        for process in 0..self.deployment.side(Side::Api).count() {
            while begun.elapsed() < SEEN_BOUND {
                let found = self.version(case, process, &case.list, listed).await;
                if found.is_some_and(|found| found >= case.version) {
                    break;
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
            self.judge_lag(case, process, begun);
        }
    }

    fn expect(&self, case: &Case, process: usize, what: &str, found: Option<u64>) {
        // Without an answer nothing is known; other checks cover that.
        let Some(found) = found.filter(|found| *found != case.version) else { return };
        let what = format!(
            "the {what} at {} shows version {found} right after version {} was stored",
            self.name(process),
            case.version
        );
        self.answers.violated(Violation::Reviewing { incident: case.id.clone(), what });
    }

    fn judge_lag(&self, case: &Case, process: usize, begun: Instant) {
        let took = begun.elapsed();
        let name = self.name(process).to_owned();
        let is_calm = self.weather.was_calm(begun, AFTERMATH, |other| other == name || other == "cassandra");
        let bound = if is_calm { self.listed_within } else { SEEN_BOUND };
        if is_calm {
            self.reviewed.lock().listed.record(took);
        }
        if took > bound {
            let what = format!("{name} listed version {} only after {} ms", case.version, took.as_millis());
            self.answers.violated(Violation::Reviewing { incident: case.id.clone(), what });
        }
    }

    async fn version(
        &mut self,
        case: &Case,
        process: usize,
        path: &str,
        read: impl Fn(&Value) -> Option<u64>,
    ) -> Option<u64> {
        let caller = self.callers.get_mut(case.organization)?;
        let answer = caller.insist(process, &Call::get(path), SEEN_BOUND).await?;
        read(&answer.json())
    }

    fn name(&self, process: usize) -> &str {
        self.deployment.side(Side::Api).nth(process).map_or("", |member| &member.name)
    }

    /// Finds the incident of an attack: the path of its list, and its entry.
    async fn find(&mut self, place: SourceRef, attack: &Attack, bound: Duration) -> Option<(String, Value)> {
        let caller = self.callers.get_mut(place.organization)?;
        let source = self.deployment.source(place);
        let path = format!("{INCIDENTS}?source_id={source}&q={}", attack.entity().1);
        let begun = Instant::now();
        while begun.elapsed() < bound {
            let (_, answer) = caller.until_done(Call::get(&path)).await;
            let summary = answer.json()["data"][0].clone();
            if !summary.is_null() {
                return Some((path, summary));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        None
    }
}
