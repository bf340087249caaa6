//! Bounds of a commit, checked before any store is called. The same for every implementation.

use crate::{Kind, LedgerError, MAX_COMMIT_BYTES, MAX_COMMIT_ROWS, MAX_KEY_BYTES, Op};

/// Refuses a commit that breaks the contract.
pub(crate) fn check_commit(ops: &[Op]) -> Result<(), LedgerError> {
    let mut bytes = 0_usize;
    for op in ops {
        let (kind, key, body_bytes) = match op {
            Op::Put { kind, key, body } => (*kind, key, body.len()),
            Op::Delete { kind, key } => (*kind, key, 0),
        };
        check_kind(kind)?;
        if key.is_empty() || key.len() > MAX_KEY_BYTES {
            return Err(LedgerError::NotAllowed { cause: "a key has 1 to 1024 bytes" });
        }
        bytes = bytes.saturating_add(key.len()).saturating_add(body_bytes);
    }
    if ops.len() > MAX_COMMIT_ROWS || bytes > MAX_COMMIT_BYTES {
        return Err(LedgerError::TooLarge { rows: ops.len(), bytes });
    }
    Ok(())
}

/// Refuses the kind that belongs to the ledger itself.
pub(crate) fn check_kind(kind: Kind) -> Result<(), LedgerError> {
    if kind == Kind::Feed {
        return Err(LedgerError::NotAllowed {
            cause: "the change feed is written by commits and read by `changes` only",
        });
    }
    Ok(())
}
