//! A rule language of its own for tests: lines of `title`, `id`, `needs`, `fault` and `holds`. Whether the API asks, and what it
//! makes of the answer, does not depend on the language.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use common::ids::DetectionRuleId;
use common::incident::Evidence;
use common::timestamp::Timestamp;
use directory::{
    Asked, Dependent, Described, DetectionRule, DocumentCheck, DocumentFault, DocumentRefusal, OwnDetection,
    TrialMatch,
};

/// Understands the language.
#[derive(Default)]
pub(crate) struct Checker {
    held: Mutex<Option<Receiver<()>>>,
}

impl Checker {
    /// The next check does not end before the sender has sent, or is gone.
    pub(crate) fn hold_next(&self) -> SyncSender<()> {
        let (release, held) = sync_channel(1);
        *self.held.lock().unwrap() = Some(held);
        release
    }

    /// Whether a check is still to come that is held.
    pub(crate) fn is_to_hold(&self) -> bool {
        self.held.lock().unwrap().is_some()
    }
}

fn values<'y>(yaml: &'y str, key: &str) -> Vec<(u32, &'y str)> {
    let value = |(line, number): (&'y str, u32)| Some((number, line.strip_prefix(key)?.strip_prefix(": ")?));
    yaml.lines().zip(1..).filter_map(value).collect()
}

fn described(yaml: &str) -> Result<Described, DocumentRefusal> {
    let fault = |(line, cause): &(u32, &str)| DocumentFault { line: Some(*line), cause: (*cause).to_owned() };
    let faults: Vec<_> = values(yaml, "fault").iter().map(fault).collect();
    let title = values(yaml, "title").first().map(|(_, title)| (*title).to_owned());
    match title {
        Some(title) if faults.is_empty() => {
            let sigma_ids = values(yaml, "id").into_iter().map(|(_, id)| id.to_owned()).collect();
            Ok(Described { title, sigma_ids })
        }
        Some(_) => Err(DocumentRefusal::Faulty(faults)),
        None => {
            let cause = "expected a title".to_owned();
            Err(DocumentRefusal::Faulty(vec![DocumentFault { line: None, cause }]))
        }
    }
}

/// Who needs what a rule has, other than that rule.
fn dependents(own: &OwnDetection, rule: &DetectionRule) -> Vec<Dependent> {
    let needs =
        |yaml: &str| values(yaml, "needs").iter().any(|(_, id)| rule.sigma_ids.iter().any(|own| own == id));
    let rules = own.rules.iter().filter(|other| other.id != rule.id && needs(&other.yaml));
    let rules = rules.map(|rule| ("detection_rule", rule.id.to_string(), rule.title.clone()));
    let suppressions = own.suppressions.iter().filter(|other| needs(&other.yaml));
    let suppressions = suppressions.map(|one| ("suppression", one.id.to_string(), one.title.clone()));
    rules.chain(suppressions).map(|(object, id, title)| Dependent { object, id, title }).collect()
}

impl DocumentCheck for Checker {
    fn rule(
        &self,
        asked: Asked<'_>,
        replaced: Option<DetectionRuleId>,
        yaml: &str,
        enabled: bool,
    ) -> Result<Described, DocumentRefusal> {
        // Not within the condition, which would keep the lock.
        let held = self.held.lock().unwrap().take();
        if let Some(held) = held {
            let _ = held.recv();
        }
        if (asked.give_up)() {
            return Err(DocumentRefusal::GivenUp);
        }
        let described = described(yaml)?;
        for other in asked.own.rules.iter().filter(|rule| Some(rule.id) != replaced) {
            if other.sigma_ids.iter().any(|id| described.sigma_ids.contains(id)) {
                let fault = DocumentFault { line: Some(2), cause: format!("id: is used by {}", other.id) };
                return Err(DocumentRefusal::Faulty(vec![fault]));
            }
        }
        match replaced {
            Some(id) if !enabled => self.removal(asked, id).map(|()| described),
            _ => Ok(described),
        }
    }

    fn suppression(
        &self,
        _asked: Asked<'_>,
        yaml: &str,
        allow_match_without_fields: bool,
    ) -> Result<Described, DocumentRefusal> {
        if !allow_match_without_fields && !values(yaml, "holds").is_empty() {
            let cause = "condition: it holds without fields".to_owned();
            return Err(DocumentRefusal::Faulty(vec![DocumentFault { line: Some(2), cause }]));
        }
        described(yaml)
    }

    fn trial(
        &self,
        _asked: Asked<'_>,
        yaml: &str,
        payloads: &[Vec<u8>],
        _now: Timestamp,
    ) -> Result<Vec<Vec<TrialMatch>>, DocumentRefusal> {
        let Described { title, sigma_ids } = described(yaml)?;
        let found = TrialMatch { sigma_id: sigma_ids[0].clone(), title, level: Some("high") };
        let wanted = values(yaml, "matches");
        let is_match = |payload: &Vec<u8>| {
            let payload = String::from_utf8_lossy(payload);
            wanted.iter().any(|(_, text)| payload.contains(text))
        };
        let matches = |payload| if is_match(payload) { vec![found.clone()] } else { Vec::new() };
        Ok(payloads.iter().map(matches).collect())
    }

    fn covered(
        &self,
        _asked: Asked<'_>,
        yaml: &str,
        incidents: &[Vec<Evidence>],
    ) -> Result<Vec<bool>, DocumentRefusal> {
        described(yaml)?;
        let covers = values(yaml, "covers");
        let is_covered = |record: &Evidence| {
            covers.iter().any(|(_, text)| record.fields.values().any(|value| value == text))
        };
        Ok(incidents.iter().map(|evidence| !evidence.is_empty() && evidence.iter().all(is_covered)).collect())
    }

    fn removal(&self, asked: Asked<'_>, rule: DetectionRuleId) -> Result<(), DocumentRefusal> {
        let own = asked.own;
        let rule = own.rules.iter().find(|other| other.id == rule).unwrap();
        let dependents = dependents(own, rule);
        if dependents.is_empty() { Ok(()) } else { Err(DocumentRefusal::Needed(dependents)) }
    }
}
