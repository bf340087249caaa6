//! The mode `abuse`: requests that no honest sender sends, case by case, against a server that a well-behaved client
//! uses all the while. Each case states the allowed answers and the bounds of their cost. In the modules
//! the *cases* are listed with their bounds; *bodies*, *heads*, *slow*, *http2* and *keys* build and send them
//! from the *target*, as an *attacker* with a separate address; a *verdict* is the result of one.

mod attacker;
mod bodies;
mod cases;
mod attack_target;
mod seen;
mod gzip;
mod heads;
mod http2;
mod keys;
mod slow;
mod verdict;

use std::time::Duration;

use clap::Args;
use tokio::process::Command;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::Instant;

use attack_target::AttackTarget;
use cases::{CASES, Case};
use loadtest::arguments::number;
use loadtest::load::attacks;
use loadtest::load::phase::{Done, Phase};
use loadtest::load::plan::{Forms, Load, Output, Server};
use loadtest::load::schedule::Pace;
use loadtest::load::subject::Subject;
use loadtest::load::{LoadError, Stage, interruptible};
use loadtest::resources::Usage;
use loadtest::run::say;
use seen::Seen;
use verdict::{KEPT_MEBIBYTES, Report, Verdict};

/// Load of the well-behaved client: a few small agents. Connections enough for a disk that takes a third of
/// a second to make a batch durable, as those of busy machines do: with fewer, the client would wait for itself.
const RATE: f64 = 20.0;
const CONNECTIONS: u32 = 8;
/// Longest time of a case.
const CASE_BOUND: Duration = Duration::from_secs(120);
/// Pause between two cases, for the effects of the first to end.
const REST: Duration = Duration::from_millis(100);
/// Most such pauses while the server uses more memory than it may keep: its allocator returns
/// free memory within a second or two, and the next case would be charged with it.
const MOST_RESTS: u32 = 50;
/// Interval of measuring the server's memory.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Longer than any run.
const AS_LONG_AS_IT_TAKES: Duration = Duration::from_secs(24 * 60 * 60);
/// Settings of a server that is started here for a reduced run: shorter timeouts for slow senders.
const SHORT: [(&str, &str); 8] = [
    // Bombs are rejected sooner: a debug build takes a second for each 16 MiB.
    ("PALISADE__INGEST__LIMITS__INFLATED_BYTES", "4194304"),
    // So that few connections fill it, and count as a crowd.
    ("PALISADE__LISTEN__MAX_CONNECTIONS", "300"),
    ("PALISADE__LISTEN__CROWD", "100"),
    ("PALISADE__LISTEN__FIRST_REQUEST_SECONDS", "2"),
    ("PALISADE__LISTEN__IDLE_SECONDS", "4"),
    ("PALISADE__LISTEN__WRITE_STALL_SECONDS", "2"),
    ("PALISADE__INGEST__PACE__GRACE_SECONDS", "1"),
    ("PALISADE__INGEST__PACE__BODY_SECONDS", "5"),
];

/// Send malformed, slow and oversized requests beside a well-behaved client.
#[derive(Clone, Debug, Args)]
pub(crate) struct Plan {
    #[command(flatten)]
    server: Server,
    /// Only the cases whose names contain this.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Idle connections that are opened, 1..60000; fewer where the system allows fewer files.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=60_000))]
    idle_connections: u32,
    /// Reduces every case, and starts a server with shorter timeouts for slow senders.
    #[arg(long)]
    short: bool,
    /// Factor of the allowed processor time: 1 is for an optimized build, a debug build needs about 20.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = number(1.0, 1000.0))]
    processor_factor: f64,
    #[command(flatten)]
    pub(crate) output: Output,
    /// Seed of the random choices [default: a new one, printed].
    #[arg(long)]
    pub(crate) seed: Option<u64>,
}

