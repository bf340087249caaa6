//! Literals that rules search for in the events of one log source: the routes that are for them, the keys that lead to fields
//! of those, and the tables of each field. Kept from event to event, because logs come from few sources, each again and again.

use std::borrow::Cow;

use super::Candidates;
use crate::event::LogSource;
use crate::matcher::fields::FieldIndex;
use crate::matcher::keys::{KeySet, hash_of_text};

/// Log sources that are remembered, a power of two: records of one sender have a handful. A view is half a
/// kilobyte, and four bytes for each field that rules ask for.
const REMEMBERED: usize = 64;
/// The same for an organization's own rules, a power of two: finding out again takes microseconds, as these rules
/// are few, and views are not kept from batch to batch.
const REMEMBERED_OF_LAYER: usize = 4;
/// Longest dimension that is cached, in bytes: rules have no longer ones, senders may write any.
const LONGEST: usize = 64;
/// Most routes whose keys are joined: with more there are few keys that none of them needs.
const MOST_JOINED: usize = 32;

/// Literals that rules search for in the events of a log source.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    /// The routes whose rules are for them.
    pub(super) routes: Vec<u32>,
    /// Keys that lead to fields of these rules, and some others.
    pub(crate) keys: KeySet,
    /// Places of the tables of all fields, by field, and the first place of each field.
    places: Vec<TableLocation>,
    starts: Vec<u32>,
}

/// Place of the tables of a field: the route, and the index in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableLocation {
    pub(super) route: u32,
    pub(super) tables: u32,
}

/// The log sources of the events before: each has one place, where another may have taken its turn.
#[derive(Debug)]
pub(crate) struct Views {
    remembered: Vec<Remembered>,
    most: usize,
}

impl Default for Views {
    fn default() -> Self {
        Self { remembered: Vec::new(), most: REMEMBERED }
    }
}

#[derive(Clone, Debug, Default)]
struct Remembered {
    /// None for a log source that was not seen before, or is too long to be kept.
    source: Option<LogSource<'static>>,
    view: View,
}

impl Views {
    /// Those of an organization's own rules.
    pub(crate) fn of_layer() -> Self {
        Self { remembered: Vec::new(), most: REMEMBERED_OF_LAYER }
    }

    /// The view of a log source.
    pub(crate) fn of(&mut self, source: &LogSource<'_>, candidates: &Candidates) -> &View {
        if self.remembered.is_empty() {
            self.remembered = vec![Remembered::default(); self.most];
        }
        let at = remembered_at(source) & (self.remembered.len() - 1);
        let Remembered { source: known, view } = &mut self.remembered[at];
        if known.as_ref() != Some(source) {
            view.look(source, candidates);
            *known = remembered(source);
        }
        view
    }
}

impl View {
    fn look(&mut self, source: &LogSource<'_>, candidates: &Candidates) {
        self.routes.clear();
        candidates.log_sources.each_accepting(source, |route| self.routes.extend(u32::try_from(route)));
        self.find_places(candidates);
        self.keys.clear();
        self.keys.add_all(&candidates.keys_of_filters);
        if self.routes.len() > MOST_JOINED {
            self.keys.fill();
            return;
        }
        for route in &self.routes {
            if let Some(route) = candidates.routes.get(*route as usize) {
                self.keys.add_all(&route.keys);
            }
        }
    }

    fn find_places(&mut self, candidates: &Candidates) {
        let mut found = Vec::new();
        for route in &self.routes {
            let fields = candidates.routes.get(*route as usize).map_or(&[][..], |route| &route.fields);
            found.extend(
                (0..)
                    .zip(fields)
                    .map(|(tables, (field, _))| (*field, TableLocation { route: *route, tables })),
            );
        }
        found.sort_by_key(|(field, _)| *field);
        let fields = found.last().map_or(0, |(field, _)| field.place() + 1);
        let start = |place| found.partition_point(|(field, _)| field.place() < place);
        // There are fewer tables than witnesses of rules.
        self.starts = (0..=fields).map(|place| u32::try_from(start(place)).unwrap_or(u32::MAX)).collect();
        self.places = found.into_iter().map(|(_, place)| place).collect();
    }

    /// Whether no rule is for them.
    pub(crate) fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    /// Places of the tables of a field.
    pub(super) fn places_of(&self, field: FieldIndex) -> &[TableLocation] {
        let Some([start, end]) = self.starts.get(field.place()..).and_then(<[u32]>::first_chunk) else {
            return &[];
        };
        self.places.get(*start as usize..*end as usize).unwrap_or(&[])
    }
}

fn dimensions<'s>(source: &'s LogSource<'_>) -> [&'s Option<Cow<'s, str>>; 3] {
    [&source.product, &source.category, &source.service]
}

fn remembered_at(source: &LogSource<'_>) -> usize {
    let hash = dimensions(source).into_iter().fold(0, |hash, text| {
        let text = text.as_deref().unwrap_or("\0");
        hash_of_text(hash, text)
    });
    (hash >> 32) as usize
}

fn remembered(source: &LogSource<'_>) -> Option<LogSource<'static>> {
    let is_short = |text: &Option<Cow<'_, str>>| text.as_ref().is_none_or(|text| text.len() <= LONGEST);
    if !dimensions(source).into_iter().all(is_short) {
        return None;
    }
    let [product, category, service] =
        dimensions(source).map(|text| text.as_deref().map(|text| Cow::Owned(text.to_owned())));
    Some(LogSource { product, category, service })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::RuleLogSource;

    #[test]
    fn a_view_is_that_of_its_source_whatever_came_before() {
        let rules: Vec<RuleLogSource> = (0..300)
            .map(|rule| RuleLogSource { service: Some(format!("s{rule}")), ..RuleLogSource::default() })
            .collect();
        let candidates =
            Candidates { log_sources: super::super::LogSources::of(rules.iter()), ..Candidates::default() };
        let mut views = Views::default();
        let long = "l".repeat(LONGEST + 1);
        for service in (0..3).flat_map(|_| (0..300).map(|rule| format!("s{rule}")).chain([long.clone()])) {
            let source = LogSource { service: Some(service.as_str().into()), ..LogSource::default() };
            let mut expected = Vec::new();
            candidates.log_sources.each_accepting(&source, |route| expected.extend(u32::try_from(route)));
            for _ in 0..2 {
                assert_eq!(views.of(&source, &candidates).routes, expected, "{service}");
            }
        }
        assert!(
            views
                .remembered
                .iter()
                .flat_map(|remembered| &remembered.source)
                .all(|source| { source.service.as_ref().is_none_or(|service| service.len() <= LONGEST) })
        );
    }
}
