//! The vocabulary: tokens as bytes, and the rank of each, which is the order in which they were learned.

use std::io::Read;

use flate2::read::ZlibDecoder;
use thiserror::Error;

/// Tokens in the order of their ranks, each behind its length in one byte, deflated (RFC 1950). The tokens are those of
/// o200k (see NOTICE).
const FILE: &[u8] = include_bytes!("../vocabulary/o200k.zlib");
/// Tokens of the vocabulary.
const TOKENS: usize = 199_998;
/// Most bytes of the file, inflated.
const MAX_BYTES: u64 = 2 * 1024 * 1024;
/// Slots of the table, a power of two: a third of them is taken, so that a look-up reads one or two.
const SLOTS: usize = 1 << 19;
/// No token.
pub(crate) const NONE: u32 = u32::MAX;

/// Reason why the vocabulary cannot be used.
#[derive(Debug, Error)]
pub enum VocabularyError {
    /// The file is not deflated data.
    #[error("the vocabulary cannot be inflated")]
    Inflate(#[from] std::io::Error),
    /// The file has another number of tokens, or ends within one.
    #[error("expected {TOKENS} whole tokens in the vocabulary, found {found}")]
    Tokens {
        /// Whole tokens.
        found: usize,
    },
    /// The expression that cuts texts into pieces does not compile.
    #[error("the expression of pieces does not compile")]
    Pieces(#[from] Box<regex_automata::meta::BuildError>),
}

/// Tokens and their ranks.
pub(crate) struct Vocabulary {
    /// All tokens, one after the other.
    bytes: Box<[u8]>,
    /// Where each token starts, and the end.
    starts: Box<[u32]>,
    /// Ranks, by the hash of their tokens; linear probing.
    slots: Box<[u32]>,
    /// Ranks of all pairs of bytes, most of which are no token.
    pairs: Box<[u32]>,
}

impl Vocabulary {
    pub(crate) fn load() -> Result<Self, VocabularyError> {
        let mut file = Vec::new();
        ZlibDecoder::new(FILE).take(MAX_BYTES).read_to_end(&mut file)?;
        let mut bytes = Vec::with_capacity(file.len());
        let mut starts = Vec::with_capacity(TOKENS + 1);
        let mut rest = file.as_slice();
        while let Some((&length, tail)) = rest.split_first() {
            let Some((token, tail)) = tail.split_at_checked(length.into()) else { break };
            starts.push(offset(&bytes));
            bytes.extend_from_slice(token);
            rest = tail;
        }
        if starts.len() != TOKENS || !rest.is_empty() {
            return Err(VocabularyError::Tokens { found: starts.len() });
        }
        starts.push(offset(&bytes));
        let mut vocabulary = Self {
            bytes: bytes.into(),
            starts: starts.into(),
            slots: vec![NONE; SLOTS].into(),
            pairs: vec![NONE; 1 << 16].into(),
        };
        vocabulary.fill();
        Ok(vocabulary)
    }

    fn fill(&mut self) {
        let mut slots = std::mem::take(&mut self.slots);
        for rank in 0..u32::try_from(TOKENS).unwrap_or(NONE) {
            let mut slot = hash(self.token(rank));
            while slots.get(slot).is_some_and(|taken| *taken != NONE) {
                slot = (slot + 1) % SLOTS;
            }
            if let Some(free) = slots.get_mut(slot) {
                *free = rank;
            }
            let pair = index_of_pair(self.token(rank));
            if let Some(place) = pair.and_then(|pair| self.pairs.get_mut(pair)) {
                *place = rank;
            }
        }
        self.slots = slots;
    }

    fn token(&self, rank: u32) -> &[u8] {
        let at = |index: usize| self.starts.get(index).map(|start| *start as usize);
        let rank = rank as usize;
        let token = at(rank).zip(at(rank + 1)).and_then(|(start, end)| self.bytes.get(start..end));
        token.unwrap_or_default()
    }

    /// The rank of two bytes; [`NONE`] for bytes that are no token.
    pub(crate) fn rank_of_pair(&self, pair: &[u8]) -> u32 {
        index_of_pair(pair).and_then(|pair| self.pairs.get(pair)).copied().unwrap_or(NONE)
    }

    /// The rank of a token; `None` for bytes that are no token.
    pub(crate) fn rank(&self, token: &[u8]) -> Option<u32> {
        let mut slot = hash(token);
        loop {
            let rank = *self.slots.get(slot)?;
            if rank == NONE {
                return None;
            }
            if self.token(rank) == token {
                return Some(rank);
            }
            slot = (slot + 1) % SLOTS;
        }
    }
}

fn index_of_pair(token: &[u8]) -> Option<usize> {
    let pair: [u8; 2] = token.try_into().ok()?;
    Some(u16::from_le_bytes(pair).into())
}

fn offset(bytes: &[u8]) -> u32 {
    // Below `MAX_BYTES`.
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

/// A slot of the table: FNV-1a over eight bytes at a time, folded. Tokens are our own data, so nobody chooses collisions among
/// them; a look-up of other bytes ends at the first empty slot.
fn hash(token: &[u8]) -> usize {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ token.len() as u64;
    for chunk in token.chunks(8) {
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(chunk) {
            *to = *from;
        }
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(PRIME);
        hash ^= hash >> 29;
    }
    hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> (64 - SLOTS.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_has_its_rank_and_no_other_bytes_have_one() {
        let vocabulary = Vocabulary::load().unwrap();
        for rank in 0..u32::try_from(TOKENS).unwrap() {
            assert_eq!(vocabulary.rank(vocabulary.token(rank)), Some(rank));
        }
        assert_eq!(vocabulary.rank(b""), None);
        assert_eq!(vocabulary.rank(b"no token at all"), None);
    }

    #[test]
    fn every_byte_is_a_token() {
        let vocabulary = Vocabulary::load().unwrap();
        assert!((0..=u8::MAX).all(|byte| vocabulary.rank(&[byte]).is_some()));
    }
}
