//! Carries out the faults, one or two at a time, restarts the stopped processes, and watches
//! for processes that exit unexpectedly.

use std::net::SocketAddr;
use std::time::Duration;

use rand::RngExt;
use rand::rngs::StdRng;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::chaos::answers::{Answers, Side};
use crate::chaos::deployment::Deployment;
use crate::chaos::faults::{Action, Fault, Tallied, Victim};
use crate::chaos::recovery::{Recoveries, until_answered, until_worked_on};
use crate::chaos::store::Store;
use crate::chaos::weather::{AFTERMATH, Weather, is_store};
use crate::failure::RunError;
use crate::violations::Violation;
use loadtest::locked::Locked;
use loadtest::process::{Process, ProcessError, Role};
use loadtest::run::say;

/// Longest time of a start while stores are disturbed.
const START_BOUND: Duration = Duration::from_secs(120);
/// Pause before a process that exited is started again, as a supervisor would.
const SUPERVISOR_PAUSE: Duration = Duration::from_secs(1);
/// Interval of checking the processes.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// A fault this long ago does not disturb the measurement of a take-over.
const SETTLED: Duration = Duration::from_secs(2);

/// Carries out faults; clones share the state.
#[derive(Clone)]
pub(crate) struct Injector {
    deployment: Deployment,
    stores: Vec<Store>,
    answers: Answers,
    weather: Weather,
    pub(crate) recoveries: Recoveries,
    /// Faults so far, by victim and action.
    pub(crate) tallied: Locked<Tallied>,
    /// Starts that the process itself aborted while a store was unavailable.
    pub(crate) refused_starts: Locked<u64>,
}

impl Injector {
    pub(crate) fn new(
        deployment: &Deployment,
        stores: Vec<Store>,
        answers: &Answers,
        weather: &Weather,
    ) -> Self {
        Self {
            deployment: deployment.clone(),
            stores,
            answers: answers.clone(),
            weather: weather.clone(),
            recoveries: Recoveries::default(),
            tallied: Locked::default(),
            refused_starts: Locked::default(),
        }
    }

    /// Carries out all of them, and publishes the number of completed ones.
    pub(crate) async fn run(
        self,
        faults: Vec<Fault>,
        calm: Duration,
        mut chance: StdRng,
        over: watch::Sender<u64>,
    ) {
        let mut under_way = JoinSet::new();
        let all = faults.len();
        let begun = Instant::now();
        for (number, fault) in faults.into_iter().enumerate() {
            tokio::time::sleep((calm * 2).mul_f64(chance.random::<f64>())).await;
            let (at, victim) = (begun.elapsed().as_secs(), self.name(fault.victim));
            say(&format!("{at:>4} s fault {} of {all}: {} {victim}", number + 1, fault.action.name()));
            let injector = self.clone();
            under_way.spawn(async move { injector.inject(fault).await });
            let at_most = usize::from(fault.overlaps);
            while under_way.len() > at_most {
                under_way.join_next().await;
            }
            over.send_replace((number + 1 - under_way.len()) as u64);
        }
        while under_way.join_next().await.is_some() {}
        over.send_replace(all as u64);
    }

