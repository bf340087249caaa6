//! The settings of the whole process: one section per component, each described where it is used. Those of rules, and
//! what holds between settings, are in files of their own.

mod bounds;
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

pub(crate) use roles::Role;
pub(crate) use rules::{Refused, RuleSettings};

/// Settings of the process.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// Where everything is kept. Default `./data`.
    pub data_dir: PathBuf,
    /// Roles to play: a list, or a text of names separated by commas. Default all.
    #[serde(deserialize_with = "roles::deserialize")]
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
    pub kafka: Option<durable_log::kafka_config::Config>,
    /// The ledger in a cluster that speaks CQL (ScyllaDB, Cassandra); set together with `kafka`. Default
    /// none.
    pub cql: Option<ledger::cql_config::Config>,
    /// How processes share out the partitions, where there are many.
    pub ownership: ownership::Config,
    /// Turning logs into incidents.
    pub analyzer: analyzer::Config,
    /// What is looked for.
    pub rules: RuleSettings,
    /// The REST API.
    pub api: api::Config,
    /// Running background jobs.
    pub worker: jobs::Config,
    /// Telling webhook targets of events.
    pub webhooks: deliver::Config,
    /// Everything that is sent to addresses that others name.
    pub outbound: outbound::Config,
    /// Secrets of the deployment.
    pub secrets: Secrets,
}

/// Secrets of the deployment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Secrets {
    /// Keys every hash that is kept: 64 hexadecimal digits, the same for all processes; or the name of a file
    /// that holds them, as `pepper_file`. Default: made at the first start and kept in `pepper` in the data
    /// directory. Belongs in the backup.
    pub pepper: Option<Secret>,
    /// Wrap the keys that what organizations entrust is encrypted with (signing secrets, header values): 64 hexadecimal
    /// digits each, separated by white space, 16 at most. The first one wraps, all of them unwrap. The same for all
    /// processes of the API; or the name of a file that holds them, as `key_encryption_keys_file`. Default: one, made
    /// at the first start and kept in `key-encryption-keys` in the data directory. Belongs in a backup, but not beside
    /// that of the ledger.
    pub key_encryption_keys: Option<Secret>,
}

/// Where everything durable lies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BackEnds<'a> {
    /// In the data directory.
    Embedded,
    /// In Kafka and a cluster that speaks CQL.
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
            worker: jobs::Config::default(),
            webhooks: deliver::Config::default(),
            outbound: outbound::Config::default(),
            secrets: Secrets::default(),
        }
    }
}

impl Settings {
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
        secrets: &["secrets.pepper", "secrets.key_encryption_keys"],
    })?;
    settings.check()?;
    settings.telemetry.check()?;
    Ok(settings)
}

fn display(path: &Path) -> String {
    path.display().to_string()
}

/// Words as a TOML array; nothing for none, so that what else is configured counts.
fn array(words: &[String]) -> Option<String> {
    let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    (!words.is_empty()).then(|| format!("[{}]", words.join(",")))
}
