//! Final state of the server: every incident, read page by page, with the metadata of the
//! pages; the same again through filters; and the sources. The verification checks its
//! correctness, except that answers must not contradict each other.

use serde_json::Value;

use crate::account::{Books, Review};
use crate::reviewer::review_of;
use crate::tally::{Outcome, Tally};
use crate::violations::Violation;
use loadtest::api::{self, INCIDENTS, PAGE, SOURCES, incident_path};
use loadtest::client::Client;

/// Largest offset that the API allows.
const MOST_OFFSET: u64 = 1_000_000;
/// Attacks that are searched by their address too.
const SEARCHED: usize = 50;

/// An incident as returned by the server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Incident {
    /// `id`.
    pub(crate) id: String,
    /// `source.id`.
    pub(crate) source: String,
    /// `entity.kind`.
    pub(crate) entity_kind: String,
    /// `entity.value`.
    pub(crate) entity: String,
    /// `event_count`.
    pub(crate) event_count: u64,
    /// Its review.
    pub(crate) review: Review,
    /// Length of its review history; only for reviewed incidents.
    pub(crate) reviews: Option<u64>,
    /// All its fields in the list.
    pub(crate) summary: Value,
}

impl Incident {
    fn read(summary: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Some(Self {
            id: text(&summary["id"])?,
            source: text(&summary["source"]["id"])?,
            entity_kind: text(&summary["entity"]["kind"])?,
            entity: text(&summary["entity"]["value"])?,
            event_count: summary["event_count"].as_u64()?,
            review: review_of(summary)?,
            reviews: None,
            summary: summary.clone(),
        })
    }
}

/// All answers of the server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collected {
    /// The incidents, in the order of the list.
    pub(crate) incidents: Vec<Incident>,
    /// Names and ids of the sources.
    pub(crate) sources: Vec<(String, String)>,
}

/// Reads from an idle server.
pub(crate) struct Collector {
    pub(crate) client: Client,
    pub(crate) tally: Tally,
}

impl Collector {
    /// Reads everything.
    pub(crate) async fn collect(&mut self, books: &Books) -> Collected {
        let mut incidents = Vec::new();
        for summary in self.pages(INCIDENTS).await {
            match Incident::read(&summary) {
                Some(incident) => incidents.push(incident),
                None => self
                    .contradiction(format!("an incident lacks a field or has it in another type: {summary}")),
            }
        }
        self.check_order(&incidents);
        self.check_sources(&incidents, books).await;
        self.check_search(&incidents, books).await;
        self.read_reviewed(&mut incidents, books).await;
        let named =
            |source: &Value| Some((source["name"].as_str()?.to_owned(), source["id"].as_str()?.to_owned()));
        let sources = self.pages(SOURCES).await.iter().filter_map(named).collect();
        Collected { incidents, sources }
    }

    /// Number of incidents that match a filter; `None` without an answer.
    pub(crate) async fn total(&mut self, filter: &str) -> Option<u64> {
        let page = self.get(&format!("{INCIDENTS}?limit=1&{filter}")).await?;
        page["pagination"]["total"].as_u64()
    }

    /// Event count of the only incident that matches a filter; `None` if it is not the only one.
    pub(crate) async fn counted(&mut self, filter: &str) -> Option<u64> {
        let page = self.get(&format!("{INCIDENTS}?limit=2&{filter}")).await?;
        match api::items(&page) {
            [only] => only["event_count"].as_u64(),
            _ => None,
        }
    }

    /// Every item of a list.
    async fn pages(&mut self, path: &str) -> Vec<Value> {
        let mut items = Vec::new();
        let mut total = None;
        loop {
            let offset = items.len() as u64;
            if offset > MOST_OFFSET {
                self.contradiction(format!("{path} goes on beyond offset {MOST_OFFSET}"));
                return items;
            }
            let Some(page) = self.get(&format!("{path}?limit={PAGE}&offset={offset}")).await else {
                return items;
            };
            let found = api::items(&page);
            let said = page["pagination"]["total"].as_u64();
            let has_more = page["pagination"]["has_more"].as_bool().unwrap_or_default();
            let on_page = found.len();
            items.extend_from_slice(found);
            if said.is_none() || *total.get_or_insert(said) != said {
                self.contradiction(format!(
                    "{path} at offset {offset} has the total {said:?}, before it was {total:?}"
                ));
            }
            let expected_more = said.is_some_and(|said| (items.len() as u64) < said);
            if has_more != expected_more || (has_more && on_page != PAGE) {
                self.contradiction(format!(
                    "{path} at offset {offset}: {on_page} items, {} so far, total {said:?}, has_more {has_more}",
                    items.len()
                ));
            }
            if !has_more || on_page == 0 {
                return items;
            }
        }
    }

    /// Newest activity first, then id descending; no incident twice.
    fn check_order(&self, incidents: &[Incident]) {
        let place = |incident: &Incident| {
            (incident.summary["last_activity_at"].as_str().map(str::to_owned), incident.id.clone())
        };
        for pair in incidents.windows(2) {
            if let [first, second] = pair
                && place(first) <= place(second)
            {
                self.contradiction(format!("incident {} is listed before {}", first.id, second.id));
            }
        }
    }

    /// The filter by source agrees with the whole list.
    async fn check_sources(&mut self, incidents: &[Incident], books: &Books) {
        for id in books.source_ids() {
            let expected = incidents.iter().filter(|incident| incident.source == *id).count() as u64;
            let found = self.total(&format!("source_id={id}")).await;
            if found != Some(expected) {
                self.contradiction(format!(
                    "source_id={id}: {found:?} incidents, the whole list has {expected}"
                ));
            }
        }
    }

    /// The search agrees with the whole list.
    async fn check_search(&mut self, incidents: &[Incident], books: &Books) {
        let step = (books.attacks.len() / SEARCHED).max(1);
        for entry in books.attacks.values().step_by(step) {
            let expected =
                incidents.iter().filter(|incident| incident.entity == entry.address).count() as u64;
            let found = self.total(&format!("q={}", entry.address)).await;
            if found != Some(expected) {
                self.contradiction(format!(
                    "q={}: {found:?} incidents, the whole list has {expected}",
                    entry.address
                ));
            }
        }
    }

    /// Checks the reviewed incidents in detail: the detail agrees with the list.
    async fn read_reviewed(&mut self, incidents: &mut [Incident], books: &Books) {
        for incident in incidents {
            if incident.review.version == 1 && !books.reviews.contains_key(&incident.id) {
                continue;
            }
            let Some(detail) = self.get(&incident_path(&incident.id)).await else {
                continue;
            };
            incident.reviews = detail["review_history"].as_array().map(|history| history.len() as u64);
            let differs = incident.summary.as_object().and_then(|summary| {
                summary
                    .iter()
                    .find(|(field, value)| detail[field.as_str()] != **value)
                    .map(|(field, _)| field.clone())
            });
            if let Some(field) = differs {
                self.contradiction(format!(
                    "incident {}: {field} is {} in the list and {} in the detail",
                    incident.id, incident.summary[&field], detail[&field]
                ));
            }
        }
    }

    async fn get(&mut self, path: &str) -> Option<Value> {
        let result = self.client.get(path).await;
        match self.tally.judge(path, 200, result) {
            Outcome::Done(answer) => Some(answer.json()),
            Outcome::Wrong => None,
            Outcome::Unreachable | Outcome::Unknown => {
                self.contradiction(format!("{path}: no answer from a server at rest"));
                None
            }
        }
    }

    fn contradiction(&self, what: String) {
        self.tally.violated(Violation::Contradiction { what });
    }
}
