//! The back ends in the data directory: one process, nothing installed beside it. Opening them reads
//! files and takes as long as it takes, on a thread that may wait.

use std::sync::Arc;

use common::clock::SharedClock;
use durable_log::DurableLog;
use ledger::Ledger;
use tokio::task::block_in_place;

use super::{Ledgers, StorageError, pepper, prepare_directory};
use crate::settings::Settings;

pub(super) fn open_ledgers(settings: &Settings, clock: &SharedClock) -> Result<Ledgers, StorageError> {
    let pepper = pepper::read_or_make(settings)?;
    let opening = || ledger::embedded::open(&settings.data_dir, &settings.ledger);
    let ledger: Arc<dyn Ledger> = Arc::new(block_in_place(opening)?);
    Ok(Ledgers::new(ledger, clock, pepper))
}

/// Whether there is a ledger.
pub(super) fn is_there(settings: &Settings) -> Result<bool, StorageError> {
    let file = settings.data_dir.join(ledger::embedded::FILE_NAME);
    file.try_exists()
        .map_err(|source| StorageError::DataDirectory { path: settings.data_dir.clone(), source })
}

/// The log as it is, beside a server that may have it open.
pub(super) fn view_log(settings: &Settings) -> Result<Arc<dyn DurableLog>, StorageError> {
    let directory = settings.log_dir();
    Ok(Arc::new(block_in_place(|| durable_log::embedded::view(&directory))?))
}

pub(super) fn open_log(
    settings: &Settings,
    clock: &SharedClock,
) -> Result<Arc<dyn DurableLog>, StorageError> {
    let directory = settings.log_dir();
    prepare_directory(&directory)?;
    let opening = || durable_log::embedded::open(&directory, &settings.log, Arc::clone(clock));
    Ok(Arc::new(block_in_place(opening)?))
}
