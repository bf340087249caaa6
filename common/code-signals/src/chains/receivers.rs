//! Rules of receivers: to whom data goes besides the service that a program works with.

use std::sync::LazyLock;

use regex::Regex;

use super::verdict;
use crate::endpoint::{self, Endpoint, Reputation};
use crate::eval::Machine;
use crate::ir::Sym;
use crate::report::{Severity, Threat};
use crate::source::Subject;
use crate::value::{Kind, SourceId, TaintId, Value};

/// Receivers of a variable that are kept: more change no result.
const MOST_RECEIVERS: usize = 64;

/// A place that sends a secret of the environment.
#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    source: SourceId,
    /// Registered domain; empty for an address that is not in the code.
    domain: String,
    host: String,
    /// The secret is in the body or the address, not in a header.
    is_content: bool,
    place: (u32, u32, crate::report::Time),
}

/// Addresses with the whole name and password of a bot or webhook.
static BOT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"api\.telegram\.org/bot\d{8,12}:[A-Za-z0-9_-]{30,}",
        r"|discord(app)?\.com/api/(v\d+/)?webhooks/\d{16,20}/[\w-]{20,}",
        r"|hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{18,}",
    ))
    .ok()
});

/// The last two labels of a host.
pub(super) fn domain(host: &str) -> String {
    let mut labels = host.rsplitn(3, '.');
    let (last, second) = (labels.next().unwrap_or_default(), labels.next().unwrap_or_default());
    format!("{second}.{last}")
}

impl Machine<'_> {
    /// Judges the receiver of a request. `content` is what the request holds besides its headers.
    pub(crate) fn chain_receiver(&mut self, endpoint: Option<&Endpoint>, sent: TaintId, content: TaintId) {
        let reputation = endpoint.map_or(Reputation::Unknown, |endpoint| endpoint.reputation);
        let host = endpoint.map_or("", |endpoint| endpoint.host.as_str()).to_owned();
        let is_fixed = matches!(reputation, Reputation::Named | Reputation::Drop);
        let is_foreign = is_fixed && !self.files.is_own_host(&host);
        if let Some((number, source)) = self.source(content, Kind::Header).filter(|_| is_foreign) {
            let text =
                format!("Credentials of the requests of others ({}) are sent to {host}", source.detail);
            let verdict = verdict("request-credentials-sent", Severity::High, Threat::CredentialHarvesting);
            self.add_chain(verdict, Some(number), text);
        }
        if let Some(source) = self.taints.source(sent, Kind::Variable)
            && self.receivers.len() < MOST_RECEIVERS
            && reputation != Reputation::Local
        {
            let is_content = is_foreign && self.taints.source(content, Kind::Variable).is_some();
            let domain = if is_fixed { domain(&host) } else { String::new() };
            let place = (self.file, self.line, self.time);
            self.receivers.push(Receiver { source, domain, host, is_content, place });
        }
    }

    /// A secret of the environment that goes to a service, and in the content of a request to another one.
    pub(crate) fn chain_second_receivers(&mut self) {
        let receivers = std::mem::take(&mut self.receivers);
        let name = |machine: &Self, source: SourceId| {
            machine.sources.get(source as usize).map(|source| source.detail.clone()).unwrap_or_default()
        };
        for receiver in receivers.iter().filter(|receiver| receiver.is_content) {
            let variable = name(self, receiver.source);
            let other = receivers
                .iter()
                .find(|other| other.domain != receiver.domain && name(self, other.source) == variable);
            let Some(other) = other else { continue };
            (self.file, self.line, self.time) = receiver.place;
            let first = if other.host.is_empty() { "a configured address" } else { other.host.as_str() };
            let text = format!("{variable} is used with {first} and sent to {} as well", receiver.host);
            let text = super::capitalized(&text);
            // The configured address of a client is often the other spelling of its own service.
            let is_client = other.host.is_empty() && self.files.subject == Subject::Package;
            let severity = if is_client { Severity::Medium } else { Severity::High };
            let verdict = verdict("secret-to-second-receiver", severity, Threat::CredentialHarvesting);
            self.add_chain(verdict, Some(receiver.source), text);
        }
    }

    /// A library that reports to a bot, webhook or request bin whose address is in its code.
    pub(crate) fn chain_fixed_receiver(&mut self, address: &str) {
        if self.files.subject == Subject::Skill {
            return;
        }
        let is_bot = BOT.as_ref().is_some_and(|bot| bot.is_match(address));
        let is_bin = endpoint::find(address).is_some_and(|found| endpoint::is_bin(&found.host));
        if is_bot || is_bin {
            let kind =
                if is_bot { "a bot or webhook" } else { "an address that shows requests to its owner" };
            let text = format!("Data is sent to {kind} that is fixed in the code");
            let verdict = verdict("fixed-receiver", Severity::High, Threat::Exfiltration);
            self.add_chain(verdict, None, text);
        }
    }

    /// A mail with a hidden recipient that is fixed in the code.
    pub(crate) fn chain_recipient(&mut self, field: Sym, value: &Value) {
        let field = self.names.text(field);
        let is_bcc = field.eq_ignore_ascii_case("bcc");
        if !is_bcc && !["to", "cc", "recipients"].iter().any(|name| field.eq_ignore_ascii_case(name)) {
            return;
        }
        let items = self.object(value.object).filter(|object| !object.is_scope).map(|object| &object.items);
        let items = items.into_iter().flatten();
        let mut texts: Vec<String> = value
            .texts()
            .chain(items.clone().flat_map(Value::texts))
            .map(|text| String::from_utf8_lossy(text).into_owned())
            .collect();
        if !is_bcc {
            // An address of the code beside the one that the caller gives.
            texts = texts
                .iter()
                .flat_map(|text| text.split([',', ';']))
                .map(|text| text.trim().to_owned())
                .collect();
            let is_given = items.clone().any(|item| item.taint != 0 && item.as_whole_text().is_none())
                || texts.iter().any(|text| text == "\u{FFFC}");
            if !is_given {
                return;
            }
        }
        let is_address = |text: &String| {
            let Some((user, host)) = text.split_once('@') else { return false };
            let is_example =
                ["example.com", "example.org", "example.net"].iter().any(|end| host.contains(end));
            !user.contains('\u{FFFC}') && host.contains('.') && !host.contains('\u{FFFC}') && !is_example
        };
        let Some(address) = texts.into_iter().find(is_address) else { return };
        let text = format!("Mail is sent to a hidden recipient that is fixed in the code ({address})");
        self.add_chain(verdict("hidden-recipient", Severity::High, Threat::Exfiltration), None, text);
    }
}
