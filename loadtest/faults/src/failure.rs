//! Failures of every mode.

use std::net::SocketAddr;
use std::path::PathBuf;

use thiserror::Error;

use crate::day::scene::SceneError;
use loadtest::api::ApiError;
use loadtest::process::ProcessError;
use loadtest::work::WorkError;

/// Reason why there is no report.
#[derive(Debug, Error)]
pub(crate) enum RunError {
    #[error(transparent)]
    Work(#[from] WorkError),
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error(transparent)]
    Api(#[from] ApiError),
    #[error(transparent)]
    Scene(#[from] SceneError),
    #[error("{command}: {what}")]
    Command { command: String, what: String },
    #[error("the deployment has no organization, or no process that answers the API")]
    Empty,
    #[error("the name server on {address}: {source}")]
    NameServer { address: SocketAddr, source: std::io::Error },
    #[error("{}: {source}", file.display())]
    File { file: PathBuf, source: std::io::Error },
    #[error("interrupted")]
    Interrupted,
    #[error("a file of the run: {0}")]
    Io(#[from] std::io::Error),
}
