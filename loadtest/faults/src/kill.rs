//! The run: a server is started, loaded, killed at random moments, and started again; then it
//! catches up, is read completely, killed once more, and read again.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::account::Account;
use crate::collect::{Collected, Collector};
use crate::failure::RunError;
use crate::report::Report;
use crate::reviewer::Reviewer;
use crate::sender::{Participant, Sender};
use crate::tally::Tally;
use crate::traffic::BATCH_SIZES;
use crate::verify::{compare, verify};
use crate::violations::Violation;
use loadtest::arguments::{Trial, loopback, seconds};
use loadtest::client::Client;
use loadtest::clock::WallClock;
use loadtest::process::{Process, ProcessError};
use loadtest::run::{Finished, say};
use loadtest::work::Work;

/// Longest time of a start: far longer than recovery needs, so that reaching it means never.
const START_BOUND: Duration = Duration::from_secs(60);
/// Lines of the server's own log that are repeated in the report, at most.
const MOST_COMPLAINTS: usize = 20;
/// One kill in this many happens before the server is ready: recovery must survive a kill too.
const EARLY: u32 = 6;
/// Longest time of the remaining analysis after the end of the load.
const ANALYSIS_BOUND: Duration = Duration::from_secs(120);
/// Interval of looking for an expected incident.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Kills between two lines of progress.
const TOLD_EVERY: u32 = 10;

/// Kill the server again and again under load, then account for every batch it acknowledged.
#[derive(Clone, Debug, Args)]
pub(crate) struct Plan {
    #[command(flatten)]
    pub(crate) trial: Trial,
    /// Number of kills, 1..100000.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    kills: u32,
    /// Time between two kills on average; each time a random share of twice as much.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    seconds_between: Duration,
    /// Deadline of the whole run, after which it fails.
    #[arg(long, value_name = "SECONDS", default_value = "1800", value_parser = seconds)]
    deadline_seconds: Duration,
    /// Senders at a time, 1..256.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=256))]
    senders: u32,
    /// Batches that each sender begins in a second, at most, 1..1000.
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rate: u32,
    /// The loopback address the server listens on; its port is chosen.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_parser = loopback)]
    listen: IpAddr,
    /// Directory of the server's data and log, kept afterwards [default: a temporary directory, kept only
    /// after a violation].
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,
}

