//! Literals that texts begin or end with: found by up to eight bytes at that edge, then compared as a whole.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

use super::filter::Filter;
use super::marks::Marks;
use super::tables::Sought;

/// Bytes by which literals are found: enough to distinguish the names of programs.
const KEY_BYTES: usize = 8;

/// An edge of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Edge {
    #[default]
    Start,
    End,
}

/// Literals at one edge.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
    edge: Edge,
    by_length: Vec<OfLength>,
}

/// Keys of one length in bytes.
#[derive(Clone, Debug)]
struct OfLength {
    bytes: usize,
    filter: Filter,
    literals: HashMap<u64, Vec<Literal>, FixedState>,
}

#[derive(Clone, Debug)]
struct Literal {
    text: Box<[u8]>,
    rules: Box<[u32]>,
}

impl Edges {
    /// Of literals, each with the rules that look for it.
    pub(super) fn of(edge: Edge, literals: Vec<Sought>) -> Self {
        let mut by_length: BTreeMap<usize, HashMap<u64, Vec<Literal>, FixedState>> = BTreeMap::new();
        for (text, rules) in literals {
            let bytes = text.len().min(KEY_BYTES);
            let key = edge.key(&text, bytes);
            by_length.entry(bytes).or_default().entry(key).or_default().push(Literal { text, rules });
        }
        let by_length = by_length.into_iter().map(|(bytes, literals)| {
            let filter = Filter::of(literals.keys().copied());
            OfLength { bytes, filter, literals }
        });
        Self { edge, by_length: by_length.collect() }
    }

    /// Marks the rules whose literals a text begins or ends with.
    pub(super) fn mark(&self, text: &[u8], marks: &mut Marks) {
        if self.by_length.is_empty() {
            return;
        }
        let whole = self.edge.key(text, text.len().min(KEY_BYTES));
        for OfLength { bytes, filter, literals } in &self.by_length {
            // Sorted: the following entries need more bytes than the text has.
            if *bytes > text.len() {
                return;
            }
            let key = whole & (u64::MAX >> (64 - 8 * bytes));
            if !filter.may_hold(key) {
                continue;
            }
            for literal in literals.get(&key).into_iter().flatten() {
                if self.edge.holds(text, &literal.text) {
                    marks.set_all(&literal.rules);
                }
            }
        }
    }
}

impl Edge {
    /// The outermost `bytes` bytes at the edge as a number, the outermost lowest.
    fn key(self, text: &[u8], bytes: usize) -> u64 {
        let join = |key: u64, byte: &u8| key << 8 | u64::from(*byte);
        match (self, text.first_chunk(), text.last_chunk()) {
            (Self::Start, Some(first), _) if bytes == KEY_BYTES => u64::from_le_bytes(*first),
            (Self::End, _, Some(last)) if bytes == KEY_BYTES => u64::from_be_bytes(*last),
            (Self::Start, ..) => text.iter().take(bytes).rev().fold(0, join),
            (Self::End, ..) => text.iter().skip(text.len().saturating_sub(bytes)).fold(0, join),
        }
    }

    fn holds(self, text: &[u8], literal: &[u8]) -> bool {
        match self {
            Self::Start => text.starts_with(literal),
            Self::End => text.ends_with(literal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn edges_are_found(
            literals in prop::collection::vec("[ab]{1,3}|[ab]{7,10}", 0..30),
            text in "[ab]{0,12}",
        ) {
            for edge in [Edge::Start, Edge::End] {
                let all = || (0_u32..).zip(&literals);
                let rules = all().map(|(rule, text)| (text.as_bytes().into(), Box::from([rule]))).collect();
                let mut marks = Marks::default();
                marks.start(literals.len());
                Edges::of(edge, rules).mark(text.as_bytes(), &mut marks);
                let holds = |literal: &str| match edge {
                    Edge::Start => text.starts_with(literal),
                    Edge::End => text.ends_with(literal),
                };
                let expected: Vec<u32> = all().filter(|(_, text)| holds(text)).map(|(rule, _)| rule).collect();
                prop_assert_eq!(marks.ascending(), expected);
            }
        }
    }
}
