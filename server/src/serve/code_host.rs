//! The client of the code host, one for the whole process: its roles share limits, tokens and cached replies.

use std::sync::Arc;
use std::time::Duration;

use code_host::github::{ConfigError, GitHub};
use code_host_api::Host;
use common::clock::SharedClock;
use outbound::Outbound;
use thiserror::Error;
use zeroize::Zeroizing;

use crate::settings::Settings;

/// Time that a job waits for a rate limit before it gives its place back.
const PATIENCE_OF_JOBS: Duration = Duration::from_secs(10 * 60);

/// The registration of the code host cannot be used.
#[derive(Debug, Error)]
#[error("setting code_host.github.{0}")]
pub(crate) struct CodeHostError(#[from] ConfigError);

/// The code host as this deployment is registered with it.
#[derive(Clone)]
pub(crate) struct Connected {
    github: GitHub,
    webhook_secret: Arc<Zeroizing<Vec<u8>>>,
}

/// The client; `None` where the operator has configured no code host.
///
/// # Errors
/// [`CodeHostError`].
pub(crate) fn open(
    settings: &Settings,
    outbound: &Arc<Outbound>,
    clock: &SharedClock,
) -> Result<Option<Connected>, CodeHostError> {
    let Some(github) = &settings.code_host.github else { return Ok(None) };
    let webhook_secret = Arc::new(github.webhook_key()?);
    let github = github.client(Arc::clone(outbound), Arc::clone(clock))?;
    Ok(Some(Connected { github, webhook_secret }))
}

impl Connected {
    /// For requests, whose clients wait.
    pub(crate) fn for_requests(&self) -> Host {
        Host { client: Arc::new(self.github.clone()), webhook_secret: Arc::clone(&self.webhook_secret) }
    }

    /// For jobs.
    pub(crate) fn for_jobs(&self) -> Host {
        let client = Arc::new(self.github.with_patience(PATIENCE_OF_JOBS));
        Host { client, webhook_secret: Arc::clone(&self.webhook_secret) }
    }
}
