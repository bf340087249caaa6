//! The state of a crawl in at most 64 KiB: JSON, compressed. If it is larger, lists are shortened at their ends until it fits, and the
//! lost items are counted in the stored state, so that the coverage of a resumed crawl shows them. Hashes of requested pages are
//! never shortened: nothing is requested twice.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{Read, Write};

use common::digest::digest;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::files::Files;
use super::inventory::{Counts, FoundHost, FoundTechnology, Hosts, Technologies};
use super::{Config, Crawl, Distinct, Pending};
use crate::endpoints::{Endpoint, Endpoints};
use crate::frontier::{Frontier, Refused, Waiting};
use crate::parse::Purpose;
use crate::scope::ScopeError;

/// Bytes of a checkpoint, as many as a job stores.
pub const MOST_CHECKPOINT_BYTES: usize = 64 << 10;
/// Bytes of a state before compression. Full lists have about two.
const MOST_STATE_BYTES: u64 = 16 << 20;
/// Shares of the lists that are tried, in 64ths. The last one always fits: hashes take less than
/// 24 KiB, rules of robots files less than 26.
const SHARES: [usize; 8] = [64, 48, 32, 16, 8, 4, 1, 0];
/// Version of the form.
const VERSION: u8 = 1;

/// A checkpoint that cannot be resumed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheckpointError {
    /// It is damaged, or of another version.
    #[error("the checkpoint is malformed")]
    Malformed,
    /// The settings of the application changed since.
    #[error("the checkpoint belongs to other settings")]
    Changed,
    /// No scope follows from the settings.
    #[error(transparent)]
    Scope(#[from] ScopeError),
}

/// Everything but the scope, which follows from the settings.
#[derive(Serialize, Deserialize)]
struct State {
    /// Digest of the settings.
    settings: [u8; 32],
    waiting: VecDeque<Waiting>,
    seen: BTreeSet<u64>,
    templates: BTreeMap<u64, u16>,
    refused: Refused,
    files: Files,
    next_number: u32,
    endpoints: Vec<Endpoint>,
    hosts: Vec<FoundHost>,
    foreign: Distinct,
    technologies: Vec<FoundTechnology>,
    counts: Counts,
    /// Endpoints, hosts and products that are not in the inventory.
    left_out: [u64; 3],
}

impl Crawl {
    /// The state, to continue with [`Crawl::restore`]. Requests without an answer are made again.
    #[must_use]
    pub fn checkpoint(&self) -> Vec<u8> {
        let mut stored = SHARES.iter().map(|share| self.stored(*share));
        // The last share always fits. An empty checkpoint would be malformed, and the crawl would begin anew.
        stored.find(|bytes| bytes.len() <= MOST_CHECKPOINT_BYTES).unwrap_or_default()
    }

    /// The stored state with a share of its lists.
    fn stored(&self, share: usize) -> Vec<u8> {
        let mut state = self.state();
        let kept = |length: usize| length * share / SHARES[0];
        let lists = [state.endpoints.len(), state.hosts.len(), state.technologies.len(), state.waiting.len()];
        let lost: usize =
            lists.into_iter().chain([state.files.queue.len()]).map(|length| length - kept(length)).sum();
        state.endpoints.truncate(kept(state.endpoints.len()));
        state.hosts.truncate(kept(state.hosts.len()));
        state.technologies.truncate(kept(state.technologies.len()));
        state.waiting.truncate(kept(state.waiting.len()));
        state.files.queue.truncate(kept(state.files.queue.len()));
        state.counts.lost_at_checkpoint += u64::try_from(lost).unwrap_or(u64::MAX);
        // Keys are text or numbers, and writing to memory does not fail.
        let json = serde_json::to_vec(&state).unwrap_or_default();
        let mut encoder = ZlibEncoder::new(vec![VERSION], Compression::default());
        encoder.write_all(&json).and_then(|()| encoder.finish()).unwrap_or_default()
    }

    fn state(&self) -> State {
        let mut waiting = self.frontier.queue.clone();
        let mut files = self.files.clone();
        let mut counts = self.counts.clone();
        for pending in self.pending.values().rev() {
            match pending {
                Pending::Page(page) => {
                    waiting.push_front(page.clone());
                    counts.pages -= 1;
                }
                Pending::File(file) => files.queue.push_front(file.clone()),
            }
        }
        // Robots files are requested again from the start, see `Files::request_missing_rules`.
        files.queue.retain(|file| file.purpose != Purpose::Robots);
        State {
            settings: settings_digest(&self.config),
            waiting,
            seen: self.frontier.seen.clone(),
            templates: self.frontier.templates.clone(),
            refused: self.frontier.refused,
            files,
            next_number: self.next_number,
            endpoints: self.endpoints.iter().collect(),
            hosts: self.hosts.found.values().cloned().collect(),
            foreign: self.hosts.foreign.clone(),
            technologies: self.technologies.found.values().cloned().collect(),
            counts,
            left_out: [self.endpoints.left_out(), self.hosts.left_out, self.technologies.left_out],
        }
    }

    /// Continues a crawl.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if the checkpoint is not one of these settings.
    pub fn restore(config: Config, checkpoint: &[u8]) -> Result<Self, CheckpointError> {
        let body = match checkpoint.split_first() {
            Some((version, body)) if *version == VERSION => body,
            _ => return Err(CheckpointError::Malformed),
        };
        let mut json = Vec::new();
        let read = ZlibDecoder::new(body).take(MOST_STATE_BYTES).read_to_end(&mut json);
        let state: Option<State> = read.ok().and_then(|_| serde_json::from_slice(&json).ok());
        let mut state = state.ok_or(CheckpointError::Malformed)?;
        if state.settings != settings_digest(&config) {
            return Err(CheckpointError::Changed);
        }
        state.files.request_missing_rules();
        let [endpoints_left_out, hosts_left_out, technologies_left_out] = state.left_out;
        Ok(Self {
            frontier: Frontier {
                queue: state.waiting,
                seen: state.seen,
                templates: state.templates,
                refused: state.refused,
            },
            files: state.files,
            next_number: state.next_number,
            endpoints: Endpoints::restore(state.endpoints, endpoints_left_out),
            hosts: Hosts {
                found: state.hosts.into_iter().map(|host| (host.name.clone(), host)).collect(),
                foreign: state.foreign,
                left_out: hosts_left_out,
            },
            technologies: Technologies {
                found: state
                    .technologies
                    .into_iter()
                    .map(|one| ((one.host.clone(), one.name.clone()), one))
                    .collect(),
                left_out: technologies_left_out,
            },
            counts: state.counts,
            ..Self::empty(config)?
        })
    }
}

fn settings_digest(config: &Config) -> [u8; 32] {
    // Keys are text: the settings have a form in JSON.
    digest(&[&serde_json::to_vec(config).unwrap_or_default()])
}
