//! The mode `tenants`: several organizations share one server, and one of them is hostile in each phase in another way,
//! while the others send logs with attacks and use the API. The victims and the server are measured. The modules
//! stand in the order of a run: a *tenant* is an organization; *hostility* lists the phases, which send *rules* and
//! a *flood* of requests, and have a *name server*; a *victim* writes a *journal*; *looks* sample the server
//! meanwhile; *promises* are judged and *reported*.

mod flood;
mod hostility;
mod journal;
mod look;
mod name_server;
mod promises;
mod report;
mod rules;
mod tenant;
mod victim;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use self::flood::Flood;
use self::hostility::{Hostile, Hostility};
use self::look::Observer;
use self::promises::Bounds;
use self::report::{Measured, Phase, Report};
use self::tenant::Tenant;
use self::victim::{Habits, Victim};
use crate::chaos::deployment::Deployment;
use crate::chaos::plan::Stores;
use crate::chaos::site::Site;
use crate::failure::RunError;
use loadtest::arguments::{Trial, loopback_port, number, seconds};
use loadtest::clock::WallClock;
use loadtest::load::interruptible;
use loadtest::load::plan::Output;
use loadtest::locked::Locked;
use loadtest::process::Role;
use loadtest::run::say;
use loadtest::work::Work;

/// Sources of each organization.
const SOURCES: u8 = 2;
/// Interval of looking for the remaining incidents after the phase.
const SETTLE_LOOK: Duration = Duration::from_millis(100);
/// Default limits of API requests: the limits are part of the isolation.
const LIMITS: (&str, &str) = ("PALISADE__API__REQUESTS_PER_MINUTE", "600");
/// The setting of the name servers for host names of webhooks.
const NAME_SERVERS: &str = "PALISADE__OUTBOUND__NAME_SERVERS";
/// The setting of the number of partitions of the embedded log.
const PARTITIONS: &str = "PALISADE__LOG__PARTITIONS";

/// Let one organization exhaust the resources it shares with others, and measure the others.
#[derive(Clone, Debug, Args)]
pub(crate) struct Plan {
    #[command(flatten)]
    pub(crate) trial: Trial,
    /// Only the phases whose names contain this: quiet, expressions, large rules, small rules, look-ups, rule checks,
    /// idempotency keys.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Duration of the hostile activity in each phase.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    duration: Duration,
    /// Duration of the victims' activity before that; not measured.
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = seconds)]
    warm_up: Duration,
    /// Longest time until the last attacks are incidents.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    settle: Duration,
    /// Organizations that are measured, 1..16.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=16))]
    victims: u8,
    /// Attacks a second on each of them, 0.1..10; 300 in a phase at most.
    #[arg(long, default_value_t = 2.0, value_parser = number(0.1, 10.0))]
    attack_rate: f64,
    /// Ordinary records a second that each of them sends beside, 0..10000.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    ordinary: u32,
    /// Requests of the hostile organization in a phase, at most, 1..100000.
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    hostile_requests: u64,
    /// Of them at a time, 1..512.
    #[arg(long, default_value_t = 80, value_parser = clap::value_parser!(u32).range(1..=512))]
    hostile_connections: u32,
    /// Bytes of a hostile record, 1000..1000000: a record has at most 1 MiB. A debug build, which is some 20 times
    /// slower, is given as much work by a twentieth.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1_000..=1_000_000))]
    hostile_record_bytes: u32,
    /// Organizations with one small rule each, in the phase of small rules, 1..200.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u8).range(1..=200))]
    small_organizations: u8,
    #[command(flatten)]
    bounds: Bounds,
    /// Partitions of the log, 1..1024 [default: the server's]. With one, the sources of all organizations share it.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1_024))]
    partitions: Option<u16>,
    /// The loopback address of this tool's name server.
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), value_parser = loopback_port)]
    name_server: SocketAddr,
    /// Uses the name servers of /etc/resolv.conf, which must name --name-server then: for a server
    /// without a setting for them.
    #[arg(long)]
    system_resolver: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Runs every phase, or until interrupted.
///
/// # Errors
/// [`RunError`] when a server never started or refuses the setup.
pub(crate) async fn run(plan: &Plan, seed: u64) -> Result<Report, RunError> {
    let (tell, stop) = watch::channel(false);
    let phases = async {
        let mut phases = Vec::new();
        for hostility in Hostility::ALL {
            let is_asked_for = plan.only.as_ref().is_none_or(|only| hostility.name().contains(only.as_str()));
            if !is_asked_for || *stop.borrow() {
                continue;
            }
            let phase = run_phase(plan, hostility, seed).await?;
            say(phase.to_string().trim_end());
            phases.push(phase);
        }
        Ok::<_, RunError>(phases)
    };
    let phases = interruptible(Box::pin(phases), &tell).await?;
    let interrupted = *stop.borrow();
    Ok(Report { seed, phases, interrupted })
}

