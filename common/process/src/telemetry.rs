//! Telemetry of the process: log lines on standard error and metrics in memory, rendered for
//! Prometheus. Each metric is declared where it is recorded.

use std::io::IsTerminal;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tracing_subscriber::filter::{LevelFilter, ParseError};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{EnvFilter, Layer, fmt};

use crate::requests;
use crate::shutdown::{Shutdown, Stage};

/// Upper bounds of the buckets of every histogram in seconds: those that OpenTelemetry advises for
/// the duration of HTTP requests (semantic conventions, `http.server.request.duration`).
pub const SECONDS_BUCKETS: [f64; 14] =
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

/// Interval at which histogram samples are moved into their buckets without a scrape, so that they
/// do not accumulate: as the exporter's own listener does.
const UPKEEP_PERIOD: std::time::Duration = std::time::Duration::from_secs(5);

/// Format of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// Text on a terminal, JSON otherwise.
    #[default]
    Auto,
    /// One JSON object a line.
    Json,
    /// For people.
    Pretty,
}

/// Level and format of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetryConfig {
    /// Level, or a comma-separated list of `target=level`, default `info`.
    pub log: String,
    /// `auto`, `json` or `pretty`, default `auto`.
    pub log_format: LogFormat,
}

impl Default for TelemetryConfig {
    fn default() -> Self {
        Self { log: "info".to_owned(), log_format: LogFormat::Auto }
    }
}

impl TelemetryConfig {
    /// Checks that the level parses.
    ///
    /// # Errors
    /// [`TelemetryError`], which names the part that does not.
    pub fn check(&self) -> Result<(), TelemetryError> {
        parse(&self.log).map(drop)
    }
}

/// Which build this is; becomes the metric `palisade_build_info`.
#[derive(Clone, Copy, Debug)]
pub struct BuildInfo {
    /// Version of the product.
    pub version: &'static str,
    /// Source revision, or `unknown`.
    pub revision: &'static str,
}

/// Reason why telemetry could not be set up.
#[derive(Debug, Error)]
pub enum TelemetryError {
    /// A word of the level setting is no level.
    #[error("log setting {setting:?}: {word:?} is none of off, error, warn, info, debug and trace")]
    Level {
        /// The setting.
        setting: String,
        /// The part that is no level.
        word: String,
    },
    /// The level setting does not parse.
    #[error("log setting {setting:?}: expected a level or a list of target=level")]
    Filter {
        /// The setting.
        setting: String,
        /// Position of the error.
        source: ParseError,
    },
    /// A logger is already installed in this process.
    #[error("a log subscriber is already set")]
    Logging(#[from] TryInitError),
    /// A metrics recorder is already installed in this process, or the buckets are rejected.
    #[error("metrics could not be set up")]
    Metrics(#[from] BuildError),
}

/// Sets gauges that are computed when metrics are read.
type Measure = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// The telemetry of this process. Clones are handles on the same.
#[derive(Clone)]
pub struct Telemetry {
    prometheus: PrometheusHandle,
    measures: Arc<Mutex<Vec<Measure>>>,
}

impl std::fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Telemetry(..)")
    }
}

impl Telemetry {
    /// Installs the logger and the metrics recorder of the whole process; once per process.
    ///
    /// # Errors
    /// [`TelemetryError`] when the level does not parse or another one is installed.
    pub fn install(config: &TelemetryConfig, build: BuildInfo) -> Result<Self, TelemetryError> {
        let filter = parse(&config.log)?;
        let pretty = match config.log_format {
            LogFormat::Auto => std::io::stderr().is_terminal(),
            LogFormat::Json => false,
            LogFormat::Pretty => true,
        };
        let lines = fmt::layer().with_writer(std::io::stderr);
        let lines = if pretty { lines.boxed() } else { lines.json().flatten_event(true).boxed() };
        tracing_subscriber::registry().with(filter).with(lines).try_init()?;

        let recorder = recorder()?;
        let prometheus = recorder.handle();
        metrics::set_global_recorder(recorder).map_err(BuildError::from)?;
        requests::describe();
        metrics::describe_gauge!("palisade_build_info", "Always 1; the labels identify the build.");
        metrics::gauge!("palisade_build_info", "version" => build.version, "revision" => build.revision)
            .set(1.0);
        Ok(Self { prometheus, measures: Arc::default() })
    }

    /// Adds a function that sets gauges whenever metrics are read. It bounds its own time: a reader waits for it.
    pub fn measure_when_read<F>(&self, measure: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let measure: Measure = Arc::new(move || Box::pin(measure()));
        self.measures.lock().unwrap_or_else(PoisonError::into_inner).push(measure);
    }

    /// All metrics in the Prometheus text format, including those measured upon reading.
    pub async fn render(&self) -> String {
        let measures = self.measures.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for measure in measures {
            measure().await;
        }
        self.prometheus.render()
    }

    /// Keeps the histograms small until the shutdown flushes. A task of the back.
    pub async fn upkeep(self, shutdown: Shutdown) {
        let mut ticks = tokio::time::interval(UPKEEP_PERIOD);
        loop {
            tokio::select! {
                () = shutdown.reached(Stage::Flushing) => return,
                _ = ticks.tick() => self.prometheus.run_upkeep(),
            }
        }
    }
}

/// Libraries whose finer levels show names that stand in submitted content: name servers are asked for the senders of mails.
const PRIVATE: [&str; 3] = ["hickory_net=warn", "hickory_proto=warn", "hickory_resolver=warn"];

fn parse(setting: &str) -> Result<EnvFilter, TelemetryError> {
    // A word alone would be read as a target, and a misspelt level would silence everything else.
    let words = setting.split(',').map(str::trim).filter(|part| !part.contains('='));
    if let Some(word) = words.into_iter().find(|word| word.parse::<LevelFilter>().is_err()) {
        return Err(TelemetryError::Level { setting: setting.to_owned(), word: word.to_owned() });
    }
    let fault = |source| TelemetryError::Filter { setting: setting.to_owned(), source };
    let filter = EnvFilter::try_new(setting).map_err(fault)?;
    PRIVATE
        .iter()
        .try_fold(filter, |filter, private| Ok(filter.add_directive(private.parse().map_err(fault)?)))
}

fn recorder() -> Result<metrics_exporter_prometheus::PrometheusRecorder, BuildError> {
    let seconds = Matcher::Suffix("_seconds".to_owned());
    Ok(PrometheusBuilder::new().set_buckets_for_metric(seconds, &SECONDS_BUCKETS)?.build_recorder())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_in_seconds_have_the_buckets_and_help_texts_are_rendered() {
        let recorder = recorder().unwrap();
        let handle = recorder.handle();
        metrics::with_local_recorder(&recorder, || {
            metrics::describe_histogram!("palisade_append_seconds", "Time to durability.");
            metrics::histogram!("palisade_append_seconds").record(0.06);
        });
        let text = handle.render();
        assert!(text.contains("# HELP palisade_append_seconds Time to durability."), "{text}");
        assert!(text.contains("palisade_append_seconds_bucket{le=\"0.05\"} 0"), "{text}");
        assert!(text.contains("palisade_append_seconds_bucket{le=\"0.075\"} 1"), "{text}");
    }

    #[test]
    fn a_level_that_is_none_is_refused() {
        assert!(parse("info,h2=warn").is_ok());
        assert!(matches!(parse("ingest=loud"), Err(TelemetryError::Filter { .. })));
        assert!(matches!(parse("h2=warn,loud"), Err(TelemetryError::Level { word, .. }) if word == "loud"));
    }
}
