//! The role that answers the REST API: the organization API with its resource crates, and guard, redact and verify beside it.

use std::sync::Arc;
use std::thread::available_parallelism;

use agents::Clients;
use axum::Router;
use context::Scanner;
use findings::Findings;
use futures_util::future::BoxFuture;
use ingest::Events;
use jobs::Jobs;
use outbound::Outbound;
use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};
use red_team::Schedules;
use rest::family::Family;
use rest::kit::Kit;
use secrets::Vault;

use super::code_host::Connected;
use super::delivery::Delivery;
use super::detection::CurrentDocuments;
use super::{Opened, worker_role};
use crate::Failure;
use crate::settings::Settings;

/// Builds the API and starts its background tasks; the listener calls the router.
pub(super) fn start(
    settings: &Settings,
    opened: &Opened,
    tasks: &mut Tasks,
    shutdown: &Shutdown,
    check: Arc<CurrentDocuments>,
    (delivery, scanner): (&Delivery, Scanner),
) -> Result<Router, Failure> {
    let dependencies = api::Dependencies {
        ledger: Arc::clone(&opened.ledgers.ledger),
        directory: Arc::clone(&opened.ledgers.directory),
        authenticator: Arc::clone(&opened.authenticator),
        escalation: Arc::clone(&opened.escalation),
        receivers: delivery.receivers(opened),
        deliveries: Delivery::log(settings, opened),
        document_check: check.clone(),
        read_event: reader(Events::new(Arc::clone(&opened.redactor))),
        clock: Arc::clone(&opened.clock),
        base_url: opened.base_url.clone(),
        partitions: settings.partitions(),
        described: vec![
            findings::openapi(),
            assets::openapi(),
            agents::openapi(),
            code_host_api::openapi(),
            context::openapi(),
            contributor_trust::openapi(),
            guard_api::openapi(),
        ],
    };
    let api = api::build(settings.api.clone(), dependencies);
    let jobs =
        Arc::new(worker_role::jobs(&opened.ledgers, &opened.clock, settings, (&opened.base_url, None), None));
    let findings = findings::Dependencies {
        kit: Arc::clone(&api.kit),
        family: Arc::clone(&api.family),
        jobs: Arc::clone(&jobs),
        redactor: Arc::clone(&opened.redactor),
    };
    let findings = findings::build(&settings.findings, findings)?;
    for background in api.background {
        run(background.name, background.future, tasks, shutdown);
    }
    run("findings index", findings.follow, tasks, shutdown);
    let vault = delivery.vault();
    let (applications, agents) = targets(
        opened,
        (&api.family, &api.kit),
        (&jobs, &findings.findings),
        (&vault, delivery.outbound()),
        check,
    )?;
    run("assets index", applications.follow, tasks, shutdown);
    let hosted = hosted(opened, delivery, (&api.family, &api.kit), &jobs);
    let threads = available_parallelism()?.get();
    let scans = context::Dependencies {
        kit: Arc::clone(&api.kit),
        scanner,
        outbound: delivery.outbound(),
        jobs: Arc::clone(&jobs),
        threads,
    };
    let context = context::build(settings.context.clone(), &api.family, scans)?;
    run("context results", context.follow, tasks, shutdown);
    let guard = guard_api::Dependencies {
        kit: api.kit,
        outbound: delivery.outbound(),
        redactor: Arc::clone(&opened.redactor),
        threads,
    };
    let router = api.router.merge(findings.router).merge(applications.router).merge(agents);
    let router = router.merge(hosted).merge(context.router);
    Ok(router.merge(guard_api::build(&settings.guard, guard)?))
}

/// The routes of the code host and of contributors.
fn hosted(
    opened: &Opened,
    delivery: &Delivery,
    (family, kit): (&Arc<Family>, &Arc<Kit>),
    jobs: &Arc<Jobs>,
) -> Router {
    let connected = code_host_api::Dependencies {
        kit: Arc::clone(kit),
        jobs: Arc::clone(jobs),
        pepper: opened.ledgers.pepper.clone(),
        host: delivery.code_host().map(Connected::for_requests),
    };
    let host = delivery.code_host().map(|connected| connected.for_requests().client);
    let contributors = contributor_trust::Dependencies { kit: Arc::clone(kit), jobs: Arc::clone(jobs), host };
    code_host_api::build(family, connected).merge(contributor_trust::build(family, contributors))
}

/// Runs a background task until the process flushes its state.
fn run(name: &'static str, task: BoxFuture<'static, ()>, tasks: &mut Tasks, shutdown: &Shutdown) {
    let shutdown = shutdown.clone();
    tasks.spawn(name, Tier::Back, async move {
        tokio::select! {
            () = task => {}
            () = shutdown.reached(Stage::Flushing) => {}
        }
        Ok(())
    });
}

/// The routes of applications and agents.
fn targets(
    opened: &Opened,
    (family, kit): (&Arc<Family>, &Arc<Kit>),
    (jobs, findings): (&Arc<Jobs>, &Arc<Findings>),
    (vault, outbound): (&Arc<Vault>, Arc<Outbound>),
    documents: Arc<CurrentDocuments>,
) -> Result<(assets::Routes, Router), Failure> {
    let (records, pepper) = (Arc::clone(jobs.records()), opened.ledgers.pepper.clone());
    let clients = Arc::new(Clients::new(Arc::clone(&records), pepper, Arc::clone(&opened.clock)));
    let schedules = Schedules::new(Arc::clone(&opened.ledgers.directory), Arc::clone(jobs));
    let applications = assets::Dependencies {
        kit: Arc::clone(kit),
        vault: Arc::clone(vault),
        schedules: schedules.clone(),
        jobs: Arc::clone(jobs),
        outbound: Arc::clone(&outbound),
    };
    let agents = agents::Dependencies {
        kit: Arc::clone(kit),
        clients,
        vault: Arc::clone(vault),
        schedules,
        findings: Arc::clone(findings),
        records,
        redactor: Arc::clone(&opened.redactor),
        outbound,
        operator_rules: Arc::new(move || documents.agent_rules()),
    };
    Ok((assets::build(family, applications), agents::build(family, agents)?))
}

fn reader(events: Events) -> api::ReadEvent {
    Arc::new(move |event, now| {
        let payload = events.read(event, now).map_err(|rejection| rejection.to_string())?;
        Ok(payload.to_vec())
    })
}
