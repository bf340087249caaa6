//! The mode `escalation`: the time from a log line to its webhook. Attacks are
//! sent at random times at a rate among ordinary records, and a receiver on loopback waits for each.

mod measured;
mod receiver;

use std::time::Duration;

use clap::Args;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use self::measured::{Measured, Sent};
use crate::chaos::answers::{Answers, Side};
use crate::chaos::caller::Caller;
use crate::chaos::deployment::Deployment;
use crate::chaos::input::SourceRef;
use crate::chaos::plan::Stores;
use crate::chaos::site::Site;
use crate::failure::RunError;
use crate::measurement::Measurement;
use crate::traffic::Attack;
use loadtest::api::{Call, logs_path};
use loadtest::arguments::{Trial, number};
use loadtest::client::Content;
use loadtest::clock::{WallClock, turns};
use loadtest::forms::Form;
use loadtest::load::template::{Stamp, Template};
use loadtest::process::Role;
use loadtest::work::Work;

/// A source opens 200 separate incidents of a family in an hour; further findings join one.
const ATTACKS_A_SOURCE: u32 = 100;
/// Ordinary records in a request.
const BATCH: usize = 500;
/// The expected event.
const EVENT: &str = "infrastructure.incident.escalated";
/// Webhooks go to this machine only.
const SETTINGS: [(&str, &str); 1] = [("PALISADE__OUTBOUND__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#)];

/// Send attacks among ordinary records, and measure the time from a log line to its webhook.
#[derive(Clone, Debug, Args)]
pub(crate) struct Plan {
    #[command(flatten)]
    pub(crate) trial: Trial,
    #[command(flatten)]
    stores: Stores,
    /// Attacks, each an incident with a webhook of its own, 1..10000.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    attacks: u32,
    /// Attacks a second on average, at random times, 0.1..100.
    #[arg(long, default_value_t = 5.0, value_parser = number(0.1, 100.0))]
    rate: f64,
    /// Ordinary records a second beside them, 0..100000.
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    ordinary: u32,
}

/// Runs to the end.
///
/// # Errors
/// [`RunError`] when a deployment never started or refuses the setup.
pub(crate) async fn run(plan: &Plan, seed: u64) -> Result<Measurement, RunError> {
    let work = Work::open(None)?;
    let clock = WallClock::start();
    let shared = plan.stores.are_shared();
    let roles: &[Role] = if shared { &[Role::Ingest, Role::Analyzer, Role::Api] } else { &[Role::All] };
    let name = format!("palisade-escalation-{}", clock.now_ms());
    let mut site = Site::new(&plan.trial.binary, work.path().to_owned(), &plan.stores, name);
    site.settings = &SETTINGS;
    let sources = u8::try_from(plan.attacks.div_ceil(ATTACKS_A_SOURCE)).unwrap_or(u8::MAX);
    let deployment = site.open(roles, 1, sources, seed).await?;
    let mut senders = JoinSet::new();
    let (address, arrived) = receiver::listen(&mut senders).await?;
    let answers = Answers::default();
    subscribe(&deployment, &answers, &format!("http://{address}/"), seed).await;

    let place = SourceRef { organization: 0, source: 0 };
    let path = logs_path(deployment.source(place));
    let sender = caller(&deployment, &answers, Side::Ingest, seed);
    senders.spawn(send_ordinary(sender, path, clock, plan.ordinary, StdRng::seed_from_u64(seed)));
    let mut measured = Measured::of(plan.attacks);
    let sent = send_attacks(plan, &deployment, &answers, clock, seed, &mut senders);
    measured.watch(arrived, sent).await;
    senders.shutdown().await;
    deployment.close().await;
    Ok(Measurement {
        figures: measured.json(answers.all_acknowledged().1),
        is_complete: measured.is_complete(),
        violations: answers.violations().to_string(),
    })
}

fn caller(deployment: &Deployment, answers: &Answers, side: Side, seed: u64) -> Caller {
    deployment.caller(side, 0, answers, StdRng::seed_from_u64(seed))
}

/// Escalates everything to a receiver.
async fn subscribe(deployment: &Deployment, answers: &Answers, url: &str, seed: u64) {
    let mut caller = caller(deployment, answers, Side::Api, seed);
    let policy = json!({"name": "everything", "minimum_severity": "low"});
    let target = json!({"name": "receiver", "url": url, "events": [EVENT]});
    for (path, document) in [("/api/v1/monitoring-policies", policy), ("/api/v1/webhooks", target)] {
        caller.until_done(Call::create(path, &document)).await;
    }
}

/// Sends the attacks at their due times, regardless of the results of earlier ones; returns the sent ones.
fn send_attacks(
    plan: &Plan,
    deployment: &Deployment,
    answers: &Answers,
    clock: WallClock,
    seed: u64,
    senders: &mut JoinSet<()>,
) -> mpsc::Receiver<Sent> {
    let (sent, sending) = mpsc::channel(plan.attacks as usize);
    let mut chance = StdRng::seed_from_u64(seed);
    let mut due = Instant::now();
    for number in 0..plan.attacks {
        // Times between random events: exponential.
        due += Duration::from_secs_f64(-(1.0 - chance.random::<f64>()).ln() / plan.rate);
        let place = SourceRef { organization: 0, source: (number / ATTACKS_A_SOURCE) as usize };
        let path = logs_path(deployment.source(place));
        let mut caller = caller(deployment, answers, Side::Ingest, u64::from(number));
        let sent = sent.clone();
        senders.spawn(async move {
            tokio::time::sleep_until(due).await;
            let attack = Attack::new(number, clock.now_ms());
            let content = Content::new(Form::Protobuf.media_type(), attack.body(0, Form::Protobuf, false));
            let at = Instant::now();
            caller.until_done(Call::ingest(&path, content)).await;
            // The receiving side is dropped when the run was aborted.
            let _ = sent.send(Sent { address: attack.address(), at, acknowledged: Instant::now() }).await;
        });
    }
    sending
}

/// Sends a number of ordinary records per second, evenly, until it is dropped.
async fn send_ordinary(
    mut caller: Caller,
    path: String,
    clock: WallClock,
    a_second: u32,
    mut chance: StdRng,
) {
    if a_second == 0 {
        return;
    }
    let template = Template::ordinary(&mut chance, BATCH);
    let mut turns = turns(Duration::from_secs(1) * BATCH as u32 / a_second);
    loop {
        turns.tick().await;
        let stamp = Stamp { now_ms: clock.now_ms(), first_id: chance.random(), attacker: 0 };
        let content = Content::new(template.form.media_type(), template.body(&stamp));
        caller.deliver(&path, content, BATCH as u64).await;
    }
}
