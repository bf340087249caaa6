//! Checks, during the run, that no organization sees resources of another: in its lists, by a
//! foreign incident's id, and by sending to a foreign source.

use std::collections::BTreeMap;
use std::time::Duration;

use http::Method;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::chaos::answers::{Answers, Judged, Side};
use crate::chaos::attacks::Attack;
use crate::chaos::caller::Caller;
use crate::chaos::deployment::Deployment;
use crate::chaos::input::{Input, SourceRef};
use crate::violations::Violation;
use loadtest::api::{Call, INCIDENTS, PAGE, incident_path, items, logs_path, text};
use loadtest::client::Content;
use loadtest::locked::Locked;

/// Time between two checks of everything.
const PAUSE: Duration = Duration::from_millis(1_500);
/// Longest time of a page of one process before the check continues.
const PAGE_BOUND: Duration = Duration::from_secs(30);

/// Counts of the checks, and the known ids of each organization.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    /// Incidents in lists.
    pub(crate) incidents: u64,
    /// Requests for foreign incidents.
    pub(crate) foreign_incidents: u64,
    /// Batches to foreign sources.
    pub(crate) foreign_sources: u64,
    an_incident_of: BTreeMap<usize, String>,
}

/// Checks on behalf of one organization.
pub(crate) struct Watcher {
    organization: usize,
    deployment: Deployment,
    api: Caller,
    ingest: Caller,
    answers: Answers,
    watched: Locked<Watched>,
    chance: StdRng,
}

impl Watcher {
    pub(crate) fn new(
        deployment: &Deployment,
        organization: usize,
        input: Input,
        answers: &Answers,
        watched: &Locked<Watched>,
    ) -> Self {
        let mut chance = input.chance(SourceRef { organization, source: 0 }, 0, 8);
        let mut caller = |side| deployment.caller(side, organization, answers, StdRng::from_rng(&mut chance));
        let (api, ingest) = (caller(Side::Api), caller(Side::Stranger));
        Self {
            organization,
            deployment: deployment.clone(),
            api,
            ingest,
            answers: answers.clone(),
            watched: watched.clone(),
            chance,
        }
    }

    /// Checks repeatedly until stopped.
    pub(crate) async fn run(mut self, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            for process in 0..self.api.len() {
                self.read_list(process).await;
                self.ask_for_foreign_incident(process).await;
            }
            self.send_to_foreign_source().await;
            // An end of the time is the usual case.
            let _ = tokio::time::timeout(PAUSE, stop.wait_for(|stop| *stop)).await;
        }
    }

    /// Every page of one process's list.
    async fn read_list(&mut self, process: usize) {
        let mut offset = 0;
        loop {
            let path = format!("{INCIDENTS}?limit={PAGE}&offset={offset}");
            let request = Call::get(&path);
            let Some(page) = self.api.insist(process, &request, PAGE_BOUND).await else { return };
            let page = page.json();
            let incidents = items(&page);
            for incident in incidents {
                self.check(incident);
            }
            offset += PAGE;
            if incidents.len() < PAGE {
                return;
            }
        }
    }

    fn check(&self, incident: &Value) {
        let (id, source, entity) =
            (text(&incident["id"]), text(&incident["source"]["id"]), text(&incident["entity"]["value"]));
        let tenant = self.deployment.tenants.get(self.organization);
        let is_own = tenant.is_some_and(|tenant| tenant.sources.contains(&source));
        if !is_own || !Attack::is_of(self.organization, &entity) {
            self.violated(format!("its list has incident {id} about {entity} at source {source}"));
        }
        let mut seen = self.watched.lock();
        seen.incidents += 1;
        seen.an_incident_of.insert(self.organization, id);
    }

    /// A foreign incident does not exist, for readers and for reviewers.
    async fn ask_for_foreign_incident(&mut self, process: usize) {
        let foreign: Vec<String> = {
            let seen = self.watched.lock();
            let others = seen.an_incident_of.iter().filter(|(owner, _)| **owner != self.organization);
            others.map(|(_, id)| id.clone()).collect()
        };
        for id in foreign {
            let path = incident_path(&id);
            let change =
                json!({"triage_version": 1, "triage_status": "resolved", "triage_resolution": "fixed"});
            let write = self.chance.random_ratio(1, 2);
            let (method, content) = if write {
                (Method::PATCH, Content::json(&change))
            } else {
                (Method::GET, Content::default())
            };
            let request = Call { method, path: &path, content, expected: &[404] };
            match self.api.once(process, &request).await {
                Judged::Done(_) => self.watched.lock().foreign_incidents += 1,
                Judged::Wrong(answer) => {
                    self.violated(format!(
                        "{}, a foreign incident, is answered {}",
                        request.name(),
                        answer.status
                    ));
                }
                // The next check repeats it.
                Judged::Again(_) => {}
            }
        }
    }

    /// A foreign source does not exist.
    async fn send_to_foreign_source(&mut self) {
        let mut foreign = self.deployment.places();
        foreign.retain(|place| place.organization != self.organization);
        let Some(place) = foreign.choose(&mut self.chance) else { return };
        let (owner, source) = (place.organization, self.deployment.source(*place).to_owned());
        let body = json!([{"message": "a line that must not arrive", "host": "foreign"}]);
        let path = logs_path(&source);
        let request = Call { expected: &[404], ..Call::ingest(&path, Content::json(&body)) };
        let process = self.ingest.any();
        match self.ingest.once(process, &request).await {
            Judged::Done(_) => self.watched.lock().foreign_sources += 1,
            Judged::Wrong(answer) => {
                let status = answer.status;
                self.violated(format!(
                    "a batch for source {source} of organization {owner} is answered {status}"
                ));
            }
            Judged::Again(_) => {}
        }
    }

    fn violated(&self, what: String) {
        self.answers.violated(Violation::Tenant { organization: self.organization, what });
    }
}
