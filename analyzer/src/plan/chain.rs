//! Correlations of correlations: in which group, and for what, an outer one counts the points of one it
//! refers to, and which fields of an event must be carried until it is such a point.

use sigma::event::Event;
use sigma::window::number;
use sigma::{Correlation, Counted, GroupField, Reference, RuleSet};

use crate::identity::{grouped, value_hash};

/// A correlation that counts another's points.
#[derive(Debug)]
pub(crate) struct Outer {
    /// Which.
    pub correlation: usize,
    /// Through which of its references.
    pub step: u16,
    /// For each field it groups by, which value of the inner group tells it; `None` where only the event
    /// does.
    inherited: Vec<Option<usize>>,
}

/// Why an event is not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotCounted {
    /// It has no value for a field that is grouped by.
    WithoutGroupValue,
    /// It has no value for the field whose values are counted, or none that is a number.
    WithoutValue,
}

impl Outer {
    /// How `outer` counts what `inner` counts, through its reference number `step`.
    pub(super) fn new(rules: &RuleSet, inner: usize, outer: usize, step: u16) -> Self {
        let group_by = &rules.correlations()[inner].group_by;
        let tells = |field: &GroupField| {
            group_by.iter().position(|own| field.is_inherited_from(usize::from(step), own))
        };
        let inherited = rules.correlations()[outer].group_by.iter().map(tells).collect();
        Self { correlation: outer, step, inherited }
    }

    /// The group and the counted value of a point.
    ///
    /// # Errors
    /// Why it is not counted.
    pub(crate) fn count(
        &self,
        rules: &RuleSet,
        inner: &[String],
        event: &Event<'_>,
    ) -> Result<(Vec<String>, u64), NotCounted> {
        let outer = &rules.correlations()[self.correlation];
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
    fn fields<'r>(&self, rules: &'r RuleSet) -> Vec<&'r str> {
        let outer = &rules.correlations()[self.correlation];
        let step = usize::from(self.step);
        let read = outer.group_by.iter().zip(&self.inherited).filter(|(_, inherited)| inherited.is_none());
        read.flat_map(|(field, _)| field.fields(step)).chain(outer.counted_fields(step)).collect()
    }
}

/// The correlations that refer to each.
pub(super) fn outers(rules: &RuleSet) -> Vec<Vec<Outer>> {
    let mut outers: Vec<Vec<Outer>> = rules.correlations().iter().map(|_| Vec::new()).collect();
    for (outer, correlation) in rules.correlations().iter().enumerate() {
        for (step, reference) in correlation.references.iter().enumerate() {
            let Reference::Correlation(inner) = reference else { continue };
            let step = u16::try_from(step).unwrap_or(u16::MAX);
            outers[*inner].push(Outer::new(rules, *inner, outer, step));
        }
    }
    outers
}

/// For each correlation, the fields that must be carried of the events it counts: what the outer ones read,
/// and those that count these in turn.
pub(super) fn carried_fields(rules: &RuleSet, outers: &[Vec<Outer>]) -> Vec<Vec<String>> {
    let mut carried: Vec<Vec<String>> = vec![Vec::new(); outers.len()];
    // An outer correlation stands behind those it refers to.
    for inner in (0..outers.len()).rev() {
        let mut fields: Vec<String> = Vec::new();
        for outer in &outers[inner] {
            fields.extend(outer.fields(rules).into_iter().map(str::to_owned));
            fields.extend(carried[outer.correlation].iter().cloned());
        }
        fields.sort_unstable();
        fields.dedup();
        carried[inner] = fields;
    }
    carried
}

/// What an event that matched a correlation's reference counts for in its windows.
///
/// # Errors
/// [`NotCounted::WithoutValue`].
pub(crate) fn counted(
    correlation: &Correlation,
    reference: usize,
    event: &Event<'_>,
) -> Result<u64, NotCounted> {
    match correlation.counted(reference, event) {
        Counted::Event => Ok(0),
        Counted::Value(text) => Ok(value_hash(&text)),
        Counted::Number(value) => Ok(number(value)),
        Counted::Missing => Err(NotCounted::WithoutValue),
    }
}
