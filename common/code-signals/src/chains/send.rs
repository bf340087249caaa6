//! Rules of data that leaves the machine.

use super::{capitalized, verdict};
use crate::endpoint::{Endpoint, Reputation, is_below};
use crate::eval::Machine;
use crate::report::{Severity, Threat, Time};
use crate::value::{Kind, Source, TaintId};

impl Machine<'_> {
    /// Data leaves the machine.
    pub(crate) fn chain_send(&mut self, sent: TaintId, endpoint: Option<&Endpoint>) {
        if sent == 0 {
            return self.chain_unresolved(&[Kind::Credential], "Data that cannot be resolved is sent");
        }
        let host = endpoint.map_or("an unknown address", |endpoint| endpoint.host.as_str()).to_owned();
        let reputation = endpoint.map_or(Reputation::Unknown, |endpoint| endpoint.reputation);
        let own = endpoint.is_some_and(|endpoint| self.files.is_own_host(&endpoint.host));
        if let Some((number, source)) = self.source(sent, Kind::Credential) {
            let own_service = endpoint
                .is_some_and(|endpoint| source.own.iter().any(|domain| is_below(&endpoint.host, domain)));
            let severity = match (self.early(), reputation) {
                (true, _) => Severity::Critical,
                (false, Reputation::Named | Reputation::Drop) => Severity::High,
                (false, _) => Severity::Medium,
            };
            if !own_service {
                let text = format!("{} are sent to {host}", capitalized(&source.detail));
                self.add_chain(
                    verdict("credentials-sent", severity, Threat::CredentialHarvesting),
                    Some(number),
                    text,
                );
            }
        }
        // A program that its user started may report to a bot of that user.
        let is_of_user = !self.early() && endpoint.is_some_and(|endpoint| endpoint.is_of_user);
        let known = if is_of_user { Reputation::Named } else { reputation };
        self.chain_send_environment(sent, known, own, &host);
        self.chain_send_private(sent, reputation, &host);
        self.chain_send_walked(sent, reputation, &host);
        self.chain_send_project(sent, endpoint);
    }

    fn chain_send_environment(&mut self, sent: TaintId, reputation: Reputation, own: bool, host: &str) {
        if let Some((number, _)) = self.source(sent, Kind::Environment) {
            let severity = match (self.early(), reputation) {
                (true, _) => Severity::Critical,
                (false, Reputation::Named | Reputation::Drop) => Severity::High,
                (false, _) => Severity::Medium,
            };
            let text = format!("All environment variables are sent to {host}");
            self.add_chain(verdict("environment-sent", severity, Threat::Exfiltration), Some(number), text);
        }
        let of_service = |source: &Source| {
            let service = host.rsplit('.').nth(1).unwrap_or_default();
            service.len() > 3 && source.detail.to_ascii_lowercase().contains(service)
        };
        // The token of a bot belongs to the service of the bot.
        let variable = self.source(sent, Kind::Variable).filter(|(_, source)| !of_service(source));
        if let Some((number, source)) = variable {
            let severity = match (self.time, reputation) {
                (_, Reputation::Drop) => Some(Severity::High),
                (Time::Install, Reputation::Named | Reputation::Unknown) if !own => Some(Severity::High),
                (Time::Import, Reputation::Named) if !own => Some(Severity::Low),
                _ => None,
            };
            if let Some(severity) = severity {
                let text = format!("{} is sent to {host}", capitalized(&source.detail));
                self.add_chain(
                    verdict("secret-variable-sent", severity, Threat::CredentialHarvesting),
                    Some(number),
                    text,
                );
            }
        }
    }

    fn chain_send_private(&mut self, sent: TaintId, reputation: Reputation, host: &str) {
        if let Some((number, source)) = self.source(sent, Kind::Captured) {
            let severity = if self.early() { Severity::Critical } else { Severity::High };
            let text = format!("Input or screen of the user ({}) is sent to {host}", source.detail);
            self.add_chain(verdict("capture-sent", severity, Threat::Exfiltration), Some(number), text);
        }
        if let Some((number, source)) = self.source(sent, Kind::Identity) {
            let severity = match (self.early(), reputation) {
                (true, Reputation::Named | Reputation::Drop) => Some(Severity::High),
                (true, _) if self.time == Time::Install => Some(Severity::High),
                // Drivers of databases send the name of the user to the address of their caller.
                (true, _) => Some(Severity::Medium),
                (false, Reputation::Drop) => {
                    Some(if self.is_skill() { Severity::High } else { Severity::Medium })
                }
                _ => None,
            };
            if let Some(severity) = severity {
                let text =
                    format!("Identifiers of the machine or user ({}) are sent to {host}", source.detail);
                self.add_chain(verdict("identity-sent", severity, Threat::Exfiltration), Some(number), text);
            }
        }
    }

    /// Data leaves the machine in a looked-up name.
    pub(crate) fn chain_dns(&mut self, taint: TaintId, endpoint: &Endpoint) {
        self.chain_entrusted_dns(taint, endpoint);
        for kind in [Kind::Credential, Kind::Environment, Kind::Variable, Kind::Captured, Kind::Identity] {
            let Some((number, source)) = self.source(taint, kind) else { continue };
            let is_identity = kind == Kind::Identity;
            // A machine resolves its own name, and a program the host of its settings, alone: data leaves by a domain of others.
            if endpoint.reputation < Reputation::Named {
                continue;
            }
            let severity = match (self.early(), is_identity) {
                (true, false) => Severity::Critical,
                (true, true) | (false, false) => Severity::High,
                (false, true) => Severity::Medium,
            };
            let text = format!(
                "{} leave the machine in a name that is looked up ({})",
                capitalized(&source.detail),
                endpoint.host
            );
            self.add_chain(verdict("data-in-dns", severity, Threat::Exfiltration), Some(number), text);
            return;
        }
    }
}
