//! The commands, one file each.

mod advisories;
mod client;
mod code_host;
mod config;
mod context;
mod demo;
mod doctor;
mod folder;
mod init;
mod job;
mod key;
mod organization;
mod partition;
mod probe;
mod quarantine;
mod rules;
mod source;
mod texts;

use std::io::Write;
use std::sync::Arc;

use common::clock::{SharedClock, SystemClock};
use common::ids::OrganizationId;
use directory::Directory;
use thiserror::Error;

use crate::Failure;
use crate::cli::{Arguments, Command, Common, Serve};
use crate::settings::{self, Settings};
use crate::storage::{self, Ledgers};

/// Runs a command.
pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    let common = arguments.common;
    match arguments.command.unwrap_or_else(|| Command::Serve(Serve::default())) {
        Command::Serve(serve) => crate::serve::serve(settings::load(&common, &serve)?),
        Command::Init => init::run(&common),
        Command::Demo(demo) => demo::run(&demo),
        Command::Org(command) => {
            on_ledger(&common, async |ledgers, _| organization::run(command, ledgers).await)
        }
        Command::Key(command) => {
            on_ledger(&common, async |ledgers, settings| key::run(command, ledgers, settings).await)
        }
        Command::Source(command) => {
            on_ledger(&common, async |ledgers, _| source::run(command, ledgers).await)
        }
        Command::Quarantine(command) => quarantine::run(command, &common),
        Command::Partition(command) => partition::run(command, &common),
        Command::Job(command) => {
            on_ledger(&common, async |ledgers, settings| job::run(command, ledgers, settings).await)
        }
        Command::Advisories(command) => advisories::run(command, &common),
        Command::CodeHost(command) => {
            on_ledger(&common, async |ledgers, settings| code_host::run(command, ledgers, settings).await)
        }
        Command::Rules(command) => rules::run(&command, &common),
        Command::Guard(input) => texts::guard(&input, &common),
        Command::Redact(input) => texts::redact(input, &common),
        Command::Verify(input) => texts::verify(&input, &common),
        Command::Context(command) => context::run(&command, &common),
        Command::Models => texts::models(&common),
        Command::Config(command) => config::run(&command, &common),
        Command::Doctor => doctor::run(&common),
        Command::Probe(probe) => probe::run(probe, &common),
    }
}

/// Errors of a command that names an organization.
#[derive(Debug, Error)]
enum ArgumentError {
    #[error("{word:?} is not an id, expected something like 67e55044-10b1-426f-9247-bb680e5fe0c8")]
    Id { word: String },
    #[error("there are {count} organizations: select one with --org")]
    WhichOrganization { count: usize },
    #[error("{word:?} is not a time, expected RFC 3339, for example 2027-01-31T12:00:00Z")]
    Time { word: String },
    #[error("there is no {thing} {id}")]
    NotFound { thing: &'static str, id: String },
}

/// Runs a command on the ledger of an existing deployment, also while its server runs.
fn on_ledger(
    common: &Common,
    command: impl AsyncFnOnce(&Ledgers, &Settings) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let settings: Settings = settings::load(common, &Serve::default())?;
    let clock: SharedClock = Arc::new(SystemClock::new());
    runtime()?.block_on(async {
        let ledgers = storage::open_existing(&settings, &clock).await?;
        command(&ledgers, &settings).await
    })
}

/// Runtime of a command. It has threads, because opening an embedded ledger waits for the disk.
fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()
}

/// The named organization, or the only one there is.
async fn organization(directory: &Directory, named: Option<&str>) -> Result<OrganizationId, Failure> {
    if let Some(word) = named {
        return Ok(id(word)?);
    }
    let organizations = directory.list_organizations().await?;
    match organizations.as_slice() {
        [only] => Ok(only.id),
        several => Err(ArgumentError::WhichOrganization { count: several.len() }.into()),
    }
}

fn id<T: std::str::FromStr>(word: &str) -> Result<T, ArgumentError> {
    word.parse().map_err(|_| ArgumentError::Id { word: word.to_owned() })
}

/// Prints lines to standard output.
fn print(text: &str) -> Result<(), Failure> {
    let mut terminal = std::io::stdout().lock();
    match writeln!(terminal, "{text}").and_then(|()| terminal.flush()) {
        // The reader has closed the pipe, as in `palisade key list | head`.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// An error and its causes on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// Rows under headings, each column as wide as its widest value.
fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain(headings.get(column).map(|heading| heading.len())).max().unwrap_or(0)
    };
    let line = |cells: Vec<String>| {
        let padded: Vec<String> = cells
            .into_iter()
            .enumerate()
            .map(|(column, cell)| format!("{cell:<width$}", width = width(column)))
            .collect();
        padded.join("  ").trim_end().to_owned()
    };
    let head = line(headings.iter().map(|heading| (*heading).to_owned()).collect());
    std::iter::once(head).chain(rows.iter().cloned().map(line)).collect::<Vec<_>>().join("\n")
}
