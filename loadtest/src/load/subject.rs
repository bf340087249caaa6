//! The server under load: started for the run or already running; the sources and keys created in it, and
//! its measurements by itself and by the operating system.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use thiserror::Error;

use crate::api::{ApiError, Call, KEYS, SOURCES, may_pass, text};
use crate::client::Client;
use crate::load::plan::{Load, Server};
use crate::metrics::Metrics;
use crate::process::{Process, ProcessError};
use crate::resources::{Usage, disk_bytes};
use crate::run::say;
use crate::work::{Work, WorkError};

/// Longest time of a start.
const START_BOUND: Duration = Duration::from_secs(90);
/// Longest time of reading the metrics.
const METRICS_BOUND: Duration = Duration::from_secs(5);
/// Attempts of a request to the API before the run is aborted.
const ATTEMPTS: u32 = 20;

/// Reason why there is no server to load.
#[derive(Debug, Error)]
pub enum SubjectError {
    #[error(transparent)]
    Work(#[from] WorkError),
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error(transparent)]
    Api(#[from] ApiError),
    #[error(
        "process {pid} cannot be looked at in /proc: it is gone, or another user's, or this is not Linux"
    )]
    NoProcess { pid: u32 },
}

/// The server under load.
pub struct Subject {
    pub address: SocketAddr,
    /// API key for reading and creating.
    pub api_key: String,
    /// Keys of the senders.
    pub keys: Vec<String>,
    pub sources: Vec<String>,
    pub pid: Option<u32>,
    pub admin: Option<SocketAddr>,
    data: Option<PathBuf>,
    key_ids: Vec<String>,
    process: Option<Process>,
    work: Option<Work>,
}

impl Subject {
    /// Starts or finds the server, and creates keys and sources in it. `settings` are for a server that is
    /// started here, in addition to those of every run.
    pub async fn open(server: &Server, load: &Load, settings: &[(&str, &str)]) -> Result<Self, SubjectError> {
        let mut subject = match (&server.binary, server.url) {
            (None, Some(address)) => Self {
                pid: server.pid,
                admin: server.admin,
                data: server.data_dir.clone(),
                ..Self::at(address, server.api_key.clone().unwrap_or_default())
            },
            (binary, _) => Self::start(binary.as_deref().unwrap_or_else(|| Path::new("")), settings).await?,
        };
        if let Some(pid) = subject.pid.filter(|pid| Usage::of(&pid.to_string()).is_none()) {
            return Err(SubjectError::NoProcess { pid });
        }
        subject.make_sources(load.sources).await?;
        subject.make_keys(load.keys).await?;
        Ok(subject)
    }

    async fn start(binary: &Path, settings: &[(&str, &str)]) -> Result<Self, SubjectError> {
        let work = Work::open(None)?;
        let mut process = Process::alone(binary, work.path(), IpAddr::V4(Ipv4Addr::LOCALHOST), settings)?;
        process.launch()?;
        process.ready(START_BOUND).await?;
        let mut subject = Self::at(process.address, process.first_key()?);
        (subject.pid, subject.admin, subject.data) =
            (process.id(), Some(process.admin), Some(process.data()));
        (subject.process, subject.work) = (Some(process), Some(work));
        Ok(subject)
    }

    /// A running server of which nothing else is known.
    fn at(address: SocketAddr, api_key: String) -> Self {
        Self {
            address,
            api_key,
            keys: Vec::new(),
            sources: Vec::new(),
            pid: None,
            admin: None,
            data: None,
            key_ids: Vec::new(),
            process: None,
            work: None,
        }
    }

    /// Whether this run is its only sender.
    pub fn is_ours_alone(&self) -> bool {
        self.process.is_some()
    }

    /// A client of its API.
    pub fn client(&self) -> Client {
        Client::new(self.address, &self.api_key)
    }

    /// Measurements by the operating system.
    pub fn usage(&self) -> Option<Usage> {
        Usage::of(&self.pid?.to_string())
    }

    /// Disk usage of its data.
    pub fn disk_bytes(&self) -> Option<u64> {
        self.data.as_deref().map(disk_bytes)
    }

    /// Its own metrics; `None` without an answer or without a known address.
    pub async fn metrics(&self) -> Option<Metrics> {
        let mut client = Client::new(self.admin?, "");
        client.be_patient_for(METRICS_BOUND);
        Metrics::ask(&mut client).await
    }

    async fn make_sources(&mut self, count: u32) -> Result<(), SubjectError> {
        for number in 0..count {
            let call = Call::create(SOURCES, &json!({"name": format!("load {number}")}));
            let answer = call.repeated(&mut self.client(), ATTEMPTS, may_pass).await?.json();
            self.sources.push(text(&answer["id"]));
        }
        Ok(())
    }

    async fn make_keys(&mut self, count: u32) -> Result<(), SubjectError> {
        for number in 0..count {
            let call = Call::create(KEYS, &json!({"name": format!("load {number}")}));
            let answer = call.repeated(&mut self.client(), ATTEMPTS, may_pass).await?.json();
            self.keys.push(text(&answer["key"]));
            self.key_ids.push(text(&answer["id"]));
        }
        Ok(())
    }

    /// Revokes the created keys, and ends a server that was started; returns the directory of its data if that is
    /// kept.
    pub async fn close(mut self, is_clean: bool) -> Option<PathBuf> {
        for id in std::mem::take(&mut self.key_ids) {
            let path = format!("{KEYS}/{id}");
            let call = Call::delete(&path);
            if let Err(error) = call.repeated(&mut self.client(), ATTEMPTS, may_pass).await {
                say(&format!("a key made for the run could not be revoked: {error}"));
            }
        }
        if let Some(process) = &mut self.process
            && let Err(error) = process.end().await
        {
            say(&format!("the server did not end in order: {error}"));
        }
        self.work.take().and_then(|work| work.leave(is_clean))
    }

    /// Panics in the log of a server started here.
    pub fn panics(&self) -> Vec<String> {
        let complaints = self.process.as_ref().map(Process::complaints);
        complaints.and_then(Result::ok).unwrap_or_default().panics
    }

    /// Whether a server started here still runs; true for any other.
    pub fn is_running(&mut self) -> bool {
        self.process.as_mut().is_none_or(|process| process.check().is_ok())
    }
}
