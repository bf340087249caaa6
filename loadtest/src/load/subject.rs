//! The server under load: started for the run or already running; the sources and keys created in it, and
//! its measurements by itself and by the operating system.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use http::Method;
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::{Value, json};
use thiserror::Error;

use crate::client::{Answer, Client, Content, ExchangeError};
use crate::load::plan::{Load, Server};
use crate::metrics::Metrics;
use crate::process::{Process, ProcessError, Role};
use crate::resources::{Usage, disk_bytes};
use crate::run::say;
use crate::target::{TargetError, free_address};
use crate::work::{Work, WorkError};

/// Longest time of a start.
const START_BOUND: Duration = Duration::from_secs(90);
/// Longest time of reading the metrics.
const METRICS_BOUND: Duration = Duration::from_secs(5);
/// Attempts of a request to the API before the run is aborted.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(500);
const KEYS: &str = "/api/v1/api-keys";
const SOURCES: &str = "/api/v1/infrastructure/sources";
/// Settings of a server that is started here.
const SETTINGS: [(&str, &str); 3] = [
    ("PALISADE__TELEMETRY__LOG", "warn"),
    ("PALISADE__TELEMETRY__LOG_FORMAT", "json"),
    // Reading everything back is a burst beyond the limits for people.
    ("PALISADE__API__REQUESTS_PER_MINUTE", "1000000"),
];

/// Reason why there is no server to load.
#[derive(Debug, Error)]
pub enum SubjectError {
    #[error(transparent)]
    Work(#[from] WorkError),
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error("{file}: expected the text api_key in a JSON object")]
    FirstRun { file: String },
    #[error("{what} was answered {status}: {body}")]
    Answer { what: String, status: u16, body: String },
    #[error("{what}: {source}")]
    Exchange { what: String, source: ExchangeError },
    #[error(
        "process {pid} cannot be looked at in /proc: it is gone, or another user's, or this is not Linux"
    )]
    NoProcess { pid: u32 },
    #[error("the server's files: {0}")]
    Io(#[from] std::io::Error),
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
                address,
                api_key: server.api_key.clone().unwrap_or_default(),
                keys: Vec::new(),
                sources: Vec::new(),
                pid: server.pid,
                admin: server.admin,
                data: server.data_dir.clone(),
                key_ids: Vec::new(),
                process: None,
                work: None,
            },
            (binary, _) => Self::start(binary.clone().unwrap_or_default(), settings).await?,
        };
        if let Some(pid) = subject.pid.filter(|pid| Usage::of(&pid.to_string()).is_none()) {
            return Err(SubjectError::NoProcess { pid });
        }
        subject.make_sources(load.sources).await?;
        subject.make_keys(load.keys).await?;
        Ok(subject)
    }

    async fn start(binary: PathBuf, settings: &[(&str, &str)]) -> Result<Self, SubjectError> {
        let work = Work::open(None)?;
        // Not drawn from the seed: two runs with the same seed may run concurrently.
        let mut chance = StdRng::from_rng(&mut rand::rng());
        let mut port = || free_address(IpAddr::V4(Ipv4Addr::LOCALHOST), &mut chance);
        let (address, admin) = (port()?, port()?);
        let environment = SETTINGS.iter().chain(settings);
        let mut process = Process {
            name: "the server".to_owned(),
            role: Role::All,
            address,
            admin,
            binary,
            directory: work.path().to_owned(),
            environment: environment.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            child: None,
            was_ready: false,
        };
        process.launch()?;
        process.ready(START_BOUND).await?;
        let file = process.data().join("first-run.json");
        let document: Value = serde_json::from_slice(&std::fs::read(&file)?).unwrap_or_default();
        let missing = || SubjectError::FirstRun { file: file.display().to_string() };
        Ok(Self {
            address,
            api_key: document["api_key"].as_str().ok_or_else(missing)?.to_owned(),
            keys: Vec::new(),
            sources: Vec::new(),
            pid: process.id(),
            admin: Some(admin),
            data: Some(process.data()),
            key_ids: Vec::new(),
            process: Some(process),
            work: Some(work),
        })
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
            let body = json!({"name": format!("load {number}")});
            let answer = self.ask(Method::POST, SOURCES, 201, &body).await?;
            self.sources.push(answer["id"].as_str().unwrap_or_default().to_owned());
        }
        Ok(())
    }

    async fn make_keys(&mut self, count: u32) -> Result<(), SubjectError> {
        for number in 0..count {
            let answer =
                self.ask(Method::POST, KEYS, 201, &json!({"name": format!("load {number}")})).await?;
            self.keys.push(answer["key"].as_str().unwrap_or_default().to_owned());
            self.key_ids.push(answer["id"].as_str().unwrap_or_default().to_owned());
        }
        Ok(())
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        expected: u16,
        body: &Value,
    ) -> Result<Value, SubjectError> {
        let what = format!("{method} {path}");
        let mut client = self.client();
        let mut attempt = 0;
        loop {
            attempt += 1;
            let content = if body.is_null() { Content::default() } else { Content::json(body) };
            let answer = client.exchange(method.clone(), path, content).await;
            match answer {
                Ok(answer) if answer.status == expected => return Ok(answer.json()),
                Ok(answer) if attempt == ATTEMPTS || !may_pass(&answer) => {
                    let body = String::from_utf8_lossy(&answer.body).into_owned();
                    return Err(SubjectError::Answer { what, status: answer.status, body });
                }
                Err(source) if attempt == ATTEMPTS => return Err(SubjectError::Exchange { what, source }),
                Ok(_) | Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    /// Revokes the created keys, and ends a server that was started; returns the directory of its data if that is
    /// kept.
    pub async fn close(mut self, is_clean: bool) -> Option<PathBuf> {
        for id in std::mem::take(&mut self.key_ids) {
            let revoked = self.ask(Method::DELETE, &format!("{KEYS}/{id}"), 204, &Value::Null).await;
            if let Err(error) = revoked {
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
        complaints.and_then(Result::ok).map(|(panics, _)| panics).unwrap_or_default()
    }

    /// Whether a server started here still runs; true for any other.
    pub fn is_running(&mut self) -> bool {
        self.process.as_mut().is_none_or(|process| process.check().is_ok())
    }
}

fn may_pass(answer: &Answer) -> bool {
    matches!(answer.status, 409 | 429 | 503)
}
