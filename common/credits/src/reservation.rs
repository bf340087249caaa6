//! The row of a reservation.

use common::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A reservation, and its settlement once there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reservation {
    /// Id of the record that the work is about.
    pub(crate) key: Uuid,
    /// Credits.
    pub(crate) amount: u64,
    /// When it was made, or asked for again.
    pub(crate) made_at: Timestamp,
    /// Its settlement.
    pub(crate) settled: Option<Settlement>,
}

/// The end of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Settlement {
    /// When.
    pub(crate) at: Timestamp,
    /// Credits that were charged; 0 where the reservation was returned.
    pub(crate) charged: u64,
}

impl Reservation {
    /// Whether it was returned, so that the work needs another one.
    pub(crate) fn is_returned(&self) -> bool {
        self.settled.is_some_and(|settled| settled.charged == 0)
    }
}
