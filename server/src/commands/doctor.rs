//! `palisade doctor`: finds problems that would keep the server from working, and prints remedies. Changes
//! nothing.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;

use common::clock::{Clock, SharedClock, SystemClock};
use process::admin::{self, AdminListen};
use process::settings::named;
use sandbox::{Bounds, Sandbox};
use thiserror::Error;

use super::{chain, code_host, print, probe, runtime};
use crate::cli::{Common, Serve};
use crate::serve::rules;
use crate::settings::{self, BackEnds, Role, Settings};
use crate::storage::StorageError;
use crate::{Failure, certificates, storage};

/// There is a problem.
#[derive(Debug, Error)]
#[error("{count} of the checks failed")]
struct Failed {
    count: usize,
}

/// Result of a check: in order, or the problem.
type Finding = Result<String, String>;

pub(super) fn run(common: &Common) -> Result<(), Failure> {
    let settings = match settings::load(common, &Serve::default()) {
        Ok(settings) => settings,
        Err(error) => {
            print(&line("configuration", &Err(chain(error.as_ref()))))?;
            return Err(Failed { count: 1 }.into());
        }
    };
    let running = storage::is_running(&settings);
    let ledger = check_ledger(&settings);
    let findings: [(&str, Finding); 12] = [
        ("configuration", Ok("reads".to_owned())),
        ("certificates", check_certificates(&settings)),
        ("rules", check_rules(&settings)),
        ("data directory", check_data_directory(&settings, running)),
        ("keys", check_keys(&settings, &ledger)),
        ("ledger", ledger.finding()),
        ("ledger file", check_ledger_file(&settings)),
        ("log", check_log(&settings, &ledger)),
        ("listener", check_listener(&settings, running)),
        ("metrics", check_admin_listener(&settings, running)),
        ("sandbox", check_sandbox()),
        ("code host", check_code_host(&settings)),
    ];
    for (name, finding) in &findings {
        print(&line(name, finding))?;
    }
    let count = findings.iter().filter(|(_, finding)| finding.is_err()).count();
    if count > 0 { Err(Failed { count }.into()) } else { Ok(()) }
}

fn line(name: &str, finding: &Finding) -> String {
    match finding {
        Ok(text) => format!("ok    {name:<15} {text}"),
        Err(text) => format!("FAIL  {name:<15} {text}"),
    }
}

fn check_rules(settings: &Settings) -> Finding {
    let clock = SystemClock::new();
    let documents = rules::load(&settings.rules, &clock).map_err(|error| chain(&error))?;
    let rules = documents.shared_rules();
    Ok(format!("{} rules and {} correlations", rules.rules().len(), rules.correlations().len()))
}

fn check_certificates(settings: &Settings) -> Finding {
    let now = SystemClock::new().now();
    let ends = certificates::check(settings, now).map_err(|error| chain(&error))?;
    let told: Vec<String> = ends
        .into_iter()
        .map(|(setting, end)| match end.since(now) < certificates::WARN_BEFORE {
            true => format!("{setting} expires soon, at {}: replace it", end.to_iso()),
            false => format!("{setting} expires at {}", end.to_iso()),
        })
        .collect();
    Ok(if told.is_empty() { "none are set".to_owned() } else { told.join("; ") })
}

fn check_data_directory(settings: &Settings, running: bool) -> Finding {
    let path = &settings.data_dir;
    storage::check_directory(path).map_err(|error| chain(&error))?;
    if !is_there(path) {
        return Ok(format!("{} will be created by `palisade init` or the first start", path.display()));
    }
    let metadata = std::fs::metadata(path).map_err(|error| chain(&error))?;
    if metadata.permissions().readonly() {
        return Err(format!("{} cannot be written", path.display()));
    }
    if matches!(settings.back_ends(), BackEnds::Distributed { .. }) {
        return Ok(path.display().to_string());
    }
    let server = if running { "a server is running on it" } else { "no server is running on it" };
    Ok(format!("{}, {server}", path.display()))
}

/// State of the configured deployment.
enum Deployment {
    /// It was prepared, and this process belongs to it: the pepper and the settings match the recorded ones.
    Prepared { organizations: usize },
    /// There is none yet.
    Unprepared { embedded: bool },
    /// It cannot be opened.
    Failed(String),
}

impl Deployment {
    fn finding(&self) -> Finding {
        match self {
            Self::Prepared { organizations } => Ok(format!(
                "can be opened, and the pepper matches the recorded one; organizations: {organizations}"
            )),
            // A server on one machine prepares its data directory itself.
            Self::Unprepared { embedded: true } => {
                Ok("not prepared yet: run `palisade init`, or start the server".to_owned())
            }
            Self::Unprepared { embedded: false } => Err("not prepared yet: run `palisade init`".to_owned()),
            Self::Failed(cause) => Err(cause.clone()),
        }
    }
}

fn check_ledger(settings: &Settings) -> Deployment {
    let embedded = matches!(settings.back_ends(), BackEnds::Embedded);
    match ask_ledger(settings) {
        Ok(organizations) => Deployment::Prepared { organizations },
        Err(failure) => match failure.downcast_ref::<StorageError>() {
            Some(error) if error.is_unprepared() => Deployment::Unprepared { embedded },
            _ => Deployment::Failed(chain(failure.as_ref())),
        },
    }
}

