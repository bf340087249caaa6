//! The role that answers the REST API: the organization API with its resource crates, and guard, redact and verify beside it.

use std::sync::Arc;
use std::thread::available_parallelism;

use agents::Clients;
use axum::Router;
use directory::DocumentCheck;
use ingest::Events;
use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};
use red_team::Schedules;
use rest::family::Family;
use rest::kit::Kit;
use secrets::Vault;

use super::delivery::Delivery;
use super::{Opened, worker_role};
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
        described: vec![guard_api::openapi(), assets::openapi(), agents::openapi()],
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
    let targets = targets(settings, opened, (&api.family, &api.kit), &delivery.vault());
    let guard = guard_api::Dependencies {
        kit: api.kit,
        outbound: delivery.outbound(),
        redactor: Arc::clone(&opened.redactor),
        threads: available_parallelism()?.get(),
    };
    Ok(api.router.merge(targets).merge(guard_api::build(&settings.guard, guard)?))
}

/// The routes of applications and agents.
fn targets(
    settings: &Settings,
    opened: &Opened,
    (family, kit): (&Arc<Family>, &Arc<Kit>),
    vault: &Arc<Vault>,
) -> Router {
    let jobs = Arc::new(worker_role::jobs(&opened.ledgers, &opened.clock, settings));
    let (records, pepper) = (Arc::clone(jobs.records()), opened.ledgers.pepper.clone());
    let clients = Arc::new(Clients::new(records, pepper, Arc::clone(&opened.clock)));
    let schedules = Schedules::new(Arc::clone(&opened.ledgers.directory), jobs);
    let applications =
        assets::Dependencies { kit: Arc::clone(kit), vault: Arc::clone(vault), schedules: schedules.clone() };
    let agents = agents::Dependencies { kit: Arc::clone(kit), clients, vault: Arc::clone(vault), schedules };
    assets::build(family, applications).merge(agents::build(family, agents))
}

fn reader(events: Events) -> api::ReadEvent {
    Arc::new(move |event, now| {
        let payload = events.read(event, now).map_err(|rejection| rejection.to_string())?;
        Ok(payload.to_vec())
    })
}
