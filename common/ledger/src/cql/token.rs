//! Ownership of a commit: each feed row begins with a token that only its writer knows, so that a commit
//! whose answer was lost can be found again.

use std::sync::atomic::{AtomicU64, Ordering};

use bytes::{BufMut, Bytes, BytesMut};
use uuid::Uuid;

/// Bytes of a token: the opening of the ledger, and the number of the commit since.
const TOKEN_BYTES: usize = 24;

/// Distinguishes the commits of one opening from each other, and from those of every other.
#[derive(Debug)]
pub(super) struct Tokens {
    opening: Uuid,
    next: AtomicU64,
}

/// The token of one commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token([u8; TOKEN_BYTES]);

impl Tokens {
    /// `opening` must be unlike that of every other opening, of other processes too.
    pub(super) fn new(opening: Uuid) -> Self {
        Self { opening, next: AtomicU64::new(0) }
    }

    /// A unique token.
    pub(super) fn next(&self) -> Token {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut bytes = [0; TOKEN_BYTES];
        let (opening, count) = bytes.split_at_mut(16);
        opening.copy_from_slice(self.opening.as_bytes());
        count.copy_from_slice(&number.to_be_bytes());
        Token(bytes)
    }
}

impl Token {
    /// The feed row's body as it is stored.
    pub(super) fn sign(self, feed_body: &[u8]) -> Bytes {
        let mut signed = BytesMut::with_capacity(TOKEN_BYTES + feed_body.len());
        signed.put_slice(&self.0);
        signed.put_slice(feed_body);
        signed.freeze()
    }

    /// Whether a stored feed row carries this token.
    pub(super) fn signed(self, stored: &[u8]) -> bool {
        stored.starts_with(&self.0)
    }
}

/// The feed row's body without the token; empty, which no feed row is, when there is no token.
pub(super) fn unsigned(stored: &[u8]) -> &[u8] {
    stored.get(TOKEN_BYTES..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_writer_recognises_its_row() {
        let tokens = Tokens::new(Uuid::from_u128(7));
        let (first, second) = (tokens.next(), tokens.next());
        let stored = first.sign(b"body");
        assert!(first.signed(&stored));
        assert!(!second.signed(&stored), "another commit of the same opening");
        assert!(!Tokens::new(Uuid::from_u128(8)).next().signed(&stored), "the same commit of another");
        assert_eq!(unsigned(&stored), b"body");
        assert_eq!(unsigned(b"too short"), b"");
    }
}
