//! Rules of secrets that a caller or the user of a page entrusts to the code, and that it sends to a third party.

use super::verdict;
use crate::endpoint::{Endpoint, Reputation};
use crate::eval::Machine;
use crate::report::{Severity, Threat, Time};
use crate::value::{Kind, SourceId, TaintId};

/// Requests that are kept: more change no result.
const MOST_HANDOVERS: usize = 64;

/// A request that holds a secret of the caller.
#[derive(Clone, Debug)]
pub(crate) struct Handover {
    source: SourceId,
    /// The request and its connection, as origins of the reply.
    replies: Vec<SourceId>,
    host: String,
    place: (u32, u32, Time),
}

impl Machine<'_> {
    /// Keeps a request that holds secrets of the caller: whether its reply is used is known in the end.
    /// `content` is what the request holds besides its usual headers.
    pub(crate) fn keep_handover(
        &mut self,
        endpoint: &Endpoint,
        given: TaintId,
        content: TaintId,
        replies: Vec<SourceId>,
    ) {
        // A part of the host by the caller is the account of the caller at a service.
        let is_fixed = matches!(endpoint.reputation, Reputation::Named | Reputation::Drop)
            && !endpoint.host.contains('\u{FFFC}');
        if !is_fixed || self.entrusted.handovers.len() >= MOST_HANDOVERS {
            return;
        }
        let secret = self.taints.source(given, Kind::Entrusted);
        let token =
            self.taints.source(content, Kind::Token).filter(|_| !self.files.is_own_service(&endpoint.host));
        let place = (self.file, self.line, self.time);
        if let Some(source) = secret.or(token) {
            self.entrusted.handovers.push(Handover { source, replies, host: endpoint.host.clone(), place });
        }
    }

    /// Secrets that were sent without anybody reading the reply or learning of an error.
    pub(crate) fn chain_entrusted(&mut self) {
        for Handover { source, replies, host, place } in std::mem::take(&mut self.entrusted.handovers) {
            if replies.iter().any(|reply| self.entrusted.answered.contains(*reply)) {
                continue;
            }
            let Some(origin) = self.sources.get(source as usize) else { continue };
            let detail = origin.detail.clone();
            // Keys of mappings have the same name as those of cryptography.
            if detail.ends_with(" key") && !self.entrusted.keys.contains(&source) {
                continue;
            }
            (self.file, self.line, self.time) = place;
            let text = format!(
                "{} is sent to {host}, which is fixed in the code, and neither the reply nor an error is used",
                super::capitalized(&detail)
            );
            let verdict = verdict("entrusted-secret-sent", Severity::High, Threat::CredentialHarvesting);
            self.add_chain(verdict, Some(source), text);
        }
    }

    /// A secret of the caller in a name that is looked up.
    pub(crate) fn chain_entrusted_dns(&mut self, taint: TaintId, endpoint: &Endpoint) {
        let is_fixed = endpoint.reputation >= Reputation::Named && !endpoint.host.ends_with('\u{FFFC}');
        let found = self.source(taint, Kind::Entrusted).or_else(|| self.source(taint, Kind::Token));
        let Some((number, source)) = found.filter(|(_, source)| is_fixed && !source.detail.ends_with(" key"))
        else {
            return;
        };
        let text = format!(
            "{} leaves the machine in a name that is looked up ({})",
            super::capitalized(&source.detail),
            endpoint.host
        );
        self.add_chain(verdict("data-in-dns", Severity::High, Threat::Exfiltration), Some(number), text);
    }
}
