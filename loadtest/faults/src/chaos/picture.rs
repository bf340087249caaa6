//! The incidents of an idle deployment, each with its detail, in a form in which two
//! deployments with the same input can be compared. Reading, and consistency within one
//! deployment, are here; the comparison is in `compare`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::chaos::answers::{Answers, Side};
use crate::chaos::caller::Caller;
use crate::chaos::deployment::Deployment;
use crate::chaos::input::{Input, SourceRef};
use crate::violations::Violation;
use loadtest::api::{Call, INCIDENTS, PAGE, incident_path, items, text};

/// Longest time until lists and details agree when nothing changes any more.
const AGREE_WITHIN: Duration = Duration::from_secs(5);
/// Pause before another reading: half a poll of the index.
const READ_AGAIN_AFTER: Duration = Duration::from_millis(100);
/// Longest time of an answer from an idle deployment.
const ANSWER_BOUND: Duration = Duration::from_secs(60);
/// Assessment revisions and review changes that a detail shows (specification, Limits).
const SHOWN_REVISIONS: u64 = 50;
const SHOWN_REVIEWS: u64 = 100;

/// Identity of an incident in every deployment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) place: SourceRef,
    pub(crate) family: String,
    pub(crate) kind: String,
    pub(crate) entity: String,
    pub(crate) episode: u64,
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { place, family, kind, entity, episode } = self;
        write!(f, "{place} {family} {kind} {entity} #{episode}")
    }
}

/// Every incident's detail, as it was answered.
pub(crate) type Picture = BTreeMap<Key, Value>;

/// Reads an idle deployment. Lists follow the ledger within one poll of the index, and details come from the ledger: an
/// organization is read until its lists and details agree, and the contradictions of the last reading are reported.
pub(crate) async fn take(deployment: &Deployment, input: Input, answers: &Answers) -> Picture {
    let mut picture = Picture::new();
    for organization in 0..deployment.tenants.len() {
        let begun = Instant::now();
        let read = loop {
            let read = Photographer::new(deployment, input, answers, organization).read(deployment).await;
            if read.violations.is_empty() || begun.elapsed() > AGREE_WITHIN {
                break read;
            }
            tokio::time::sleep(READ_AGAIN_AFTER).await;
        };
        picture.extend(read.picture);
        read.violations.into_iter().for_each(|violation| answers.violated(violation));
    }
    picture
}

/// One reading of an organization.
#[derive(Default)]
struct Read {
    picture: Picture,
    violations: Vec<Violation>,
}

struct Photographer {
    caller: Caller,
    organization: usize,
    read: Read,
}

impl Photographer {
    fn new(deployment: &Deployment, input: Input, answers: &Answers, organization: usize) -> Self {
        let chance = input.chance(SourceRef { organization, source: 0 }, 0, 9);
        let caller = deployment.caller(Side::Api, organization, answers, chance);
        Self { caller, organization, read: Read::default() }
    }

    async fn read(mut self, deployment: &Deployment) -> Read {
        for summary in self.agreed_list().await {
            let Some((key, detail)) = self.detail(deployment, &summary).await else { continue };
            let incident = key.to_string();
            if self.read.picture.insert(key, detail).is_some() {
                self.read.violations.push(Violation::Doubled { incident });
            }
        }
        self.read
    }

    /// The list of the first process, which is that of all.
    async fn agreed_list(&mut self) -> Vec<Value> {
        let mut lists = Vec::new();
        for process in 0..self.caller.len() {
            lists.push(self.list(process).await);
        }
        if lists.windows(2).any(|pair| matches!(pair, [one, other] if one != other)) {
            let sizes: Vec<usize> = lists.iter().map(Vec::len).collect();
            let organization = self.organization;
            self.contradiction(format!(
                "organization {organization}: the processes' lists, of {sizes:?} incidents, differ"
            ));
        }
        lists.into_iter().next().unwrap_or_default()
    }

