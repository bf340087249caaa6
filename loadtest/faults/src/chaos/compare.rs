//! The comparison: each incident of a deployment under faults, field by field, against
//! that of one without faults; and both against the input.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;

use crate::chaos::attacks::SECOND_WAVE;
use crate::chaos::input::{Input, SourceRef};
use crate::chaos::picture::{Key, Picture};
use crate::violations::Violation;

/// Most characters of a value that are repeated.
const EXCERPT: usize = 160;

/// Fields that may differ between deployments, with reasons. Everything else in a detail must be equal. `*` stands
/// for every element of an array.
pub(crate) const MAY_DIFFER: [(&str, &str); 10] = [
    ("id", "hashed from the source's id, which each deployment draws"),
    ("source.id", "drawn; compared by the source's number and name"),
    ("created_at", "when the record that opened it was accepted"),
    ("updated_at", "when the last record was accepted or the last review stored"),
    ("evidence.*.record_id", "hashed with the deployment's pepper and the source's id"),
    ("evidence.*.received_at", "when the record was accepted"),
    ("review_history.*.actor.id", "drawn; the key's name is compared"),
    ("review_history.*.created_at", "when the review was stored"),
    ("review_history.*.request_id", "drawn for each request"),
    (
        "assessment_revisions",
        "the history of the assessment: what was known when depends on the order of arrival",
    ),
];

/// Number of times that each attacker's records were sent, by the scenes of each phase.
pub(crate) type Scenes = BTreeMap<SourceRef, Vec<Range<u64>>>;

/// All differences.
pub(crate) fn compare(under_faults: &Picture, without: &Picture) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (key, found) in under_faults {
        let incident = key.to_string();
        let Some(expected) = without.get(key) else {
            violations.push(Violation::OnlyUnderFaults { incident });
            continue;
        };
        let mut differences = Vec::new();
        differ(&mut Vec::new(), found, expected, &mut differences);
        for (field, found, expected) in differences {
            let incident = incident.clone();
            violations.push(Violation::Different { incident, field, found, expected });
        }
    }
    let missing = without.keys().filter(|key| !under_faults.contains_key(key));
    violations.extend(missing.map(|key| Violation::OnlyWithout { incident: key.to_string() }));
    violations
}

fn differ(
    path: &mut Vec<String>,
    found: &Value,
    expected: &Value,
    differences: &mut Vec<(String, String, String)>,
) {
    if found == expected || may_differ(path) {
        return;
    }
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            let names = found.keys().chain(expected.keys().filter(|name| !found.contains_key(*name)));
            for name in names {
                path.push(name.clone());
                let of = |object: &serde_json::Map<String, Value>| {
                    object.get(name).cloned().unwrap_or(Value::Null)
                };
                differ(path, &of(found), &of(expected), differences);
                path.pop();
            }
        }
        (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => {
            for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
                path.push(index.to_string());
                differ(path, found, expected, differences);
                path.pop();
            }
        }
        _ => differences.push((path.join("."), excerpt(found), excerpt(expected))),
    }
}

fn may_differ(path: &[String]) -> bool {
    MAY_DIFFER.iter().any(|(pattern, _)| {
        let parts: Vec<&str> = pattern.split('.').collect();
        parts.len() == path.len() && parts.iter().zip(path).all(|(part, own)| *part == "*" || *part == own)
    })
}

fn excerpt(value: &Value) -> String {
    value.to_string().chars().take(EXCERPT).collect()
}

