//! The requests of one installation: places, pauses and tokens.

use std::collections::HashMap;

use common::timestamp::Timestamp;
use tokio::sync::{Mutex, Semaphore};

use super::pace::Pace;
use super::tokens::Token;
use crate::id::RepositoryId;

/// Reads at a time: GitHub advises against more.
const READS: usize = 4;
/// Tokens of an installation: one for each repository that is read at the time. Beyond it all are forgotten and made again.
const MOST_TOKENS: usize = 1_000;

/// The requests of an installation.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) pace: Pace,
    /// Callers wait in turn. Their number is bounded by the places of jobs and requests that they hold.
    pub(super) reads: Semaphore,
    /// By the only repository that the token is for. Held while one is made, so that no two are made for the same.
    pub(super) tokens: Mutex<HashMap<Option<RepositoryId>, Token>>,
}

impl Default for Lane {
    fn default() -> Self {
        Self { pace: Pace::default(), reads: Semaphore::new(READS), tokens: Mutex::default() }
    }
}

/// Makes room for a token.
pub(super) fn make_room(tokens: &mut HashMap<Option<RepositoryId>, Token>, now: Timestamp) {
    if tokens.len() >= MOST_TOKENS {
        tokens.retain(|_, token| token.is_fresh(now));
    }
    if tokens.len() >= MOST_TOKENS {
        tokens.clear();
    }
}
