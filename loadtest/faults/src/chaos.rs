//! The mode `chaos`: a deployment is loaded while its processes and stores are killed, paused and
//! restarted; then one process without faults is sent the same, and must return the same. The modules
//! stand in the order of a run.

pub(crate) mod plan;
pub(crate) mod deployment;
pub(crate) mod site;
pub(crate) mod attacks;
pub(crate) mod input;
pub(crate) mod answers;
pub(crate) mod caller;
pub(crate) mod stream;
mod faults;
pub(crate) mod weather;
mod store;
mod recovery;
mod injector;
mod tenants;
pub(crate) mod review;
mod play;
mod picture;
mod compare;
pub(crate) mod outcome;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::StdRng;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::failure::RunError;
use crate::violations::Violation;
use answers::{Answers, Side};
use compare::Scenes;
use deployment::Deployment;
use injector::Injector;
use input::Input;
use loadtest::locked::Locked;
use loadtest::process::{Complaints, Role};
use loadtest::run::{Finished, say};
use loadtest::work::Work;
use outcome::{Outcome, Reviewed};
use picture::Picture;
use plan::{Plan, Stores};
use play::Play;
use site::Site;
use store::Store;
use tenants::{Watched, Watcher};
use weather::Weather;

/// Batches per second without faults: as fast as possible, within bounds.
const UNDISTURBED_RATE: u32 = 400;
/// Deadline of the run without faults.
const UNDISTURBED_DEADLINE: Duration = Duration::from_secs(900);

/// Runs to the end, or to the deadline.
///
/// # Errors
/// [`RunError`] when a deployment never started, or the run was interrupted. Later errors are in
/// the outcome.
pub(crate) async fn run(plan: &Plan, seed: u64) -> Result<Outcome, RunError> {
    let work = Work::open(plan.work_dir.as_deref())?;
    let mut run = Run {
        plan,
        input: Input::new(seed),
        directory: work.path(),
        answers: Answers::default(),
        outcome: Outcome { seed, ..Outcome::default() },
    };
    let controls = [("kafka", &plan.kafka_control), ("cassandra", &plan.cassandra_control)];
    let store =
        |(name, command): (_, &Option<PathBuf>)| command.clone().map(|command| Store { name, command });
    let stores: Vec<Store> = controls.into_iter().filter_map(store).collect();
    let told = tokio::select! {
        told = run.story(stores.clone()) => told,
        interrupted = tokio::signal::ctrl_c() => interrupted.map_err(RunError::from).and(Err(RunError::Interrupted)),
    };
    for store in &stores {
        if let Err(error) = store.leave_running().await {
            run.answers.violated(Violation::Run { what: error.to_string() });
        }
    }
    told?;
    run.outcome.violations = run.answers.violations();
    let mut outcome = run.outcome;
    outcome.kept = work.leave(outcome.is_clean());
    Ok(outcome)
}

/// A run in progress.
struct Run<'a> {
    plan: &'a Plan,
    input: Input,
    directory: &'a Path,
    answers: Answers,
    outcome: Outcome,
}

