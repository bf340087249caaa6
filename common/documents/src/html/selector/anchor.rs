//! Keys of parts of compounds, by which rules are found and most are excluded.

use super::{Name, Tree};

/// Key of the most selective part of a compound, by which rules are found. Keys of different parts may be equal by chance, which costs
/// a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in super::super) struct Anchor(u64);

impl Anchor {
    pub(super) const ANY: Self = Self(0);

    pub(super) const fn of_name(name: Name) -> Self {
        Self(name.hash())
    }

    pub(super) const fn of_class(name: &str) -> Self {
        Self(Name::new(name.as_bytes()).hash() ^ 1 << 63)
    }

    pub(super) const fn of_id(name: &str) -> Self {
        Self(Name::new(name.as_bytes()).hash() ^ 1 << 62)
    }

    /// One of 128 bits. A set of anchors, all bits of them together, may seem to contain others, and never lacks one.
    pub(super) const fn bit(self) -> u128 {
        1 << (self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57)
    }

    /// Anchors under which rules for an element are, each once.
    pub(in super::super) fn all_of(tree: &Tree, node: u32) -> Vec<Self> {
        let mut anchors = vec![Self::ANY, Self::of_name(tree.name(node))];
        anchors.extend(tree.attribute(node, "id").map(Self::of_id));
        let classes = tree.attribute(node, "class").unwrap_or_default();
        anchors.extend(classes.split_ascii_whitespace().map(Self::of_class));
        anchors.sort_unstable();
        anchors.dedup();
        anchors
    }
}

/// Anchors of an element as a set.
pub(in super::super) fn set_of(anchors: &[Anchor]) -> u128 {
    anchors.iter().fold(0, |set, anchor| set | anchor.bit())
}