/// Runs to the end, or to the deadline.
///
/// # Errors
/// [`RunError`] when the server never started, or the run was interrupted. Later errors are in
/// the report.
pub(crate) async fn run(plan: &Plan, seed: u64) -> Result<Report, RunError> {
    let work = Work::open(plan.work_dir.as_deref())?;
    let mut chance = StdRng::seed_from_u64(seed);
    let mut server = Process::alone(&plan.trial.binary, work.path(), plan.listen, &[])?;
    server.launch()?;
    let start = server.ready(START_BOUND).await?;
    let mut run = Run {
        plan,
        api_key: server.first_key()?,
        account: Account::default(),
        tally: Tally::default(),
        clock: WallClock::start(),
        report: Report { seed, starts: vec![start], ..Report::default() },
    };
    let told = tokio::select! {
        outcome = tokio::time::timeout(plan.deadline_seconds, run.story(&mut server, &mut chance)) => outcome,
        interrupted = tokio::signal::ctrl_c() => {
            interrupted?;
            return Err(RunError::Interrupted);
        }
    };
    match told {
        Ok(Ok(())) => {}
        Ok(Err(error)) => run.violated(error.to_string()),
        Err(_) => run.violated(format!("the run was not over after {} s", plan.deadline_seconds.as_secs())),
    }
    // A killed server has no reason for either.
    let complaints = server.complaints()?;
    for line in complaints.panics.iter().chain(&complaints.first_errors).take(MOST_COMPLAINTS) {
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
    /// Its counts of kills, starts and incidents so far.
    report: Report,
}

impl Run<'_> {
    async fn story(&mut self, server: &mut Process, chance: &mut StdRng) -> Result<(), ProcessError> {
        let (stop, mut crew) = self.crew(server, chance);
        self.kills(server, chance).await?;
        tokio::time::sleep(self.plan.seconds_between).await;
        // All of them complete their current work.
        stop.send_replace(true);
        while crew.join_next().await.is_some() {}

        self.catch_up(server, chance).await;
        let first = self.collect(server).await;
        self.report.incidents = first.incidents.len();
        for violation in verify(&self.account.lock(), &first) {
            self.tally.violated(violation);
        }

        kill(server).await?;
        server.launch()?;
        self.report.starts.push(server.ready(START_BOUND).await?);
        let second = self.collect(server).await;
        for violation in compare(&first, &second) {
            self.tally.violated(violation);
        }
        kill(server).await
    }

    /// Kills and starts the server repeatedly.
    async fn kills(&mut self, server: &mut Process, chance: &mut StdRng) -> Result<(), ProcessError> {
        let mut is_ready = true;
        while self.report.kills < self.plan.kills {
            let usual_start = self.report.starts.last().copied().unwrap_or_default();
            let longest = if is_ready { self.plan.seconds_between * 2 } else { usual_start };
            tokio::time::sleep(longest.mul_f64(chance.random::<f64>())).await;
            kill(server).await?;
            self.report.kills += 1;
            self.report.early_kills += u32::from(!is_ready);
            server.launch()?;
            is_ready = !chance.random_ratio(1, EARLY);
            if is_ready {
                self.report.starts.push(server.ready(START_BOUND).await?);
            }
            if self.report.kills.is_multiple_of(TOLD_EVERY) {
                say(&format!(
                    "kill {} of {}, {} batches acknowledged",
                    self.report.kills,
                    self.plan.kills,
                    self.tally.counts().acknowledged.count
                ));
            }
        }
        if !is_ready {
            self.report.starts.push(server.ready(START_BOUND).await?);
        }
        Ok(())
    }

    /// Starts senders and reviewer.
    fn crew(&self, server: &Process, chance: &mut StdRng) -> (watch::Sender<bool>, JoinSet<()>) {
        let (stop, stopped) = watch::channel(false);
        let mut at_work = JoinSet::new();
        for number in 0..self.plan.senders {
            at_work.spawn(self.sender(number, server, chance).run(stopped.clone()));
        }
        at_work.spawn(Reviewer(self.participant(server, chance)).run(stopped));
        (stop, at_work)
    }

    fn sender(&self, number: u32, server: &Process, chance: &mut StdRng) -> Sender {
        Sender::new(number, self.participant(server, chance), self.clock, self.plan.rate)
    }

    fn participant(&self, server: &Process, chance: &mut StdRng) -> Participant {
        Participant {
            client: self.client(server),
            account: self.account.clone(),
            tally: self.tally.clone(),
            chance: StdRng::from_rng(chance),
        }
    }

    fn client(&self, server: &Process) -> Client {
        Client::new(server.address, &self.api_key)
    }

    /// Sends one more attack to every source and waits until its incident counts all of it: earlier batches of a source
    /// are analysed before. An incident may exist before its last record is counted.
    async fn catch_up(&mut self, server: &Process, chance: &mut StdRng) {
        let (_never, going_on) = watch::channel(false);
        let mut sender = self.sender(self.plan.senders, server, chance);
        let sources: Vec<String> = self.account.lock().source_ids().cloned().collect();
        let mut marks = Vec::new();
        for source in sources {
            let attack = sender.mark(&source, &going_on).await;
            marks.push((source, attack.address()));
        }
        let mut collector = self.collector(server);
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
        self.report.caught_up_after = begun.elapsed();
    }

    async fn collect(&self, server: &Process) -> Collected {
        let books = self.account.lock().clone();
        self.collector(server).collect(&books).await
    }

    fn collector(&self, server: &Process) -> Collector {
        Collector { client: self.client(server), tally: self.tally.clone() }
    }

    fn violated(&self, what: String) {
        self.tally.violated(Violation::Server { what });
    }

    fn report(self) -> Report {
        let books = self.account.lock();
        Report {
            counts: self.tally.counts(),
            attacks: books.attacks.len(),
            sources: books.source_ids().count(),
            violations: self.tally.violations(),
            ..self.report
        }
    }
}

/// Kills a server, which must still be running.
async fn kill(server: &mut Process) -> Result<(), ProcessError> {
    server.check()?;
    server.kill().await
}
