//! Locations and data flows of a result (sections 3.28 to 3.30, 3.33, 3.36 to 3.38).

use super::document::{Component, Run, shared};
use super::message;
use super::paths::Paths;
use super::result;
use super::root::Root;
use crate::text::{cut, line};
use crate::{Limits, Location, Region};

/// The locations of a run's results.
#[derive(Debug)]
pub(super) struct Locations<'a> {
    run: &'a Run<'a>,
    paths: Paths<'a>,
}

impl<'a> Locations<'a> {
    /// The locations of a run's results.
    pub(super) fn of(run: &'a Run<'a>, root: Option<&Root>) -> Self {
        Self { run, paths: Paths::of(run, root) }
    }

    /// The files of the locations that were read.
    pub(super) fn paths(&self) -> &Paths<'a> {
        &self.paths
    }

    /// The locations of a result, the primary one first, then those that it relates to; without repetitions.
    pub(super) fn all(&mut self, result: &result::ToolResult, component: &Component<'_>) -> Vec<Location> {
        let mut all = Vec::new();
        for location in result.locations.items.iter().chain(&result.related_locations.items) {
            let Some(location) = self.location(location, component) else { continue };
            // Beyond the bound they are counted, repetitions included, since comparing all would be quadratic.
            if all.len() >= Limits::LOCATIONS || !all.contains(&location) {
                all.push(location);
            }
        }
        all
    }

    /// The steps of the first data flow, which tools consider the most important. Of a long one the beginning and the end,
    /// because they contain source and sink.
    pub(super) fn trace(&mut self, result: &result::ToolResult, component: &Component<'_>) -> Vec<Location> {
        let flow = result.code_flows.items.first().and_then(|flow| flow.thread_flows.items.first());
        let steps = flow.map_or(&[][..], |flow| &flow.locations.items);
        let half = Limits::LOCATIONS / 2;
        let (beginning, end) = match steps.len() {
            length if length <= Limits::LOCATIONS => (steps, &[][..]),
            length => (&steps[..half], &steps[length - (Limits::LOCATIONS - half)..]),
        };
        let mut trace = Vec::new();
        for step in beginning.iter().chain(end) {
            let kept: Option<result::Step> = step
                .location
                .is_none()
                .then(|| shared(&self.run.thread_flow_locations, step.index))
                .flatten();
            let location = step.location.as_ref().or_else(|| kept.as_ref()?.location.as_ref());
            trace.extend(location.and_then(|location| self.location(location, component)));
        }
        trace
    }

    /// A location; `None` when it names neither a file nor a part of the program.
    fn location(&mut self, location: &result::Location, component: &Component<'_>) -> Option<Location> {
        let physical = location.physical_location.as_ref();
        let file = physical.and_then(|physical| self.paths.path(physical.artifact_location.as_ref()?));
        let region = physical.and_then(|physical| physical.region.as_ref());
        let around = physical.and_then(|physical| physical.context_region.as_ref());
        let region = file.as_ref().and_then(|_| region.and_then(lines).or_else(|| around.and_then(lines)));
        let path = file.or_else(|| logical(&location.logical_locations.items))?;
        let snippet = snippet(physical).or_else(|| around.and_then(text)).unwrap_or_default();
        let message = location.message.as_ref();
        let message = message.and_then(|message| message::text(message, None, component, Limits::SNIPPET));
        Some(Location {
            path,
            region,
            snippet: cut(snippet.trim_end(), Limits::SNIPPET),
            message: cut(&message.unwrap_or_default(), Limits::SNIPPET),
        })
    }
}

/// The text of the region itself, which the identity uses: the text around it changes with every edit nearby.
pub(super) fn snippet(physical: Option<&result::PhysicalLocation>) -> Option<&str> {
    text(physical?.region.as_ref()?)
}

fn text(region: &result::Region) -> Option<&str> {
    region.snippet.as_ref()?.text.as_deref().filter(|text| !text.trim().is_empty())
}

/// Qualified name, or else name, of the first part of the program that has one.
fn logical(locations: &[result::LogicalLocation]) -> Option<String> {
    let name = |one: &result::LogicalLocation| {
        let names = [&one.fully_qualified_name, &one.name].into_iter().flatten();
        names.map(|name| line(name, Limits::NAME)).find(|name| !name.is_empty())
    };
    locations.iter().find_map(name)
}

