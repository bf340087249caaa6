//! Findings as receivers see them: `finding.created`, `finding.triage_completed`, `finding.accepted`.

use common::triage::TriageStatus;
use serde::Serialize;

/// A finding.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "object", rename = "finding")]
pub struct Finding {
    /// Its id.
    pub id: String,
    /// What kind of finding.
    pub kind: String,
    /// Its title.
    pub title: String,
    /// Owner and name.
    pub repository: String,
    /// How bad.
    pub risk_level: String,
    /// Where its triage stands.
    pub triage_status: TriageStatus,
    /// What triage found.
    pub triage: FindingTriage,
    /// What to do.
    pub remediation: Remediation,
    /// Where the whole of it is. Sent only when the patch had to be shortened; always given by whoever writes the event.
    pub finding_detail_url: String,
}

/// What triage found.
#[derive(Clone, Debug, Serialize)]
pub struct FindingTriage {
    /// In short.
    pub summary: String,
    /// What it recommends.
    pub recommendation: String,
    /// What shows it, when there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// Whether it was shown to be real.
    pub verification_status: String,
}

/// What to do about a finding.
#[derive(Clone, Debug, Serialize)]
pub struct Remediation {
    /// The files to change.
    pub files: Vec<String>,
    /// The change.
    pub patch: Patch,
    /// Where to look.
    pub code_references: Vec<CodeReference>,
}

/// A change of files.
#[derive(Clone, Debug, Serialize)]
pub struct Patch {
    /// How it is written.
    pub format: PatchFormat,
    /// The change.
    pub diff: String,
    /// Whether its end was left out.
    pub truncated: bool,
}

/// How a patch is written.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PatchFormat {
    /// As `diff -u` does.
    UnifiedDiff,
}

/// A place in the code.
#[derive(Clone, Debug, Serialize)]
pub struct CodeReference {
    /// The file.
    pub file: String,
    /// The first line, from 1.
    pub start_line: u32,
    /// The last line.
    pub end_line: u32,
    /// What stands there.
    pub snippet: String,
    /// Why to look.
    pub reason: String,
}