impl Run<'_> {
    async fn story(&mut self, stores: Vec<Store>) -> Result<(), RunError> {
        let Some((scenes, under_faults)) = self.under_faults(stores).await? else { return Ok(()) };
        for violation in compare::count(&under_faults, self.input, &scenes) {
            self.answers.violated(violation);
        }
        self.outcome.incidents = under_faults.len();
        say(&format!("under faults: {} incidents; now the same without", under_faults.len()));
        let Some(without) = self.without(&scenes).await? else { return Ok(()) };
        for violation in compare::compare(&under_faults, &without) {
            self.answers.violated(violation);
        }
        Ok(())
    }

    /// The deployment under test, to the deadline.
    async fn under_faults(&mut self, stores: Vec<Store>) -> Result<Option<(Scenes, Picture)>, RunError> {
        let roles = self.plan.roles();
        let deployment = self.open("under-faults", &self.plan.stores, &roles).await?;
        let on = if self.plan.stores.are_shared() { "Kafka and Cassandra" } else { "embedded stores" };
        self.outcome.deployment = format!(
            "{} processes on {on}, {} organizations with {} sources each",
            roles.len(),
            self.plan.organizations,
            self.plan.sources
        );
        say(&format!("{} is up", self.outcome.deployment));
        let weather = Weather::default();
        let injector = Injector::new(&deployment, stores.clone(), &self.answers, &weather);
        let watched = Locked::<Watched>::default();
        let begun = Instant::now();
        let disturbed = self.disturbed(&deployment, (&injector, stores.len()), &weather, &watched);
        let played = tokio::time::timeout(self.plan.deadline_seconds, disturbed).await;
        self.outcome.lasted = begun.elapsed();
        (self.outcome.batches, self.outcome.records) = self.answers.all_acknowledged();
        self.outcome.ingest = self.answers.counts(Side::Ingest);
        self.outcome.api = self.answers.counts(Side::Api);
        self.outcome.faults = injector.tallied.lock().clone();
        self.outcome.recoveries = injector.recoveries.sorted();
        self.outcome.refused_starts = *injector.refused_starts.lock();
        self.outcome.tenant_checks = watched.lock().clone();
        let picture = match played {
            Ok((scenes, reviewed)) => {
                self.outcome.reviewed = reviewed;
                Some((scenes, picture::take(&deployment, self.input, &self.answers).await))
            }
            Err(_) => {
                let what = format!("it was not over after {} s", self.plan.deadline_seconds.as_secs());
                self.answers.violated(Violation::Run { what });
                None
            }
        };
        self.read_logs(&deployment).await?;
        deployment.close().await;
        Ok(picture)
    }

    /// Load, reviews, watchers and faults, concurrently.
    async fn disturbed(
        &self,
        deployment: &Deployment,
        (injector, stores): (&Injector, usize),
        weather: &Weather,
        watched: &Locked<Watched>,
    ) -> (Scenes, Reviewed) {
        let mut chance = StdRng::seed_from_u64(self.input.seed);
        let count = usize::from(self.plan.faults);
        let faults = faults::draw(count, deployment.processes.len(), stores, &mut chance);
        let (stop, stopped) = watch::channel(false);
        let (over, faults_over) = watch::channel(0);
        let mut company = JoinSet::new();
        company.spawn(injector.clone().supervise(stopped.clone()));
        for organization in 0..deployment.tenants.len() {
            let watcher = Watcher::new(deployment, organization, self.input, &self.answers, watched);
            company.spawn(watcher.run(stopped.clone()));
        }
        company.spawn(injector.clone().run(faults, self.plan.seconds_between, chance, over));
        let play = Play {
            deployment,
            input: self.input,
            answers: &self.answers,
            weather,
            phases: u64::from(self.plan.phases),
            rate: self.plan.rate,
            scenes: None,
            listed_within: self.plan.listed_within,
            spoil: false,
        };
        let played = play.perform(u64::from(self.plan.faults), faults_over).await;
        stop.send_replace(true);
        while company.join_next().await.is_some() {}
        played
    }

    /// The same in one process without faults.
    async fn without(&mut self, scenes: &Scenes) -> Result<Option<Picture>, RunError> {
        let deployment = self.open("without-faults", &Stores::default(), &[Role::All]).await?;
        // Only its results are of interest.
        let answers = Answers::default();
        let weather = Weather::default();
        let play = Play {
            deployment: &deployment,
            input: self.input,
            answers: &answers,
            weather: &weather,
            phases: u64::from(self.plan.phases),
            rate: UNDISTURBED_RATE,
            scenes: Some(scenes),
            listed_within: self.plan.listed_within,
            spoil: self.plan.spoil_comparison,
        };
        let (_, no_faults) = watch::channel(0);
        let played = tokio::time::timeout(UNDISTURBED_DEADLINE, play.perform(0, no_faults)).await;
        if played.is_err() {
            let what = format!("without faults it was not over after {} s", UNDISTURBED_DEADLINE.as_secs());
            self.answers.violated(Violation::Run { what });
            return Ok(None);
        }
        let picture = picture::take(&deployment, self.input, &answers).await;
        deployment.close().await;
        let violations = answers.violations();
        for (_, of_a_kind) in violations.iter() {
            for violation in &of_a_kind.first {
                self.answers.violated(Violation::Run { what: format!("without faults: {violation}") });
            }
        }
        Ok(Some(picture))
    }

    async fn open(&self, directory: &str, stores: &Stores, roles: &[Role]) -> Result<Deployment, RunError> {
        let (organizations, sources) = (self.plan.organizations, self.plan.sources);
        let name = format!("palisade-chaos-{}", self.input.began_ms);
        let site = Site::new(&self.plan.trial.binary, self.directory.join(directory), stores, name);
        site.open(roles, organizations, sources, self.input.seed ^ roles.len() as u64).await
    }

    /// Counts errors in the processes' logs, and reports every panic.
    async fn read_logs(&mut self, deployment: &Deployment) -> Result<(), RunError> {
        for process in &deployment.processes {
            let process = process.lock().await;
            let Complaints { panics, errors, .. } = process.complaints()?;
            for panic in panics {
                self.answers.violated(Violation::Process { what: format!("{}: {panic}", process.name) });
            }
            self.outcome.error_lines.insert(process.name.clone(), errors);
        }
        Ok(())
    }
}
