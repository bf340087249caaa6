//! Serving: opens all stores once, starts the roles, and stops them in order. Roles are started
//! in the modules below, in the order in which a record passes through them.

mod analysis;
mod analyzer_role;
mod api_role;
mod certificates;
pub(crate) mod code_host;
mod delivery;
mod detection;
mod front;
mod inspection;
mod ingest_role;
mod readiness;
pub(crate) mod rules;
pub(crate) mod scans;
mod share;
mod source_statistics;
pub(crate) mod worker_role;

use std::net::SocketAddr;
use std::sync::Arc;

use analyzer::WorkerStatus;
use common::clock::{SharedClock, SystemClock};
use directory::Authenticator;
use durable_log::DurableLog;
use escalation::Escalation;
use process::admin;
use process::health::Health;
use process::listen::Bound;
use process::notify::{self, Notifier};
use process::shutdown::{Shutdown, Signals, Stage};
use process::tasks::{Tasks, Tier};
use process::telemetry::{BuildInfo, Telemetry};
use redact::Redactor;
use statistics::Statistics;

use crate::settings::{BackEnds, Role, Settings};
use crate::storage::{self, Ledgers};
use crate::{Failure, first_run, memory};
use certificates::CertificateWatch;
use detection::{Again, Detection};
use front::Front;
use inspection::LedgerDamage;
use readiness::LedgerProbe;
use source_statistics::SourceStatistics;

/// Dependencies of the roles.
struct Opened {
    clock: SharedClock,
    ledgers: Ledgers,
    /// Absent in a process that neither ingests nor analyses logs.
    log: Option<Arc<dyn DurableLog>>,
    /// Reports of the analyzer of this process.
    workers: WorkerStatus,
    /// Counts of all roles of this process by source.
    statistics: Arc<Statistics>,
    authenticator: Arc<Authenticator>,
    redactor: Arc<Redactor>,
    escalation: Arc<Escalation>,
    base_url: String,
}

/// Addresses that this process listens on.
pub(crate) struct Served {
    /// Senders and the API, as far as the process plays their roles, and health.
    pub(crate) listener: SocketAddr,
    /// Metrics and health; absent when the admin listener is off.
    pub(crate) admin: Option<SocketAddr>,
}

/// Serves until a signal ends the process.
///
/// # Errors
/// The error that prevented the start or ended the process.
pub(crate) fn serve(settings: Settings) -> Result<(), Failure> {
    let build = BuildInfo {
        version: env!("CARGO_PKG_VERSION"),
        revision: option_env!("PALISADE_REVISION").unwrap_or("unknown"),
    };
    let telemetry = Telemetry::install(&settings.telemetry, build)?;
    memory::without_huge_pages();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(run(settings, telemetry))
}

