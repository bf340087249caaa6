//! The reviewer: reviews an incident now and then while the server is killed, and records the reviews that
//! the incident may have from then on.

use std::time::Duration;

use http::Method;
use rand::RngExt;
use rand::rngs::StdRng;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::account::{Account, Review};
use crate::tally::{Outcome, Tally};
use crate::verify::Violation;
use loadtest::client::{Client, Content};

/// Pause between two reviews, milliseconds.
const PAUSE_MS: std::ops::Range<u64> = 50..400;
/// The states that are set in turn; each differs from the one before.
const STATES: [(&str, Option<&str>); 4] = [
    ("in_progress", None),
    ("resolved", Some("fixed")),
    ("triaged", None),
    ("resolved", Some("false_positive")),
];

/// A running reviewer.
pub(crate) struct Reviewer {
    pub(crate) client: Client,
    pub(crate) account: Account,
    pub(crate) tally: Tally,
    pub(crate) chance: StdRng,
}

impl Reviewer {
    /// Reviews until stopped.
    pub(crate) async fn run(mut self, stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            if let Some(incident) = self.find().await {
                self.review(&incident).await;
            }
            let pause = self.chance.random_range(PAUSE_MS);
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
    }

    /// The incident of some attack; `None` when there is none yet, or no answer.
    async fn find(&mut self) -> Option<String> {
        let attacks = u32::try_from(self.account.len()).unwrap_or(u32::MAX);
        if attacks == 0 {
            return None;
        }
        let entry = self.account.entry(self.chance.random_range(0..attacks))?;
        let path = format!("/api/v1/incidents?source_id={}&q={}", entry.source, entry.address);
        let list = self.get("a list of incidents", &path).await?;
        list["data"][0]["id"].as_str().map(str::to_owned)
    }

    /// Reads the incident and sets the next state.
    async fn review(&mut self, incident: &str) {
        let path = format!("/api/v1/incidents/{incident}");
        let Some(detail) = self.get("an incident", &path).await else { return };
        let Some(now) = review_of(&detail) else { return };
        let possible = self.account.reviews(incident);
        if !possible.contains(&now) {
            return self.tally.violated(Violation::Review {
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
        self.account.reviewed(incident, vec![now.clone(), next.clone()]);
        let begun = Instant::now();
        let result = self.client.exchange(Method::PATCH, &path, Content::json(&body)).await;
        match self.tally.judge("a review", 200, result) {
            Outcome::Done(_) => {
                self.account.reviewed(incident, vec![next]);
                let took = begun.elapsed();
                self.tally.count(|counts| {
                    counts.reviews += 1;
                    counts.reviewing += took;
                    counts.longest_review = counts.longest_review.max(took);
                });
            }
            Outcome::Unreachable => self.account.reviewed(incident, vec![now]),
            Outcome::Unknown | Outcome::Wrong => {}
        }
    }

    async fn get(&mut self, what: &str, path: &str) -> Option<Value> {
        let result = self.client.get(path).await;
        match self.tally.judge(what, 200, result) {
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
    let (status, resolution) = STATES[now.version as usize % STATES.len()];
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
