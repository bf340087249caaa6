//! Metrics of a server, as its admin listener shows them.

use std::collections::HashMap;

use crate::client::Client;

/// The metric of the lag, in seconds, for each partition.
pub const LAG: &str = "palisade_analysis_lag_seconds";

/// The metrics at one moment, each the sum of its series.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// Sum and maximum by name.
    series: HashMap<String, (f64, f64)>,
}

impl Metrics {
    /// The metrics of a client's server; `None` without an answer.
    pub async fn ask(client: &mut Client) -> Option<Self> {
        let answer = client.get("/metrics").await.ok().filter(|answer| answer.status == 200)?;
        Some(Self::read(&answer.text()))
    }

    /// Metrics in the text format of Prometheus.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut metrics = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((series, value)) = line.rsplit_once(' ') else { continue };
            let Ok(value) = value.parse::<f64>() else { continue };
            let name = series.split('{').next().unwrap_or(series).to_owned();
            let (sum, most) = metrics.series.entry(name).or_insert((0.0, value));
            (*sum, *most) = (*sum + value, most.max(value));
        }
        metrics
    }

    /// The sum of a metric's series; 0 if it has none yet.
    pub fn sum(&self, name: &str) -> f64 {
        self.series.get(name).map_or(0.0, |(sum, _)| *sum)
    }

    /// The maximum of a metric's series.
    pub fn most(&self, name: &str) -> Option<f64> {
        self.series.get(name).map(|(_, most)| *most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_read_by_name() {
        let text = "# HELP a help 3\na{x=\"1 2\"} 4\na{x=\"2\"} 0.5\na_total 7\n";
        let metrics = Metrics::read(text);
        assert_eq!((metrics.sum("a"), metrics.most("a")), (4.5, Some(4.0)));
        assert_eq!((metrics.sum("a_total"), metrics.sum("b"), metrics.most("b")), (7.0, 0.0, None));
    }

    #[test]
    fn a_metric_is_the_sum_of_its_series() {
        let text = "# TYPE a gauge\na 3\na_total{x=\"y\"} 4\na_total{x=\"z\"} 5.5\n";
        let metrics = Metrics::read(text);
        assert_eq!((metrics.sum("a"), metrics.sum("a_total")), (3.0, 9.5));
        assert_eq!((metrics.sum("b"), metrics.most("b")), (0.0, None));
    }
}
