//! The expiry times of the certificates in use: a metric, and a warning before expiry.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use common::clock::SharedClock;
use common::timestamp::Timestamp;
use metrics::{Unit, describe_gauge, gauge};
use process::shutdown::{Shutdown, Stage};
use process::tasks::{Tasks, Tier};

use crate::Failure;
use crate::certificates::{WARN_BEFORE, pairs};
use crate::settings::Settings;

/// Interval of the warning: daily is noticed, and does not fill a log.
const WARN_EVERY: Duration = Duration::from_secs(24 * 3_600);
const END: &str = "palisade_tls_certificate_expiry_timestamp_seconds";

/// Monitors the certificates in use. Clones share the state.
#[derive(Clone)]
pub(super) struct CertificateWatch {
    settings: Arc<Settings>,
    clock: SharedClock,
    ends: Arc<Mutex<Vec<(&'static str, Timestamp)>>>,
}

impl CertificateWatch {
    /// Reads the expiry times of the certificates, and starts the monitoring.
    ///
    /// # Errors
    /// When a file cannot be used.
    pub(super) fn start(
        settings: &Settings,
        clock: &SharedClock,
        tasks: &mut Tasks,
        shutdown: &Shutdown,
    ) -> Result<Self, Failure> {
        describe_gauge!(
            END,
            Unit::Seconds,
            "Expiry time of a TLS certificate in use, in seconds since 1970, by the connections that use it."
        );
        let watch =
            Self { settings: Arc::new(settings.clone()), clock: Arc::clone(clock), ends: Arc::default() };
        for pair in pairs(settings) {
            watch.note(pair.used_for, pair.end()?);
        }
        let (watching, shutdown) = (watch.clone(), shutdown.clone());
        tasks.spawn("certificates", Tier::Back, async move {
            tokio::select! {
                () = watching.warn_daily() => {}
                () = shutdown.reached(Stage::Flushing) => {}
            }
            Ok(())
        });
        Ok(watch)
    }

    /// Only the listener's certificate is reloaded; the others are read at the start only.
    pub(super) fn listener_reloaded(&self) {
        for pair in pairs(&self.settings).into_iter().filter(|pair| pair.used_for == "listener") {
            match pair.end() {
                Ok(end) => self.note(pair.used_for, end),
                Err(error) => {
                    tracing::warn!(%error, "the expiry time of the certificate cannot be determined")
                }
            }
        }
        self.warn();
    }

    #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 fit exactly")]
    fn note(&self, used_for: &'static str, end: Timestamp) {
        gauge!(END, "used_for" => used_for).set((end.0 / 1_000_000_000) as f64);
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.retain(|(known, _)| *known != used_for);
        ends.push((used_for, end));
    }

    async fn warn_daily(&self) {
        let mut days = tokio::time::interval(WARN_EVERY);
        loop {
            days.tick().await;
            self.warn();
        }
    }

    fn warn(&self) {
        let now = self.clock.now();
        for (used_for, end) in self.ends.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            if *end <= now {
                tracing::error!(used_for, end = end.to_iso(), "the certificate has expired: replace it");
            } else if end.since(now) < WARN_BEFORE {
                tracing::warn!(used_for, end = end.to_iso(), "the certificate expires soon: replace it");
            }
        }
    }
}
