//! `palisade init`: prepares a deployment, once. If all state is in the data directory, the first start
//! does the same by itself.

use std::sync::Arc;

use common::clock::{SharedClock, SystemClock};
use ledger::embedded::ServerLock;

use super::runtime;
use crate::cli::{Common, Serve};
use crate::{Failure, first_run, settings, storage};

pub(super) fn run(common: &Common) -> Result<(), Failure> {
    let settings = settings::load(common, &Serve::default())?;
    let clock: SharedClock = Arc::new(SystemClock::new());
    storage::prepare_directory(&settings.data_dir)?;
    // The first key is written there: concurrent commands must not overwrite each other's.
    let _lock = ServerLock::acquire(&settings.data_dir)?;
    runtime()?.block_on(async {
        let ledgers = storage::prepare(&settings, &clock).await?;
        let base_url = settings.base_url(settings.listen.address);
        let first = first_run::create(&settings, &ledgers.directory, &base_url).await?;
        first_run::say_prepared(&settings, first.as_ref(), &base_url);
        Ok(())
    })
}
