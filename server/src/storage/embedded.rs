//! The back ends in the data directory: one process, no other software. Opening them reads
//! files without a time limit, on a thread that may block.

use std::sync::Arc;

use common::clock::SharedClock;
use common::pepper::Pepper;
use directory::deployment::data_directory::{self, DeploymentId};
use durable_log::DurableLog;
use ledger::Ledger;
use rand::TryRng;
use tokio::task::block_in_place;

use super::data_dir::{self, State};
use super::{Ledgers, StorageError, pepper, prepare_directory};
use crate::settings::Settings;

/// Opens the existing stores; creates them in an empty data directory.
pub(super) async fn open_or_make(settings: &Settings, clock: &SharedClock) -> Result<Ledgers, StorageError> {
    match data_dir::inspect(settings)? {
        State::Whole => open(settings, clock).await,
        State::New | State::Unfinished => make(settings, clock).await,
    }
}

/// Opens the existing stores; creates nothing.
pub(super) async fn open_existing(settings: &Settings, clock: &SharedClock) -> Result<Ledgers, StorageError> {
    match data_dir::inspect(settings)? {
        State::Whole => open(settings, clock).await,
        State::New | State::Unfinished => Err(StorageError::Empty { path: settings.data_dir.clone() }),
    }
}

async fn open(settings: &Settings, clock: &SharedClock) -> Result<Ledgers, StorageError> {
    let log = durable_log::embedded::identity(&settings.log_dir())?
        .ok_or_else(|| StorageError::Empty { path: settings.log_dir() })?;
    let ledgers = open_ledger(settings, clock, pepper::read(settings)?)?;
    let checked = data_directory::check(&ledgers.directory, DeploymentId(log)).await;
    checked.map_err(|source| StorageError::Parts { path: settings.data_dir.clone(), source })?;
    Ok(ledgers)
}

/// The first start. The results of an interrupted one are reused.
async fn make(settings: &Settings, clock: &SharedClock) -> Result<Ledgers, StorageError> {
    data_dir::begin_first_start(&settings.data_dir)?;
    let pepper = pepper::read_or_make(settings)?;
    let directory = settings.log_dir();
    prepare_directory(&directory)?;
    let mut id = [0; 8];
    rand::rngs::SysRng.try_fill_bytes(&mut id).map_err(StorageError::Random)?;
    let creating = || durable_log::embedded::create(&directory, &settings.log, u64::from_le_bytes(id));
    let log = block_in_place(creating)?;
    let ledgers = open_ledger(settings, clock, pepper)?;
    let recorded = data_directory::record(&ledgers.directory, DeploymentId(log)).await;
    recorded.map_err(|source| StorageError::Parts { path: settings.data_dir.clone(), source })?;
    data_dir::end_first_start(&settings.data_dir)?;
    Ok(ledgers)
}

fn open_ledger(settings: &Settings, clock: &SharedClock, pepper: Pepper) -> Result<Ledgers, StorageError> {
    let opening = || ledger::embedded::open(&settings.data_dir, &settings.ledger);
    let ledger: Arc<dyn Ledger> = Arc::new(block_in_place(opening)?);
    Ok(Ledgers::new(ledger, clock, pepper))
}

/// The log for reading, beside a server that may have it open.
pub(super) fn view_log(settings: &Settings) -> Result<Arc<dyn DurableLog>, StorageError> {
    let directory = settings.log_dir();
    Ok(Arc::new(block_in_place(|| durable_log::embedded::view(&directory))?))
}

pub(super) fn open_log(
    settings: &Settings,
    clock: &SharedClock,
) -> Result<Arc<dyn DurableLog>, StorageError> {
    let directory = settings.log_dir();
    let opening = || durable_log::embedded::open(&directory, &settings.log, Arc::clone(clock));
    Ok(Arc::new(block_in_place(opening)?))
}
