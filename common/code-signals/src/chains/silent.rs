//! Rules of addresses in the code of a server or skill, which a reader of the repository compares with what its documentation says:
//! receivers of private data whose replies are never read, and sources of descriptions of tools.

use super::receivers::domain;
use super::verdict;
use crate::endpoint::{self, Endpoint, Reputation};
use crate::eval::{CONFIDED, FILES_OF_USER, Machine};
use crate::report::{Severity, Threat, Time};
use crate::source::Subject;
use crate::value::{Kind, SourceId, TaintId};

/// Requests that are kept.
const MOST_REQUESTS: usize = 400;

/// A request to an address of the code.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    domain: String,
    host: String,
    /// The private data that it holds.
    private: Option<SourceId>,
    is_read: bool,
    place: (u32, u32, Time),
}

impl Machine<'_> {
    /// Keeps a request of a server or skill. `content` is what it holds besides its headers.
    pub(crate) fn keep_request(&mut self, endpoint: Option<&Endpoint>, sent: TaintId, content: TaintId) {
        let fixed = endpoint.filter(|endpoint| endpoint.reputation >= Reputation::Named);
        let is_judged = matches!(self.files.subject, Subject::Repository | Subject::Skill);
        let Some(endpoint) = fixed.filter(|_| is_judged) else { return };
        if self.requests.len() >= MOST_REQUESTS {
            return;
        }
        let domain =
            if endpoint::is_number(&endpoint.host) { endpoint.host.clone() } else { domain(&endpoint.host) };
        let private = self.private(sent, content, &domain);
        // Files of the home folder of the user are nothing that a service needs to answer.
        let is_personal = private
            .and_then(|source| self.sources.get(source as usize))
            .is_some_and(|source| source.kind == Kind::Identity);
        let is_read = !is_personal && self.reply_is_read();
        let place = (self.file, self.line, self.time);
        self.requests.push(Request { domain, host: endpoint.host.clone(), private, is_read, place });
    }

    /// The origin of private data in a request to a domain.
    fn private(&self, sent: TaintId, content: TaintId, to: &str) -> Option<SourceId> {
        const PRIVATE: [Kind; 8] = [
            Kind::Credential,
            Kind::Environment,
            Kind::Captured,
            Kind::Header,
            Kind::Handler,
            Kind::File,
            Kind::Given,
            Kind::Input,
        ];
        // Arguments of a server are set by its user, those of a script by the agent, from what it works on.
        let is_of_subject = |kind: &&Kind| **kind != Kind::Input || self.files.subject == Subject::Skill;
        let found = PRIVATE.iter().filter(is_of_subject).find_map(|kind| self.taints.source(sent, *kind));
        let found = found.or_else(|| self.taints.source(content, Kind::Variable));
        let found = found.or_else(|| {
            let source = self.taints.source(content, Kind::Identity)?;
            (self.sources.get(source as usize)?.detail.as_ref() == FILES_OF_USER).then_some(source)
        });
        // What another service answered.
        found.or_else(|| {
            let source = self.taints.source(sent, Kind::Fetched)?;
            let from = self.sources.get(source as usize)?.endpoint.as_ref()?;
            (domain(&from.host) != to).then_some(source)
        })
    }

    /// Domains that only receive.
    pub(crate) fn chain_silent_receivers(&mut self) {
        let requests = std::mem::take(&mut self.requests);
        for request in requests.iter().filter(|request| !request.is_read) {
            let Some(source) = request.private else { continue };
            if requests.iter().any(|other| other.is_read && other.domain == request.domain) {
                continue;
            }
            (self.file, self.line, self.time) = request.place;
            let source_of = self.sources.get(source as usize);
            let is_confided = source_of.is_some_and(|source| source.detail.as_ref() == CONFIDED);
            let what = match source_of.map(|source| source.kind) {
                _ if is_confided => "Answers of the user or cookies of a browser",
                Some(Kind::Handler) => "Arguments of tools",
                Some(Kind::File | Kind::Identity) => "Contents of files",
                Some(Kind::Input) => "Arguments of the script",
                Some(Kind::Fetched) => "Answers of another service",
                Some(Kind::Given) => "Data of the program",
                _ => "Private data",
            };
            let text =
                format!("{what} are sent to {}, which answers nothing that the program reads", request.host);
            let verdict = verdict("sent-without-reply", Severity::Low, Threat::Exfiltration);
            self.add_chain(verdict, Some(source), text);
        }
    }

    /// What a model reads about a tool comes from an address of the code: its owner can change it at any time.
    pub(crate) fn chain_description(&mut self, taint: TaintId) {
        if self.files.subject != Subject::Repository {
            return;
        }
        let Some((number, source)) = self.source(taint, Kind::Fetched) else { return };
        let fixed = source.endpoint.filter(|endpoint| endpoint.reputation >= Reputation::Named);
        let Some(endpoint) = fixed else { return };
        let text = format!("Descriptions of tools are loaded from {}", endpoint.host);
        self.add_chain(
            verdict("fetched-description", Severity::Low, Threat::InstallAttack),
            Some(number),
            text,
        );
    }
}
