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
    /// When it was made, and settled.
    pub(crate) made_at: Timestamp,
    pub(crate) settled_at: Option<Timestamp>,
}
