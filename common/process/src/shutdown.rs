//! Shutdown of the process: its stages, and the signals that advance it through them. Each
//! component defines its own actions in a stage.

use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use crate::settings::seconds;

/// Stage of the process between its start and its end. Stages only advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// All requests are served.
    Serving,
    /// Everything is still served, but readiness fails, so that load balancers choose other processes.
    Leaving,
    /// Nothing new is accepted; work in progress is finished.
    Draining,
    /// There is no further input; held data is made durable.
    Flushing,
    /// All remaining work is dropped.
    AtOnce,
}

/// Durations of the stages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShutdownConfig {
    /// Seconds between a failing readiness and the end of accepting, default 5: load balancers and
    /// Kubernetes endpoints take a few seconds to notice. Skipped on SIGINT.
    #[serde(rename = "pause_seconds", with = "seconds")]
    pub pause: Duration,
    /// Drain timeout for requests in progress in seconds, default 25: with the pause, the thirty seconds that service
    /// managers commonly allow.
    #[serde(rename = "drain_seconds", with = "seconds")]
    pub drain: Duration,
    /// Timeout in seconds for background tasks after the drain, default 10: ample for one commit and one delivery
    /// attempt.
    #[serde(rename = "flush_seconds", with = "seconds")]
    pub flush: Duration,
}

impl Default for ShutdownConfig {
    fn default() -> Self {
        Self { pause: Duration::from_secs(5), drain: Duration::from_secs(25), flush: Duration::from_secs(10) }
    }
}

/// The handle on the process's shutdown: any clone can wait for a stage, and any can request one.
/// Clones are handles on the same shutdown.
#[derive(Clone, Debug)]
pub struct Shutdown {
    stage: watch::Sender<Stage>,
}

impl Shutdown {
    /// A process that is serving.
    #[must_use]
    pub fn new() -> Self {
        Self { stage: watch::Sender::new(Stage::Serving) }
    }

    /// The stage reached so far.
    #[must_use]
    pub fn stage(&self) -> Stage {
        *self.stage.borrow()
    }

    /// Advances to `stage`; no effect if that stage has passed.
    pub fn advance(&self, stage: Stage) {
        self.stage.send_if_modified(|current| {
            let forward = stage > *current;
            if forward {
                *current = stage;
            }
            forward
        });
    }

    /// Waits until `stage` or a later one is reached. Cancel-safe.
    pub async fn reached(&self, stage: Stage) {
        let mut stages = self.stage.subscribe();
        // `self` holds the sender, so the channel cannot close while this waits.
        let _open = stages.wait_for(|current| *current >= stage).await;
    }
}

impl Default for Shutdown {
    fn default() -> Self {
        Self::new()
    }
}

/// The signals the process handles. Installed before anything is bound, so that a signal during the
/// start does not kill the process half-way.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    /// Installs handlers of SIGTERM, SIGINT and SIGHUP. Needs a running tokio runtime.
    ///
    /// # Errors
    /// When the operating system refuses a handler.
    pub fn install() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Follows the signals until the process has to end: SIGTERM fails readiness, pauses, then
    /// drains; SIGINT drains without the pause; a second one of either ends at once. SIGHUP calls
    /// `reload`, at any stage.
    pub async fn conduct(mut self, shutdown: Shutdown, pause: Duration, mut reload: impl FnMut()) {
        let mut leaving_until = None;
        loop {
            let asked = tokio::select! {
                asked = self.next() => asked,
                () = sleep_until(leaving_until) => {
                    leaving_until = None;
                    shutdown.advance(Stage::Draining);
                    continue;
                }
            };
            match asked {
                Asked::Reload => reload(),
                _ if shutdown.stage() > Stage::Serving => {
                    tracing::warn!("second signal: terminating immediately");
                    shutdown.advance(Stage::AtOnce);
                    return;
                }
                Asked::Terminate => {
                    tracing::info!(pause_seconds = pause.as_secs_f64(), "SIGTERM: leaving");
                    shutdown.advance(Stage::Leaving);
                    leaving_until = Some(tokio::time::Instant::now() + pause);
                }
                Asked::Interrupt => {
                    tracing::info!("SIGINT: draining");
                    shutdown.advance(Stage::Draining);
                }
            }
        }
    }

    async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.terminate.recv() => Asked::Terminate,
            _ = self.interrupt.recv() => Asked::Interrupt,
            _ = self.hangup.recv() => Asked::Reload,
        }
    }
}

enum Asked {
    Terminate,
    Interrupt,
    Reload,
}

async fn sleep_until(deadline: Option<tokio::time::Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn stages_go_forward_only_and_wake_those_who_wait() {
        let shutdown = Shutdown::new();
        let waiter = shutdown.clone();
        let waiting = async { waiter.reached(Stage::Draining).await };
        let acting = async {
            shutdown.advance(Stage::Leaving);
            shutdown.advance(Stage::Flushing);
            shutdown.advance(Stage::Draining);
        };
        tokio::join!(waiting, acting);
        assert_eq!(shutdown.stage(), Stage::Flushing);
    }

    fn send_to_self(signal: &str) {
        let kill = format!("kill -{signal} {}", std::process::id());
        assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    #[tokio::test]
    async fn signals_reload_then_leave_then_end_at_once() {
        let signals = Signals::install().unwrap();
        let shutdown = Shutdown::new();
        let (reloaded, mut reloads) = tokio::sync::mpsc::channel(1);
        let reload = move || reloaded.try_send(()).unwrap();
        let conducting = signals.conduct(shutdown.clone(), Duration::ZERO, reload);
        let sending = async {
            send_to_self("HUP");
            reloads.recv().await.unwrap();
            assert_eq!(shutdown.stage(), Stage::Serving);
            send_to_self("TERM");
            shutdown.reached(Stage::Draining).await;
            send_to_self("INT");
        };
        tokio::join!(conducting, sending);
        assert_eq!(shutdown.stage(), Stage::AtOnce);
    }
}
