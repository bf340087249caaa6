//! The report as one self-contained HTML page with its plots.

use crate::load::observe::Look;
use crate::load::plot::{Series, plot, time_ticks};
use crate::load::report::Report;
use crate::resources::MEBIBYTE;

const STYLE: &str = "
:root{color-scheme:light dark;--line:#8884;--s0:#2a78d6;--s1:#e0662f;--s2:#1a9c72}
@media(prefers-color-scheme:dark){:root{--s0:#6aa9f0;--s1:#f0935f;--s2:#4fc59b}}
body{font:15px/1.45 system-ui,sans-serif;max-width:800px;margin:2rem auto;padding:0 1rem}
pre{overflow-x:auto;padding:1rem;border:1px solid var(--line);font-size:12.5px}
figure{margin:1.6rem 0}figcaption{font-weight:600}figcaption b{margin-left:.8rem;font-size:.85em}
svg{width:100%;height:auto}svg text{font-size:11px;fill:currentColor;opacity:.75}
.grid{stroke:var(--line)}polyline{fill:none;stroke-width:1.6}
polyline.s0{stroke:var(--s0)}polyline.s1{stroke:var(--s1)}polyline.s2{stroke:var(--s2)}
b.s0{color:var(--s0)}b.s1{color:var(--s1)}b.s2{color:var(--s2)}";

/// The page: a title, the text of the report, and its plots.
pub fn page(title: &str, said: &str, plots: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
<title>{title}</title><style>{STYLE}</style>\n<h1>{title}</h1>\n<pre>{}</pre>\n{plots}\n</html>\n",
        escape(said)
    )
}

/// The plots of a load.
pub fn plots(report: &Report) -> String {
    let looks = &report.looks;
    let ticks = time_ticks(looks.last().map_or(0.0, |look| look.at));
    let over_time = |title: &str, unit: &str, series: &[Series<'_>]| plot(title, unit, series, &ticks);
    let line = |name: &'static str, value: fn(&Look) -> Option<f64>| {
        Series::of(name, looks, |look| Some((look.at, value(look)?)))
    };
    let a_second = |name: &'static str, count: fn(&Look) -> u64| {
        Series::of(name, looks, |look| Some((look.at, count(look) as f64 / look.seconds.max(0.001))))
    };
    [
        over_time("Records accepted", "records/s", &[a_second("accepted", |look| look.records)]),
        over_time(
            "Requests",
            "requests/s",
            &[
                a_second("accepted", |look| look.accepted),
                a_second("refused with 503", |look| look.refused),
                a_second("wrong", |look| look.wrong),
            ],
        ),
        over_time(
            "Latency of accepted requests, from when they were due",
            "ms",
            &[
                line("p50", |look| Some(look.p50_ms)),
                line("p99", |look| Some(look.p99_ms)),
                line("longest", |look| Some(look.most_ms)),
            ],
        ),
        by_percentile(report),
        over_time(
            "Memory of the server",
            "MiB",
            &[line("resident", |look| Some(look.usage?.resident_bytes as f64 / MEBIBYTE))],
        ),
        over_time("Processor", "cores", &[line("server", |look| look.cores)]),
        over_time(
            "Open files of the server",
            "files",
            &[line("open", |look| Some(look.usage?.open_files as f64))],
        ),
        over_time(
            "Records accepted and not yet analysed",
            "records",
            &[line("backlog", |look| look.backlog)],
        ),
        over_time("Disk", "MiB", &[line("data directory", |look| Some(look.disk_bytes? as f64 / MEBIBYTE))]),
    ]
    .join("\n")
}

/// Latency of the last phases by percentile; each further nine has the same width on the axis.
fn by_percentile(report: &Report) -> String {
    let nines = |share: f64| -(1.0 - share).log10();
    let series: Vec<Series<'_>> = report
        .phases
        .iter()
        .rev()
        .filter(|done| done.counts.latency.count() > 0)
        .take(3)
        .map(|done| {
            // The axis ends at the percentile that the number of requests can resolve.
            let most = (done.counts.latency.count() as f64).log10().clamp(0.3, 5.0);
            let steps = (0..=200).map(|step| most * f64::from(step) / 200.0);
            let points =
                steps.map(|nines| (nines, done.counts.latency.quantile_ms(1.0 - 10_f64.powf(-nines))));
            Series { name: done.phase.name, points: points.collect() }
        })
        .collect();
    let ticks = [0.5, 0.9, 0.99, 0.999, 0.9999].map(|share| (nines(share), format!("{} %", share * 100.0)));
    plot("Latency by percentile", "ms", &series, &ticks)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