async fn run(settings: Settings, telemetry: Telemetry) -> Result<(), Failure> {
    let signals = Signals::install()?;
    let shutdown = Shutdown::new();
    let clock: SharedClock = Arc::new(SystemClock::new());
    let lock = storage::lock(&settings)?;
    let bound = Bound::bind(&settings.listen).await?;
    let admin = admin::bind(settings.admin_listen).await?;
    let served = Served { listener: bound.address(), admin: admin.as_ref().map(Bound::address) };
    let certificates = bound.certificates();
    let opened = open(&settings, &clock, served.listener).await?;
    let damage = inspection::start(lock.as_ref(), &settings)?;

    let mut tasks = Tasks::new();
    let health = start_health(&settings, &opened, damage.clone(), &telemetry, &mut tasks, &shutdown);
    let detection = start_detection(&settings, &opened, &mut tasks, &shutdown).await?;
    let again = detection.as_ref().map(|detection| detection.again.clone());
    let front = start_roles(&settings, &opened, detection, &health, &mut tasks, &shutdown).await?;
    let statistics = SourceStatistics::start(&settings, &opened, &mut tasks, &shutdown);
    let watch = CertificateWatch::start(&settings, &clock, &mut tasks, &shutdown)?;
    // Every listener is bound, every back end open, the rules are loaded: nothing can fail between the first key and
    // its use any more.
    let first = first_run(&settings, &opened).await?;
    start_admin(admin, &settings, &telemetry, &health, &mut tasks, &shutdown);
    start_listener(bound, front, &settings, &mut tasks, &shutdown);
    first_run::say_serving(&settings, first.as_ref(), &opened.base_url, &served);
    notify(&settings, &mut tasks, &shutdown);

    let reload = move || reload(certificates.as_ref(), &watch, again.as_ref());
    let conducting = signals.conduct(shutdown.clone(), settings.shutdown.pause, reload);
    let supervised = tokio::select! {
        outcome = tasks.supervise(&shutdown, &settings.shutdown) => outcome,
        () = async { conducting.await; std::future::pending().await } => Ok(()),
    };
    if let Some(statistics) = statistics {
        statistics.finish().await;
    }
    if let Some(log) = &opened.log {
        log.close().await;
    }
    supervised?;
    if let Some(lock) = lock.as_ref().filter(|_| damage.is_known_sound()) {
        // The ledger's writing thread acknowledges commits before callers resume, so none is in flight any more.
        lock.end()?;
    }
    tracing::info!("shut down cleanly");
    Ok(())
}

/// The first organization, key and source, at the first start on an empty data directory.
async fn first_run(settings: &Settings, opened: &Opened) -> Result<Option<first_run::First>, Failure> {
    match settings.back_ends() {
        BackEnds::Embedded => first_run::create(settings, &opened.ledgers.directory, &opened.base_url).await,
        // They were created when the deployment was prepared.
        BackEnds::Distributed { .. } => Ok(None),
    }
}

/// The readiness checks, and the task that probes the ledger for one of them.
fn start_health(
    settings: &Settings,
    opened: &Opened,
    damage: LedgerDamage,
    telemetry: &Telemetry,
    tasks: &mut Tasks,
    shutdown: &Shutdown,
) -> Arc<Health> {
    let probe = LedgerProbe::new();
    let analysis = analysis::watch(settings, opened, telemetry, tasks, shutdown);
    let health = readiness::health(shutdown, probe.clone(), opened.log.clone(), analysis)
        .with_detail("ledger file", move || damage.check());
    let health = Arc::new(health);
    let probing = probe.run(Arc::clone(&opened.ledgers.ledger), shutdown.clone());
    tasks.spawn("ledger probe", Tier::Back, async move {
        probing.await;
        Ok(())
    });
    health
}

/// Starts answering requests.
fn start_listener(bound: Bound, front: Front, settings: &Settings, tasks: &mut Tasks, shutdown: &Shutdown) {
    let bound = match front.ingest.clone() {
        Some(ingest) => bound.with_plain(ingest),
        None => bound,
    };
    let serving = bound.serve(front.handler(), shutdown.clone(), settings.shutdown.drain);
    tasks.spawn("listener", Tier::Front, async move {
        let drained = serving.await;
        if drained.cut > 0 {
            tracing::warn!(connections = drained.cut, "connections were closed at the end of the drain");
        }
        Ok(())
    });
}

/// Notifies the service manager that the process serves, and when it begins to stop.
fn notify(settings: &Settings, tasks: &mut Tasks, shutdown: &Shutdown) {
    let notifier = Notifier::new(std::env::var_os(notify::SOCKET_VARIABLE));
    let roles: Vec<String> = settings.roles.iter().map(ToString::to_string).collect();
    notifier.ready(&format!("serving {}", roles.join(", ")));
    let shutdown = shutdown.clone();
    tasks.spawn("service manager", Tier::Back, async move {
        shutdown.reached(Stage::Leaving).await;
        notifier.stopping();
        shutdown.reached(Stage::Flushing).await;
        Ok(())
    });
}

