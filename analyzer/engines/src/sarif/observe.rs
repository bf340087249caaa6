//! From a result to an observation.

use serde_json::value::RawValue;

use super::document::{Component, Run};
use super::identity;
use super::locate::{Locations, snippet};
use super::message;
use super::result::ToolResult;
use super::root::Root;
use super::rules::{Found, Rules};
use super::severity::{self, StatedLevel};
use super::{Rejection, ToolObservation, cwe, web};
use crate::text::{cut, line};
use crate::{Level, Limits, Observation};

/// The results of a run whose tool has a name.
#[derive(Debug)]
pub(super) struct Observer<'a> {
    run: &'a Run<'a>,
    tool: String,
    version: String,
    rules: Rules<'a>,
    locations: Locations<'a>,
}

impl<'a> Observer<'a> {
    /// Prepares the rules and files of a run.
    pub(super) fn of(run: &'a Run<'a>, root: Option<&Root>) -> Result<Self, Rejection> {
        let driver: Option<&Component<'_>> = run.tool.as_ref().and_then(|tool| tool.driver.as_ref());
        let name = |driver: &&Component<'_>| driver.name.as_ref().is_some_and(|name| !name.trim().is_empty());
        let driver = driver
            .filter(name)
            .ok_or_else(|| Rejection::missing("the name of the tool in tool.driver.name"))?;
        let version = driver.version.as_deref().or(driver.semantic_version.as_deref());
        Ok(Self {
            run,
            tool: line(driver.name.as_deref().unwrap_or_default(), Limits::TITLE),
            version: line(version.unwrap_or_default(), Limits::TITLE),
            rules: Rules::of(run, driver),
            locations: Locations::of(run, root),
        })
    }

    /// The observation of a result.
    pub(super) fn observe(&mut self, raw: &RawValue) -> Result<ToolObservation, Rejection> {
        let result =
            serde_json::from_str(raw.get()).map_err(|error| Rejection::malformed("a result", &error))?;
        let result: ToolResult = result;
        admit(&result)?;
        let found = self.rules.find(&result)?;
        let severity = severity(&result, &found)?;
        let rule = found.rule.as_ref().map(|known| &known.rule);
        let message = result.message.as_ref();
        let message = message.and_then(|one| message::text(one, rule, found.component, Limits::DESCRIPTION));
        if message.is_none() && found.id.is_none() {
            return Err(Rejection::missing("a message or a rule"));
        }
        let locations = self.locations.all(&result, found.component);
        let Some(primary) = locations.first() else {
            return Err(Rejection::missing("a location with a file or a name"));
        };
        let message = message.unwrap_or_default();
        let physical = result.locations.items.iter().map(|location| location.physical_location.as_ref());
        let text = physical.map(snippet).find(Option::is_some).flatten();
        let stable = self.locations.paths().without_roots(&message);
        let identity = identity::of(&result, &primary.path, text, &stable);
        let trace = self.locations.trace(&result, found.component);
        let check = found.id.as_ref().map_or_else(|| self.tool.clone(), |id| format!("{}/{id}", self.tool));
        let mut observation = Observation {
            check: identity::part(&check),
            check_version: self.version.clone(),
            identity,
            title: title(&found, &message),
            description: description(&found, &message),
            severity: Some(severity),
            risk: severity,
            cwes: self.cwes(&result, &found),
            cvss_vector: String::new(),
            advisory_url: None,
            locations: Vec::new(),
            further_locations: 0,
            trace,
            evidence: web::evidence(&result, self.run),
            remedy: remedy(&result, &found),
            references: found.rule.iter().filter_map(|rule| rule.reference.clone()).collect(),
        };
        observation.place(locations);
        Ok(ToolObservation { tool: self.tool.clone(), observation })
    }

