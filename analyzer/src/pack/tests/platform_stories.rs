//! Intrusions in clouds, clusters and identity providers as an analyst tells them, each with a benign twin, through
//! the whole analyzer.
//!
//! Each `.txt` file in `stories/` is about one platform. `story TITLE` begins an attack, followed by a line
//! `decisive RULE ENTITY` for each of its decisive steps: an incident of at least high severity about that entity must
//! include that rule. Then come records as in `cases/`. `benign TITLE` begins the records of the twin, which must give
//! no incident. `<id>` stands for a number that no other record has.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use common::incident::{IncidentDetail, IncidentHead};
use common::row;
use common::severity::Severity;
use ledger::Kind;
use ledger::memory::MemoryLedger;

use super::*;

/// An attack and its benign twin.
struct Story {
    title: String,
    /// Rule and entity of each decisive step.
    decisive: Vec<(String, String)>,
    attack: Vec<String>,
    twin: String,
    benign: Vec<String>,
}

/// An incident as the ledger has it.
struct Found {
    severity: Severity,
    entity: String,
    title: String,
    rules: Vec<String>,
}

#[tokio::test(start_paused = true)]
async fn decisive_steps_are_high_incidents_and_benign_twins_are_none() {
    let rules = Arc::new(built_in().unwrap());
    let mut wrong = Vec::new();
    let mut told = 0;
    for (file, text) in files() {
        let (templates, stories) = read(&text);
        for story in stories {
            told += 1;
            let found = incidents(&rules, &templates, &story.attack).await;
            let complaints =
                story.decisive.iter().filter(|(rule, entity)| !belongs(&rules, &found, rule, entity));
            wrong.extend(complaints.map(|(rule, entity)| {
                format!(
                    "{file}, {}: {rule} about {entity} is no high incident; found {}",
                    story.title,
                    shown(&found)
                )
            }));
            let found = incidents(&rules, &templates, &story.benign).await;
            if !found.is_empty() {
                wrong.push(format!("{file}, {}: found {}", story.twin, shown(&found)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(told >= 40, "only {told} stories");
}

fn files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/pack/tests/stories");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// The templates of a file, and its stories.
fn read(text: &str) -> (String, Vec<Story>) {
    let (mut templates, mut stories) = (String::new(), Vec::<Story>::new());
    let mut is_attack = true;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (word, rest) = line.split_once(' ').unwrap();
        match (word, stories.last_mut()) {
            ("template", _) => templates.push_str(&format!("{line}\n")),
            ("story", _) => {
                is_attack = true;
                let title = rest.to_owned();
                let (decisive, attack, benign) = Default::default();
                stories.push(Story { title, decisive, attack, twin: String::new(), benign });
            }
            ("benign", Some(story)) => {
                is_attack = false;
                story.twin = rest.to_owned();
            }
            ("decisive", Some(story)) => {
                let (rule, entity) = rest.split_once(' ').unwrap();
                story.decisive.push((rule.to_owned(), entity.to_owned()));
            }
            (_, Some(story)) if is_attack => story.attack.push(line.to_owned()),
            (_, Some(story)) => story.benign.push(line.to_owned()),
            (_, None) => panic!("no story: {line}"),
        }
    }
    for Story { title, decisive, benign, .. } in &stories {
        assert!(!decisive.is_empty() && !benign.is_empty(), "{title} is incomplete");
    }
    (templates, stories)
}

async fn incidents(rules: &Arc<RuleSet>, templates: &str, records: &[String]) -> Vec<Found> {
    let text = format!("{templates}{}", records.join("\n"));
    let mut lines = cases::story(&text);
    for (number, (_, line)) in lines.iter_mut().enumerate() {
        *line = line.replace("<id>", &number.to_string());
        assert!(!line.contains("<>"), "a place is not filled: {line}");
    }
    found(stories::analyzed(rules, &lines).await.as_ref())
}

/// The incidents of a ledger: heads and details have the same key.
fn found(ledger: &MemoryLedger) -> Vec<Found> {
    let rows = ledger.dump();
    let heads = rows.iter().filter(|(_, kind, _)| *kind == Kind::Head);
    heads
        .map(|(.., head_row)| {
            let head: IncidentHead = row::decode(&head_row.body).unwrap();
            let is_detail = |kind: Kind, key: &[u8]| kind == Kind::Detail && *key == *head_row.key;
            let detail = rows.iter().find(|(_, kind, row)| is_detail(*kind, &row.key)).unwrap();
            let detail: IncidentDetail = row::decode(&detail.2.body).unwrap();
            Found {
                severity: head.analysis.severity,
                entity: head.entity.value,
                title: head.analysis.title,
                rules: detail.assessment.rules.into_iter().map(|rule| rule.id).collect(),
            }
        })
        .collect()
}

/// Whether an incident of at least high severity about the entity includes the rule.
fn belongs(rules: &RuleSet, found: &[Found], rule: &str, entity: &str) -> bool {
    let single = rules.rules().iter().map(|rule| &rule.info);
    let mut infos = single.chain(rules.correlations().iter().map(|correlation| &correlation.info));
    let info =
        infos.find(|info| info.name.as_deref() == Some(rule)).unwrap_or_else(|| panic!("no rule {rule}"));
    found.iter().any(|incident| {
        incident.severity >= Severity::High && incident.entity == entity && incident.rules.contains(&info.id)
    })
}

fn shown(found: &[Found]) -> String {
    let shown = |found: &Found| format!("[{} {} ({})]", found.severity.as_str(), found.title, found.entity);
    found.iter().map(shown).collect::<Vec<_>>().join(" ")
}