async fn open(settings: &Settings, clock: &SharedClock, address: SocketAddr) -> Result<Opened, Failure> {
    let ledgers = storage::open_ledgers(settings, clock).await?;
    let needs_log = settings.has(Role::Ingest) || settings.has(Role::Analyzer);
    let log = if needs_log { Some(storage::open_log(settings, clock).await?) } else { None };
    let authenticator = Arc::new(Authenticator::new(Arc::clone(&ledgers.directory), Arc::clone(clock)));
    let base_url = settings.base_url(address);
    let (directory, pepper) = (Arc::clone(&ledgers.directory), ledgers.pepper.clone());
    Ok(Opened {
        escalation: Arc::new(Escalation::new(directory, pepper, base_url.clone())),
        clock: Arc::clone(clock),
        ledgers,
        log,
        workers: WorkerStatus::default(),
        statistics: Arc::default(),
        authenticator,
        redactor: Arc::new(Redactor::new(&settings.redaction)?),
        base_url,
    })
}

/// Only a process that analyses, or that checks added rules, needs rules.
async fn start_detection(
    settings: &Settings,
    opened: &Opened,
    tasks: &mut Tasks,
    shutdown: &Shutdown,
) -> Result<Option<Detection>, Failure> {
    if !settings.has(Role::Analyzer) && !settings.has(Role::Api) {
        return Ok(None);
    }
    Detection::start(settings, opened, tasks, shutdown).await.map(Some)
}

async fn start_roles(
    settings: &Settings,
    opened: &Opened,
    detection: Option<Detection>,
    health: &Arc<Health>,
    tasks: &mut Tasks,
    shutdown: &Shutdown,
) -> Result<Front, Failure> {
    let sending = scans::open(settings, opened).await?;
    worker_role::start(settings, opened, sending.as_ref(), tasks, shutdown).await?;
    let mut front = Front::new(Arc::clone(health));
    if let Some(log) = &opened.log
        && settings.has(Role::Ingest)
    {
        front.ingest = Some(ingest_role::build(settings, opened, log)?);
    }
    let Some(Detection { check, in_force, .. }) = detection else { return Ok(front) };
    if let (Some(log), Some(rules)) = (&opened.log, in_force) {
        analyzer_role::start(settings, opened, log, tasks, shutdown, rules)?;
    }
    if let Some((delivery, scanner)) = sending.filter(|_| settings.has(Role::Api)) {
        front.api = Some(api_role::start(settings, opened, tasks, shutdown, check, (&delivery, scanner))?);
        delivery.start(settings, opened, tasks, shutdown);
    }
    Ok(front)
}

fn start_admin(
    bound: Option<Bound>,
    settings: &Settings,
    telemetry: &Telemetry,
    health: &Arc<Health>,
    tasks: &mut Tasks,
    shutdown: &Shutdown,
) {
    let upkeep = telemetry.clone().upkeep(shutdown.clone());
    tasks.spawn("metrics upkeep", Tier::Back, async move {
        upkeep.await;
        Ok(())
    });
    let Some(bound) = bound else { return };
    tracing::info!(address = %bound.address(), "metrics and health");
    let patience = settings.shutdown.drain;
    let serving = admin::serve(bound, telemetry.clone(), Arc::clone(health), shutdown.clone(), patience);
    tasks.spawn("admin listener", Tier::Front, async move {
        serving.await;
        Ok(())
    });
}

fn reload(
    certificates: Option<&process::listen::Certificates>,
    watch: &CertificateWatch,
    rules: Option<&Again>,
) {
    if let Some(rules) = rules {
        tracing::info!("SIGHUP: reloading the rules");
        rules.ask();
    }
    match certificates.map(process::listen::Certificates::reload) {
        None if rules.is_none() => tracing::info!("SIGHUP: nothing to reload"),
        None => {}
        Some(Ok(())) => {
            tracing::info!("SIGHUP: the certificate was reloaded");
            watch.listener_reloaded();
        }
        Some(Err(error)) => tracing::error!(%error, "SIGHUP: the old certificate stays in use"),
    }
}