fn ask_ledger(settings: &Settings) -> Result<usize, Failure> {
    let clock: SharedClock = Arc::new(SystemClock::new());
    runtime()?.block_on(async {
        let ledgers = Box::pin(storage::open_existing(settings, &clock)).await?;
        Ok(ledgers.directory.list_organizations().await?.len())
    })
}

/// Every page and row: unnoticed damage is found too.
fn check_ledger_file(settings: &Settings) -> Finding {
    let inspection = storage::inspect_ledger(settings).map_err(|error| chain(&error))?;
    let Some(inspection) = inspection else { return Ok("there is none to be read".to_owned()) };
    if inspection.findings.is_empty() {
        return Ok(format!("all pages and the checksums of {} rows are correct", inspection.sound_rows));
    }
    let findings = inspection.findings.join("; ");
    Err(format!("is damaged: {findings}. Restore the whole data directory from its backup"))
}

/// The key-encryption keys of stored secrets.
fn check_keys(settings: &Settings, deployment: &Deployment) -> Finding {
    let present = storage::present_key_encryption_keys(settings).map_err(|error| chain(&error))?;
    let embedded = matches!(settings.back_ends(), BackEnds::Embedded);
    match present {
        Some(keys) => Ok(format!("secrets are wrapped by key {}", keys.current().name())),
        None if embedded => Ok("a key-encryption key will be generated at the next start".to_owned()),
        // `init` creates them too.
        None if matches!(deployment, Deployment::Unprepared { .. }) => deployment.finding(),
        None if settings.has(Role::Api) => {
            Err("there are no key-encryption keys, and the role api needs them".to_owned())
        }
        None => Ok("no key-encryption keys, and none are needed without the role api".to_owned()),
    }
}

/// A log in files belongs to the server that uses them; one in Kafka can be queried at any time.
fn check_log(settings: &Settings, deployment: &Deployment) -> Finding {
    if matches!(settings.back_ends(), BackEnds::Embedded) {
        return Ok(format!("in {}", settings.log_dir().display()));
    }
    // Its topic is created by the same command.
    if let Deployment::Unprepared { .. } = deployment {
        return deployment.finding();
    }
    let clock: SharedClock = Arc::new(SystemClock::new());
    runtime().map_err(|error| chain(&error))?.block_on(async {
        let log = storage::open_log(settings, &clock).await.map_err(|error| chain(&error))?;
        let finding = format!("can be opened; partitions: {}", log.partitions());
        log.close().await;
        Ok(finding)
    })
}

fn check_listener(settings: &Settings, running: bool) -> Finding {
    let address = settings.listen.address;
    let answered = match (&settings.listen.tls, settings.admin_listen) {
        (None, _) => address,
        // The request does not use TLS, but the process answers there too.
        (Some(_), AdminListen::At(admin)) => admin,
        (Some(_), _) => admin::DEFAULT_ADDRESS,
    };
    check_address("listen.address", address, || running || probe::is_answered(answered))
}

fn check_admin_listener(settings: &Settings, running: bool) -> Finding {
    let check = |setting, address| check_address(setting, address, || running || probe::is_answered(address));
    match settings.admin_listen {
        AdminListen::Off => Ok("off: metrics are not served".to_owned()),
        AdminListen::At(address) => check("admin_listen", address),
        AdminListen::Default => Ok(check("admin_listen", admin::DEFAULT_ADDRESS)
            .unwrap_or_else(|cause| format!("{cause}; metrics would not be served"))),
    }
}

/// Whether the address is free, or used by a server of this configuration. A distributed server holds no lock: it is asked.
fn check_address(setting: &str, address: SocketAddr, is_served: impl Fn() -> bool) -> Finding {
    match TcpListener::bind(address) {
        Ok(_) => Ok(format!("{address} is free")),
        Err(_) if is_served() => Ok(format!("{address} is in use, as expected of a running server")),
        Err(error) => Err(format!("setting {} is {address}: {error}", named(setting))),
    }
}

/// Whether the sandbox of documents starts. A system that refuses namespaces is in order: the other layers suffice.
fn check_sandbox() -> Finding {
    let sandbox = Sandbox::new(Bounds { running: 1, waiting: 0 });
    let started = runtime().map_err(|error| chain(&error))?.block_on(sandbox.probe());
    let isolation = started.map_err(|error| format!("{}; PDF input is answered with 503", chain(&error)))?;
    let namespaces = match isolation.namespaces_refused {
        None => "namespaces".to_owned(),
        Some(reason) => format!("without namespaces, which this system refuses ({reason})"),
    };
    Ok(format!("starts with Landlock (version {}), seccomp, {namespaces}", isolation.landlock))
}

/// Whether the code host accepts the key of the app.
fn check_code_host(settings: &Settings) -> Finding {
    let Some(github) = &settings.code_host.github else { return Ok("none is configured".to_owned()) };
    let clock: SharedClock = Arc::new(SystemClock::new());
    let client = code_host::client(settings, &clock).map_err(|error| chain(error.as_ref()))?;
    let app = runtime().map_err(|error| chain(&error))?.block_on(client.app());
    let app = app.map_err(|error| format!("{}: {error}", github.api_url))?;
    Ok(format!("{} knows the app {}", github.api_url, app.slug))
}

fn is_there(path: &Path) -> bool {
    path.try_exists().unwrap_or(false)
}