/// Whether each attack that was sent has one incident, with as many records as were acknowledged.
pub(crate) fn count(picture: &Picture, input: Input, scenes: &Scenes) -> Vec<Violation> {
    let mut counted: BTreeMap<(SourceRef, &str, &str, String), Vec<u64>> = BTreeMap::new();
    for (Key { place, family, kind, entity, .. }, detail) in picture {
        let counts = counted.entry((*place, family, kind, entity.clone())).or_default();
        counts.push(detail["event_count"].as_u64().unwrap_or_default());
    }
    let mut violations = Vec::new();
    for (place, phases) in scenes {
        let mut sent = Vec::new();
        for (phase, scenes) in phases.iter().enumerate() {
            let returned =
                if phase + 1 < phases.len() { input.returning(*place, scenes.clone()) } else { Vec::new() };
            for attack in scenes.clone().filter_map(|scene| input.attack(*place, scene)) {
                let came_back = returned.contains(&attack);
                sent.push((attack, attack.records() + if came_back { SECOND_WAVE } else { 0 }));
            }
            let (mark, batch) = input.mark(*place, phase as u64);
            sent.push((mark, batch.records));
        }
        for (attack, expected) in sent {
            let (kind, entity) = attack.entity();
            let family = attack.kind.family();
            let found = counted.remove(&(*place, family, kind, entity.clone())).unwrap_or_default();
            if found != [expected] {
                violations.push(Violation::Count { place: *place, family, kind, entity, expected, found });
            }
        }
    }
    let nobodys = counted.keys().map(|(place, family, kind, entity)| Violation::Contradiction {
        what: format!("{place} {family} {kind} {entity}: nothing of the kind was sent"),
    });
    violations.extend(nobodys);
    violations
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn key(entity: &str) -> Key {
        Key {
            place: SourceRef { organization: 0, source: 0 },
            family: "authentication_attack".to_owned(),
            kind: "client.address".to_owned(),
            entity: entity.to_owned(),
            episode: 1,
        }
    }

    fn picture() -> Picture {
        let detail = json!({
            "id": "a", "severity": "high", "event_count": 10,
            "evidence": [{"record_id": "r", "message": "Failed password", "event_time": "t"}],
            "assessment": {"techniques": ["T1110"]},
        });
        BTreeMap::from([(key("10.100.100.100"), detail)])
    }

    fn differences(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut altered = picture();
        change(altered.values_mut().next().unwrap());
        compare(&altered, &picture()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_may_differ_may_and_everything_else_is_told_by_its_field() {
        assert_eq!(differences(|_| {}), Vec::<String>::new());
        assert_eq!(differences(|detail| detail["id"] = json!("b")), Vec::<String>::new());
        assert_eq!(
            differences(|detail| detail["evidence"][0]["record_id"] = json!("s")),
            Vec::<String>::new()
        );
        for (field, change) in [
            ("event_count", json!({"event_count": 11})),
            ("severity", json!({"severity": "low"})),
            ("new", json!({"new": 1})),
        ] {
            let found = differences(|detail| {
                for (name, value) in change.as_object().unwrap() {
                    detail[name] = value.clone();
                }
            });
            assert!(found.len() == 1 && found[0].contains(&format!(": {field} is ")), "{found:?}");
        }
        let found = differences(|detail| detail["evidence"][0]["message"] = json!("Accepted password"));
        assert!(found[0].contains("evidence.0.message"), "{found:?}");
        let found = differences(|detail| detail["assessment"]["techniques"] = json!([]));
        assert!(found[0].contains("assessment.techniques"), "{found:?}");
    }

    #[test]
    fn an_incident_on_one_side_only_is_told() {
        let none = Picture::new();
        assert!(matches!(compare(&picture(), &none).as_slice(), [Violation::OnlyUnderFaults { .. }]));
        assert!(matches!(compare(&none, &picture()).as_slice(), [Violation::OnlyWithout { .. }]));
    }

    #[test]
    fn counts_follow_from_the_input() {
        let place = SourceRef { organization: 0, source: 0 };
        let input = Input { seed: 7, began_ms: 1_783_501_200_000, spoiled: false };
        let scenes = BTreeMap::from([(place, vec![0..2, 2..3])]);
        let mut faithful = Picture::new();
        let sent = [0, 1, 2].map(|scene| {
            let attack = input.attack(place, scene).unwrap();
            // Only the attacker of scene 0 comes back: every third does, and phases but the last are followed.
            (attack, attack.records() + if scene == 0 { SECOND_WAVE } else { 0 })
        });
        for (attack, records) in sent.into_iter().chain([0, 1].map(|phase| (input.mark(place, phase).0, 10)))
        {
            let (kind, entity) = attack.entity();
            let key = Key { family: attack.kind.family().to_owned(), kind: kind.to_owned(), ..key(&entity) };
            faithful.insert(key, json!({"event_count": records}));
        }
        assert_eq!(count(&faithful, input, &scenes), []);
        let mut doubled = faithful.clone();
        let first = doubled.values_mut().next().unwrap();
        first["event_count"] = json!(first["event_count"].as_u64().unwrap() + 1);
        assert!(matches!(count(&doubled, input, &scenes).as_slice(), [Violation::Count { .. }]));
        let mut lost = faithful.clone();
        lost.pop_first();
        assert!(matches!(count(&lost, input, &scenes).as_slice(), [Violation::Count { .. }]));
        faithful.insert(key("10.109.109.109"), json!({"event_count": 5}));
        assert!(matches!(count(&faithful, input, &scenes).as_slice(), [Violation::Contradiction { .. }]));
    }
}
