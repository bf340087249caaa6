//! The reviewer: reviews an incident now and then while the server is killed, and records the reviews that
//! the incident may have from then on.

use std::time::Duration;

use http::Method;
use rand::RngExt;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::account::{REVIEWS, Review};
use crate::sender::Participant;
use crate::tally::Outcome;
use crate::violations::Violation;
use loadtest::api::{INCIDENTS, incident_path};
use loadtest::client::Content;

/// Pause between two reviews, milliseconds.
const PAUSE_MS: std::ops::Range<u64> = 50..400;
/// A running reviewer.
pub(crate) struct Reviewer(pub(crate) Participant);

impl Reviewer {
    /// Reviews until stopped.
    pub(crate) async fn run(mut self, stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            if let Some(incident) = self.find().await {
                self.review(&incident).await;
            }
            let pause = self.0.chance.random_range(PAUSE_MS);
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
    }

    /// The incident of some attack; `None` when there is none yet, or no answer.
    async fn find(&mut self) -> Option<String> {
        let attacks = u32::try_from(self.0.account.lock().attacks.len()).unwrap_or(u32::MAX);
        if attacks == 0 {
            return None;
        }
        let chosen = self.0.chance.random_range(0..attacks);
        let entry = self.0.account.lock().attacks.get(&chosen).cloned()?;
        let path = format!("{INCIDENTS}?source_id={}&q={}", entry.source, entry.address);
        let list = self.get("a list of incidents", &path).await?;
        list["data"][0]["id"].as_str().map(str::to_owned)
    }

    /// Reads the incident and sets the next state.
    async fn review(&mut self, incident: &str) {
        let path = incident_path(incident);
        let Some(detail) = self.get("an incident", &path).await else { return };
        let Some(now) = review_of(&detail) else { return };
        let possible = self.0.account.lock().reviews(incident);
        if !possible.contains(&now) {
            return self.0.tally.violated(Violation::Review {
                incident: incident.to_owned(),
                found: now,
                possible,
            });
        }
        let next = next_after(&now);
        let body = json!({
            "triage_version": now.version,
            "triage_status": next.status,
            "triage_resolution": next.resolution,
            "comment": format!("version {}", next.version),
        });
        self.0.account.lock().reviewed(incident, vec![now.clone(), next.clone()]);
        let begun = Instant::now();
        let result = self.0.client.exchange(Method::PATCH, &path, Content::json(&body)).await;
        match self.0.tally.judge("a review", 200, result) {
            Outcome::Done(_) => {
                self.0.account.lock().reviewed(incident, vec![next]);
                let took = begun.elapsed();
                self.0.tally.count(|counts| counts.reviews.add(took));
            }
            Outcome::Unreachable => self.0.account.lock().reviewed(incident, vec![now]),
            Outcome::Unknown | Outcome::Wrong => {}
        }
    }

    async fn get(&mut self, what: &str, path: &str) -> Option<Value> {
        let result = self.0.client.get(path).await;
        match self.0.tally.judge(what, 200, result) {
            Outcome::Done(answer) => Some(answer.json()),
            Outcome::Unreachable | Outcome::Unknown | Outcome::Wrong => None,
        }
    }
}

/// The review of an incident.
pub(crate) fn review_of(incident: &Value) -> Option<Review> {
    Some(Review {
        status: incident["triage_status"].as_str()?.to_owned(),
        resolution: incident["triage_resolution"].as_str().map(str::to_owned),
        version: incident["triage_version"].as_u64()?,
    })
}

fn next_after(now: &Review) -> Review {
    let (status, resolution) = REVIEWS[now.version as usize % REVIEWS.len()];
    Review { status: status.to_owned(), resolution: resolution.map(str::to_owned), version: now.version + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_review_changes_something() {
        let mut review = Review::untouched();
        for _ in 0..9 {
            let next = next_after(&review);
            assert_ne!((&next.status, &next.resolution), (&review.status, &review.resolution));
            assert_eq!(next.version, review.version + 1);
            assert_eq!(next.status == "resolved", next.resolution.is_some());
            review = next;
        }
    }
}
