//! Title and summary of an assessment: event, entity, parties, time, qualification and confidence, built from the
//! members only.

use common::incident::{Analysis, Confidence, Entity, Qualification};

use super::Knowledge;

/// A field that names parties, and the word for its values in a sentence.
const PARTIES: [(&str, &str); 7] = [
    ("client.address", "Addresses"),
    ("user.name", "User names"),
    ("host.name", "Hosts"),
    ("url.path", "Paths"),
    ("process.command_line", "Commands"),
    ("event.action", "Actions"),
    ("event.outcome", "Outcomes"),
];

/// Rules that a summary names.
const NAMED_RULES: usize = 5;
/// Values of a field that a summary names.
const NAMED_VALUES: usize = 3;

impl Knowledge {
    /// Title of the incident, after its worst rule, correlations first.
    pub(crate) fn title(&self, entity: &Entity) -> String {
        let leading = self.by_weight().into_iter().next().or_else(|| self.withdrawn().next());
        let Some(leading) = leading else { return format!("Activity {}", about(entity)) };
        let title = &leading.matched.title;
        if self.qualified_by() == Qualification::ManyEntities {
            return format!("{title}: many entities");
        }
        format!("{title} {}", about(entity))
    }

    /// The summary.
    pub(super) fn summary(&self, entity: &Entity, analysis: &Analysis) -> String {
        let mut sentences = vec![self.what(entity, analysis)];
        for (field, word) in PARTIES {
            if field != entity.kind {
                sentences.extend(self.party(field, word));
            }
        }
        sentences.push(self.reason());
        sentences.push(self.certainty().to_owned());
        sentences.extend(self.taken_back());
        if self.milder {
            sentences.push("Severities are one step lower in this environment.".to_owned());
        }
        sentences.join(" ")
    }

    fn what(&self, entity: &Entity, analysis: &Analysis) -> String {
        let Analysis { event_count, first_seen_at: first, last_activity_at: last, .. } = analysis;
        let events = if *event_count == 1 { "1 event".to_owned() } else { format!("{event_count} events") };
        let when = if first == last { format!("at {first}") } else { format!("between {first} and {last}") };
        let rules = self.by_weight();
        let rules = if rules.is_empty() { self.withdrawn().collect() } else { rules };
        let mut names: Vec<String> =
            rules.iter().take(NAMED_RULES).map(|rule| rule.matched.title.clone()).collect();
        if rules.len() > NAMED_RULES {
            names.push(format!("{} more", rules.len() - NAMED_RULES));
        }
        format!("{events} {} {when}: {}.", about(entity), names.join("; "))
    }

    fn party(&self, field: &str, word: &str) -> Option<String> {
        let (top, distinct) = self.facts.of(field, NAMED_VALUES);
        if top.is_empty() {
            return None;
        }
        let mut named: Vec<String> =
            top.iter().map(|fact| format!("{} ({})", fact.value, fact.count)).collect();
        if distinct > named.len() {
            named.push(format!("{} more", distinct - named.len()));
        }
        Some(format!("{word}: {}.", named.join(", ")))
    }

    fn reason(&self) -> String {
        if self.is_superseded() {
            return "Superseded: its findings belong to the incident about the rule, which matched more than ten \
                    entities within a day. It no longer qualifies on its own."
                .to_owned();
        }
        let Some(level) = self.worst_level() else {
            return "It qualified by rules that have since been withdrawn.".to_owned();
        };
        if self.qualifications.is_empty() {
            return "The remaining findings do not qualify as an incident.".to_owned();
        }
        match self.qualified_by() {
            Qualification::RuleLevel => {
                format!("It qualified because a rule of level {} matched.", level.as_str())
            }
            Qualification::Threshold => {
                format!(
                    "It qualified because a correlation of level {} reached its threshold.",
                    level.as_str()
                )
            }
            Qualification::EntityRisk => {
                "It qualified by risk: several weak findings about the same entity add up.".to_owned()
            }
            Qualification::ManyEntities => "It groups findings about many entities of the source, because their \
                                            rule matched for more than ten entities within a day or their family \
                                            opened 200 incidents within an hour."
                .to_owned(),
        }
    }

    fn certainty(&self) -> &'static str {
        match self.confidence() {
            Confidence::High if self.agreeing() > 1 => "Confidence is high: several rules agree.",
            Confidence::High => "Confidence is high: the attempt succeeded.",
            Confidence::Medium => "Confidence is medium: one clear finding, not confirmed by a second rule.",
            Confidence::Low => "Confidence is low: no single finding is conclusive.",
        }
    }

    /// Rules that no longer count, and the severity with them.
    fn taken_back(&self) -> Option<String> {
        let mut names: Vec<&str> =
            self.withdrawn().take(NAMED_RULES).map(|rule| rule.matched.title.as_str()).collect();
        if names.is_empty() {
            return None;
        }
        names.sort_unstable();
        Some(format!(
            "Rules withdrawn since then: {}. Peak severity: {}.",
            names.join("; "),
            self.peak.as_str()
        ))
    }
}

/// An entity as a sentence mentions it.
fn about(entity: &Entity) -> String {
    let Entity { kind, value } = entity;
    if value.split(' ').all(|part| part == "none") {
        return format!("without a known {}", kind.split('+').next().unwrap_or_default());
    }
    match kind.split('+').next().unwrap_or_default() {
        "client.address" | "source.address" | "source.ip" => format!("from {value}"),
        "user.name" | "user.effective.name" | "actor" | "actor.login" => format!("by {value}"),
        "host.name" | "Computer" | "Workstation" | "WorkstationName" | "server.address" => {
            format!("on {value}")
        }
        "cloud.resource" => format!("on {value}"),
        "url.path" => format!("at {value}"),
        "destination.address" => format!("to {value}"),
        _ => format!("of {kind} {value}"),
    }
}
