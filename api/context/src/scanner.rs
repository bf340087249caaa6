//! Everything that scans of public content need in a process: checks, look-ups, readers.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use advisories::Source;
use async_trait::async_trait;
use common::clock::SharedClock;
use outbound::Outbound;
use registries::Registries;
use sandbox::{Bounds, Sandbox, SandboxError};
use threads::{Limits, Threads, ThreadsError};

use crate::config::Config;
use crate::engine::Engine;
use crate::package::ARCHIVE;
use crate::repository::{Repositories, SNAPSHOT};
use crate::web_page::Network;

/// Packages that are unpacked and analysed at once, each in 1 GiB of address space at most, and scans that wait for one.
const SANDBOX: Bounds = Bounds { running: 2, waiting: 64 };
/// Threads for the text of packages, and scans that wait for one: their number is that of the sandbox, whose replies they judge.
const THREADS: usize = 2;
const LIMITS: Limits = Limits { waiting: 64, patience: Duration::from_secs(60) };

/// Dependencies of a process that scans.
#[derive(Clone)]
pub struct Scanner {
    /// The checks.
    pub engine: Arc<Engine>,
    /// Look-ups and downloads of pages.
    pub network: Network,
    /// Package registries.
    pub registries: Arc<Registries>,
    /// The index of security advisories of the operator.
    pub advisories: Arc<Source>,
    /// Reads archives and their code.
    pub reader: Arc<dyn PackageReader>,
    /// The code host; none where the deployment is not connected to one.
    pub repositories: Option<Repositories>,
    threads: Arc<Threads<()>>,
}

/// Reads archives of packages, which strangers made.
#[async_trait]
pub trait PackageReader: Send + Sync {
    /// Runs [`crate::read_package`] on an assignment.
    ///
    /// # Errors
    /// Those of the sandbox.
    async fn read(&self, assignment: &[u8]) -> Result<Vec<u8>, SandboxError>;

    /// Runs [`crate::read_repository`] on an assignment.
    ///
    /// # Errors
    /// Those of the sandbox.
    async fn repository(&self, assignment: &[u8]) -> Result<Vec<u8>, SandboxError>;
}

#[async_trait]
impl PackageReader for Sandbox {
    async fn read(&self, assignment: &[u8]) -> Result<Vec<u8>, SandboxError> {
        self.run(&ARCHIVE, assignment).await
    }

    async fn repository(&self, assignment: &[u8]) -> Result<Vec<u8>, SandboxError> {
        self.run(&SNAPSHOT, assignment).await
    }
}

/// Settings of a scanner beside those of context scans.
pub struct ScannerSettings {
    /// Package registries.
    pub registries: registries::Config,
    /// The index of security advisories, which need not exist.
    pub advisories_index: PathBuf,
}

impl Scanner {
    /// A scanner that makes its requests through `outbound`.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub fn new(
        config: &Config,
        settings: ScannerSettings,
        engine: Arc<Engine>,
        (outbound, clock): (Arc<Outbound>, SharedClock),
    ) -> std::io::Result<Self> {
        let ScannerSettings { registries, advisories_index } = settings;
        Ok(Self {
            engine,
            network: Network::new(Arc::clone(&outbound), config.rdap_bootstrap_url.clone()),
            registries: Arc::new(Registries::new(registries, outbound, clock, None)),
            advisories: Arc::new(Source::new(advisories_index)),
            reader: Arc::new(Sandbox::new(SANDBOX)),
            repositories: None,
            threads: Arc::new(Threads::start("context content", vec![(); THREADS], LIMITS)?),
        })
    }

    /// The same scanner with another reader, for programs that are no sandboxed child of their own.
    #[must_use]
    pub fn with_reader(self, reader: Arc<dyn PackageReader>) -> Self {
        Self { reader, ..self }
    }

    /// The same scanner with a connection to a code host.
    #[must_use]
    pub fn with_repositories(self, repositories: Option<Repositories>) -> Self {
        Self { repositories, ..self }
    }

    /// Runs an analysis of text on a thread.
    ///
    /// # Errors
    /// [`ThreadsError`].
    pub(crate) async fn analyse<T: Send + 'static>(
        &self,
        analysis: impl FnOnce(&Engine) -> T + Send + 'static,
    ) -> Result<T, ThreadsError> {
        let engine = Arc::clone(&self.engine);
        self.threads.run(move |()| analysis(&engine)).await
    }
}
