//! The verification: the server's answers, compared with the account. Pure: all its input was
//! read before.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::account::{Books, Entry, Review};
use crate::collect::{Collected, Incident};
use crate::violations::Violation;

/// Entity kind of failed logins.
const ENTITY_KIND: &str = "client.address";

/// All of the server's answers that the account does not allow.
pub(crate) fn verify(books: &Books, collected: &Collected) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut told: HashMap<(&str, &str), Vec<&Incident>> = HashMap::new();
    for incident in collected.incidents.iter().filter(|incident| incident.entity_kind == ENTITY_KIND) {
        told.entry((&incident.source, &incident.entity)).or_default().push(incident);
    }
    for entry in books.attacks.values() {
        let incidents = told.remove(&(entry.source.as_str(), entry.address.as_str())).unwrap_or_default();
        violations.extend(attack(entry, &incidents));
    }
    let other_kinds = collected.incidents.iter().filter(|incident| incident.entity_kind != ENTITY_KIND);
    let mut foreign: Vec<&Incident> = told.into_values().flatten().chain(other_kinds).collect();
    foreign.sort_by(|first, second| first.id.cmp(&second.id));
    violations.extend(foreign.into_iter().map(|incident| Violation::Foreign {
        incident: incident.id.clone(),
        source_id: incident.source.clone(),
        kind: incident.entity_kind.clone(),
        entity: incident.entity.clone(),
    }));
    violations.extend(reviews(books, &collected.incidents));
    violations.extend(sources(books, &collected.sources));
    violations
}

/// Differences between two readings of a server without input in between.
pub(crate) fn compare(before: &Collected, after: &Collected) -> Vec<Violation> {
    fn by_id(collected: &Collected) -> BTreeMap<&str, &Incident> {
        collected.incidents.iter().map(|incident| (incident.id.as_str(), incident)).collect()
    }
    let (before, after) = (by_id(before), by_id(after));
    let ids: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
    let differs = |id: &str| match (before.get(id), after.get(id)) {
        (Some(before), Some(after)) if before == after => None,
        (Some(before), Some(after)) => Some(format!("{} became {}", before.summary, after.summary)),
        (Some(_), None) => Some("is gone".to_owned()),
        (None, _) => Some("has appeared".to_owned()),
    };
    let changed = |id: &str| differs(id).map(|what| Violation::Changed { incident: id.to_owned(), what });
    ids.into_iter().filter_map(changed).collect()
}

fn attack(entry: &Entry, incidents: &[&Incident]) -> Option<Violation> {
    let (source_id, address) = (entry.source.clone(), entry.address.clone());
    let (acknowledged, allowed) = (entry.acknowledged(), entry.allowed());
    let found = match incidents {
        [] if allowed.contains(&0) => return None,
        [] => return Some(Violation::Missing { source_id, address, acknowledged }),
        [incident] => incident.event_count,
        several => {
            let incidents = several.iter().map(|incident| incident.id.clone()).collect();
            return Some(Violation::Twice { source_id, address, incidents });
        }
    };
    if found > 0 && allowed.contains(&found) {
        return None;
    }
    if found < acknowledged {
        return Some(Violation::TooFew { source_id, address, found, acknowledged });
    }
    Some(Violation::TooMany { source_id, address, found, allowed })
}

fn reviews(books: &Books, incidents: &[Incident]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let untouched = vec![Review::untouched()];
    for incident in incidents {
        let possible = books.reviews.get(&incident.id).unwrap_or(&untouched);
        let (id, review) = (incident.id.clone(), &incident.review);
        if !possible.contains(review) {
            violations.push(Violation::Review {
                incident: id,
                found: review.clone(),
                possible: possible.clone(),
            });
        } else if review.version > 1 && incident.reviews != Some(review.version - 1) {
            violations.push(Violation::History {
                incident: id,
                version: review.version,
                history: incident.reviews,
            });
        }
    }
    let told: BTreeSet<&str> = incidents.iter().map(|incident| incident.id.as_str()).collect();
    let lost = books.reviews.keys().filter(|id| !told.contains(id.as_str()));
    violations.extend(lost.map(|id| Violation::ReviewLost { incident: id.clone() }));
    violations
}

fn sources(books: &Books, told: &[(String, String)]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (name, id) in &books.sources {
        let named = told.iter().filter(|(own, _)| own == name).map(|(_, id)| id.clone());
        let found: Vec<String> = named.collect();
        let is_right = match id {
            Some(id) => found == [id.as_str()],
            None => found.len() <= 1,
        };
        if !is_right {
            violations.push(Violation::Source { name: name.clone(), id: id.clone(), found });
        }
    }
    violations
}

#[cfg(test)]
mod tests;
