//! The judged parts of all inputs to a verdict: classification, types of the attack, reasons.

use crate::decide::{Input, Judged};
use crate::explain::explain;
use crate::view::Read;

/// Whether a text is let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classification {
    /// No attack was found.
    Pass,
    /// The text is an attack.
    Block,
}

/// What an attack tries to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Violation {
    /// Replaces the instructions of an assistant.
    PromptInjection,
    /// Makes an assistant tell its instructions or secrets.
    SystemPromptExtraction,
    /// Makes an assistant send data away.
    DataExfiltration,
    /// Makes an assistant act without its restrictions.
    Jailbreak,
    /// Something that the application's own prompt blocks.
    PolicyViolation,
}

impl Violation {
    /// Every type.
    pub const ALL: [Self; 5] = [
        Self::PromptInjection,
        Self::SystemPromptExtraction,
        Self::DataExfiltration,
        Self::Jailbreak,
        Self::PolicyViolation,
    ];

    /// Name in replies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PromptInjection => "prompt_injection",
            Self::SystemPromptExtraction => "system_prompt_extraction",
            Self::DataExfiltration => "data_exfiltration",
            Self::Jailbreak => "jailbreak",
            Self::PolicyViolation => "policy_violation",
        }
    }

    /// Weaknesses of the CWE list.
    #[must_use]
    pub fn cwe_codes(self) -> &'static [&'static str] {
        match self {
            Self::PromptInjection => &["CWE-1427"],
            Self::SystemPromptExtraction => &["CWE-1427", "CWE-200"],
            Self::DataExfiltration => &["CWE-1427", "CWE-201"],
            Self::Jailbreak => &["CWE-1427", "CWE-693"],
            Self::PolicyViolation => &["CWE-693"],
        }
    }
}

/// The result of all inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether they are let through.
    pub classification: Classification,
    /// Types of the attack, in the order of [`Violation`]; empty for a pass.
    pub violations: Vec<Violation>,
    /// Codes of all types, each once.
    pub cwe_codes: Vec<&'static str>,
    /// Reasons in sentences. Equal inputs give equal bytes.
    pub reasoning: String,
}

/// Strength from which on a fact names the type of an attack.
pub(crate) const NAMES_TYPE: f32 = 1.0;

/// The verdict over judged parts, the clearest first.
pub(crate) fn verdict(
    inputs: &[Input<'_>],
    reads: &[Vec<Read>],
    judged: &[Judged],
    redact: &dyn Fn(&str) -> String,
) -> Verdict {
    let blocking: Vec<&Judged> = judged.iter().filter(|judged| judged.blocks()).collect();
    let mut violations: Vec<Violation> = blocking
        .iter()
        .flat_map(|judged| &judged.facts)
        .filter(|fact| fact.strength >= NAMES_TYPE)
        .map(|fact| fact.violation)
        .collect();
    if violations.is_empty() && !blocking.is_empty() {
        violations.push(Violation::PromptInjection);
    }
    violations.sort_unstable();
    violations.dedup();
    let mut cwe_codes: Vec<&'static str> = Vec::new();
    for code in violations.iter().flat_map(|violation| violation.cwe_codes()) {
        if !cwe_codes.contains(code) {
            cwe_codes.push(code);
        }
    }
    let classification = if blocking.is_empty() { Classification::Pass } else { Classification::Block };
    let reasoning = explain(inputs, reads, judged, &violations, redact);
    Verdict { classification, violations, cwe_codes, reasoning }
}
