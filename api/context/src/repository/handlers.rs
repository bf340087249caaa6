//! Tools that do what their descriptions do not say.

mod words;

use words::{AGENT, BROWSER, CAPTURE, CREDENTIALS, EXECUTION, LOCAL, NETWORK, PERSISTENCE, SENDING};

use super::reading::{Effect, Reading, Role, Tool, Use};
use crate::artifact::{Severity, ThreatType};
use crate::links::registrable;

/// Tools from which on a common domain is that of a service.
const LEAST_USERS: usize = 2;

/// An effect that a description hides.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hidden {
    pub(super) threat: ThreatType,
    pub(super) severity: Severity,
    pub(super) says: String,
}

fn says(tool: &Tool, words: &[&str]) -> bool {
    let text = format!("{} {}", tool.name.replace(['_', '-'], " "), tool.description).to_lowercase();
    // Each is the beginning of a word: "format" is none of "information".
    let begins =
        |place: usize| text.get(..place).is_some_and(|front| !front.ends_with(char::is_alphanumeric));
    words.iter().any(|word| text.match_indices(word).any(|(place, _)| begins(place)))
}

/// Domain that several tools use and no other domain: the service that the server is for. A tool can use it without saying so.
pub(super) fn service(tools: &[Tool]) -> Option<String> {
    let uses_network = |one: &&Use| matches!(one.kind, Effect::Send | Effect::Fetch);
    let mut service: Option<String> = None;
    let mut users = 0_usize;
    for tool in tools {
        let mut is_user = false;
        for used in tool.uses.iter().filter(uses_network) {
            // An address that is not known is none of a service, and is judged as another one.
            let Some(domain) = registrable(&used.detail) else { continue };
            if *service.get_or_insert_with(|| domain.clone()) != domain {
                return None;
            }
            is_user = true;
        }
        users += usize::from(is_user);
    }
    service.filter(|_| users >= LEAST_USERS)
}

/// Whether a tool names the service of a host: a bot of Telegram in a tool that sends messages by Telegram.
fn names_service(tool: &Tool, host: &str) -> bool {
    let domain = registrable(host).unwrap_or_default();
    let label = domain.split('.').next().unwrap_or_default();
    label.len() > 3 && says(tool, &[label])
}

/// Whether a text for people or models names a program.
fn is_named(program: &str, reading: &Reading) -> bool {
    let program = program.rsplit(['/', '.']).next().unwrap_or(program).to_lowercase();
    let is_mark = |char: char| !char.is_alphanumeric();
    let texts = reading.texts.iter().filter(|text| matches!(text.role, Role::Docs | Role::Declared));
    program.len() > 1
        && texts.into_iter().any(|text| text.text.to_lowercase().split(is_mark).any(|word| word == program))
}

/// Whether the documentation names the file of a credential, such as `~/.ssh/id_ed25519`, by its last two parts.
fn is_documented(detail: &str, reading: &Reading) -> bool {
    let path = detail.rsplit('(').next().unwrap_or(detail).trim_end_matches(')').to_lowercase();
    let parts: Vec<&str> = path.rsplit('/').take(2).collect();
    let [last, folder] = parts.as_slice() else { return false };
    let name = format!("{folder}/{last}");
    let mut docs = reading.texts.iter().filter(|text| text.role == Role::Docs);
    !last.is_empty() && docs.any(|text| text.text.to_lowercase().contains(&name))
}

/// Severity of a request that a tool does not say. An address that is not known is mostly one of the settings.
fn of_sending(sends: Option<&Use>, service: Option<&str>) -> Severity {
    let is_service =
        service.is_some() && sends.and_then(|one| registrable(&one.detail)).as_deref() == service;
    let is_known = sends.is_some_and(|one| one.detail != "unknown address");
    if is_service || !is_known { Severity::Medium } else { Severity::High }
}

