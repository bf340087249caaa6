//! Lookup of the rule of a result (sections 3.27.5 to 3.27.7, 3.52.3 and 3.54.2).

use std::collections::HashMap;
use std::rc::Rc;

use super::Rejection;
use super::document::{Component, Identified, Run};
use super::known::KnownRule;
use super::result::{ComponentReference, ToolResult};
use crate::Limits;
use crate::text::line;

/// Most components of a hierarchical id that are removed in search of its rule (section 3.5.4).
const MAX_COMPONENTS: usize = 16;

/// The rules of a run.
#[derive(Debug)]
pub(super) struct Rules<'a> {
    run: &'a Run<'a>,
    /// The tool itself, then its extensions.
    components: Vec<&'a Component<'a>>,
    /// Indices of the rules of each component by id and GUID.
    ids: Vec<HashMap<String, usize>>,
    /// Rules that were read, by component and index.
    known: HashMap<(usize, usize), Rc<KnownRule>>,
}

/// The rule of a result.
#[derive(Debug)]
pub(super) struct Found<'a> {
    /// Id as stated by the result, or else by the rule.
    pub(super) id: Option<String>,
    /// The rule, if the run describes it.
    pub(super) rule: Option<Rc<KnownRule>>,
    /// The component that defines it, or else the tool itself.
    pub(super) component: &'a Component<'a>,
}

impl<'a> Rules<'a> {
    /// The rules of the driver and the extensions of a run.
    pub(super) fn of(run: &'a Run<'a>, driver: &'a Component<'a>) -> Self {
        let extensions = run.tool.iter().flat_map(|tool| &tool.extensions.items);
        let components: Vec<_> = std::iter::once(driver).chain(extensions).collect();
        let ids = components.iter().map(|component| ids(component)).collect();
        Self { run, components, ids, known: HashMap::new() }
    }

    /// The rule of a result. A rule that cannot be read is an error, since the result would lose its severity.
    pub(super) fn find(&mut self, result: &ToolResult) -> Result<Found<'a>, Rejection> {
        let reference = result.rule.as_ref();
        let id = result.rule_id.as_deref().or_else(|| reference?.id.as_deref());
        let id = id.map(|id| line(id, Limits::NAME)).filter(|id| !id.is_empty());
        let index = result.rule_index.or_else(|| reference?.index);
        let component =
            reference.and_then(|one| one.tool_component.as_ref()).map_or(0, |one| self.component(one));
        let place =
            self.place(component, index, id.as_deref(), reference.and_then(|one| one.guid.as_deref()));
        let rule = place.map(|(component, index)| self.known(component, index)).transpose()?;
        let id = id.or_else(|| Some(line(rule.as_ref()?.rule.id.as_deref()?, Limits::NAME)));
        let component = self.components[place.map_or(component, |(component, _)| component)];
        Ok(Found { id, rule, component })
    }

    /// The component of a reference; the driver when it names no other.
    fn component(&self, reference: &ComponentReference) -> usize {
        let extension = reference.index.and_then(|index| usize::try_from(index).ok());
        let by_index = extension.map(|index| index.saturating_add(1));
        let by_guid = || {
            let guid = reference.guid.as_ref()?;
            self.components.iter().position(|component| component.guid.as_ref() == Some(guid))
        };
        by_index.filter(|index| *index < self.components.len()).or_else(by_guid).unwrap_or(0)
    }

    /// Component and index of a rule: by index unless the rule there has another id, then by GUID, then by id, then by id in the
    /// other components, because tools with extensions often omit the reference.
    fn place(
        &self,
        component: usize,
        index: Option<i64>,
        id: Option<&str>,
        guid: Option<&str>,
    ) -> Option<(usize, usize)> {
        let index = index.and_then(|index| usize::try_from(index).ok());
        let index = index.filter(|index| *index < self.components[component].rules.items.len());
        let by_id = |component: usize| hierarchy(id?).find_map(|id| self.ids[component].get(id).copied());
        let named = by_id(component);
        if let Some(index) = index.filter(|index| named.is_none_or(|named| named == *index)) {
            return Some((component, index));
        }
        let here = guid.and_then(|guid| self.ids[component].get(guid).copied()).or(named);
        let elsewhere = || (0..self.components.len()).find_map(|other| Some((other, by_id(other)?)));
        here.map(|index| (component, index)).or_else(elsewhere)
    }

    fn known(&mut self, component: usize, index: usize) -> Result<Rc<KnownRule>, Rejection> {
        if let Some(known) = self.known.get(&(component, index)) {
            return Ok(Rc::clone(known));
        }
        let raw = self.components[component].rules.items[index];
        let rule = serde_json::from_str(raw.get()).map_err(|error| Rejection::malformed("a rule", &error))?;
        let known = Rc::new(KnownRule::of(rule, self.run));
        self.known.insert((component, index), Rc::clone(&known));
        Ok(known)
    }
}

