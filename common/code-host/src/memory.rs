//! A code host in memory, for tests.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::host::{CodeHost, HostError, HostedRepository};
use crate::id::InstallationId;

/// Installations with their repositories.
#[derive(Debug, Default)]
pub struct MemoryHost {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    installations: BTreeMap<InstallationId, Vec<HostedRepository>>,
    is_unavailable: bool,
}

impl MemoryHost {
    /// Sets the repositories of an installation; one that does not exist is created.
    pub fn put(&self, installation: InstallationId, repositories: Vec<HostedRepository>) {
        self.state().installations.insert(installation, repositories);
    }

    /// Removes an installation.
    pub fn remove(&self, installation: InstallationId) {
        self.state().installations.remove(&installation);
    }

    /// Whether every call fails from now on.
    pub fn set_unavailable(&self, is_unavailable: bool) {
        self.state().is_unavailable = is_unavailable;
    }

    /// The state is whole after every step, so that a panic of another holder does not matter.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl CodeHost for MemoryHost {
    async fn repositories(&self, installation: InstallationId) -> Result<Vec<HostedRepository>, HostError> {
        let state = self.state();
        if state.is_unavailable {
            return Err(HostError::Unavailable("set by the test".to_owned()));
        }
        state.installations.get(&installation).cloned().ok_or(HostError::NotInstalled)
    }
}
