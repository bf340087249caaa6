//! Traffic and incidents of a day, as text and as Markdown.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::time::Duration;

use super::incidents::Incident;
use loadtest::run::Finished;

/// Characters of an evidence that are shown.
const EXCERPT: usize = 160;

/// Records of one scene.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) log: &'static str,
    pub(crate) title: String,
    pub(crate) is_noise: bool,
    pub(crate) times: u64,
    pub(crate) records: u64,
}

/// A day that was sent and analysed.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    pub(crate) seed: u64,
    /// When the day ended.
    pub(crate) ending: String,
    pub(crate) kinds: Vec<Kind>,
    /// Files of a real machine: name and lines.
    pub(crate) files: Vec<(String, u64)>,
    pub(crate) sent_within: Duration,
    /// From the last record to the last analysis; `None` when it was not done in time.
    pub(crate) analysed_after: Option<Duration>,
    pub(crate) incidents: Vec<Incident>,
}

impl Finished for Report {
    /// Whether everything was analysed; a person judges the quality of the incidents.
    fn is_clean(&self) -> bool {
        self.analysed_after.is_some()
    }
}

impl Report {
    fn records(&self) -> u64 {
        let files: u64 = self.files.iter().map(|(_, lines)| lines).sum();
        files + self.kinds.iter().map(|kind| kind.records).sum::<u64>()
    }

    /// The report as Markdown: the traffic, and every incident.
    pub(crate) fn markdown(&self) -> Result<String, fmt::Error> {
        let mut out = String::new();
        writeln!(out, "{}\n", self.headline())?;
        writeln!(out, "| log | scenes | records | of these background noise |\n|---|---|---|---|")?;
        for (log, (scenes, records, noise)) in self.by_log() {
            writeln!(out, "| {log} | {scenes} | {records} | {noise} |")?;
        }
        for (file, lines) in &self.files {
            writeln!(out, "| `{file}` | | {lines} | |")?;
        }
        for (heading, is_noise) in [("Incidents", false), ("Incidents about background noise", true)] {
            writeln!(out, "\n{heading}\n")?;
            writeln!(out, "| severity | incident | about | log | records | by | rules | for example |")?;
            writeln!(out, "|---|---|---|---|---|---|---|---|")?;
            for incident in self.incidents.iter().filter(|incident| incident.is_noise() == is_noise) {
                writeln!(
                    out,
                    "| {} | {} | {} | {} | {} | {} | {} | `{}` |",
                    incident.severity,
                    incident.title,
                    cell(&incident.entity),
                    incident.source,
                    incident.events,
                    incident.qualified_by,
                    incident.rules.join("; "),
                    cell(&excerpt(incident))
                )?;
            }
        }
        Ok(out)
    }

    fn headline(&self) -> String {
        let noise = self.incidents.iter().filter(|incident| incident.is_noise()).count();
        let analysed = self.analysed_after.map_or_else(
            || "not analysed in time".to_owned(),
            |after| format!("analysed {:.0} s later", after.as_secs_f64()),
        );
        format!(
            "Seed {}, the day before {}: {} records of {} kinds sent within {:.0} s, {analysed}; {} incidents, \
             {noise} of them about background noise.",
            self.seed,
            self.ending,
            self.records(),
            self.kinds.len(),
            self.sent_within.as_secs_f64(),
            self.incidents.len()
        )
    }

    /// Scenes, records and records of noise of each log.
    fn by_log(&self) -> BTreeMap<&'static str, (u64, u64, u64)> {
        let mut logs = BTreeMap::new();
        for kind in &self.kinds {
            let (scenes, records, noise) = logs.entry(kind.log).or_insert((0, 0, 0));
            *scenes += 1;
            *records += kind.records;
            *noise += if kind.is_noise { kind.records } else { 0 };
        }
        logs
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for kind in &self.kinds {
            let noise = if kind.is_noise { ", background noise" } else { "" };
            writeln!(f, "{:<10} {:>6} x {:>6} {}{noise}", kind.log, kind.times, kind.records, kind.title)?;
        }
        writeln!(f, "{}", self.headline())?;
        for incident in &self.incidents {
            let noise = if incident.is_noise() { " (background noise)" } else { "" };
            writeln!(
                f,
                "{:<13} {:<40} {} {} {} by {}{noise}\n    {}\n    {}",
                incident.severity,
                incident.title,
                incident.source,
                incident.entity,
                incident.events,
                incident.qualified_by,
                incident.rules.join("; "),
                excerpt(incident)
            )?;
        }
        Ok(())
    }
}

fn excerpt(incident: &Incident) -> String {
    incident.evidence.first().map(|line| line.chars().take(EXCERPT).collect()).unwrap_or_default()
}

/// A text in a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('`', "'").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_told_apart_and_a_table_stays_one() {
        let incident = |entity: &str| Incident {
            entity: format!("client.address={entity}"),
            evidence: vec!["a|b `c`\nd".to_owned()],
            ..Incident::default()
        };
        let kind = |is_noise| Kind { log: "linux", title: "t".to_owned(), is_noise, times: 1, records: 4 };
        let report = Report {
            seed: 7,
            ending: "now".to_owned(),
            kinds: vec![kind(false), kind(true)],
            files: vec![("dpkg.log".to_owned(), 2)],
            sent_within: Duration::from_secs(1),
            analysed_after: None,
            incidents: vec![incident("192.0.2.1"), incident("198.19.0.1")],
        };
        assert!(!report.is_clean());
        let text = report.markdown().unwrap();
        assert!(text.contains("10 records of 2 kinds") && text.contains("2 incidents, 1 of them"), "{text}");
        assert!(text.contains("| linux | 2 | 8 | 4 |") && text.contains(r"`a\|b 'c' d`"), "{text}");
        assert!(report.to_string().contains("198.19.0.1 0 by  (background noise)"), "{report}");
    }
}