/// Effects of a tool that its name and description do not say. `service` is the domain that the server is for.
pub(super) fn hidden(tool: &Tool, service: Option<&str>, reading: &Reading) -> Vec<Hidden> {
    let mut found = Vec::new();
    let effect = |kind: Effect| tool.uses.iter().find(|one| one.kind == kind);
    let mut add = |kind: Effect, is_said: bool, (threat, severity): (ThreatType, Severity), what: &str| {
        let Some(one) = effect(kind).filter(|_| !is_said) else { return };
        let says = format!(
            "the tool {} {what} ({}), which its description does not say, {} line {}",
            tool.name, one.detail, one.path, one.line
        );
        found.push(Hidden { threat, severity, says });
    };
    // A tool need not repeat what another one with the same effect says: "remove a server" beside "install a server".
    let says_together = |kind: Effect, words: &[&str]| {
        let has = |other: &&Tool| other.uses.iter().any(|one| one.kind == kind);
        says(tool, words) || reading.tools.iter().filter(has).any(|other| says(other, words))
    };
    let is_local = says(tool, &LOCAL) && !says(tool, &NETWORK);
    use Severity::{High, Medium};
    add(
        Effect::CredentialRead,
        says(tool, &CREDENTIALS)
            || effect(Effect::CredentialRead)
                .is_some_and(|one| one.detail.contains("browser") && says(tool, &BROWSER))
            || effect(Effect::CredentialRead).is_some_and(|one| is_documented(&one.detail, reading)),
        (ThreatType::CredentialHarvesting, High),
        "reads credentials",
    );
    add(
        Effect::DropEndpoint,
        effect(Effect::DropEndpoint).is_some_and(|one| names_service(tool, &one.detail)),
        (ThreatType::Exfiltration, High),
        "uses an address that receives data of strangers",
    );
    let of_sending = of_sending(effect(Effect::Send), service);
    add(Effect::Send, !is_local, (ThreatType::Exfiltration, of_sending), "sends data");
    add(Effect::Fetch, !is_local, (ThreatType::Exfiltration, Medium), "makes requests");
    add(
        Effect::Capture,
        says(tool, &CAPTURE),
        (ThreatType::Exfiltration, High),
        "captures clipboard, keyboard or screen",
    );
    add(
        Effect::AgentConfiguration,
        says_together(Effect::AgentConfiguration, &AGENT),
        (ThreatType::InstallAttack, High),
        "changes the configuration of agents",
    );
    add(
        Effect::Persistence,
        says_together(Effect::Persistence, &PERSISTENCE),
        (ThreatType::InstallAttack, High),
        "arranges to be started again",
    );
    add(
        Effect::Execution,
        says(tool, &EXECUTION)
            || !is_local
            || says(tool, &PERSISTENCE) && effect(Effect::Persistence).is_some()
            || effect(Effect::Execution).is_some_and(|one| is_named(&one.detail, reading)),
        (ThreatType::InstallAttack, High),
        "executes programs",
    );
    let sends = effect(Effect::Send).or_else(|| effect(Effect::Fetch)).is_some();
    add(
        Effect::EnvironmentRead,
        !sends || says(tool, &["environment", "env var", "diagnos"]),
        (ThreatType::CredentialHarvesting, Medium),
        "reads the whole environment and uses the network",
    );
    found
}

/// Whether a tool says that it sends what it is given.
pub(super) fn says_sending(tool: &Tool) -> bool {
    says(tool, &SENDING)
}

/// Whether the tools that reach a chain say that they execute programs.
pub(super) fn is_said(reading: &Reading, names: &[String]) -> bool {
    const SAID: [&str; 10] =
        ["execute", "run", "shell", "command", "terminal", "bash", "script", "evaluat", "code", "process"];
    !names.is_empty()
        && names.iter().all(|name| reading.tools.iter().any(|tool| tool.name == *name && says(tool, &SAID)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, description: &str, kinds: &[Effect]) -> Tool {
        let uses = kinds.iter().map(|kind| Use {
            kind: *kind,
            path: "a.py".to_owned(),
            line: 1,
            detail: "x".to_owned(),
        });
        let (name, description) = (name.to_owned(), description.to_owned());
        Tool { name, description, path: "a.py".to_owned(), line: 1, uses: uses.collect() }
    }

    #[test]
    fn effects_that_a_description_does_not_say_are_found() {
        assert_eq!(
            hidden(&tool("add", "Adds two numbers.", &[Effect::Send]), None, &Reading::default())[0].severity,
            Severity::High
        );
        assert_eq!(
            hidden(
                &tool("forecast", "Weather of a city.", &[Effect::Send, Effect::Fetch]),
                None,
                &Reading::default()
            ),
            []
        );
        assert_eq!(
            hidden(&tool("sum", "Sum of a list.", &[Effect::CredentialRead]), None, &Reading::default())
                .len(),
            1
        );
        assert_eq!(
            hidden(
                &tool("upload", "Uploads to S3.", &[Effect::CredentialRead, Effect::Send]),
                None,
                &Reading::default()
            ),
            []
        );
        assert_eq!(
            hidden(&tool("run_tests", "Runs the tests.", &[Effect::Execution]), None, &Reading::default()),
            []
        );
        assert_eq!(
            hidden(&tool("format_json", "Pretty prints.", &[Effect::Execution]), None, &Reading::default())
                .len(),
            0,
            "formatters are programs"
        );
        assert_eq!(
            hidden(&tool("count", "Counts words.", &[Effect::Execution]), None, &Reading::default()).len(),
            1
        );
    }
    #[test]
    fn the_only_domain_of_several_tools_is_the_service_of_the_server() {
        let using = |name: &str, host: &str| {
            let mut tool = tool(name, "Formats JSON.", &[Effect::Send]);
            tool.uses[0].detail = host.to_owned();
            tool
        };
        let tools = [using("one", "api.service.example"), using("two", "www.service.example")];
        let service = service(&tools);
        assert_eq!(service.as_deref(), Some("service.example"));
        assert_eq!(hidden(&tools[0], service.as_deref(), &Reading::default())[0].severity, Severity::Medium);
        assert_eq!(hidden(&tools[0], None, &Reading::default())[0].severity, Severity::High);
        let others = [using("one", "api.service.example"), using("two", "collector.example")];
        assert_eq!(super::service(&others), None, "two domains");
        assert_eq!(super::service(&tools[..1]), None, "one tool");
    }
}
