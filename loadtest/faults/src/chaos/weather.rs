//! The state of disturbance: stores and processes disturbed now, and the end of each disturbance. Promises about time are
//! judged without disturbance only; promises about content always.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use loadtest::locked::Locked;

/// Longest duration of the consequences of a fault: reconnections, and a lease.
pub(crate) const AFTERMATH: Duration = Duration::from_secs(15);

/// Disturbed stores and processes, by name; shared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weather(Locked<BTreeMap<String, Disturbance>>);

#[derive(Clone, Copy, Debug)]
enum Disturbance {
    Lasting,
    OverSince(Instant),
}

impl Weather {
    /// Marks the start of a disturbance.
    pub(crate) fn begin(&self, name: &str) {
        self.0.lock().insert(name.to_owned(), Disturbance::Lasting);
    }

    /// Marks its end.
    pub(crate) fn end(&self, name: &str) {
        self.0.lock().insert(name.to_owned(), Disturbance::OverSince(Instant::now()));
    }

    /// Whether none of these has been disturbed since `since`, nor for that duration before it.
    pub(crate) fn was_calm(
        &self,
        since: Instant,
        before: Duration,
        concerned: impl Fn(&str) -> bool,
    ) -> bool {
        let disturbed = |disturbance: &Disturbance| match disturbance {
            Disturbance::Lasting => true,
            Disturbance::OverSince(end) => *end + before > since,
        };
        !self.0.lock().iter().any(|(name, disturbance)| concerned(name) && disturbed(disturbance))
    }
}

/// Whether a name is that of a store.
pub(crate) fn is_store(name: &str) -> bool {
    name == "kafka" || name == "cassandra"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn calm_is_when_nothing_concerned_was_disturbed_lately() {
        let weather = Weather::default();
        weather.begin("api-1");
        assert!(!weather.was_calm(Instant::now(), AFTERMATH, |_| true));
        assert!(weather.was_calm(Instant::now(), AFTERMATH, |name| name == "cassandra"));
        weather.end("api-1");
        assert!(!weather.was_calm(Instant::now(), AFTERMATH, |_| true));
        tokio::time::advance(AFTERMATH).await;
        assert!(weather.was_calm(Instant::now(), AFTERMATH, |_| true));
    }
}
