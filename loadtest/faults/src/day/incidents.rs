//! The incidents of an idle server, with the details that a person needs to judge each.

use std::collections::BTreeMap;

use serde_json::Value;

use super::company::NOISE;
use loadtest::api::{ApiError, Call, INCIDENTS, PAGE, incident_path, items, text};
use loadtest::client::Client;

/// Most incidents that are read: a person judges no more.
const MOST_INCIDENTS: usize = 5_000;

/// An incident, as far as it is reported.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Incident {
    pub(crate) severity: String,
    pub(crate) title: String,
    pub(crate) source: String,
    pub(crate) entity: String,
    /// Member records.
    pub(crate) events: u64,
    /// Reason why it is an incident.
    pub(crate) qualified_by: String,
    /// Titles of its rules, the correlations first.
    pub(crate) rules: Vec<String>,
    /// Each evidence's message or main fields, the worst first.
    pub(crate) evidence: Vec<String>,
}

impl Incident {
    /// Whether it is about an internet-wide scanner.
    pub(crate) fn is_noise(&self) -> bool {
        self.entity.split_once('=').is_some_and(|(_, value)| value.starts_with(NOISE))
    }

    /// 0 for the worst.
    pub(crate) fn rank(&self) -> usize {
        const WORST_FIRST: [&str; 5] = ["critical", "high", "medium", "low", "informational"];
        WORST_FIRST.iter().position(|severity| *severity == self.severity).unwrap_or(WORST_FIRST.len())
    }
}

/// Number of incidents that a search finds.
pub(crate) async fn count(client: &mut Client, query: &str) -> Result<u64, ApiError> {
    let page = get(client, &format!("{INCIDENTS}?limit=1&q={query}")).await?;
    Ok(page["pagination"]["total"].as_u64().unwrap_or_default())
}

/// Every incident of these sources, the worst first.
pub(crate) async fn read(
    client: &mut Client,
    sources: &BTreeMap<String, String>,
) -> Result<Vec<Incident>, ApiError> {
    let mut ids = Vec::new();
    loop {
        let path = format!("{INCIDENTS}?limit={PAGE}&offset={}", ids.len());
        let page = get(client, &path).await?;
        let found = items(&page);
        ids.extend(found.iter().map(|summary| (text(&summary["id"]), text(&summary["source"]["id"]))));
        if found.len() < PAGE || ids.len() >= MOST_INCIDENTS {
            break;
        }
    }
    let mut incidents = Vec::new();
    for (id, source) in ids {
        if let Some(source) = sources.get(&source) {
            incidents.push(incident(&get(client, &incident_path(&id)).await?, source));
        }
    }
    incidents.sort_by(|one, next| (one.rank(), one).cmp(&(next.rank(), next)));
    Ok(incidents)
}

async fn get(client: &mut Client, path: &str) -> Result<Value, ApiError> {
    Ok(Call::get(path).once(client).await?.json())
}

fn incident(detail: &Value, source: &str) -> Incident {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut rules: Vec<(bool, String)> = list(&detail["assessment"]["rules"])
        .iter()
        .map(|rule| {
            (rule["correlation"] != true, format!("{} ({})", text(&rule["title"]), text(&rule["severity"])))
        })
        .collect();
    rules.sort();
    Incident {
        severity: text(&detail["severity"]),
        title: text(&detail["title"]),
        source: source.to_owned(),
        entity: format!("{}={}", text(&detail["entity"]["kind"]), text(&detail["entity"]["value"])),
        events: detail["event_count"].as_u64().unwrap_or_default(),
        qualified_by: text(&detail["assessment"]["qualified_by"]),
        rules: rules.into_iter().map(|(_, title)| title).collect(),
        evidence: list(&detail["evidence"]).iter().map(said).collect(),
    }
}

/// Text of an evidence: its message, or, of a record without one, its fields.
fn said(evidence: &Value) -> String {
    let message = evidence["message"].as_str().unwrap_or_default();
    if message.is_empty() { evidence["fields"].to_string() } else { message.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_incident_is_read_from_its_detail() {
        let read = incident(
            &json!({
                "severity": "medium", "title": "t", "event_count": 3,
                "entity": {"kind": "client.address", "value": "198.19.0.1"},
                "assessment": {"qualified_by": "threshold", "rules": [
                    {"title": "one", "severity": "low", "correlation": false},
                    {"title": "many", "severity": "medium", "correlation": true},
                ]},
                "evidence": [{"message": "a line"}, {"message": "", "fields": {"a": "b"}}],
            }),
            "linux",
        );
        assert!(read.is_noise() && read.rank() == 2 && read.events == 3);
        assert_eq!(read.rules, ["many (medium)", "one (low)"]);
        assert_eq!(read.evidence, ["a line", r#"{"a":"b"}"#]);
    }
}
