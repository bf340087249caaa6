//! The role that ingests logs.

use std::sync::Arc;

use directory::SourceLookup;
use durable_log::DurableLog;
use ingest::{Dependencies, Ingest};

use super::Opened;
use crate::Failure;
use crate::settings::Settings;

/// Builds ingestion; the listener calls it.
pub(super) fn build(
    settings: &Settings,
    opened: &Opened,
    log: &Arc<dyn DurableLog>,
) -> Result<Arc<Ingest>, Failure> {
    ingest::describe_metrics();
    let sources = SourceLookup::new(Arc::clone(&opened.ledgers.directory));
    let dependencies = Dependencies {
        log: Arc::clone(log),
        authenticator: Arc::clone(&opened.authenticator),
        sources: Arc::new(sources),
        redactor: Arc::clone(&opened.redactor),
        pepper: opened.ledgers.pepper.clone(),
        clock: Arc::clone(&opened.clock),
        random: Arc::new(rand::random),
        statistics: Arc::clone(&opened.statistics),
    };
    Ok(Ingest::build(settings.ingest.clone(), dependencies)?)
}
