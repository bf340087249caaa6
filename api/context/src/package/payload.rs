//! Code that resembles that of malicious packages, by a linear model of its words and capabilities.

use ::payload::Reading;
use code_signals::{Report, SourceFile};
use serde::{Deserialize, Serialize};

use crate::artifact::Severity;
use crate::engine::payloads;

/// The place that resembles malicious code most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Payload {
    pub(super) severity: Severity,
    /// Place, facts and words.
    pub(super) detail: String,
}

/// The clearest place, if its score reaches a threshold of the model, and whether a part of the code was not judged.
pub(super) fn find(files: &[SourceFile<'_>], report: &Report) -> (Option<Payload>, bool) {
    let reading = payload::read(files, report);
    (clearest(&reading), reading.is_cut)
}

fn clearest(reading: &Reading) -> Option<Payload> {
    // The engine does not start with a damaged model.
    let payloads = payloads().ok()?;
    let judged = payloads.judge(reading)?;
    let severity = match judged.score {
        score if score >= payloads.payload => Severity::High,
        score if score >= payloads.notable => Severity::Medium,
        _ => return None,
    };
    let (first, last) = judged.window.lines;
    let lines = if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
    let mut detail = format!("{} {lines}", judged.window.path);
    for (what, names) in [("by", &judged.facts), ("words:", &judged.words)] {
        if !names.is_empty() {
            detail.push_str(&format!("; {what} {}", names.join(", ")));
        }
    }
    Some(Payload { severity, detail })
}
