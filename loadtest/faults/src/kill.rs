//! The run: a server is started, loaded, killed at random moments, and started again; then it
//! catches up, is read completely, killed once more, and read again.

use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use thiserror::Error;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::account::Account;
use crate::collect::{Collected, Collector};
use crate::report::Report;
use crate::reviewer::Reviewer;
use crate::sender::{Outfit, Sender};
use crate::tally::Tally;
use crate::traffic::BATCH_SIZES;
use crate::verify::{Violation, compare, verify};
use loadtest::client::Client;
use loadtest::clock::WallClock;
use loadtest::run::say;
use loadtest::target::{Target, TargetError};
use loadtest::work::{Work, WorkError};

/// One kill in this many happens before the server is ready: recovery must survive a kill too.
const EARLY: u32 = 6;
/// Longest time of the remaining analysis after the end of the load.
const ANALYSIS_BOUND: Duration = Duration::from_secs(120);
/// Interval of looking for an expected incident.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Kills between two lines of progress.
const TOLD_EVERY: u32 = 10;

/// Parameters of a run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The binary under test.
    pub(crate) binary: PathBuf,
    /// Number of kills under load.
    pub(crate) kills: u32,
    /// Average time between two kills.
    pub(crate) mean_life: Duration,
    /// Deadline of the run.
    pub(crate) deadline: Duration,
    /// Concurrent senders.
    pub(crate) senders: u32,
    /// Most batches that each starts per second.
    pub(crate) rate: u32,
    /// Seed of the random generator.
    pub(crate) seed: u64,
    /// The address it listens on: loopback, validated on the command line.
    pub(crate) listen: IpAddr,
    /// Working directory; a temporary directory if absent.
    pub(crate) work_dir: Option<PathBuf>,
}

/// Reason why there is no report.
#[derive(Debug, Error)]
pub(crate) enum RunError {
    #[error(transparent)]
    Work(#[from] WorkError),
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error("interrupted")]
    Interrupted,
    #[error("the run cannot be prepared: {0}")]
    Io(#[from] io::Error),
}

/// Runs to the end, or to the deadline.
///
/// # Errors
/// [`RunError`] when the server never started, or the run was interrupted. Later errors are in
/// the report.
pub(crate) async fn run(plan: &Plan) -> Result<Report, RunError> {
    let work = Work::open(plan.work_dir.as_deref())?;
    let mut chance = StdRng::seed_from_u64(plan.seed);
    let mut target = Target::new(&plan.binary, work.path(), plan.listen, &mut chance)?;
    target.launch()?;
    let start = target.ready().await?;
    let mut run = Run {
        plan,
        api_key: target.api_key()?,
        account: Account::default(),
        tally: Tally::default(),
        clock: WallClock::start(),
        starts: vec![start],
        kills: 0,
        early_kills: 0,
        incidents: 0,
        caught_up_after: Duration::ZERO,
    };
    let told = tokio::select! {
        outcome = tokio::time::timeout(plan.deadline, run.story(&mut target, &mut chance)) => outcome,
        interrupted = tokio::signal::ctrl_c() => {
            interrupted?;
            return Err(RunError::Interrupted);
        }
    };
    match told {
        Ok(Ok(())) => {}
        Ok(Err(error)) => run.violated(error.to_string()),
        Err(_) => run.violated(format!("the run was not over after {} s", plan.deadline.as_secs())),
    }
    for line in target.complaints()? {
        run.violated(format!("its log says {line}"));
    }
    let mut report = run.report();
    report.kept = work.leave(report.is_clean());
    Ok(report)
}

/// A run in progress.
struct Run<'p> {
    plan: &'p Plan,
    api_key: String,
    account: Account,
    tally: Tally,
    clock: WallClock,
    starts: Vec<Duration>,
    kills: u32,
    early_kills: u32,
    incidents: usize,
    caught_up_after: Duration,
}

