//! The role that runs background jobs.

mod abandoned_credits;

use std::sync::Arc;

use assets::{Network, ScheduledDiscovery};
use code_host_api::Host;
use common::clock::SharedClock;
use context::Scanner;
use credits::Credits;
use findings::Findings;
use jobs::{JobKind, Jobs, Worker};
use ledger::Work;
use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};
use records::Records;
use sandbox::{Bounds, Sandbox};
use tokio::sync::watch;
use uuid::Uuid;

use super::Opened;
use super::code_host::Connected;
use super::delivery::Delivery;
use super::share::share;
use crate::Failure;
use crate::settings::{Role, Settings};
use crate::storage::Ledgers;

/// Sandboxes of discoveries: each parses for about a tenth of a second, so that those of all light slots take turns.
const SANDBOX: Bounds = Bounds { running: 2, waiting: 64 };

/// Dependencies of jobs outside of the deployment.
pub(crate) struct Outside {
    network: Network,
    code_host: Option<Host>,
    contributors: Option<contributor_trust::Scanner>,
}

/// Jobs of all kinds, in the ledger of the deployment. `base_url` is for links in the events of their handlers; a caller that
/// runs no job may leave it empty, and has nothing outside.
pub(crate) fn jobs(
    ledgers: &Ledgers,
    clock: &SharedClock,
    settings: &Settings,
    (base_url, outside): (&str, Option<Outside>),
    scanner: Option<Scanner>,
) -> Jobs {
    let records = Records::new(Arc::clone(&ledgers.ledger), settings.partitions(), Uuid::new_v4());
    let records = Arc::new(records);
    let mut kinds =
        vec![abandoned_credits::kind(ledgers, clock), triage(ledgers, clock, settings, (&records, base_url))];
    let (network, code_host, contributors) = outside.map_or((None, None, None), |outside| {
        (Some(outside.network), outside.code_host, outside.contributors)
    });
    kinds.push(contributor_trust::scan_kind(&ledgers.directory, clock, contributors, settings.partitions()));
    kinds.extend(code_host_api::kinds(&ledgers.directory, clock, code_host));
    let (directory, applications) = (Arc::clone(&ledgers.directory), settings.applications.clone());
    kinds.push(assets::discovery_kind(directory, Arc::clone(clock), network, applications));
    let ledger = Arc::clone(&ledgers.ledger);
    kinds.push(context::scan_kind(scanner, ledger, Arc::clone(clock), settings.partitions()));
    kinds.extend(red_team::kinds(&ledgers.directory, Arc::new(ScheduledDiscovery)));
    Jobs::new(records, kinds, Arc::clone(clock))
}

/// Automated triage of findings.
fn triage(
    ledgers: &Ledgers,
    clock: &SharedClock,
    settings: &Settings,
    (records, base_url): (&Arc<Records>, &str),
) -> JobKind {
    let findings = Findings::new(Arc::clone(&ledgers.ledger), Arc::clone(records), base_url.to_owned());
    let credits = Credits::new(Arc::clone(&ledgers.ledger), Arc::clone(clock));
    let billing = findings::Billing { credits, price: settings.findings.triage_price };
    findings::triage_kind(Arc::new(findings), billing, Arc::clone(clock))
}

/// Starts the worker of a process that has the role, and writes the schedules of the service itself.
pub(super) async fn start(
    settings: &Settings,
    opened: &Opened,
    sending: Option<&(Delivery, Scanner)>,
    tasks: &mut Tasks,
    shutdown: &Shutdown,
) -> Result<(), Failure> {
    jobs::describe_metrics();
    let Some((delivery, scanner)) = sending.filter(|_| settings.has(Role::Worker)) else { return Ok(()) };
    let (outbound, vault) = (delivery.outbound(), delivery.vault());
    let network = Network { outbound, vault, reader: Arc::new(Sandbox::new(SANDBOX)) };
    let code_host = delivery.code_host().map(Connected::for_jobs);
    let repositories = scanner.repositories.as_ref().zip(code_host.as_ref());
    let repositories = repositories.map(|(host, jobs)| host.with_client(Arc::clone(&jobs.client)));
    let scanner = scanner.clone().with_repositories(repositories);
    // A scan of a contributor fails at a rate limit instead of waiting for its end, as requests do.
    let public = delivery.code_host().map(|connected| connected.for_requests().client);
    let contributors = public.map(contributor_trust::Scanner::start).transpose()?;
    let outside = Outside { network, code_host, contributors };
    let jobs =
        jobs(&opened.ledgers, &opened.clock, settings, (&opened.base_url, Some(outside)), Some(scanner));
    abandoned_credits::schedule(&jobs).await?;
    red_team::schedule_housekeeping(&jobs).await?;
    if delivery.code_host().is_some() {
        code_host_api::schedule_housekeeping(&jobs).await?;
    }
    let share = share(settings, opened, Work::Jobs, tasks, shutdown);
    let worker = Worker::new(Arc::new(jobs), settings.worker.clone());
    let (stop, stopped) = watch::channel(false);
    tasks.spawn("jobs", Tier::Back, async move {
        worker.run(share, stopped).await;
        Ok(())
    });
    let shutdown = shutdown.clone();
    tasks.spawn("jobs stop", Tier::Back, async move {
        shutdown.reached(Stage::Flushing).await;
        stop.send_replace(true);
        Ok(())
    });
    Ok(())
}
