//! Violations, collected by kind and bounded. Each mode defines its own kinds.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// Violations kept of each kind; the rest is counted. One defect of a server may affect
/// every answer, and must not hide another defect.
pub(crate) const MOST_OF_A_KIND: usize = 10;

/// A violation.
pub(crate) trait Violates: fmt::Display {
    /// Its name.
    fn kind(&self) -> &'static str;
}

/// Violations by kind.
#[derive(Clone, Debug)]
pub(crate) struct Violations<V>(BTreeMap<&'static str, OfAKind<V>>);

/// Violations of one kind.
#[derive(Clone, Debug)]
pub(crate) struct OfAKind<V> {
    /// Their total number.
    pub(crate) count: u64,
    /// The first of them.
    pub(crate) first: Vec<V>,
}

impl<V> Default for Violations<V> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<V: Violates> Violations<V> {
    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Kind by kind.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, &OfAKind<V>)> {
        self.0.iter().map(|(kind, of_a_kind)| (*kind, of_a_kind))
    }

    /// Counts one more, and keeps it if it is among the first; returns whether it is.
    pub(crate) fn add(&mut self, violation: V) -> bool {
        let of_a_kind =
            self.0.entry(violation.kind()).or_insert_with(|| OfAKind { count: 0, first: Vec::new() });
        of_a_kind.count += 1;
        let is_kept = of_a_kind.first.len() < MOST_OF_A_KIND;
        if is_kept {
            of_a_kind.first.push(violation);
        }
        is_kept
    }

    /// Writes the end of a report: the directory that is kept, if one is, and the violations, or that there are `none`.
    pub(crate) fn write(&self, f: &mut fmt::Formatter<'_>, kept: Option<&Path>, none: &str) -> fmt::Result {
        if let Some(kept) = kept {
            writeln!(f, "kept         {}", kept.display())?;
        }
        if self.is_empty() {
            return writeln!(f, "violations   {none}");
        }
        let count: u64 = self.0.values().map(|of_a_kind| of_a_kind.count).sum();
        write!(f, "violations   {count}\n{self}")
    }
}

impl<V: Violates> fmt::Display for Violations<V> {
    /// A line for each that is kept, and one for the rest of its kind.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, of_a_kind) in self.iter() {
            for violation in &of_a_kind.first {
                writeln!(f, "  {kind}: {violation}")?;
            }
            let further = of_a_kind.count - of_a_kind.first.len() as u64;
            if further > 0 {
                writeln!(f, "  {kind}: {further} more")?;
            }
        }
        Ok(())
    }
}
