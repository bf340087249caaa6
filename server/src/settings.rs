//! The settings of the whole process: one section per component, each described at its component. Those of rules, and
//! conditions between settings, are in separate modules.

mod advisories;
mod bounds;
mod code_host;
mod roles;
mod rules;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use process::admin::AdminListen;
use process::listen::ListenConfig;
use process::settings::{Override, Secret, Sources};
use process::shutdown::ShutdownConfig;
use process::telemetry::TelemetryConfig;
use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::cli::{Common, Serve};

pub(crate) use advisories::AdvisorySettings;
pub(crate) use code_host::CodeHostSettings;
pub(crate) use roles::Role;
pub(crate) use rules::{Refused, RuleSettings};

/// Settings of the process.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// Data directory. Default `./data`.
    pub data_dir: PathBuf,
    /// Roles of the process: a list, or a text of names separated by commas. Default all.
    #[serde(deserialize_with = "roles::deserialize")]
    pub roles: Vec<Role>,
    /// Public base URL of this deployment, without a path, for example `https://palisade.example`. Used in the URLs it
    /// returns. Default: the address it listens on.
    pub public_url: Option<String>,
    /// The listener for senders and the API.
    pub listen: ListenConfig,
    /// Address of the listener for metrics and health. Default 127.0.0.1:9464; `off` disables it.
    pub admin_listen: AdminListen,
    /// Shutdown of the process.
    pub shutdown: ShutdownConfig,
    /// Log levels and format.
    pub telemetry: TelemetryConfig,
    /// Ingestion of logs.
    pub ingest: ingest::IngestConfig,
    /// Masking of secrets in logs before they are stored.
    pub redaction: redact::Policy,
    /// The log of accepted batches in the data directory, if `kafka` is not set.
    pub log: durable_log::embedded::Config,
    /// The ledger in the data directory, if `cql` is not set.
    pub ledger: ledger::embedded::Config,
    /// The durable log in Kafka, shared by many processes; set together with `cql`. Default none: one process with the
    /// log and the ledger in its data directory.
    pub kafka: Option<durable_log::kafka_config::Config>,
    /// The ledger in a CQL cluster (ScyllaDB, Cassandra); set together with `kafka`. Default none.
    pub cql: Option<ledger::cql_config::Config>,
    /// Assignment of partitions to processes, if there are many.
    pub ownership: ownership::Config,
    /// Analysis of logs.
    pub analyzer: analyzer::Config,
    /// Detection rules.
    pub rules: RuleSettings,
    /// The REST API.
    pub api: api::Config,
    /// Guard, redact and verify.
    pub guard: guard_api::Config,
    /// Context scans.
    pub context: context::Config,
    /// Findings.
    pub findings: findings::Config,
    /// Applications and their inventories.
    pub applications: assets::Config,
    /// Security advisories of packages.
    pub advisories: AdvisorySettings,
    /// Package registries.
    pub registries: registries::Config,
    /// Background jobs.
    pub worker: jobs::Config,
    /// Delivery of events to webhook targets.
    pub webhooks: deliver::Config,
    /// Outbound connections to configured addresses.
    pub outbound: outbound::Config,
    /// The code host.
    pub code_host: CodeHostSettings,
    /// Secrets of the deployment.
    pub secrets: Secrets,
}

/// Secrets of the deployment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Secrets {
    /// Key of all stored hashes: 64 hexadecimal digits, the same for all processes; or the name of a file that
    /// contains them, as `pepper_file`. Default: generated at the first start and stored in `pepper` in the data
    /// directory. Include it in the backup.
    pub pepper: Option<Secret>,
    /// Key-encryption keys, which wrap the data keys of organizations' secrets (signing secrets, header values): 64
    /// hexadecimal digits each, separated by white space, at most 16. The first one wraps, all of them unwrap. The
    /// same for all processes of the API; or the name of a file that contains them, as `key_encryption_keys_file`.
    /// Default: one, generated at the first start and stored in `key-encryption-keys` in the data directory. Back it
    /// up separately from the ledger.
    pub key_encryption_keys: Option<Secret>,
}

/// Location of the durable state.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BackEnds<'a> {
    /// In the data directory.
    Embedded,
    /// In Kafka and a CQL cluster.
    Distributed {
        /// The log.
        kafka: &'a durable_log::kafka_config::Config,
        /// The ledger.
        cql: &'a ledger::cql_config::Config,
    },
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
            guard: guard_api::Config::default(),
            context: context::Config::default(),
            findings: findings::Config::default(),
            applications: assets::Config::default(),
            advisories: AdvisorySettings::default(),
            registries: registries::Config::default(),
            worker: jobs::Config::default(),
            webhooks: deliver::Config::default(),
            outbound: outbound::Config::default(),
            code_host: CodeHostSettings::default(),
            secrets: Secrets::default(),
        }
    }
}

impl Settings {
    /// Location of the durable state.
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

    /// URL of the API, for a process that listens on `address`.
    pub(crate) fn base_url(&self, address: SocketAddr) -> String {
        let scheme = if self.listen.tls.is_some() { "https" } else { "http" };
        let public = self.public_url.clone().unwrap_or_else(|| format!("{scheme}://{address}"));
        format!("{}/api/v1", public.trim_end_matches('/'))
    }

    /// Directory of the log.
    pub(crate) fn log_dir(&self) -> PathBuf {
        self.data_dir.join("log")
    }

    /// The file that contains the first key.
    pub(crate) fn first_run_file(&self) -> PathBuf {
        self.data_dir.join("first-run.json")
    }
}

/// Reads the settings: file, then environment, then command line.
///
/// # Errors
/// [`process::settings::SettingsError`] or [`OutOfBounds`], which name the error.
pub(crate) fn load(common: &Common, serve: &Serve) -> Result<Settings, Failure> {
    let given = [
        ("--data-dir", "data_dir", common.data_dir.as_deref().map(display)),
        ("--listen", "listen.address", serve.listen.clone()),
        ("--admin-listen", "admin_listen", serve.admin_listen.clone()),
        ("--role", "roles", array(&serve.role)),
        ("--outbound-allow", "outbound.allow_networks", array(&serve.outbound_allow)),
    ];
    let overrides =
        given.into_iter().filter_map(|(flag, key, value)| Some(Override { flag, key, value: value? }));
    let settings: Settings = process::settings::load(&Sources {
        file: common.config.clone(),
        environment: std::env::vars().collect(),
        overrides: overrides.collect(),
        secrets: &[
            "secrets.pepper",
            "secrets.key_encryption_keys",
            "code_host.github.private_key",
            "code_host.github.client_secret",
            "code_host.github.webhook_secret",
        ],
    })?;
    settings.check()?;
    settings.telemetry.check()?;
    Ok(settings)
}

fn display(path: &Path) -> String {
    path.display().to_string()
}

/// Words as a TOML array; nothing for none, so that other sources of configuration apply.
fn array(words: &[String]) -> Option<String> {
    let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    (!words.is_empty()).then(|| format!("[{}]", words.join(",")))
}