/// Runs every case, or until interrupted.
///
/// # Errors
/// [`LoadError`] when there is no server.
pub(crate) async fn run(plan: &Plan, seed: u64) -> Result<Report, LoadError> {
    // Before the server is started, which inherits it.
    let most_files = raise_file_limit().await;
    let settings: &[(&str, &str)] = if plan.short { &SHORT } else { &[] };
    let stage = Stage::open(&plan.server, &well_behaved(seed), settings, seed).await?;
    let target = AttackTarget::new(&stage.subject, plan.short, plan.idle_connections, most_files);
    if target.idle_connections < plan.idle_connections as usize {
        say(&format!(
            "of {} idle connections only {} are opened: the system allows this process no more files",
            plan.idle_connections, target.idle_connections
        ));
    }
    let (tell, stop) = watch::channel(false);
    let phase = Phase {
        name: "good",
        pace: Pace::steady(RATE, false),
        duration: AS_LONG_AS_IT_TAKES,
        connections: CONNECTIONS,
    };
    let results = &stage.shared.results;
    let trying = async {
        let mut verdicts = Vec::new();
        let mut least = u64::MAX;
        let is_asked_for =
            |case: &&Case| plan.only.as_ref().is_none_or(|only| case.name.contains(only.as_str()));
        for case in CASES.iter().filter(is_asked_for) {
            if *stop.borrow() {
                break;
            }
            rest(&stage.subject, least).await;
            let before = results.not_accepted();
            let factor = plan.processor_factor;
            let mut verdict = try_case(case, &target.anew(), &stage.subject, factor, &mut least).await;
            verdict.hurt = results.not_accepted() - before;
            say(&verdict.to_string());
            verdicts.push(verdict);
        }
        // Nothing else stops it.
        let interrupted = tell.send_replace(true);
        (verdicts, interrupted)
    };
    let both = async { tokio::join!(stage.phase(phase, &stop), trying) };
    let (good, (verdicts, interrupted)): (Done, (Vec<Verdict>, bool)) = interruptible(both, &tell).await;
    let records = verdicts.iter().map(|verdict| verdict.seen.records).sum();
    let aftermath = stage.close(vec![good], records).await;
    Ok(Report { verdicts, aftermath, most_files, interrupted })
}

fn well_behaved(seed: u64) -> Load {
    Load {
        connections: CONNECTIONS,
        form: Forms::Mixed,
        gzip: 0.5,
        batch: 10,
        keys: 1,
        sources: 1,
        attack_share: 0.02,
        // Its own content does not affect the measurements of abuse.
        attack_kinds: vec![attacks::Kind::Guessing],
        replay: None,
        patience: Duration::from_secs(30),
        settle: Duration::from_secs(120),
        seed: Some(seed),
    }
}

/// Waits until the effects of a case have ended.
async fn rest(subject: &Subject, least: u64) {
    let most = least.saturating_add(KEPT_MEBIBYTES << 20);
    for _ in 0..MOST_RESTS {
        tokio::time::sleep(REST).await;
        if subject.usage().is_none_or(|usage| usage.resident_bytes <= most) {
            break;
        }
    }
}

/// Sends a case's requests, and measures their cost to the server; `least` is the least memory it has used
/// so far.
async fn try_case(
    case: &'static Case,
    target: &AttackTarget,
    subject: &Subject,
    factor: f64,
    least: &mut u64,
) -> Verdict {
    let (begun, before) = (Instant::now(), subject.usage());
    let mut most = before.map_or(0, |usage| usage.resident_bytes);
    *least = before.map_or(*least, |usage| usage.resident_bytes.min(*least));
    let watching = async {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            most = most.max(subject.usage().map_or(0, |usage| usage.resident_bytes));
        }
    };
    // On a separate thread: building a bomb takes a while, in which the well-behaved client must continue.
    let (attack, runtime) = ((case.attack)(target.clone()), Handle::current());
    let attacking = tokio::task::spawn_blocking(move || {
        runtime.block_on(async { tokio::time::timeout(CASE_BOUND, attack).await })
    });
    let seen = tokio::select! {
        seen = attacking => match seen {
            Ok(Ok(seen)) => seen,
            Ok(Err(_)) => Seen::of("not over in time"),
            Err(error) => Seen::of(error.to_string()),
        },
        () = watching => Seen::default(),
    };
    let (took, after) = (begun.elapsed(), subject.usage());
    most = most.max(after.map_or(0, |usage| usage.resident_bytes));
    let used = |after: Usage, before: Usage| after.processor_seconds - before.processor_seconds;
    Verdict {
        case,
        seen,
        took,
        grown_bytes: before.map(|_| most.saturating_sub(*least)),
        processor_seconds: after.zip(before).map(|(after, before)| used(after, before)),
        processor_factor: factor,
        share: target.share(),
        hurt: 0,
    }
}

/// Raises this process's limit of open files to the system's maximum, through the command `prlimit`;
/// returns the limit, if it is known.
async fn raise_file_limit() -> Option<u64> {
    let (_, hard) = file_limits()?;
    let raised = Command::new("prlimit")
        .args(["--pid", &std::process::id().to_string(), &format!("--nofile={hard}:{hard}")])
        .output()
        .await;
    if !raised.is_ok_and(|output| output.status.success()) {
        say("the limit of open files could not be raised with prlimit: it stays as it is");
    }
    file_limits().map(|(soft, _)| soft)
}

/// Soft and hard limit of this process's open files (proc(5), `limits`).
fn file_limits() -> Option<(u64, u64)> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    let mut words = line.split_whitespace();
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}
