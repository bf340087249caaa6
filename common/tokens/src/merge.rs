//! Byte-pair merging: the neighbouring parts whose union has the lowest rank are joined until no union is a token.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::vocabulary::{NONE, Vocabulary};

/// Memory of a merge, kept for the next piece.
#[derive(Default)]
pub(crate) struct Merging {
    parts: Vec<Part>,
    /// Unions of two bytes, in descending order. Sorting them once costs half of what a heap of them does.
    first: Vec<Union>,
    /// Unions of longer parts.
    later: BinaryHeap<Reverse<Union>>,
}

/// Rank and index of a union of two neighbours: the lowest rank is joined first, then the leftmost. One of parts that have
/// changed since is skipped.
type Union = (u32, u32);

/// A part of the piece, at the index of its first byte.
#[derive(Clone, Copy)]
struct Part {
    /// Index behind its last byte; the index of the next part.
    end: u32,
    /// Index of the part before it.
    before: u32,
    /// Rank of its union with the next one; `NONE` without a union, and where the part was joined to the one before it.
    union: u32,
}

impl Merging {
    /// Tokens of a piece.
    pub(crate) fn count(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> usize {
        // A text has at most as many bytes as a `u32` counts; see the bounds of the callers.
        let length = u32::try_from(piece.len()).unwrap_or(NONE);
        self.start(vocabulary, piece, length);
        let mut count = piece.len();
        while let Some((rank, at)) = self.next() {
            if self.part(at).union != rank {
                continue;
            }
            self.join(at, length);
            self.renew(vocabulary, piece, at);
            let before = self.part(at).before;
            if before != NONE {
                self.renew(vocabulary, piece, before);
            }
            count -= 1;
        }
        count
    }

    fn start(&mut self, vocabulary: &Vocabulary, piece: &[u8], length: u32) {
        self.parts.clear();
        self.first.clear();
        self.later.clear();
        let unions = piece.windows(2).map(|pair| vocabulary.rank_of_pair(pair)).chain([NONE]);
        for (at, union) in (0..length).zip(unions) {
            self.parts.push(Part { end: at + 1, before: at.wrapping_sub(1), union });
            if union != NONE {
                self.first.push((union, at));
            }
        }
        self.first.sort_unstable_by(|one, other| other.cmp(one));
    }

    fn next(&mut self) -> Option<Union> {
        let Some(Reverse(later)) = self.later.peek() else { return self.first.pop() };
        match self.first.last() {
            Some(first) if first < later => self.first.pop(),
            _ => self.later.pop().map(|Reverse(union)| union),
        }
    }

    fn part(&self, at: u32) -> Part {
        let nothing = Part { end: NONE, before: NONE, union: NONE };
        self.parts.get(at as usize).copied().unwrap_or(nothing)
    }

    fn change(&mut self, at: u32, change: impl FnOnce(&mut Part)) {
        if let Some(part) = self.parts.get_mut(at as usize) {
            change(part);
        }
    }

    /// Joins a part with the next one.
    fn join(&mut self, at: u32, length: u32) {
        let joined = self.part(at).end;
        let end = self.part(joined).end;
        self.change(joined, |part| part.union = NONE);
        self.change(at, |part| part.end = end);
        if end < length {
            self.change(end, |part| part.before = at);
        }
    }

    /// Looks up the union of a part with the next one.
    fn renew(&mut self, vocabulary: &Vocabulary, piece: &[u8], at: u32) {
        let next = self.part(at).end;
        let end = self.part(next).end;
        let union = piece.get(at as usize..end as usize).filter(|union| union.len() > (next - at) as usize);
        let rank = union.and_then(|union| vocabulary.rank(union));
        self.change(at, |part| part.union = rank.unwrap_or(NONE));
        if let Some(rank) = rank {
            self.later.push(Reverse((rank, at)));
        }
    }
}
