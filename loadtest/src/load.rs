//! The mode `load`: a server receives requests at a rate, or as many as it answers, and is measured; then the
//! results are read from it. The modules stand in the order of a run: the *plan* is read, the
//! *subject* started or found, *lines* and *attacks* become *templates* and these a *mix*; a *phase* has a
//! *schedule*, whose turns *senders* take over *exchanges*, counted by the *results* and sampled by the *observer*;
//! acknowledged records are *confirmed*, *overload* judged, and all *reported*, with a *page* of *plots*.

pub mod plan;
pub mod subject;
pub mod lines;
pub mod attacks;
pub mod template;
pub mod mix;
pub mod phase;
pub mod schedule;
pub mod sender;
mod exchange;
pub mod results;
pub mod observe;
pub mod confirm;
pub mod overload;
pub mod report;
pub mod page;
pub mod plot;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::watch;

use crate::clock::WallClock;
use crate::metrics::Metrics;
use confirm::confirm;
use mix::{Mix, MixError};
use observe::Observer;
use phase::{Done, Phase};
use plan::{Load, Plan, Server};
use report::Report;
use results::Results;
use schedule::Pace;
use sender::Shared;
use subject::{Subject, SubjectError};

/// Share of the capacity that is sent after an overload: the server must recover under it.
const AFTERWARDS: f64 = 0.5;
/// Connections of an overload per connection of the capacity measurement: a fleet that gets no answer
/// opens more.
const OVERLOAD_CONNECTIONS: u32 = 8;
const MOST_CONNECTIONS: u32 = 4096;
/// Minimum duration of the capacity measurement.
const CAPACITY_SECONDS: Duration = Duration::from_secs(5);

