//! Creation of a deployment: processes are started with their settings on the stores, and organizations,
//! keys and sources are created in it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;
use tokio::process::Command;
use tokio::sync::Mutex;

use crate::chaos::answers::Side;
use crate::chaos::deployment::{Deployment, Member, Tenant};
use crate::chaos::input::SourceRef;
use crate::chaos::plan::Stores;
use crate::failure::RunError;
use loadtest::api::{Call, SOURCES, text};
use loadtest::client::Client;
use loadtest::ports::Ports;
use loadtest::process::{self, Process, Role};

/// Longest time of the first start of a process.
const FIRST_START_BOUND: Duration = Duration::from_secs(90);
/// Longest time of a command of the product: `init` creates a schema and a topic.
const COMMAND_BOUND: Duration = Duration::from_secs(120);
/// Attempts of creating a source before the faults: a start takes a moment to be known everywhere.
const OPEN_ATTEMPTS: u32 = 20;
/// Settings of the processes of a deployment, besides the addresses of their stores.
const SETTINGS: [(&str, &str); 3] = [
    // There is no load balancer that has to notice.
    ("PALISADE__SHUTDOWN__PAUSE_SECONDS", "0.5"),
    ("PALISADE__SHUTDOWN__DRAIN_SECONDS", "10"),
    ("PALISADE__SHUTDOWN__FLUSH_SECONDS", "10"),
];

/// Parameters of a deployment.
pub(crate) struct Site<'a> {
    pub(crate) binary: &'a Path,
    pub(crate) directory: PathBuf,
    pub(crate) stores: &'a Stores,
    /// Distinguishes runs that use the same stores.
    pub(crate) name: String,
    /// Processes of this role are configured, but not started.
    pub(crate) asleep: Option<Role>,
    /// Further settings of the processes.
    pub(crate) settings: &'a [(&'a str, &'a str)],
}

impl<'a> Site<'a> {
    /// A deployment whose processes are all started, with the usual settings.
    pub(crate) fn new(binary: &'a Path, directory: PathBuf, stores: &'a Stores, name: String) -> Self {
        Self { binary, directory, stores, name, asleep: None, settings: &[] }
    }