impl Run<'_> {
    async fn story(&mut self, target: &mut Target, chance: &mut StdRng) -> Result<(), TargetError> {
        let crew = self.crew(target, chance);
        self.kills(target, chance).await?;
        tokio::time::sleep(self.plan.mean_life).await;
        crew.stand_down().await;

        self.catch_up(target, chance).await;
        let first = self.collect(target).await;
        self.incidents = first.incidents.len();
        for violation in verify(&self.account.books(), &first) {
            self.tally.violated(violation);
        }

        target.kill().await?;
        target.launch()?;
        self.starts.push(target.ready().await?);
        let second = self.collect(target).await;
        for violation in compare(&first, &second) {
            self.tally.violated(violation);
        }
        target.kill().await
    }

    /// Kills and starts the server repeatedly.
    async fn kills(&mut self, target: &mut Target, chance: &mut StdRng) -> Result<(), TargetError> {
        let mut is_ready = true;
        while self.kills < self.plan.kills {
            let longest = if is_ready { self.plan.mean_life * 2 } else { self.usual_start() };
            tokio::time::sleep(longest.mul_f64(chance.random::<f64>())).await;
            target.kill().await?;
            self.kills += 1;
            self.early_kills += u32::from(!is_ready);
            target.launch()?;
            is_ready = !chance.random_ratio(1, EARLY);
            if is_ready {
                self.starts.push(target.ready().await?);
            }
            if self.kills.is_multiple_of(TOLD_EVERY) {
                say(&format!(
                    "kill {} of {}, {} batches acknowledged",
                    self.kills,
                    self.plan.kills,
                    self.tally.counts().acknowledged
                ));
            }
        }
        if !is_ready {
            self.starts.push(target.ready().await?);
        }
        Ok(())
    }

    fn usual_start(&self) -> Duration {
        self.starts.last().copied().unwrap_or_default()
    }

    /// Starts senders and reviewer.
    fn crew(&self, target: &Target, chance: &mut StdRng) -> Crew {
        let (stop, stopped) = watch::channel(false);
        let mut at_work = JoinSet::new();
        for number in 0..self.plan.senders {
            at_work.spawn(self.sender(number, target, chance).run(stopped.clone()));
        }
        let reviewer = Reviewer {
            client: self.client(target),
            account: self.account.clone(),
            tally: self.tally.clone(),
            chance: StdRng::from_rng(chance),
        };
        at_work.spawn(reviewer.run(stopped));
        Crew { stop, at_work }
    }

    fn sender(&self, number: u32, target: &Target, chance: &mut StdRng) -> Sender {
        Sender::new(Outfit {
            number,
            client: self.client(target),
            account: self.account.clone(),
            tally: self.tally.clone(),
            chance: StdRng::from_rng(chance),
            clock: self.clock,
            rate: self.plan.rate,
        })
    }

    fn client(&self, target: &Target) -> Client {
        Client::new(target.address(), &self.api_key)
    }

    /// Sends one more attack to every source and waits until its incident counts all of it: earlier batches of a source
    /// are analysed before. An incident may exist before its last record is counted.
    async fn catch_up(&mut self, target: &Target, chance: &mut StdRng) {
        let (_never, going_on) = watch::channel(false);
        let mut sender = self.sender(self.plan.senders, target, chance);
        let mut marks = Vec::new();
        for source in self.account.books().source_ids() {
            let attack = sender.mark(source, &going_on).await;
            marks.push((source.clone(), attack.address()));
        }
        let mut collector = self.collector(target);
        let begun = Instant::now();
        for (source, address) in marks {
            let filter = format!("source_id={source}&q={address}");
            while collector.counted(&filter).await != Some(BATCH_SIZES[0]) {
                if begun.elapsed() > ANALYSIS_BOUND {
                    self.tally
                        .violated(Violation::Stuck { source_id: source, seconds: ANALYSIS_BOUND.as_secs() });
                    break;
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
        }
        self.caught_up_after = begun.elapsed();
    }

    async fn collect(&self, target: &Target) -> Collected {
        self.collector(target).collect(&self.account.books()).await
    }

    fn collector(&self, target: &Target) -> Collector {
        Collector { client: self.client(target), tally: self.tally.clone() }
    }

    fn violated(&self, what: String) {
        self.tally.violated(Violation::Server { what });
    }

    fn report(self) -> Report {
        let books = self.account.books();
        Report {
            seed: self.plan.seed,
            kills: self.kills,
            early_kills: self.early_kills,
            starts: self.starts,
            counts: self.tally.counts(),
            attacks: books.attacks.len(),
            sources: books.source_ids().count(),
            incidents: self.incidents,
            caught_up_after: self.caught_up_after,
            violations: self.tally.violations(),
            kept: None,
        }
    }
}

/// Running senders and reviewer.
struct Crew {
    stop: watch::Sender<bool>,
    at_work: JoinSet<()>,
}

impl Crew {
    /// Lets all of them complete their current work.
    async fn stand_down(mut self) {
        self.stop.send_replace(true);
        while self.at_work.join_next().await.is_some() {}
    }
}