/// Lines and columns of a region; `None` for a region of characters or bytes. Numbers below 1, which some tools write for unknown
/// ones, are absent.
fn lines(region: &result::Region) -> Option<Region> {
    let number = |number: Option<i64>| {
        number.and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0)
    };
    let start_line = number(region.start_line)?;
    let end_line = number(region.end_line).map_or(start_line, |end| end.max(start_line));
    let start_column = number(region.start_column);
    let is_behind = |end: &u32| end_line > start_line || start_column.is_some_and(|start| *end >= start);
    Some(Region {
        start_line,
        end_line,
        start_column,
        end_column: number(region.end_column).filter(is_behind),
    })
}

#[cfg(test)]
mod tests {
    use super::Locations;
    use crate::sarif::document::{Component, Run};
    use crate::sarif::result::ToolResult;
    use crate::{Limits, Location, Region};

    fn read(result: &str) -> (Vec<Location>, Vec<Location>) {
        let run = r#"{"threadFlowLocations": [{"location": {"logicalLocations": [{"name": "shared"}]}}]}"#;
        let run: Run<'_> = serde_json::from_str(run).unwrap();
        let result: ToolResult = serde_json::from_str(result).unwrap();
        let component = Component::default();
        let mut locations = Locations::of(&run, None);
        (locations.all(&result, &component), locations.trace(&result, &component))
    }

    fn one(physical: &str) -> Location {
        let physical = format!(r#"{{"locations": [{{"physicalLocation": {physical}}}]}}"#);
        read(&physical).0.remove(0)
    }

    #[test]
    fn a_location_has_lines_columns_and_text() {
        let location =
            one(r#"{"artifactLocation": {"uri": "a.py"}, "contextRegion": {"snippet": {"text": "around"}},
            "region": {"startLine": 3, "startColumn": 5, "endColumn": 9, "snippet": {"text": "  eval\n"}}}"#);
        let region = Region { start_line: 3, end_line: 3, start_column: Some(5), end_column: Some(9) };
        assert_eq!((location.region, location.snippet.as_str()), (Some(region), "  eval"));
    }

    #[test]
    fn the_region_around_is_used_when_there_is_none() {
        let location = one(r#"{"artifactLocation": {"uri": "a.py"},
            "contextRegion": {"startLine": 2, "endLine": 4, "snippet": {"text": "around"}}}"#);
        let region = Region { start_line: 2, end_line: 4, start_column: None, end_column: None };
        assert_eq!((location.region, location.snippet.as_str()), (Some(region), "around"));
    }

    #[test]
    fn impossible_numbers_are_absent() {
        let region = |region: &str| {
            one(&format!(r#"{{"artifactLocation": {{"uri": "a"}}, "region": {region}}}"#)).region
        };
        assert_eq!(region(r#"{"startLine": 0, "endLine": 4}"#), None);
        assert_eq!(region(r#"{"charOffset": 4}"#), None);
        let backwards =
            region(r#"{"startLine": 9, "endLine": 4, "startColumn": 9, "endColumn": 2}"#).unwrap();
        assert_eq!((backwards.end_line, backwards.end_column), (9, None));
        assert_eq!(region(r#"{"startLine": 99999999999}"#), None);
    }

    #[test]
    fn a_logical_location_replaces_a_file() {
        let (locations, _) = read(
            r#"{"locations": [{}, {"logicalLocations": [{}, {"name": "pay",
            "fullyQualifiedName": "shop.pay"}]}], "relatedLocations": [
            {"physicalLocation": {"artifactLocation": {"uri": "b.py"}}, "message": {"text": "declared here"}},
            {"physicalLocation": {"artifactLocation": {"uri": "b.py"}}, "message": {"text": "declared here"}}]}"#,
        );
        let shown: Vec<_> = locations.iter().map(|one| (one.path.as_str(), one.message.as_str())).collect();
        assert_eq!(shown, [("shop.pay", ""), ("b.py", "declared here")]);
    }

    #[test]
    fn a_flow_is_a_trace_with_its_beginning_and_end() {
        let step = |name: usize| format!(r#"{{"location": {{"logicalLocations": [{{"name": "{name}"}}]}}}}"#);
        let steps: Vec<String> = (0..100).map(step).collect();
        let flow =
            |steps: &str| format!(r#"{{"codeFlows": [{{"threadFlows": [{{"locations": [{steps}]}}]}}]}}"#);
        let (_, trace) = read(&flow(&steps.join(",")));
        let paths: Vec<_> = trace.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(paths.len(), Limits::LOCATIONS);
        assert_eq!((paths[0], paths[9], paths[10], paths[19]), ("0", "9", "90", "99"));
        let (_, trace) = read(&flow(r#"{"index": 0}, {"index": 9}"#));
        assert_eq!(trace.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["shared"]);
    }
}