    /// Starts a deployment of processes with these roles and numbers of organizations and sources.
    pub(crate) async fn open(
        &self,
        roles: &[Role],
        organizations: u8,
        sources: u8,
        seed: u64,
    ) -> Result<Deployment, RunError> {
        let mut chance = StdRng::seed_from_u64(seed);
        let distributed = self.stores.are_shared();
        let environment = self.environment(&mut chance);
        let mut ports = Ports::of(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let mut processes = Vec::new();
        for (index, role) in roles.iter().enumerate() {
            let number = roles.iter().take(index).filter(|other| *other == role).count() + 1;
            let name = format!("{}-{number}", format!("{role:?}").to_lowercase());
            processes.push(Process {
                directory: self.directory.join(&name),
                name,
                role: *role,
                address: ports.another()?,
                admin: ports.another()?,
                binary: self.binary.to_owned(),
                environment: environment.clone(),
                child: None,
                was_ready: false,
            });
        }
        let shared_data = self.directory.join("init");
        if distributed {
            std::fs::create_dir_all(&shared_data)?;
            self.command(&environment, &shared_data, &["init"]).await?;
        }
        let mut awake: Vec<&mut Process> =
            processes.iter_mut().filter(|process| self.asleep != Some(process.role)).collect();
        for process in &mut awake {
            process.launch()?;
        }
        for process in &mut awake {
            process.ready(FIRST_START_BOUND).await?;
        }
        let data =
            if distributed { shared_data } else { processes.first().map(Process::data).unwrap_or_default() };
        let mut deployment = Deployment {
            members: processes.iter().map(Member::of).collect(),
            processes: processes.into_iter().map(|process| Arc::new(Mutex::new(process))).collect(),
            tenants: Vec::new(),
            partitions: distributed.then_some(self.stores.partitions),
        };
        let api = deployment.addresses(Side::Api);
        for organization in 0..usize::from(organizations) {
            let key = self.organization(&environment, &data, organization).await?;
            let mut ids = Vec::new();
            for source in 0..usize::from(sources) {
                let place = SourceRef { organization, source };
                ids.push(open_source(&api, &key, place, &mut chance).await?);
            }
            deployment.tenants.push(Tenant { key, sources: ids });
        }
        Ok(deployment)
    }

    fn environment(&self, chance: &mut StdRng) -> Vec<(String, String)> {
        let mut environment = process::environment(&[&SETTINGS, self.settings].concat());
        let Some((kafka, cassandra)) = self.stores.addresses() else { return environment };
        let pepper: String = (0..32).map(|_| format!("{:02x}", chance.random::<u8>())).collect();
        // Another secret from the same random value: drawing a second one would change every run of a known seed.
        let key_encryption_key: String = pepper.chars().rev().collect();
        let underscored = self.name.replace('-', "_");
        for (name, value) in [
            ("KAFKA__BROKERS", kafka.to_string()),
            ("KAFKA__TOPIC", self.name.clone()),
            ("KAFKA__CONSUMER_GROUP", self.name.clone()),
            ("KAFKA__PARTITIONS", self.stores.partitions.to_string()),
            ("KAFKA__REPLICATION_FACTOR", "1".to_owned()),
            ("KAFKA__MIN_INSYNC_REPLICAS", "1".to_owned()),
            ("CQL__NODES", format!("[\"{cassandra}\"]")),
            ("CQL__KEYSPACE", underscored),
            ("CQL__REPLICATION_FACTOR", "1".to_owned()),
            ("SECRETS__PEPPER", pepper),
            ("SECRETS__KEY_ENCRYPTION_KEYS", key_encryption_key),
        ] {
            environment.push((format!("PALISADE__{name}"), value));
        }
        environment
    }

    /// Creates an organization with a key; returns the key.
    async fn organization(
        &self,
        environment: &[(String, String)],
        data: &Path,
        number: usize,
    ) -> Result<String, RunError> {
        let name = format!("tenant {number}");
        let said = self.command(environment, data, &["org", "create", "--name", &name]).await?;
        let missing = |what: &str| RunError::Command {
            command: "palisade org or key create".to_owned(),
            what: format!("expected {what}, found {said:?}"),
        };
        let id = said.split_once("--org ").and_then(|(_, rest)| rest.split_whitespace().next());
        let id = id.ok_or_else(|| missing("an id behind --org"))?;
        let said =
            self.command(environment, data, &["key", "create", "--org", id, "--name", "loadtest"]).await?;
        let key = said.split_whitespace().find(|word| word.starts_with("pal_live_"));
        key.map(str::to_owned).ok_or_else(|| missing("a key"))
    }

    async fn command(
        &self,
        environment: &[(String, String)],
        data: &Path,
        arguments: &[&str],
    ) -> Result<String, RunError> {
        let failed = |what: String| RunError::Command {
            command: format!("{} {}", self.binary.display(), arguments.join(" ")),
            what,
        };
        let mut command = Command::new(self.binary);
        command
            .args(arguments)
            .arg("--data-dir")
            .arg(data)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .kill_on_drop(true);
        let output = tokio::time::timeout(COMMAND_BOUND, command.output())
            .await
            .map_err(|_| failed(format!("not done after {} s", COMMAND_BOUND.as_secs())))?
            .map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

async fn open_source(
    api: &[SocketAddr],
    key: &str,
    place: SourceRef,
    chance: &mut StdRng,
) -> Result<String, RunError> {
    let address = api.get(chance.random_range(0..api.len().max(1))).ok_or(RunError::Empty)?;
    let body = json!({"name": format!("source {place}")});
    let call = Call::create(SOURCES, &body).keyed(format!("source-{place}"));
    let created = call.repeated(&mut Client::new(*address, key), OPEN_ATTEMPTS, |_| true).await?;
    Ok(text(&created.json()["id"]))
}
