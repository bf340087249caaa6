//! Credits of organizations. Billable work reserves its price when a request is accepted and settles it once, whatever
//! crashes in between:
//!
//! * [`Credits::reserve`] takes an amount out of the balance, or refuses it ([`CreditsError::Exhausted`], 402). Reserving again
//!   under the same key takes nothing, unless the reservation was returned in between.
//! * [`Credits::settle`] charges an amount, at most the reserved one, and gives the rest back. Settling again changes nothing.
//!   `settle(key, 0)` returns the whole reservation.
//! * [`Credits::return_abandoned`] returns reservations whose record does not exist ten minutes later: the request that made them
//!   died before it stored its record.
//!
//! The key of a reservation is the id of the record that the work is about. An amount of 0 reserves and writes nothing.
//!
//! Account and reservations are rows in the organization's ledger, so each call is one commit there. An organization without
//! an account has the plan [`Plan::Unlimited`], where everything is granted and counted. [`Plan::Limited`] grants a number of
//! credits each calendar month (UTC); unused ones are not carried over, reserved ones are charged to the month of their
//! settlement.

mod account;
mod reservation;
mod store;

pub use account::{Account, Plan};
pub use store::{Credits, CreditsError};

#[cfg(test)]
mod tests;