/// Reason why there is no report.
#[derive(Debug, Error)]
pub enum LoadError {
    #[error(transparent)]
    Subject(#[from] SubjectError),
    #[error(transparent)]
    Mix(#[from] MixError),
    #[error("nothing was acknowledged while the capacity was measured: {0}")]
    NoCapacity(String),
}

/// A server with its sources and keys, and the state for loading it.
pub struct Stage {
    pub subject: Subject,
    pub shared: Arc<Shared>,
    pub observer: Observer,
    pub before: Option<Metrics>,
    load: Load,
    seed: u64,
}

impl Stage {
    /// Sets everything up.
    pub async fn open(
        server: &Server,
        load: &Load,
        settings: &[(&str, &str)],
        seed: u64,
    ) -> Result<Self, LoadError> {
        let subject = Subject::open(server, load, settings).await?;
        let mix = Mix::new(load, &subject, seed)?;
        let shared =
            Shared { mix, results: Results::default(), clock: WallClock::start(), next: AtomicU64::new(0) };
        let before = subject.metrics().await;
        Ok(Self {
            subject,
            shared: Arc::new(shared),
            observer: Observer::new(),
            before,
            load: load.clone(),
            seed,
        })
    }

    /// Checks the results, ends a started server, and reports. `others` are records that were
    /// acknowledged in addition to those of the phases.
    pub async fn close(mut self, phases: Vec<Done>, others: u64) -> Report {
        let sum = |of: fn(&Done) -> u64| phases.iter().map(of).sum::<u64>();
        let sent = (others + sum(|done| done.counts.records), sum(|done| done.counts.unknown_records));
        let about = (&self.shared.mix, &self.shared.results);
        let mut confirmed = confirm(&self.subject, about, self.before.as_ref(), sent, self.load.settle).await;
        if !self.subject.is_running() {
            confirmed.complaints.push("the server ended by itself".to_owned());
        }
        let panics = self.subject.panics();
        confirmed.complaints.extend(panics.into_iter().map(|panic| format!("the server's log says {panic}")));
        let is_clean = confirmed.complaints.is_empty();
        Report {
            load: self.load,
            seed: self.seed,
            phases,
            looks: self.observer.looks(),
            confirmed,
            promises: Vec::new(),
            kept: self.subject.close(is_clean).await,
        }
    }
}

/// Runs to the end, or until interrupted; then reports the results.
///
/// # Errors
/// [`LoadError`] when there is no server, nothing to send, or nothing was ever acknowledged.
pub async fn run(plan: &Plan, seed: u64) -> Result<Report, LoadError> {
    let stage = Stage::open(&plan.server, &plan.load, &[], seed).await?;
    let (tell, stop) = watch::channel(false);
    let phases = interruptible(story(plan, &stage, &stop), &tell).await?;
    let looks = stage.observer.looks();
    let promises = plan.times_capacity.map(|_| overload::promises(&phases, &looks));
    let mut report = stage.close(phases, 0).await;
    report.promises = promises.unwrap_or_default();
    Ok(report)
}

/// Runs a future to its end that stops on a signal, which an interrupt sends.
pub async fn interruptible<R>(driven: impl Future<Output = R>, tell: &watch::Sender<bool>) -> R {
    let mut driven = std::pin::pin!(driven);
    tokio::select! {
        outcome = &mut driven => return outcome,
        // If no handler can be installed, an interrupt ends the tool as usual.
        _ = tokio::signal::ctrl_c() => {}
    }
    tell.send_replace(true);
    driven.await
}

async fn story(plan: &Plan, stage: &Stage, stop: &watch::Receiver<bool>) -> Result<Vec<Done>, LoadError> {
    let mut phases = Vec::new();
    let connections = plan.load.connections;
    if let Some(factor) = plan.times_capacity {
        let measured = CAPACITY_SECONDS.max(plan.duration / 3);
        let rate = capacity(stage, plan.warm_up, measured, stop, &mut phases).await?;
        let many = (connections * OVERLOAD_CONNECTIONS).min(MOST_CONNECTIONS);
        for (name, factor, connections) in
            [("overload", factor, many), ("afterwards", AFTERWARDS, connections)]
        {
            let pace = Pace::steady(rate * factor, plan.poisson);
            phases.push(stage.phase(Phase { name, pace, duration: plan.duration, connections }, stop).await);
        }
        return Ok(phases);
    }
    let pace = pace(plan);
    let first = pace.rate_at(Duration::ZERO).map_or(Pace::Closed, |rate| Pace::steady(rate, plan.poisson));
    for (name, pace, duration) in [("warm-up", first, plan.warm_up), ("load", pace, plan.duration)] {
        phases.push(stage.phase(Phase { name, pace, duration, connections }, stop).await);
    }
    Ok(phases)
}

/// Sends as fast as the server answers, for a time, after a warm-up; returns requests per second.
pub async fn capacity(
    stage: &Stage,
    warm_up: Duration,
    measured: Duration,
    stop: &watch::Receiver<bool>,
    phases: &mut Vec<Done>,
) -> Result<f64, LoadError> {
    let connections = stage.load.connections;
    for (name, duration) in [("warm-up", warm_up), ("capacity", measured)] {
        phases.push(stage.phase(Phase { name, pace: Pace::Closed, duration, connections }, stop).await);
    }
    match phases.last() {
        Some(capacity) if capacity.counts.accepted > 0 => Ok(capacity.accepted_a_second()),
        measured => {
            let complaints = measured.map(|done| done.counts.complaints.join("; "));
            Err(LoadError::NoCapacity(complaints.unwrap_or_default()))
        }
    }
}

fn pace(plan: &Plan) -> Pace {
    match (plan.rate, plan.ramp) {
        (Some(rate), _) => Pace::steady(rate, plan.poisson),
        (None, Some(ramp)) => Pace::Open {
            from: ramp.from,
            to: ramp.to,
            over: ramp.over.unwrap_or(plan.duration),
            poisson: plan.poisson,
        },
        (None, None) => Pace::Closed,
    }
}
