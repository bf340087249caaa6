//! The role that answers the REST API, and guard, redact and verify beside it.

use std::sync::Arc;
use std::thread::available_parallelism;

use axum::Router;
use directory::DocumentCheck;
use ingest::Events;
use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};

use super::Opened;
use super::delivery::Delivery;
use crate::Failure;
use crate::settings::Settings;

/// Builds the API and starts its background tasks; the listener calls the router.
pub(super) fn start(
    settings: &Settings,
    opened: &Opened,
    tasks: &mut Tasks,
    shutdown: &Shutdown,
    check: Arc<dyn DocumentCheck>,
    delivery: &Delivery,
) -> Result<Router, Failure> {
    let dependencies = api::Dependencies {
        ledger: Arc::clone(&opened.ledgers.ledger),
        directory: Arc::clone(&opened.ledgers.directory),
        authenticator: Arc::clone(&opened.authenticator),
        escalation: Arc::clone(&opened.escalation),
        receivers: delivery.receivers(opened),
        deliveries: Delivery::log(settings, opened),
        document_check: check,
        read_event: reader(Events::new(Arc::clone(&opened.redactor))),
        clock: Arc::clone(&opened.clock),
        base_url: opened.base_url.clone(),
        partitions: settings.partitions(),
        described: vec![guard_api::openapi()],
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
    let guard = guard_api::Dependencies {
        kit: api.kit,
        outbound: delivery.outbound(),
        redactor: Arc::clone(&opened.redactor),
        threads: available_parallelism()?.get(),
    };
    Ok(api.router.merge(guard_api::build(&settings.guard, guard)?))
}

fn reader(events: Events) -> api::ReadEvent {
    Arc::new(move |event, now| {
        let payload = events.read(event, now).map_err(|rejection| rejection.to_string())?;
        Ok(payload.to_vec())
    })
}
