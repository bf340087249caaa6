//! A plot as SVG: lines over time or over percentiles, with readable axes.

use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 26.0;
const TOP: f64 = 10.0;
/// Points of a line; longer series are reduced to the maximum of each interval, so that no peak is lost.
const MOST_POINTS: usize = 700;
const LINES_ACROSS: usize = 4;

/// A line of a plot.
#[derive(Clone, Debug)]
pub struct Series<'a> {
    pub name: &'a str,
    pub points: Vec<(f64, f64)>,
}

impl<'a> Series<'a> {
    /// The points of those samples that have one.
    pub fn of<T>(name: &'a str, samples: &[T], point: impl Fn(&T) -> Option<(f64, f64)>) -> Self {
        Self { name, points: samples.iter().filter_map(point).collect() }
    }
}

/// A plot with its title; empty without data.
pub fn plot(title: &str, unit: &str, series: &[Series<'_>], ticks: &[(f64, String)]) -> String {
    let points = || series.iter().flat_map(|series| &series.points);
    if points().count() < 2 {
        return String::new();
    }
    let (first, last) =
        points().fold((f64::MAX, f64::MIN), |(low, high), (x, _)| (low.min(*x), high.max(*x)));
    let most = nice(points().map(|(_, y)| *y).fold(0.0, f64::max));
    let x = |value: f64| LEFT + (value - first) / (last - first).max(1e-9) * (WIDTH - LEFT - 8.0);
    let y = |value: f64| HEIGHT - BOTTOM - value / most * (HEIGHT - BOTTOM - TOP);
    let mut svg = format!(
        "<figure><figcaption>{title}{}</figcaption><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">",
        legend(series)
    );
    for line in 0..=LINES_ACROSS {
        let value = most * line as f64 / LINES_ACROSS as f64;
        let at = y(value);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{WIDTH}\" y2=\"{at:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            short(value)
        );
    }
    let _ = write!(svg, "<text x=\"4\" y=\"{:.1}\">{unit}</text>", HEIGHT - 6.0);
    for (value, label) in ticks {
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            x(*value).clamp(LEFT, WIDTH - 20.0),
            HEIGHT - 6.0
        );
    }
    for (index, series) in series.iter().enumerate() {
        let path: Vec<String> = thin(&series.points)
            .iter()
            .map(|(at, value)| format!("{:.1},{:.1}", x(*at), y(*value)))
            .collect();
        let _ = write!(svg, "<polyline class=\"s{index}\" points=\"{}\"/>", path.join(" "));
    }
    svg + "</svg></figure>"
}

fn legend(series: &[Series<'_>]) -> String {
    let names = series.iter().enumerate();
    names.map(|(index, series)| format!(" <b class=\"s{index}\">{}</b>", series.name)).collect()
}

/// Ticks of an axis of seconds.
pub fn time_ticks(last: f64) -> Vec<(f64, String)> {
    let step = nice(last.max(1.0) / 6.0);
    let label =
        |at: f64| if last > 7_200.0 { format!("{:.1} h", at / 3_600.0) } else { format!("{at:.0} s") };
    (1..=6).map(|tick| tick as f64 * step).filter(|at| *at <= last).map(|at| (at, label(at))).collect()
}

/// The next greater number that begins with 1, 2 or 5.
fn nice(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|step| step * power)
        .find(|step| *step >= value * 0.999_999)
        .unwrap_or(value)
}

fn short(value: f64) -> String {
    match value {
        value if value >= 1e9 => format!("{:.1}G", value / 1e9),
        value if value >= 1e6 => format!("{:.1}M", value / 1e6),
        value if value >= 1e4 => format!("{:.0}k", value / 1e3),
        value if value >= 10.0 || value == 0.0 => format!("{value:.0}"),
        value => format!("{value:.2}"),
    }
}

fn thin(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let stretch = points.len().div_ceil(MOST_POINTS).max(1);
    let greatest = |stretch: &[(f64, f64)]| {
        stretch.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
    };
    points.chunks(stretch).map(greatest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_numbers() {
        for (value, expected) in
            [(0.0, 1.0), (1.0, 1.0), (1.1, 2.0), (37.0, 50.0), (0.003, 0.005), (5_001.0, 10_000.0)]
        {
            assert!((nice(value) - expected).abs() < expected * 1e-6, "{value}: {}", nice(value));
        }
        assert_eq!(short(12_345.0), "12k");
        assert_eq!(time_ticks(30.0).len(), 6);
    }

    #[test]
    fn a_peak_survives_thinning() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|at| (f64::from(at), 1.0)).collect();
        points[54_321].1 = 9.0;
        let thinned = thin(&points);
        assert!(thinned.len() <= MOST_POINTS);
        assert!(thinned.contains(&(54_321.0, 9.0)));
    }

    #[test]
    fn a_plot_stays_within_its_frame() {
        let series = [Series { name: "a", points: vec![(0.0, 3.0), (10.0, 7.0)] }];
        let svg = plot("title", "ms", &series, &time_ticks(10.0));
        assert!(svg.contains("points=\"64.0,") && svg.contains("752.0,"), "{svg}");
        assert_eq!(plot("title", "ms", &[], &[]), "");
    }
}
