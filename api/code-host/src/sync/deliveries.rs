//! Deliveries of events that were handled: the host repeats one on request of a user, and an attacker who has recorded one may.

use common::digest::digest;
use common::partition::Shard;
use common::timestamp::Timestamp;
use records::{Draft, Home, RecordError, Records, Table};

/// Key: day of the delivery, digest of its id.
const DELIVERIES: Table = Table::new("code-host-delivery");

/// Nanoseconds of a day.
const DAY: i64 = 86_400_000_000_000;
/// Days for which a delivery is remembered: as long as the host offers to repeat one.
const DAYS: u32 = 3;
/// Forgotten rows that a new one removes: more than are added, so that their number falls.
const REMOVED: usize = 16;

/// A delivery.
#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    id: [u8; 32],
    at: Timestamp,
}

impl Delivery {
    /// Of the id that the host has given it.
    pub(crate) fn new(id: &str, at: Timestamp) -> Self {
        Self { id: digest(&[id.as_bytes()]), at }
    }

    /// Whether it was handled within the last three days.
    pub(super) async fn is_repeated(
        &self,
        records: &Records,
        place: (Home, Shard),
    ) -> Result<bool, RecordError> {
        let today = self.day();
        for day in today.saturating_sub(DAYS)..=today {
            let before: Option<Timestamp> = records.row(place, DELIVERIES, &self.key(day)).await?;
            if before.is_some_and(|before| self.at.0.saturating_sub(before.0) < i64::from(DAYS) * DAY) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds it to a commit, which also forgets some of the oldest.
    pub(super) async fn remember(&self, records: &Records, draft: &mut Draft) -> Result<(), RecordError> {
        let today = self.day();
        let oldest = records.rows::<Timestamp>(draft.place(), DELIVERIES, b"", None, REMOVED).await?;
        for (key, _) in oldest {
            let day = key.first_chunk::<4>().map_or(0, |day| u32::from_be_bytes(*day));
            if day < today.saturating_sub(DAYS) {
                draft.delete_row(DELIVERIES, &key);
            }
        }
        draft.put_row(DELIVERIES, &self.key(today), &self.at)
    }

    fn day(&self) -> u32 {
        u32::try_from(self.at.0.div_euclid(DAY)).unwrap_or(0)
    }

    fn key(&self, day: u32) -> Vec<u8> {
        [day.to_be_bytes().as_slice(), &self.id].concat()
    }
}
