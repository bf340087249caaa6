//! Code that resembles that of malicious packages, by a linear model of its words and capabilities.

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

/// The clearest place, if its score reaches a threshold of the model.
pub(super) fn find(files: &[SourceFile<'_>], report: &Report) -> Option<Payload> {
    // The engine does not start with a damaged model.
    let payloads = payloads().ok()?;
    let reading = payload::read(files, report);
    let judged = payloads.judge(&reading)?;
    let severity = match judged.score {
        score if score >= payloads.payload => Severity::High,
        score if score >= payloads.notable => Severity::Medium,
        _ => return None,
    };
    let (first, last) = judged.window.lines;
    let detail = format!(
        "{} lines {first} to {last}: {}; words: {}",
        judged.window.path,
        judged.facts.join(", "),
        judged.words.join(", ")
    );
    Some(Payload { severity, detail })
}
