//! Collects capabilities and chains, each once with its earliest time and worst severity.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::bounds::{DETAIL, MOST_CAPABILITIES, MOST_CHAINS};
use crate::program::Files;
use crate::report::{
    Capability, CapabilityKind, Chain, Report, Severity, Site, Threat, Time, Unread, UnreadReason,
};

/// A chain by numbers of files.
#[derive(Clone, Debug)]
pub(crate) struct FoundChain {
    pub(crate) rule: &'static str,
    pub(crate) severity: Severity,
    pub(crate) threat: Threat,
    pub(crate) source: (u32, u32),
    pub(crate) sink: (u32, u32),
    pub(crate) time: Time,
    pub(crate) explanation: String,
}

pub(crate) struct Findings {
    capabilities: HashMap<(CapabilityKind, u32, u32), (Time, String), FixedState>,
    chains: HashMap<(&'static str, u32, u32), FoundChain, FixedState>,
    /// Chains by severity. Each has its own bound, so that many weak ones displace no severe one.
    counts: [usize; 4],
    unread: Vec<(u32, UnreadReason)>,
}

impl Findings {
    pub(crate) fn new() -> Self {
        Self {
            capabilities: crate::names::map(),
            chains: crate::names::map(),
            counts: [0; 4],
            unread: Vec::new(),
        }
    }

    pub(crate) fn capability(
        &mut self,
        kind: CapabilityKind,
        file: u32,
        line: u32,
        time: Time,
        detail: &str,
    ) {
        if self.capabilities.len() >= MOST_CAPABILITIES * 4 {
            return;
        }
        let entry = self.capabilities.entry((kind, file, line)).or_insert_with(|| (time, shorten(detail)));
        entry.0 = entry.0.max(time);
    }

    pub(crate) fn chain(&mut self, chain: FoundChain) {
        let key = (chain.rule, chain.sink.0, chain.sink.1);
        match self.chains.get_mut(&key) {
            Some(known) if (known.severity, known.time) < (chain.severity, chain.time) => *known = chain,
            Some(_) => {}
            None => {
                let Some(count) = self.counts.get_mut(chain.severity as usize) else { return };
                if *count < MOST_CHAINS * 5 {
                    *count += 1;
                    self.chains.insert(key, chain);
                }
            }
        }
    }

    pub(crate) fn unread(&mut self, file: u32, reason: UnreadReason) {
        if !self.unread.contains(&(file, reason)) {
            self.unread.push((file, reason));
        }
    }

    /// The result in its documented order.
    pub(crate) fn report(self, files: &Files<'_>) -> Report {
        let path =
            |file: u32| files.list.get(file as usize).map_or_else(String::new, |file| file.path.to_owned());
        let site = |(file, line): (u32, u32)| Site { path: path(file), line };
        let mut chains: Vec<Chain> = self
            .chains
            .into_values()
            .map(|found| Chain {
                rule: found.rule,
                severity: found.severity,
                threat: found.threat,
                source: site(found.source),
                sink: site(found.sink),
                time: found.time,
                explanation: shorten_to(&found.explanation, 400),
            })
            .collect();
        chains.sort_by(|one, other| {
            let order = other.severity.cmp(&one.severity);
            order.then_with(|| (&one.sink, one.rule).cmp(&(&other.sink, other.rule)))
        });
        chains.truncate(MOST_CHAINS);
        let mut capabilities: Vec<Capability> = self
            .capabilities
            .into_iter()
            .map(|((kind, file, line), (time, detail))| Capability {
                kind,
                site: site((file, line)),
                time,
                detail,
            })
            .collect();
        capabilities.sort_by(|one, other| (&one.site, one.kind).cmp(&(&other.site, other.kind)));
        capabilities.truncate(MOST_CAPABILITIES);
        let mut unread: Vec<Unread> =
            self.unread.into_iter().map(|(file, reason)| Unread { path: path(file), reason }).collect();
        unread.sort_by(|one, other| (&one.path, one.reason).cmp(&(&other.path, other.reason)));
        Report { chains, capabilities, unread, files: files.code_files(), bytes: files.code_bytes() }
    }
}

/// A detail on one line within its bound.
pub(crate) fn shorten(text: &str) -> String {
    shorten_to(text, DETAIL)
}

fn shorten_to(text: &str, most: usize) -> String {
    let shown = |c: char| {
        if c.is_control() {
            ' '
        } else if c == '\u{FFFC}' {
            '…'
        } else {
            c
        }
    };
    text.chars().take(most).map(shown).collect()
}