/// A separate server, so that no phase is affected by the one before.
async fn run_phase(plan: &Plan, hostility: Hostility, seed: u64) -> Result<Phase, RunError> {
    let work = Work::open(None)?;
    let mut tasks = JoinSet::new();
    let has_names = hostility == Hostility::LookUps;
    let mut name_servers = String::new();
    if has_names {
        let started = name_server::start(plan.name_server, &mut tasks).await;
        let address = started.map_err(|source| RunError::NameServer { address: plan.name_server, source })?;
        name_servers = format!("[\"{address}\"]");
    }
    let mut settings = vec![LIMITS];
    if has_names && !plan.system_resolver {
        settings.push((NAME_SERVERS, &name_servers));
    }
    let partitions = plan.partitions.map(|partitions| partitions.to_string());
    settings.extend(partitions.as_deref().map(|partitions| (PARTITIONS, partitions)));
    let small = if hostility == Hostility::SmallRules { plan.small_organizations } else { 0 };
    let stores = Stores::default();
    let directory = work.path().to_owned();
    let mut site = Site::new(&plan.trial.binary, directory, &stores, "palisade-tenants".to_owned());
    site.settings = &settings;
    let organizations = plan.victims.saturating_add(1).saturating_add(small);
    let deployment = site.open(&[Role::All], organizations, SOURCES, seed).await?;
    let mut measured =
        Stage::prepare(plan, hostility, &deployment, seed).await?.measure(plan, &mut tasks).await;
    tasks.shutdown().await;
    measured.ended = ended(&deployment).await;
    deployment.close().await;
    measured.small_organizations = (small > 0).then_some(u64::from(small));
    let promises = promises::of(&measured, &plan.bounds);
    let mut phase = Phase { name: hostility.name(), measured, promises, kept: None };
    phase.kept = work.leave(phase.is_clean());
    Ok(phase)
}

/// The reason if the server exited unexpectedly, or its log contains a panic.
async fn ended(deployment: &Deployment) -> Option<String> {
    let mut process = deployment.processes.first()?.lock().await;
    if let Err(error) = process.check() {
        return Some(format!("; {error}"));
    }
    let complaints = process.complaints().unwrap_or_default();
    complaints.panics.first().map(|panic| format!("; {panic}"))
}

/// All participants of a phase.
struct Stage {
    hostile: Hostile,
    victims: Vec<Victim>,
    observer: Observer,
}

impl Stage {
    async fn prepare(
        plan: &Plan,
        hostility: Hostility,
        deployment: &Deployment,
        seed: u64,
    ) -> Result<Self, RunError> {
        let process = deployment.processes.first().ok_or(RunError::Empty)?.lock().await;
        let address = process.address;
        let clock = WallClock::start();
        let tenants = deployment.tenants.iter().map(|tenant| Tenant {
            address,
            key: tenant.key.clone(),
            sources: tenant.sources.clone(),
            clock,
        });
        let mut tenants: Vec<Tenant> = tenants.collect();
        let small = tenants.split_off((usize::from(plan.victims) + 1).min(tenants.len()));
        let hostile = tenants.pop().ok_or(RunError::Empty)?;
        let habits = Habits {
            attacks: plan.attack_rate,
            ordinary: plan.ordinary,
            webhooks: hostility == Hostility::LookUps,
            rules: true,
        };
        let mut victims = Vec::new();
        let within =
            hostility.has_victim_within().then(|| (hostile.clone(), Habits { rules: false, ..habits }));
        let tenants = tenants.into_iter().map(|tenant| (tenant, habits)).chain(within);
        for (number, (tenant, habits)) in (0_u64..).zip(tenants) {
            victims.push(Victim::prepare(tenant, habits, seed.wrapping_add(number)).await?);
        }
        let flood = Flood {
            address,
            most: plan.hostile_requests,
            connections: plan.hostile_connections,
            record_bytes: plan.hostile_record_bytes,
            sightings: Locked::default(),
        };
        let hostile = Hostile::prepare(hostility, hostile, small, flood, seed).await?;
        let journals = victims.iter().map(|victim| Arc::clone(&victim.journal)).collect();
        let observer = Observer::new(process.admin, process.id(), journals);
        Ok(Self { hostile, victims, observer })
    }

    /// The victims alone, then with the hostile organization, then until every attack is an incident.
    async fn measure(self, plan: &Plan, tasks: &mut JoinSet<()>) -> Measured {
        let (tell, over) = watch::channel(false);
        for victim in &self.victims {
            victim.begin(&over, tasks);
        }
        let story = async {
            tokio::time::sleep(plan.warm_up).await;
            for victim in &self.victims {
                victim.journal.restart();
            }
            let begun = self.observer.now();
            let end = Instant::now() + plan.duration;
            // Reaching the deadline is the usual end.
            let _ = tokio::time::timeout_at(end, self.hostile.attack()).await;
            tokio::time::sleep_until(end).await;
            tell.send_replace(true);
            let seconds = self.observer.now() - begun;
            let settled = Instant::now() + plan.settle;
            while Instant::now() < settled && self.is_waiting() {
                tokio::time::sleep(SETTLE_LOOK).await;
            }
            (begun, seconds)
        };
        let (begun, seconds) = tokio::select! {
            times = story => times,
            // Never ends by itself.
            () = self.observer.watch() => (0.0, 0.0),
        };
        let looks = self.observer.looks();
        let (before, looks): (Vec<_>, Vec<_>) = looks.into_iter().partition(|look| look.at < begun);
        Measured {
            seconds,
            is_quiet: self.hostile.hostility == Hostility::Quiet,
            hostile: self.hostile.flood.sightings.lock().clone(),
            victims: self.victims.iter().map(|victim| victim.journal.close()).collect(),
            looks,
            resident_before: before.last().and_then(|look| look.resident_bytes),
            small_organizations: None,
            ended: None,
        }
    }

    /// Whether an attack is not an incident yet.
    fn is_waiting(&self) -> bool {
        self.victims.iter().any(|victim| victim.journal.oldest().is_some())
    }
}
