//! Damaged rows, which are skipped: each is logged once, however often it is met.

use std::collections::BTreeSet;

use bytes::Bytes;
use ledger::{LedgerError, LedgerId};

/// Rows that are remembered as logged. More are a damaged file, of which the first ones say enough.
const MOST_LOGGED: usize = 64;

/// The damaged rows that were logged.
#[derive(Debug, Default)]
pub(super) struct DamagedRows(BTreeSet<(LedgerId, Bytes)>);

impl DamagedRows {
    /// Takes note of a row that is skipped; returns whether it was logged.
    pub(super) fn note(&mut self, ledger: LedgerId, key: Bytes, error: &LedgerError) -> bool {
        let is_logged = self.0.len() < MOST_LOGGED && self.0.insert((ledger, key));
        if is_logged {
            tracing::error!(%ledger, %error, "a damaged row of source statistics is skipped; its source is not counted");
        }
        is_logged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::partition::Partition;

    #[test]
    fn a_damaged_row_is_logged_once_and_few_of_many() {
        let mut rows = DamagedRows::default();
        let ledger = LedgerId::Statistics(Partition(0));
        let error = LedgerError::Damaged { ledger, row: None, cause: "checksum".to_owned() };
        let key = |number: usize| Bytes::from(number.to_string());
        assert!(rows.note(ledger, key(0), &error));
        assert!(!rows.note(ledger, key(0), &error));
        let logged = (1..200).filter(|number| rows.note(ledger, key(*number), &error)).count();
        assert_eq!(logged, MOST_LOGGED - 1);
    }
}
