//! `palisade doctor`: looks for what would keep the server from working, and says what to do. Changes
//! nothing.

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use common::clock::{SharedClock, SystemClock};
use thiserror::Error;

use super::{print, runtime};
use crate::Failure;
use crate::cli::{Common, Serve};
use crate::serve::rules;
use crate::settings::{self, BackEnds, Role, Settings};
use crate::storage;

/// Something is wrong.
#[derive(Debug, Error)]
#[error("{count} of the checks failed")]
struct Failed {
    count: usize,
}

/// What a check found: in order, or what is wrong.
type Finding = Result<String, String>;

pub(super) fn run(common: &Common) -> Result<(), Failure> {
    let settings = match settings::load(common, &Serve::default()) {
        Ok(settings) => settings,
        Err(error) => {
            print(&line("configuration", &Err(chain(error.as_ref()))))?;
            return Err(Failed { count: 1 }.into());
        }
    };
    let running = storage::lock(&settings).is_err() && is_there(&settings.data_dir);
    let findings: [(&str, Finding); 7] = [
        ("configuration", Ok("reads".to_owned())),
        ("rules", check_rules(&settings)),
        ("data directory", check_data_directory(&settings, running)),
        ("keys", check_keys(&settings)),
        ("log", check_log(&settings)),
        ("ledger", check_ledger(&settings)),
        ("listener", check_listener(&settings, running)),
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
    let rules = rules::load(&settings.rules, &clock).map_err(|error| chain(&error))?.rules;
    Ok(format!("{} rules and {} correlations", rules.rules().len(), rules.correlations().len()))
}

fn check_data_directory(settings: &Settings, running: bool) -> Finding {
    let path = &settings.data_dir;
    if !is_there(path) {
        return Ok(format!("{} will be made at the first start", path.display()));
    }
    let metadata = std::fs::metadata(path).map_err(|error| chain(&error))?;
    if !metadata.is_dir() {
        return Err(format!("{} is not a directory", path.display()));
    }
    if metadata.permissions().readonly() {
        return Err(format!("{} cannot be written", path.display()));
    }
    let server = if running { "a server is running on it" } else { "no server is running on it" };
    Ok(format!("{}, {server}", path.display()))
}

fn check_ledger(settings: &Settings) -> Finding {
    let embedded = matches!(settings.back_ends(), BackEnds::Embedded);
    if embedded && !is_there(&settings.data_dir.join(ledger::embedded::FILE_NAME)) {
        return Ok("none yet".to_owned());
    }
    let clock: SharedClock = Arc::new(SystemClock::new());
    runtime().map_err(|error| chain(&error))?.block_on(async {
        let ledgers = storage::open_existing(settings, &clock).await.map_err(|error| chain(&error))?;
        let organizations = ledgers.directory.list_organizations().await.map_err(|error| chain(&error))?;
        Ok(format!("opens; organizations: {}", organizations.len()))
    })
}

/// The keys that encrypt what organizations entrust.
fn check_keys(settings: &Settings) -> Finding {
    let present = storage::present_key_encryption_keys(settings).map_err(|error| chain(&error))?;
    let embedded = matches!(settings.back_ends(), BackEnds::Embedded);
    match present {
        Some(keys) => Ok(format!("secrets are wrapped by key {}", keys.current().name())),
        None if embedded => Ok("a key-encryption key will be made at the next start".to_owned()),
        None if settings.has(Role::Api) => {
            Err("there are no key-encryption keys, and the role api needs them".to_owned())
        }
        None => Ok("no key-encryption keys, and none are needed without the role api".to_owned()),
    }
}

/// A log in files belongs to the server that runs on them; one in Kafka can be asked at any time.
fn check_log(settings: &Settings) -> Finding {
    if matches!(settings.back_ends(), BackEnds::Embedded) {
        return Ok(format!("in {}", settings.log_dir().display()));
    }
    let clock: SharedClock = Arc::new(SystemClock::new());
    runtime().map_err(|error| chain(&error))?.block_on(async {
        let log = storage::open_log(settings, &clock).await.map_err(|error| chain(&error))?;
        let finding = format!("opens; partitions: {}", log.partitions());
        log.close().await;
        Ok(finding)
    })
}

fn check_listener(settings: &Settings, running: bool) -> Finding {
    let address = settings.listen.address;
    match TcpListener::bind(address) {
        Ok(_) => Ok(format!("{address} is free")),
        Err(_) if running => Ok(format!("{address} is in use, as expected of a running server")),
        Err(error) => Err(format!("{address}: {error}")),
    }
}

fn is_there(path: &Path) -> bool {
    path.try_exists().unwrap_or(false)
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
