//! Detection of damage to the file: a checksum beside each row, and SQLite's own checks of its pages.

use bytes::Bytes;
use rusqlite::ErrorCode;

use crate::{Kind, LedgerError, LedgerId};

/// CRC-32C (RFC 3720 section 12.1) of a row: of its key as well as of its body, so that a body in the place of another
/// does not match.
pub(super) fn checksum(name: &[u8], kind: Kind, key: &[u8], body: &[u8]) -> u32 {
    let place = crc32c::crc32c_append(crc32c::crc32c(name), &[kind.number()]);
    crc32c::crc32c_append(crc32c::crc32c_append(place, key), body)
}

/// Reason why a read failed.
#[derive(Debug)]
pub(super) enum ReadError {
    /// SQLite refused, or noticed that a page is damaged.
    Sqlite(rusqlite::Error),
    /// A row's checksum does not match the stored number.
    Row { kind: Kind, key: Bytes, expected: i64, found: u32 },
}

impl From<rusqlite::Error> for ReadError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl ReadError {
    /// The error of the contract, for a read of `ledger`.
    pub(super) fn in_ledger(self, ledger: LedgerId) -> LedgerError {
        match self {
            Self::Sqlite(error) => refused(&error, ledger),
            Self::Row { kind, key, expected, found } => LedgerError::Damaged {
                ledger,
                row: Some((kind, key)),
                cause: format!(
                    "expected the checksum {expected:08x} that is stored with it, found {found:08x}"
                ),
            },
        }
    }
}

/// SQLite's error as an error of the contract.
pub(super) fn refused(error: &rusqlite::Error, ledger: LedgerId) -> LedgerError {
    let cause = error.to_string();
    if is_damage(error) {
        return LedgerError::Damaged { ledger, row: None, cause: format!("SQLite: {cause}") };
    }
    LedgerError::Unavailable { cause }
}

/// Whether the file is damaged: SQLite noticed it, or a column is of a type that is never written.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    let is_noticed =
        matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase));
    is_noticed || is_of_another_type(error)
}

/// Whether a column is not of the type that is written.
pub(super) fn is_of_another_type(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType};
    matches!(error, FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..))
}
