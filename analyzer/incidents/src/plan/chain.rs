//! Correlations of correlations: the group and the value with which an outer one counts the points of one it refers
//! to, and the fields of an event that must be carried until it is such a point.

use std::collections::BTreeMap;

use sigma::event::Event;
use sigma::window::number;
use sigma::{Correlation, Counted, GroupField, Reference};

use crate::identity::{grouped, value_hash};

/// The correlations of a shared set, and behind them those of a layer beside it.
#[derive(Clone, Copy, Debug)]
pub struct Correlations<'r> {
    pub(super) shared: &'r [Correlation],
    pub(super) own: &'r [Correlation],
}

/// Counting of a correlation by others.
#[derive(Debug, Default)]
pub(super) struct Chained {
    /// Correlations that count its points.
    pub(super) counted_by: Vec<Outer>,
    /// The fields that must be carried of the events it counts, since outer correlations read them, directly or not.
    pub(super) carried_fields: Vec<String>,
}

/// A correlation that counts another's points.
#[derive(Clone, Debug)]
pub struct Outer {
    /// Index of the correlation.
    pub correlation: usize,
    /// Through which of its references.
    pub step: u16,
    /// For each field it groups by, the index of the same value in the inner group; `None` where only the event has it.
    inherited: Vec<Option<usize>>,
}

/// Reason why an event is not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotCounted {
    /// It has no value for a field that is grouped by.
    WithoutGroupValue,
    /// It has no value for the field whose values are counted, or none that is a number.
    WithoutValue,
}

impl<'r> Correlations<'r> {
    /// The correlation with an index, which must be one of these.
    pub fn get(self, index: usize) -> &'r Correlation {
        match index.checked_sub(self.shared.len()) {
            Some(own) => &self.own[own],
            None => &self.shared[index],
        }
    }

    /// Number of correlations.
    fn len(self) -> usize {
        self.shared.len() + self.own.len()
    }

    /// Those of the layer, with their indexes.
    pub(super) fn own(self) -> impl Iterator<Item = (usize, &'r Correlation)> {
        (self.shared.len()..).zip(self.own)
    }
}

impl Outer {
    /// The way in which `outer` counts the points of `inner`, through its reference number `step`.
    pub(super) fn new(all: Correlations<'_>, inner: usize, outer: usize, step: u16) -> Self {
        let group_by = &all.get(inner).group_by;
        let tells = |field: &GroupField| {
            group_by.iter().position(|own| field.is_inherited_from(usize::from(step), own))
        };
        let inherited = all.get(outer).group_by.iter().map(tells).collect();
        Self { correlation: outer, step, inherited }
    }

    /// The group and the counted value of a point.
    ///
    /// # Errors
    /// Reason why it is not counted.
    pub fn count(
        &self,
        all: Correlations<'_>,
        inner: &[String],
        event: &Event<'_>,
    ) -> Result<(Vec<String>, u64), NotCounted> {
        let outer = all.get(self.correlation);
        let step = usize::from(self.step);
        let value = |(field, inherited): (&GroupField, &Option<usize>)| match inherited {
            Some(index) => inner.get(*index).cloned(),
            None => field.value(step, event).map(grouped),
        };
        let group: Option<Vec<String>> = outer.group_by.iter().zip(&self.inherited).map(value).collect();
        let group = group.ok_or(NotCounted::WithoutGroupValue)?;
        Ok((group, counted(outer, step, event)?))
    }

    /// The fields it reads in the event itself.
    fn fields<'r>(&self, all: Correlations<'r>) -> Vec<&'r str> {
        let outer = all.get(self.correlation);
        let step = usize::from(self.step);
        let read = outer.group_by.iter().zip(&self.inherited).filter(|(_, inherited)| inherited.is_none());
        read.flat_map(|(field, _)| field.fields(step)).chain(outer.counted_fields(step)).collect()
    }
}

/// The counting of each correlation of the layer, and of each of the shared set that is counted otherwise because of these;
/// `shared` is the counting of those among themselves.
pub(super) fn chained<'p>(
    all: Correlations<'_>,
    shared: impl Fn(usize) -> (&'p [Outer], &'p [String]),
) -> BTreeMap<usize, Chained> {
    let mut added = outers(all);
    let mut chained: BTreeMap<usize, Chained> = BTreeMap::new();
    // An outer correlation comes after those it refers to.
    for inner in (0..all.len()).rev() {
        let before = if inner < all.shared.len() { shared(inner).0 } else { &[] };
        let added = added.remove(&inner).unwrap_or_default();
        let is_changed = inner >= all.shared.len()
            || !added.is_empty()
            || before.iter().any(|outer| chained.contains_key(&outer.correlation));
        if !is_changed {
            continue;
        }
        let counted_by: Vec<Outer> = before.iter().cloned().chain(added).collect();
        let mut fields: Vec<String> = Vec::new();
        for outer in &counted_by {
            fields.extend(outer.fields(all).into_iter().map(str::to_owned));
            match chained.get(&outer.correlation) {
                Some(outer) => fields.extend_from_slice(&outer.carried_fields),
                None => fields.extend_from_slice(shared(outer.correlation).1),
            }
        }
        fields.sort_unstable();
        fields.dedup();
        chained.insert(inner, Chained { counted_by, carried_fields: fields });
    }
    chained
}

/// The correlations of the layer that refer to each.
fn outers(all: Correlations<'_>) -> BTreeMap<usize, Vec<Outer>> {
    let mut outers: BTreeMap<usize, Vec<Outer>> = BTreeMap::new();
    for (outer, correlation) in all.own() {
        for (step, reference) in correlation.references.iter().enumerate() {
            let Reference::Correlation(inner) = reference else { continue };
            let step = u16::try_from(step).unwrap_or(u16::MAX);
            outers.entry(*inner).or_default().push(Outer::new(all, *inner, outer, step));
        }
    }
    outers
}

/// The value with which an event that matched a correlation's reference is counted in its windows.
///
/// # Errors
/// [`NotCounted::WithoutValue`].
pub fn counted(correlation: &Correlation, reference: usize, event: &Event<'_>) -> Result<u64, NotCounted> {
    match correlation.counted(reference, event) {
        Counted::Event => Ok(0),
        Counted::Value(text) => Ok(value_hash(&text)),
        Counted::Number(value) => Ok(number(value)),
        Counted::Missing => Err(NotCounted::WithoutValue),
    }
}