    /// Restarts processes that exited, until stopped.
    pub(crate) async fn supervise(self, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            for process in &self.deployment.processes {
                // The holder of the lock restarts it.
                if let Ok(mut process) = process.try_lock() {
                    self.look_after(&mut process).await;
                }
            }
            // An end of the time is the usual case.
            let _ = tokio::time::timeout(LOOK_EVERY, stop.wait_for(|stop| *stop)).await;
        }
    }

    async fn look_after(&self, process: &mut Process) {
        let was_ready = process.was_ready;
        let Err(error) = process.check() else { return };
        self.ended_by_itself(was_ready, &error);
        tokio::time::sleep(SUPERVISOR_PAUSE).await;
        self.start(process).await;
    }

    /// A running process must stay; one that starts while a store is unavailable may exit, and is restarted.
    fn ended_by_itself(&self, was_ready: bool, error: &ProcessError) {
        let store_is_well = self.weather.was_calm(Instant::now(), AFTERMATH, is_store);
        if was_ready || store_is_well {
            return self.failed(error);
        }
        *self.refused_starts.lock() += 1;
    }

    async fn inject(&self, fault: Fault) {
        let name = self.name(fault.victim);
        self.weather.begin(&name);
        match fault.victim {
            Victim::Process(number) => self.disturb_process(number, fault.action).await,
            Victim::Store(number) => self.disturb_store(number, fault.action).await,
        }
        self.weather.end(&name);
        let mut tallied = self.tallied.lock();
        *tallied.entry((name, fault.action.name())).or_default() += 1;
    }

    async fn disturb_process(&self, number: usize, action: Action) {
        let Some(process) = self.deployment.processes.get(number) else { return };
        let mut process = process.lock().await;
        let done = match action {
            Action::Kill { down } => {
                let done = process.kill().await;
                let is_measured = process.role == Role::Analyzer && self.take_over(number).await;
                if !is_measured {
                    tokio::time::sleep(down).await;
                }
                self.start(&mut process).await;
                done
            }
            Action::Pause { length } => {
                let paused = process.pause().await;
                tokio::time::sleep(length).await;
                paused.and(process.resume().await)
            }
            Action::Restart => {
                let ended = process.end().await;
                self.start(&mut process).await;
                ended.map(|took| {
                    self.recoveries.add(&format!("{} ended in order", process.role.name()), Some(took))
                })
            }
        };
        if let Err(error) = done {
            self.failed(&error);
        }
    }

    /// Measures the time until the other analyzers work on all partitions; false if there are
    /// no others.
    async fn take_over(&self, killed: usize) -> bool {
        let members = self.deployment.members.iter().enumerate();
        let others = members.filter(|(number, other)| other.role == Role::Analyzer && *number != killed);
        let others: Vec<SocketAddr> = others.map(|(_, other)| other.admin).collect();
        let Some(partitions) = self.deployment.partitions.filter(|_| !others.is_empty()) else {
            return false;
        };
        let begun = Instant::now();
        let took = until_worked_on(&others, partitions).await;
        let own = self.name(Victim::Process(killed));
        let alone = self
            .weather
            .was_calm(begun, SETTLED, |name| name != own && (is_store(name) || name.starts_with("analyzer")));
        let weather = if alone { "nothing else" } else { "more than that" };
        self.recoveries.add(&format!("analyzer killed and {weather}: partitions worked on elsewhere"), took);
        true
    }

    async fn disturb_store(&self, number: usize, action: Action) {
        let Some(store) = self.stores.get(number) else { return };
        let done = match action {
            Action::Kill { down } => self.stop_and_start(store, "kill", down).await,
            Action::Restart => self.stop_and_start(store, "stop", Duration::ZERO).await,
            Action::Pause { length } => {
                let paused = store.control("pause").await;
                tokio::time::sleep(length).await;
                paused.and(store.control("resume").await)
            }
        };
        if let Err(error) = done {
            self.answers.violated(Violation::Run { what: error.to_string() });
        }
        let back = format!("{} back after {}", store.name, action.name());
        let acknowledged = until_answered(&self.answers, Side::Ingest).await;
        self.recoveries.add(&format!("{back}: batches acknowledged"), acknowledged);
        let answered = until_answered(&self.answers, Side::Api).await;
        self.recoveries.add(&format!("{back}: API answers"), answered);
    }

    async fn stop_and_start(&self, store: &Store, how: &str, down: Duration) -> Result<(), RunError> {
        store.control(how).await?;
        tokio::time::sleep(down).await;
        store.control("start").await
    }

    /// Starts a process, again if it exits because a store is unavailable, and waits until it is ready.
    async fn start(&self, process: &mut Process) {
        let begun = Instant::now();
        if let Err(error) = process.launch() {
            return self.failed(&error);
        }
        while begun.elapsed() < START_BOUND {
            match process.ready(START_BOUND.saturating_sub(begun.elapsed())).await {
                Ok(took) => {
                    return self
                        .recoveries
                        .add(&format!("{} started: ready", process.role.name()), Some(took));
                }
                Err(error @ ProcessError::Ended { .. }) => {
                    self.ended_by_itself(false, &error);
                    tokio::time::sleep(SUPERVISOR_PAUSE).await;
                    if let Err(error) = process.launch() {
                        return self.failed(&error);
                    }
                }
                Err(error) => return self.failed(&error),
            }
        }
    }

    fn failed(&self, error: &ProcessError) {
        self.answers.violated(Violation::Process { what: error.to_string() });
    }

    fn name(&self, victim: Victim) -> String {
        match victim {
            Victim::Process(number) => {
                self.deployment.members.get(number).map(|member| member.name.clone()).unwrap_or_default()
            }
            Victim::Store(number) => self.stores.get(number).map_or("", |store| store.name).to_owned(),
        }
    }
}
