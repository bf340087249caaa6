//! Readiness of this process for work: the state of the log, and the ledger's last answer
//! to a probe.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use analyzer::summary;
use durable_log::{DurableLog, Usage};
use ledger::{Ledger, LedgerId};
use process::health::Health;
use process::shutdown::{Shutdown, Stage};

use super::analysis::Analysis;

/// Interval of the probes of the ledger: requests for readiness come every few seconds.
const ASK_EVERY: Duration = Duration::from_secs(1);
/// Longest time of an answer.
const ASK_WITHIN: Duration = Duration::from_secs(2);
/// A batch of a thousand records and more: a log without room for it accepts almost nothing.
const USUAL_BATCH_BYTES: u64 = 1024 * 1024;

/// Whether the ledger answers. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct LedgerProbe {
    answers: Arc<AtomicBool>,
}

impl LedgerProbe {
    /// A probe of a ledger that was just opened, and so answers.
    pub(super) fn new() -> Self {
        Self { answers: Arc::new(AtomicBool::new(true)) }
    }

    /// Probes the ledger until the process ends.
    pub(super) async fn run(self, ledger: Arc<dyn Ledger>, shutdown: Shutdown) {
        loop {
            let asked = tokio::time::timeout(ASK_WITHIN, ledger.seq(LedgerId::Platform)).await;
            self.note(matches!(asked, Ok(Ok(_))));
            tokio::select! {
                () = shutdown.reached(Stage::Flushing) => return,
                () = tokio::time::sleep(ASK_EVERY) => {}
            }
        }
    }

    fn note(&self, answers: bool) {
        let before = self.answers.swap(answers, Ordering::Relaxed);
        // Logged once per change: an hour of unavailability is one line.
        match (before, answers) {
            (true, false) => tracing::error!("the ledger does not respond: not ready"),
            (false, true) => tracing::info!("the ledger responds again"),
            _ => {}
        }
    }

    fn check(&self) -> Result<(), String> {
        if self.answers.load(Ordering::Relaxed) {
            Ok(())
        } else {
            Err("the ledger does not respond".to_owned())
        }
    }
}

/// The checks of this process; `log` is absent in one that neither ingests nor analyses. Blocked
/// analysis, and a log that is full because of it, are details: the answer to each batch asks senders to retry,
/// and people can still read incidents.
pub(super) fn health(
    shutdown: &Shutdown,
    ledger: LedgerProbe,
    log: Option<Arc<dyn DurableLog>>,
    analysis: Analysis,
) -> Health {
    let mut health = Health::new(shutdown.clone()).with_check("ledger", move || ledger.check());
    let Analysis { backlog, decides } = analysis;
    if decides {
        let own = Arc::clone(&backlog);
        health = health.with_check("analysis", move || {
            let ours: Vec<_> = own.blocked().into_iter().filter(|blocked| blocked.is_ours).collect();
            summary(&ours).map_or(Ok(()), Err)
        });
    }
    health = health.with_detail("analysis", move || summary(&backlog.blocked()).map_or(Ok(()), Err));
    match log {
        Some(log) => {
            let held = Arc::clone(&log);
            health
                .with_check("durable log", move || check_log(log.usage()))
                .with_detail("durable log", move || check_room(held.usage(), held.partitions()))
        }
        None => health,
    }
}

fn check_log(usage: Usage) -> Result<(), String> {
    if !usage.writable {
        return Err("the durable log accepts no batches: a write failed, restart the process".to_owned());
    }
    if usage.disk_low {
        return Err("the free disk space is below the minimum".to_owned());
    }
    Ok(())
}

/// Whether the backlog of analysis is so large that batches are refused.
fn check_room(usage: Usage, partitions: u16) -> Result<(), String> {
    // If only some partitions have a backlog, the others still accept batches.
    if usage.partitions_behind >= partitions {
        return Err(
            "analysis lags too far in every partition: the log would delete batches before they are analysed"
                .to_owned(),
        );
    }
    // A log that is configured to be small fills later.
    if !usage.has_room(USUAL_BATCH_BYTES.min(usage.capacity_bytes / 8)) {
        return Err("the log is full of batches that are not yet analysed".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use analyzer::{Backlog, Sharing, Sources, WorkerStatus};
    use common::clock::SystemClock;
    use ledger::memory::MemoryLedger;

    use super::*;

    #[test]
    fn a_log_that_is_as_good_as_full_is_a_detail() {
        let usage = Usage {
            unreleased_bytes: 0,
            capacity_bytes: 1 << 30,
            unreleased_batches: 0,
            capacity_batches: 100,
            queued_bytes: 0,
            queue_capacity_bytes: 1 << 20,
            writable: true,
            partitions_behind: 0,
            disk_low: false,
        };
        assert_eq!(check_room(usage, 8), Ok(()));
        let nearly = Usage { unreleased_bytes: (1 << 30) - (1 << 19), ..usage };
        assert!(
            check_room(nearly, 8).unwrap_err().contains("full"),
            "what is left is too little for a batch"
        );
        assert!(check_room(Usage { unreleased_batches: 100, ..usage }, 8).unwrap_err().contains("full"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_ledger_that_does_not_answer_makes_the_process_unready_until_it_does() {
        let (shutdown, probe, ledger) = (Shutdown::new(), LedgerProbe::new(), Arc::new(MemoryLedger::new()));
        let backlog = Backlog::new(Sources {
            log: None,
            ledger: ledger.clone(),
            clock: Arc::new(SystemClock::new()),
            partitions: 1,
            workers: WorkerStatus::default(),
            sharing: Sharing::Alone { analyses: true },
        });
        let analysis = Analysis { backlog: Arc::new(backlog), decides: false };
        let health = health(&shutdown, probe.clone(), None, analysis);
        let asking = probe.run(ledger.clone(), shutdown.clone());
        let looking = async {
            for (unavailable, failing) in [(false, 0), (true, 1), (false, 0)] {
                ledger.set_unavailable(unavailable);
                tokio::time::sleep(ASK_EVERY * 2).await;
                assert_eq!(health.failing().len(), failing, "unavailable: {unavailable}");
            }
            shutdown.advance(Stage::Flushing);
        };
        tokio::join!(asking, looking);
    }
}
