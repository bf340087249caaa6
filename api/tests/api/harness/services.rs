//! Routes, jobs and readers of the services of a world, as a process of the server builds them.

use std::sync::Arc;

use agents::Clients;
use async_trait::async_trait;
use axum::Router;
use code_host::memory::MemoryHost;
use code_host_api::Host;
use common::clock::{ManualClock, SharedClock};
use common::pepper::Pepper;
use context::{Brands, Engine, ScannerSettings};
use findings::{Billing, Findings};
use jobs::Jobs;
use outbound::Outbound;
use records::Records;
use red_team::Schedules;
use redact::Redactor;
use rest::family::Family;
use rest::kit::Kit;
use secrets::Vault;
use zeroize::Zeroizing;

use super::{PARTITIONS, WEBHOOK_SECRET};

/// Parses replies in this process: the test program is no child of its own, and its replies are its own.
pub(super) struct Unsandboxed;

#[async_trait]
impl assets::ReplyReader for Unsandboxed {
    async fn read(&self, batch: &[u8]) -> Result<Vec<u8>, sandbox::SandboxError> {
        Ok(web::parse::read_batch(batch))
    }
}

#[async_trait]
impl context::PackageReader for Unsandboxed {
    async fn read(&self, assignment: &[u8]) -> Result<Vec<u8>, sandbox::SandboxError> {
        Ok(context::read_package(assignment))
    }

    async fn repository(&self, assignment: &[u8]) -> Result<Vec<u8>, sandbox::SandboxError> {
        Ok(context::read_repository(assignment))
    }
}

/// The code host of a world.
pub(super) fn connected(host: &Arc<MemoryHost>) -> Host {
    let secret = Zeroizing::new(WEBHOOK_SECRET.as_bytes().to_vec());
    Host { client: host.clone(), webhook_secret: Arc::new(secret) }
}

pub(super) fn code_host_routes(family: &Arc<Family>, kit: &Arc<Kit>, jobs: &Arc<Jobs>, host: Host) -> Router {
    let (kit, jobs, pepper) = (Arc::clone(kit), Arc::clone(jobs), Pepper::new([7; 32]));
    code_host_api::build(family, code_host_api::Dependencies { kit, jobs, pepper, host: Some(host) })
}

/// Jobs of all kinds.
pub(super) fn jobs(kit: &Kit, network: assets::Network, host: &Host, scanner: context::Scanner) -> Jobs {
    let records = Arc::new(Records::new(Arc::clone(&kit.ledger), PARTITIONS, kit.directory.new_id()));
    let findings = Findings::new(Arc::clone(&kit.ledger), Arc::clone(&records), kit.base_url.clone());
    let billing = Billing { credits: kit.credits.clone(), price: 1 };
    let triage = findings::triage_kind(Arc::new(findings), billing, Arc::clone(&kit.clock));
    let (directory, clock) = (Arc::clone(&kit.directory), Arc::clone(&kit.clock));
    let config = assets::Config { requests_per_minute: 60_000 };
    let discovery = assets::discovery_kind(directory, clock, Some(network), config);
    let scheduled = red_team::kinds(&kit.directory, Arc::new(assets::ScheduledDiscovery));
    let contributors = contributor_trust::Scanner::start(Arc::clone(&host.client)).unwrap();
    let contributors =
        contributor_trust::scan_kind(&kit.directory, &kit.clock, Some(contributors), PARTITIONS);
    let host = code_host_api::kinds(&kit.directory, &kit.clock, Some(host.clone()));
    let ledger = Arc::clone(&kit.ledger);
    let scan = context::scan_kind(Some(scanner), ledger, Arc::clone(&kit.clock), PARTITIONS);
    let kinds = scheduled.into_iter().chain([triage, discovery, scan, contributors]).chain(host).collect();
    Jobs::new(records, kinds, Arc::clone(&kit.clock))
}

/// The scanner of context scans.
pub(super) fn scanner(
    outbound: &Arc<Outbound>,
    clock: &Arc<ManualClock>,
    registries: &str,
) -> context::Scanner {
    let redactor = Arc::new(Redactor::new(&redact::Policy::default()).unwrap());
    let engine = Engine::load(guard_api::GUARD_MODEL, redactor, Brands::built_in()).unwrap();
    let here = registries::Registry::at(registries);
    let registries = registries::Config {
        npm: here.clone(),
        pypi: here.clone(),
        go: here.clone(),
        rubygems: here.clone(),
        crates_index: here.clone(),
        crates_api: here,
        ..registries::Config::default()
    };
    let settings = ScannerSettings { registries, advisories_index: "/nowhere/advisories.index".into() };
    let way = (Arc::clone(outbound), clock.clone() as SharedClock);
    let scanner =
        context::Scanner::new(&context::Config::default(), settings, Arc::new(engine), way).unwrap();
    scanner.with_reader(Arc::new(Unsandboxed))
}

/// The routes of context scans.
pub(super) fn scans(
    family: &Arc<Family>,
    kit: &Arc<Kit>,
    (outbound, jobs): (&Arc<Outbound>, &Arc<Jobs>),
    scanner: context::Scanner,
) -> context::Routes {
    let dependencies = context::Dependencies {
        kit: Arc::clone(kit),
        scanner,
        outbound: Arc::clone(outbound),
        jobs: Arc::clone(jobs),
        threads: 1,
    };
    context::build(context::Config::default(), family, dependencies).unwrap()
}

/// The routes of applications and agents.
pub(super) fn targets(
    family: &Arc<Family>,
    kit: &Arc<Kit>,
    (vault, outbound): (&Arc<Vault>, &Arc<Outbound>),
    (jobs, findings): (&Arc<Jobs>, &Arc<Findings>),
) -> (assets::Routes, Router) {
    let schedules = Schedules::new(Arc::clone(&kit.directory), Arc::clone(jobs));
    let records = Arc::clone(jobs.records());
    let clients = Arc::new(Clients::new(Arc::clone(&records), Pepper::new([7; 32]), Arc::clone(&kit.clock)));
    let (kit, vault, no_rules) = (Arc::clone(kit), Arc::clone(vault), Arc::default());
    let applications = assets::Dependencies {
        kit: Arc::clone(&kit),
        vault: Arc::clone(&vault),
        schedules: schedules.clone(),
        jobs: Arc::clone(jobs),
        outbound: Arc::clone(outbound),
    };
    let agents = agents::Dependencies {
        kit,
        clients,
        vault,
        schedules,
        findings: Arc::clone(findings),
        records,
        redactor: Arc::new(Redactor::new(&redact::Policy::default()).unwrap()),
        operator_rules: Arc::new(move || Arc::clone(&no_rules)),
        outbound: Arc::clone(outbound),
    };
    (assets::build(family, applications), agents::build(family, agents).unwrap())
}

pub(super) fn contributors(
    family: &Arc<Family>,
    kit: &Arc<Kit>,
    jobs: &Arc<Jobs>,
    code_host: &Arc<MemoryHost>,
) -> Router {
    let (kit, jobs, host) = (Arc::clone(kit), Arc::clone(jobs), Arc::clone(code_host));
    contributor_trust::build(family, contributor_trust::Dependencies { kit, jobs, host: Some(host) })
}
