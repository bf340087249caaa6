//! The settings of the whole process: one section per component, each described where it is used.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use process::admin::AdminListen;
use process::listen::ListenConfig;
use process::settings::{OutOfBounds, Secret, Sources, within};
use process::shutdown::ShutdownConfig;
use process::telemetry::TelemetryConfig;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Failure;
use crate::cli::{Common, Serve};

/// Settings of the process.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// Where everything is kept. Default `./data`.
    pub data_dir: PathBuf,
    /// Roles to play. Default all.
    pub roles: Vec<Role>,
    /// Where clients reach this deployment, without a path, for example `https://palisade.example`.
    /// Printed in the addresses it hands out. Default: the address it listens on.
    pub public_url: Option<String>,
    /// The listener for senders and the API.
    pub listen: ListenConfig,
    /// Where metrics and health are served. Default 127.0.0.1:9464; `off` for nowhere.
    pub admin_listen: AdminListen,
    /// How the process ends.
    pub shutdown: ShutdownConfig,
    /// What is logged, and how.
    pub telemetry: TelemetryConfig,
    /// Taking logs in.
    pub ingest: ingest::IngestConfig,
    /// What is masked in logs before they are kept.
    pub redaction: redact::Policy,
    /// The log of accepted batches in the data directory, where `kafka` is not set.
    pub log: durable_log::embedded::Config,
    /// The ledger in the data directory, where `cql` is not set.
    pub ledger: ledger::embedded::Config,
    /// The log of accepted batches in Kafka, shared by many processes; set together with `cql`. Default
    /// none: one process that keeps everything in its data directory.
    pub kafka: Option<durable_log::kafka::Config>,
    /// The ledger in a cluster that speaks CQL (ScyllaDB, Cassandra); set together with `kafka`. Default
    /// none.
    pub cql: Option<ledger::cql::Config>,
    /// How analyzers share out the partitions, where there are many processes.
    pub ownership: ownership::Config,
    /// Turning logs into incidents.
    pub analyzer: analyzer::Config,
    /// What is looked for.
    pub rules: RuleSettings,
    /// The REST API.
    pub api: api::Config,
    /// Secrets of the deployment.
    pub secrets: Secrets,
}

/// What is looked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RuleSettings {
    /// Whether the built-in rules are used. Default true.
    pub built_in: bool,
    /// Directories with Sigma rules of one's own (`*.yml`, `*.yaml`, read recursively). Default none.
    pub directories: Vec<PathBuf>,
    /// Environments of sources, by their exact names, in which the severity of an incident is one step milder.
    /// Default none: whether a break-in at a test system matters less is the operator's to say.
    pub milder_environments: BTreeSet<String>,
    /// What happens when some of the rules cannot be used. Default `stop`.
    pub refused: Refused,
    /// What `%name%` stands for in rules with the modifier `expand`: a list of values each, in which wildcards
    /// count. Upper and lower case in names are different. At most 1,000 names and 1 MiB of text. Default none:
    /// rules with a name that is not here cannot be used.
    pub placeholders: BTreeMap<String, Vec<String>>,
}

/// What happens when some of the rules cannot be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Refused {
    /// The server does not start: a pack is never weakened in silence.
    #[default]
    Stop,
    /// It starts without them; each is named in the log, and their number is a metric.
    LeaveOut,
}

/// Most placeholders, and most bytes of their names and values: all rules together are 6 MB.
const MAX_PLACEHOLDERS: usize = 1_000;
const MAX_PLACEHOLDER_BYTES: usize = 1024 * 1024;

impl Default for RuleSettings {
    fn default() -> Self {
        Self {
            built_in: true,
            directories: Vec::new(),
            refused: Refused::default(),
            placeholders: BTreeMap::new(),
            milder_environments: BTreeSet::new(),
        }
    }
}

impl RuleSettings {
    fn check(&self) -> Result<(), OutOfBounds> {
        within("rules.placeholders (names)", &self.placeholders.len(), &(0..=MAX_PLACEHOLDERS))?;
        let values = self.placeholders.values().flatten();
        let bytes = self.placeholders.keys().chain(values).map(String::len).sum();
        within("rules.placeholders (bytes)", &bytes, &(0..=MAX_PLACEHOLDER_BYTES))
    }

    /// The placeholders as the compiler takes them.
    pub(crate) fn placeholders(&self) -> sigma::Placeholders {
        let mut placeholders = sigma::Placeholders::default();
        for (name, values) in &self.placeholders {
            placeholders.define(name, values);
        }
        placeholders
    }
}

/// Secrets of the deployment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Secrets {
    /// Keys every hash that is kept: 64 hexadecimal digits, the same for all processes; or the name of a file
    /// that holds them, as `pepper_file`. Default: made at the first start and kept in `pepper` in the data
    /// directory. Belongs in the backup.
    pub pepper: Option<Secret>,
}

/// Where everything durable lies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BackEnds<'a> {
    /// In the data directory.
    Embedded,
    /// In Kafka and a cluster that speaks CQL.
    Distributed {
        /// The log.
        kafka: &'a durable_log::kafka::Config,
        /// The ledger.
        cql: &'a ledger::cql::Config,
    },
}

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// Takes logs in.
    Ingest,
    /// Turns them into incidents.
    Analyzer,
    /// Answers the REST API.
    Api,
}

impl Role {
    /// Every role.
    pub(crate) const ALL: [Self; 3] = [Self::Ingest, Self::Analyzer, Self::Api];