    /// CWE numbers: those of the result before those of its rule, which may be more general.
    fn cwes(&self, result: &ToolResult, found: &Found<'_>) -> Vec<u32> {
        let own = result.taxa.items.iter().filter_map(|taxon| cwe::of_taxon(self.run, taxon));
        let bag = result.properties.iter().flat_map(cwe::of_properties);
        let of_rule = found.rule.iter().flat_map(|rule| rule.cwes.iter().copied());
        let mut cwes = Vec::new();
        for number in own.chain(bag).chain(of_rule) {
            if cwes.len() < Limits::CWES && !cwes.contains(&number) {
                cwes.push(number);
            }
        }
        cwes
    }
}

/// Rejects a result that is no problem of this run (sections 3.27.9, 3.27.23 and 3.27.24).
fn admit(result: &ToolResult) -> Result<(), Rejection> {
    let kind = result.kind.as_deref().unwrap_or("fail");
    if !["fail", "open", "review"].contains(&kind) {
        return Err(Rejection::new("a result of kind fail, open or review", format!("kind {kind}")));
    }
    if result.baseline_state.as_deref() == Some("absent") {
        return Err(Rejection::new("a result of this run", "baselineState absent".to_owned()));
    }
    // A suppression without a status is accepted. One that is under review or rejected leaves the result unsuppressed.
    let suppressions = &result.suppressions.items;
    let is_accepted = |status: &Option<String>| status.as_deref().is_none_or(|status| status == "accepted");
    match suppressions.first() {
        Some(first) if suppressions.iter().all(|one| is_accepted(&one.status)) => {
            let kind = first.kind.as_deref().unwrap_or("unknown");
            Err(Rejection::new(
                "a result without an accepted suppression",
                format!("a suppression of kind {kind}"),
            ))
        }
        _ => Ok(()),
    }
}

/// The severity of a result: its CVSS score, or that of its rule, or else its level (section 3.27.10).
fn severity(result: &ToolResult, found: &Found<'_>) -> Result<Level, Rejection> {
    let stated =
        match result.level.as_deref() {
            Some(word) => Some(StatedLevel::parse(word).ok_or_else(|| {
                Rejection::new("level error, warning, note or none", format!("level {word}"))
            })?),
            None => None,
        };
    let rule = found.rule.as_deref();
    let score = result.properties.as_ref().and_then(severity::of_properties);
    if let Some(severity) = score.or_else(|| rule?.severity) {
        return Ok(severity);
    }
    let is_failure = result.kind.as_deref().is_none_or(|kind| kind == "fail");
    let default = || if is_failure { rule.and_then(|rule| rule.level) } else { Some(StatedLevel::None) };
    Ok(stated.or_else(default).unwrap_or(StatedLevel::Warning).severity())
}

/// The rule's short description, which has no names of this program, or else the first line of the message, or else a name.
fn title(found: &Found<'_>, message: &str) -> String {
    let rule = found.rule.as_deref();
    let short = rule.and_then(|rule| rule.title.clone());
    let first = message.lines().map(str::trim).find(|text| !text.is_empty());
    let name = || rule.and_then(|rule| rule.rule.name.as_deref()).or(found.id.as_deref());
    short.unwrap_or_else(|| line(first.or_else(name).unwrap_or_default(), Limits::TITLE))
}

/// The message, then the explanation of the rule unless it repeats the message.
fn description(found: &Found<'_>, message: &str) -> String {
    let message = message.trim();
    let explained = found.rule.as_deref().and_then(|rule| rule.description.as_deref()).map(str::trim);
    match explained.filter(|text| !message.contains(text)) {
        Some(text) if message.is_empty() || text.starts_with(message) => cut(text, Limits::DESCRIPTION),
        Some(text) => cut(&format!("{message}\n\n{text}"), Limits::DESCRIPTION),
        None => cut(message, Limits::DESCRIPTION),
    }
}

/// The description of the first proposed change (section 3.55), or else the help on the rule.
fn remedy(result: &ToolResult, found: &Found<'_>) -> String {
    let fix = result.fixes.items.first().and_then(|fix| fix.description.as_ref());
    let fix = fix.and_then(|text| message::text(text, None, found.component, Limits::EVIDENCE_TEXT));
    let help = || found.rule.as_deref().and_then(|rule| rule.help.clone());
    cut(&fix.or_else(help).unwrap_or_default(), Limits::EVIDENCE_TEXT)
}