/// Indices of the rules of a component by id and GUID; the first of several with one id.
fn ids(component: &Component<'_>) -> HashMap<String, usize> {
    let mut ids = HashMap::new();
    for (index, raw) in component.rules.items.iter().enumerate() {
        let Ok(rule) = serde_json::from_str::<Identified>(raw.get()) else { continue };
        for name in [rule.id, rule.guid].into_iter().flatten() {
            ids.entry(name).or_insert(index);
        }
    }
    ids
}

/// A hierarchical id and its beginnings: `a/b/c`, `a/b`, `a`.
fn hierarchy(id: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(id), |id| Some(id.rsplit_once('/')?.0)).take(MAX_COMPONENTS)
}

#[cfg(test)]
mod tests {
    use super::Rules;
    use crate::sarif::document::Run;
    use crate::sarif::result::ToolResult;

    const RUN: &str = r#"{"tool": {
        "driver": {"name": "scan", "rules": [
            {"id": "A", "name": "first"}, {"id": "B/x", "name": "second"}, {"id": "C", "guid": "1-2"}, 7]},
        "extensions": [{"guid": "9", "name": "more", "rules": [{"id": "A", "name": "other"}, {"id": "E", "name": "own"}]}]}}"#;

    fn find(result: &str) -> (Option<String>, Option<String>) {
        let run: Run<'_> = serde_json::from_str(RUN).unwrap();
        let driver = run.tool.as_ref().unwrap().driver.as_ref().unwrap();
        let result: ToolResult = serde_json::from_str(result).unwrap();
        let found = Rules::of(&run, driver).find(&result).unwrap();
        (found.id, found.rule.and_then(|rule| rule.rule.name.clone().or_else(|| rule.rule.id.clone())))
    }

    fn found(result: &str) -> (String, String) {
        let (id, name) = find(result);
        (id.unwrap(), name.unwrap())
    }

    fn pair(id: &str, name: &str) -> (String, String) {
        (id.to_owned(), name.to_owned())
    }

    #[test]
    fn a_rule_is_found_by_index_then_by_id() {
        assert_eq!(found(r#"{"ruleIndex": 1}"#), pair("B/x", "second"));
        assert_eq!(found(r#"{"ruleId": "A"}"#), pair("A", "first"));
        assert_eq!(found(r#"{"ruleId": "A", "ruleIndex": -1}"#), pair("A", "first"));
        assert_eq!(found(r#"{"ruleId": "A", "ruleIndex": 1}"#), pair("A", "first"));
        assert_eq!(found(r#"{"ruleId": "unlisted", "ruleIndex": 1}"#), pair("unlisted", "second"));
        assert_eq!(find(r#"{"ruleId": "Z", "ruleIndex": 99}"#), (Some("Z".to_owned()), None));
        assert_eq!(find("{}"), (None, None));
    }

    #[test]
    fn a_hierarchical_id_is_found_by_its_beginning() {
        assert_eq!(found(r#"{"ruleId": "B/x/y/z"}"#), pair("B/x/y/z", "second"));
        assert_eq!(found(r#"{"ruleId": "A/md5", "ruleIndex": 0}"#), pair("A/md5", "first"));
    }

    #[test]
    fn a_reference_names_the_component() {
        assert_eq!(found(r#"{"rule": {"id": "A", "toolComponent": {"index": 0}}}"#), pair("A", "other"));
        assert_eq!(found(r#"{"rule": {"index": 1, "toolComponent": {"guid": "9"}}}"#), pair("E", "own"));
        assert_eq!(found(r#"{"rule": {"guid": "1-2"}}"#), pair("C", "C"));
        assert_eq!(found(r#"{"ruleId": "E"}"#), pair("E", "own"));
    }

    #[test]
    fn a_malformed_rule_rejects_its_results() {
        let run: Run<'_> = serde_json::from_str(RUN).unwrap();
        let driver = run.tool.as_ref().unwrap().driver.as_ref().unwrap();
        let result: ToolResult = serde_json::from_str(r#"{"ruleIndex": 3}"#).unwrap();
        let rejection = Rules::of(&run, driver).find(&result).unwrap_err();
        assert_eq!(
            rejection.to_string(),
            "expected a rule, found invalid type: integer `7`, expected a rule"
        );
    }
}