    async fn list(&mut self, process: usize) -> Vec<Value> {
        let mut incidents: Vec<Value> = Vec::new();
        loop {
            let path = format!("{INCIDENTS}?limit={PAGE}&offset={}", incidents.len());
            let request = Call::get(&path);
            let Some(page) = self.caller.insist(process, &request, ANSWER_BOUND).await else {
                self.contradiction(format!("{path}: no answer from a deployment at rest"));
                return incidents;
            };
            let page = page.json();
            let found = items(&page);
            let is_last = found.len() < PAGE;
            incidents.extend_from_slice(found);
            if is_last {
                let total = page["pagination"]["total"].as_u64();
                let ids: BTreeSet<&str> =
                    incidents.iter().filter_map(|incident| incident["id"].as_str()).collect();
                if total != Some(ids.len() as u64) || ids.len() != incidents.len() {
                    self.contradiction(format!(
                        "organization {}: {} incidents listed, {} of them different, total {total:?}",
                        self.organization,
                        incidents.len(),
                        ids.len()
                    ));
                }
                return incidents;
            }
        }
    }

    async fn detail(&mut self, deployment: &Deployment, summary: &Value) -> Option<(Key, Value)> {
        let path = incident_path(summary["id"].as_str()?);
        let process = self.caller.any();
        let answer = self.caller.insist(process, &Call::get(&path), ANSWER_BOUND).await;
        let Some(answer) = answer else {
            self.contradiction(format!("{path} is listed and not answered"));
            return None;
        };
        let detail = answer.json();
        let source = detail["source"]["id"].as_str().unwrap_or_default();
        let tenant = deployment.tenants.get(self.organization)?;
        let Some(source) = tenant.sources.iter().position(|own| own == source) else {
            let what = format!("incident {} is of source {source}", summary["id"]);
            self.read.violations.push(Violation::Tenant { organization: self.organization, what });
            return None;
        };
        let key = Key {
            place: SourceRef { organization: self.organization, source },
            family: text(&detail["family"]),
            kind: text(&detail["entity"]["kind"]),
            entity: text(&detail["entity"]["value"]),
            episode: detail["episode"].as_u64().unwrap_or_default(),
        };
        for what in disagreements(summary, &detail) {
            self.contradiction(format!("{key}: {what}"));
        }
        Some((key, detail))
    }

    fn contradiction(&mut self, what: String) {
        self.read.violations.push(Violation::Contradiction { what });
    }
}

/// Contradictions of a detail to the list, or to itself. Its histories have no gaps and no duplicates; its
/// newest revision is the present assessment's severity and rules.
fn disagreements(summary: &Value, detail: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (field, value) in summary.as_object().into_iter().flatten() {
        if detail[field.as_str()] != *value {
            found
                .push(format!("{field} is {value} in the list and {} in the detail", detail[field.as_str()]));
        }
    }
    let numbers = |list: &str, field: &str| -> Vec<u64> {
        let items = detail[list].as_array().into_iter().flatten();
        items.map(|item| item[field].as_u64().unwrap_or_default()).collect()
    };
    let revisions = numbers("assessment_revisions", "revision");
    let newest = revisions.first().copied().unwrap_or_default();
    if newest == 0 || revisions != downwards(newest, 1, SHOWN_REVISIONS) {
        found.push(format!("its revisions are {revisions:?}"));
    }
    if detail["assessment_revisions"][0]["assessment"]["severity"] != detail["severity"] {
        found.push("its newest revision has another severity".to_owned());
    }
    let reviews = numbers("review_history", "triage_version");
    let version = detail["triage_version"].as_u64().unwrap_or_default();
    if reviews != downwards(version, 2, SHOWN_REVIEWS) {
        found.push(format!("its triage version is {version}, its reviews are {reviews:?}"));
    }
    found
}

/// From `newest` down to `oldest`, up to a maximum number.
fn downwards(newest: u64, oldest: u64, most: u64) -> Vec<u64> {
    (oldest..=newest).rev().take(most as usize).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_detail_that_contradicts_itself_or_the_list_is_told() {
        let summary = json!({"id": "i", "severity": "high", "triage_version": 2});
        let detail = json!({
            "id": "i", "severity": "high", "triage_version": 2,
            "assessment_revisions": [
                {"revision": 2, "assessment": {"severity": "high"}},
                {"revision": 1, "assessment": {"severity": "low"}},
            ],
            "review_history": [{"triage_version": 2}],
        });
        assert_eq!(disagreements(&summary, &detail), Vec::<String>::new());
        for (pointer, value) in [
            ("/severity", json!("low")),
            ("/triage_version", json!(3)),
            ("/assessment_revisions/1/revision", json!(2)),
            ("/review_history", json!([])),
            ("/assessment_revisions", json!([])),
        ] {
            let mut altered = detail.clone();
            *altered.pointer_mut(pointer).unwrap() = value;
            assert!(!disagreements(&summary, &altered).is_empty(), "{pointer}");
        }
    }
}
