//! Detection of growth: a regression line through samples, and bounds for its slope.

use std::fmt;

use serde_json::{Value, json};

use crate::load::observe::Look;

/// Share of the samples that are skipped at the beginning, twenty minutes of an hour: the time until the memory for
/// recognising repeated batches is full, and the first windows of ten minutes have expired.
const LEFT_OUT: f64 = 1.0 / 3.0;
/// Samples required for a line.
const LEAST_LOOKS: usize = 10;

/// A sampled quantity and its bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) value: fn(&Look) -> Option<f64>,
    /// Maximum value at any time.
    pub(crate) most: f64,
    /// Largest rise of the line over the samples: a share of its middle or this amount, whichever is
    /// more. `None` if it may rise.
    pub(crate) growth: Option<(f64, f64)>,
}

/// Samples of a quantity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trend {
    bound: Bound,
    seen: Option<Line>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    mean: f64,
    greatest: f64,
    /// Rise of the line from the first sample to the last.
    rise: f64,
}

impl Trend {
    /// Whether the samples stayed within the bounds.
    pub(crate) fn is_within(&self) -> bool {
        self.seen.is_some_and(|line| line.greatest <= self.bound.most && line.rise <= self.allowed_rise(line))
    }

    fn allowed_rise(&self, line: Line) -> f64 {
        self.bound.growth.map_or(f64::INFINITY, |(share, least)| (line.mean * share).max(least))
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "name": self.bound.name, "unit": self.bound.unit, "within": self.is_within(),
            "seen": self.seen.map(|line| json!({
                "mean": line.mean, "greatest": line.greatest, "allowed": self.bound.most,
                "rise": line.rise, "allowed_rise": self.bound.growth.map(|_| self.allowed_rise(line)),
            })),
        })
    }
}

impl fmt::Display for Trend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bound { name, unit, most, .. } = self.bound;
        let Some(line) = self.seen else {
            return write!(f, "unknown   {name}: it could not be looked at, or too seldom");
        };
        let verdict = if self.is_within() { "flat    " } else { "CREEPING" };
        write!(
            f,
            "{verdict}  {name}: {:.1} {unit} on average, {:.1} at most of {most:.0}; rose by {:+.1}",
            line.mean, line.greatest, line.rise
        )?;
        match self.bound.growth {
            Some(_) => write!(f, " of {:.1}", self.allowed_rise(line)),
            None => write!(f, ", which it may"),
        }
    }
}

/// Results of the bounds in a phase.
pub(crate) fn trends(looks: &[Look], phase: &str, bounds: &[Bound]) -> Vec<Trend> {
    let looks: Vec<&Look> = looks.iter().filter(|look| look.phase == phase).collect();
    let begun = (looks.len() as f64 * LEFT_OUT) as usize;
    let settled = looks.get(begun..).unwrap_or_default();
    let line_of = |bound: &Bound| {
        let seen = settled.iter().filter_map(|look| Some((look.at, (bound.value)(look)?)));
        let greatest = looks.iter().filter_map(|look| (bound.value)(look)).fold(f64::MIN, f64::max);
        line(&seen.collect::<Vec<_>>(), greatest)
    };
    bounds.iter().map(|bound| Trend { bound: *bound, seen: line_of(bound) }).collect()
}

/// The least-squares line, with the maximum of all values.
fn line(points: &[(f64, f64)], greatest: f64) -> Option<Line> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return None };
    if points.len() < LEAST_LOOKS {
        return None;
    }
    let count = points.len() as f64;
    let (at, mean) =
        points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (both, alone) = points.iter().fold((0.0, 0.0), |(both, alone), point| {
        (both + (point.0 - at) * (point.1 - mean), alone + (point.0 - at).powi(2))
    });
    let slope = if alone > 0.0 { both / alone } else { 0.0 };
    Some(Line { mean, greatest, rise: slope * (last.0 - first.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(value: impl Fn(f64) -> f64) -> Vec<Look> {
        (0..1_000)
            .map(|second| Look {
                at: f64::from(second),
                phase: "soak",
                lag_seconds: Some(value(f64::from(second))),
                ..Look::default()
            })
            .collect()
    }

    fn bound(most: f64, growth: Option<(f64, f64)>) -> Bound {
        Bound { name: "lag", unit: "s", value: |look| look.lag_seconds, most, growth }
    }

    #[test]
    fn what_creeps_is_told_from_what_swings() {
        let is_within =
            |value: fn(f64) -> f64, bound: Bound| trends(&looks(value), "soak", &[bound])[0].is_within();
        let swings = |at: f64| 100.0 + 20.0 * (at / 7.0).sin();
        let creeps = |at: f64| 100.0 + 20.0 * (at / 7.0).sin() + at * 0.03;
        assert!(is_within(swings, bound(200.0, Some((0.05, 1.0)))));
        assert!(!is_within(creeps, bound(200.0, Some((0.05, 1.0)))));
        assert!(is_within(creeps, bound(200.0, None)));
        assert!(!is_within(swings, bound(110.0, None)));
        let unseen = Bound { value: |look| look.backlog, ..bound(200.0, None) };
        assert!(!trends(&looks(swings), "soak", &[unseen])[0].is_within(), "nobody could look at it");
        // The beginning is skipped, except for the maximum.
        assert!(!is_within(|at| if at < 10.0 { 300.0 } else { 100.0 }, bound(200.0, None)));
        assert!(is_within(|at| if at < 300.0 { 10.0 } else { 100.0 }, bound(200.0, Some((0.05, 1.0)))));
    }

    #[test]
    fn what_was_not_seen_is_not_called_flat() {
        let trend = trends(&[], "soak", &[bound(1.0, None)])[0];
        assert!(trend.to_string().contains("could not be looked at"), "{trend}");
        let line = line(&[(0.0, 1.0), (1.0, 2.0)].repeat(5), 2.0).unwrap();
        assert!((line.mean - 1.5).abs() < 1e-9 && (line.rise - 1.0).abs() < 1e-9, "{line:?}");
    }
}
