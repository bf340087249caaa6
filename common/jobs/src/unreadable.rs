//! Rows that cannot be read: each is logged and counted once, and left where it is.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use common::row::BodyError;
use records::Table;

use crate::tables::Place;

/// Rows that are remembered. Beyond them nothing is logged: so many have one cause.
const MOST: usize = 1_000;

/// The rows that were met so far.
#[derive(Debug, Default)]
pub(crate) struct Unreadable(Mutex<BTreeSet<String>>);

impl Unreadable {
    pub(crate) fn note(&self, place: Place, table: Table, key: &[u8], error: &BodyError) {
        let mut met = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if met.len() < MOST && met.insert(format!("{place:?} {table:?} {key:02x?}")) {
            tracing::error!(?place, ?table, ?key, %error, "a row cannot be read: it is left out");
            metrics::counter!("palisade_jobs_unreadable_rows_total").increment(1);
        }
    }
}
