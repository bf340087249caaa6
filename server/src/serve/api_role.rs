//! The role that answers the REST API.

use std::sync::Arc;

use axum::Router;
use bytes::BytesMut;
use common::timestamp::Timestamp;
use directory::DocumentCheck;
use ingest::limits::Limits;
use ingest::validate::{Format, validate};
use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};

use super::Opened;
use super::delivery::Delivery;
use crate::settings::Settings;

/// Builds the API and starts what runs beside it; the listener calls the router.
pub(super) fn start(
    settings: &Settings,
    opened: &Opened,
    tasks: &mut Tasks,
    shutdown: &Shutdown,
    check: Arc<dyn DocumentCheck>,
    delivery: &Delivery,
) -> Router {
    let dependencies = api::Dependencies {
        ledger: Arc::clone(&opened.ledgers.ledger),
        directory: Arc::clone(&opened.ledgers.directory),
        authenticator: Arc::clone(&opened.authenticator),
        escalation: Arc::clone(&opened.escalation),
        webhooks: delivery.webhooks(opened),
        telemetry: delivery.telemetry(opened),
        deliveries: Delivery::log(settings, opened),
        document_check: check,
        read_event,
        clock: Arc::clone(&opened.clock),
        base_url: opened.base_url.clone(),
        partitions: settings.partitions(),
    };
    let api = api::build(settings.api.clone(), dependencies);
    for background in api.background {
        let shutdown = shutdown.clone();
        tasks.spawn(background.name, Tier::Back, async move {
            tokio::select! {
                () = background.future => {}
                () = shutdown.reached(Stage::Flushing) => {}
            }
            Ok(())
        });
    }
    api.router
}

/// Reads an event as ingestion reads one of a log drain.
fn read_event(event: &[u8], now: Timestamp) -> Result<Vec<u8>, String> {
    let batch = validate(Format::Ndjson, BytesMut::from(event), &Limits::default(), now);
    batch.map(|batch| batch.payload.to_vec()).map_err(|rejection| rejection.to_string())
}