    fn as_str(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Analyzer => "analyzer",
            Self::Api => "api",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The word is no role.
#[derive(Debug, Error)]
#[error("unknown role {found:?}, expected ingest, analyzer or api")]
pub(crate) struct UnknownRole {
    found: String,
}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let role = Self::ALL.into_iter().find(|role| role.as_str() == word);
        role.ok_or_else(|| UnknownRole { found: word.to_owned() })
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            data_dir: PathBuf::from("data"),
            roles: Role::ALL.to_vec(),
            public_url: None,
            listen: ListenConfig::default(),
            admin_listen: AdminListen::default(),
            shutdown: ShutdownConfig::default(),
            telemetry: TelemetryConfig::default(),
            ingest: ingest::IngestConfig::default(),
            redaction: redact::Policy::default(),
            log: durable_log::embedded::Config::default(),
            ledger: ledger::embedded::Config::default(),
            kafka: None,
            cql: None,
            ownership: ownership::Config::default(),
            analyzer: analyzer::Config::default(),
            rules: RuleSettings::default(),
            api: api::Config::default(),
            secrets: Secrets::default(),
        }
    }
}

impl Settings {
    /// Whether the settings make sense, each by itself and all together.
    ///
    /// # Errors
    /// [`OutOfBounds`], which names the first that does not.
    fn check(&self) -> Result<(), OutOfBounds> {
        if self.roles.is_empty() {
            return Err(OutOfBounds::new("roles", "empty", "at least one of ingest, analyzer and api"));
        }
        if let Some(url) = self.public_url.as_deref().filter(|url| !is_origin(url)) {
            return Err(OutOfBounds::new("public_url", url, "an address like https://palisade.example"));
        }
        within("api.requests_per_minute", &self.api.requests_per_minute, &(1..=u32::MAX))?;
        within("api.index.poll_milliseconds", &self.api.index.poll_milliseconds, &(1..=60_000))?;
        if self.kafka.is_some() != self.cql.is_some() {
            return Err(OutOfBounds::new("kafka and cql", "one of them", "both or neither"));
        }
        if let Some(kafka) = &self.kafka {
            let least = self.ingest.limits.batch_bytes + durable_log::kafka::HEADERS_BYTES;
            within("kafka.max_batch_bytes", &kafka.max_batch_bytes, &(least..=u64::MAX))?;
        }
        let ownership = &self.ownership;
        within("ownership.beat_milliseconds", &ownership.beat_milliseconds, &(100..=60_000))?;
        let leases = ownership.shortest_lease_milliseconds()..=3_600_000;
        within("ownership.lease_milliseconds", &ownership.lease_milliseconds, &leases)?;
        self.rules.check()?;
        self.listen.check()?;
        self.ingest.check()
    }

    /// Where everything durable lies.
    pub(crate) fn back_ends(&self) -> BackEnds<'_> {
        match (&self.kafka, &self.cql) {
            (Some(kafka), Some(cql)) => BackEnds::Distributed { kafka, cql },
            _ => BackEnds::Embedded,
        }
    }

    /// Partitions of the log.
    pub(crate) fn partitions(&self) -> u16 {
        match self.back_ends() {
            BackEnds::Embedded => self.log.partitions,
            BackEnds::Distributed { kafka, .. } => kafka.partitions,
        }
    }

    /// Whether the process plays a role.
    pub(crate) fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Where the API is, for a process that listens on `address`.
    pub(crate) fn base_url(&self, address: SocketAddr) -> String {
        let scheme = if self.listen.tls.is_some() { "https" } else { "http" };
        let public = self.public_url.clone().unwrap_or_else(|| format!("{scheme}://{address}"));
        format!("{}/api/v1", public.trim_end_matches('/'))
    }

    /// Where the log lies.
    pub(crate) fn log_dir(&self) -> PathBuf {
        self.data_dir.join("log")
    }

    /// The file the first key is written to.
    pub(crate) fn first_run_file(&self) -> PathBuf {
        self.data_dir.join("first-run.json")
    }
}

/// Reads the settings: file, then environment, then what the command line says.
///
/// # Errors
/// [`process::settings::SettingsError`] or [`OutOfBounds`], which name what is at fault.
pub(crate) fn load(common: &Common, serve: &Serve) -> Result<Settings, Failure> {
    let mut overrides = Vec::new();
    let mut set = |key: &str, value: Option<String>| {
        overrides.extend(value.map(|value| (key.to_owned(), value)));
    };
    set("data_dir", common.data_dir.as_deref().map(display));
    set("listen.address", serve.listen.clone());
    set("admin_listen", serve.admin_listen.clone());
    if !serve.role.is_empty() {
        let words: Vec<String> = serve.role.iter().map(|role| format!("{role:?}")).collect();
        set("roles", Some(format!("[{}]", words.join(","))));
    }
    let settings: Settings = process::settings::load(&Sources {
        file: common.config.clone(),
        environment: std::env::vars().collect(),
        overrides,
        secrets: &["secrets.pepper"],
    })?;
    settings.check()?;
    settings.telemetry.check()?;
    Ok(settings)
}

/// Whether a text is a scheme we speak, a host and perhaps a port, and nothing behind them.
fn is_origin(url: &str) -> bool {
    let Ok(uri) = url.parse::<http::Uri>() else { return false };
    let spoken = matches!(uri.scheme_str(), Some("http" | "https"));
    let bare = uri.path_and_query().is_none_or(|path| path == "/");
    let host = uri.authority().is_some_and(|authority| !authority.as_str().contains('@'));
    spoken && bare && host
}

fn display(path: &Path) -> String {
    path.display().to_string()
}
