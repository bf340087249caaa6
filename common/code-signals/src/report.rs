//! The result: capabilities, chains of capabilities with evidence, and the code that was not read.

use std::fmt;

/// Severity of a chain, in the order of the score: the caller caps a score by the worst one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth a line in a report; no cap.
    Low,
    /// Deserves a review.
    Medium,
    /// An attack unless explained.
    High,
    /// An attack.
    Critical,
}

/// Time at which code executes, from the earliest and most dangerous to the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Time {
    /// Only when a user or program calls it or runs it as a command.
    Call,
    /// When the package is imported.
    Import,
    /// When the package is installed.
    Install,
}

/// Names of threats that this crate reports: a subset of those of context results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Threat {
    /// Code from elsewhere, or damage, executes on the machine.
    InstallAttack,
    /// Secrets of known products are collected and leave the machine.
    CredentialHarvesting,
    /// Other private data leaves the machine.
    Exfiltration,
    /// The code conceals its behaviour.
    Obfuscation,
}

/// A single thing that code can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CapabilityKind {
    /// Reads from the network.
    Fetch,
    /// Sends to the network.
    Send,
    /// Resolves a name that is computed.
    Dns,
    /// Decodes encoded data.
    Decode,
    /// Executes text as code.
    DynamicExecution,
    /// Starts a process.
    Process,
    /// Runs a command line through a shell.
    Shell,
    /// Reads secrets of a known product.
    CredentialRead,
    /// Reads the whole environment.
    EnvironmentRead,
    /// Reads identifiers of the machine or user.
    Fingerprint,
    /// Reads the clipboard, the keyboard or the screen.
    Capture,
    /// Writes a file outside of the project.
    FileWrite,
    /// Arranges to be started again.
    Persistence,
    /// Writes the configuration or hooks of an agent or of git.
    AgentConfiguration,
    /// Deletes a home folder, a disk or everything.
    Destruction,
    /// Names an address used to receive stolen data or to store payloads.
    DropEndpoint,
    /// Contains characters that are not shown.
    InvisibleUnicode,
    /// Contains a long encoded literal.
    EncodedLiteral,
    /// Is minified.
    Minified,
    /// Has the form that obfuscators produce.
    Obfuscated,
    /// Was not read in full.
    Unreadable,
}

/// A place in a file of the set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// Path of the file, as given.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
}

/// A capability, where the code has it, and when that code executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// The kind.
    pub kind: CapabilityKind,
    /// The call, or the line of the text.
    pub site: Site,
    /// The earliest time.
    pub time: Time,
    /// The called name, the path or the address; at most 160 characters.
    pub detail: String,
}

/// Capabilities connected by data flow into an attack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Stable identity of the rule, for example `fetched-code-executed`.
    pub rule: &'static str,
    /// Severity.
    pub severity: Severity,
    /// Threat.
    pub threat: Threat,
    /// Origin of the data. The same as `sink` where the rule concerns one place.
    pub source: Site,
    /// The place where the data takes effect.
    pub sink: Site,
    /// Time at which the sink executes.
    pub time: Time,
    /// One sentence for people, at most 400 characters.
    pub explanation: String,
}

/// Cause for which code was not read in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnreadReason {
    /// Longer than the bound of one file; the rest was not read.
    TooLong,
    /// The bound of all files was reached; this one was not read.
    SetTooLong,
    /// Not text, although its name says that it is code.
    NotText,
    /// The parser gave up, or most of the file is not in the language of its name.
    Syntax,
    /// Nested deeper, or with more nodes, than the bounds.
    TooComplex,
    /// The steps for following calls ended; further calls were not followed.
    Steps,
    /// The hunks of a diff are not in unified form; those behind were not read.
    Diff,
}

/// Code that was not read in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Path of the file, as given; empty for the whole set.
    pub path: String,
    /// Cause.
    pub reason: UnreadReason,
}

/// The result for a set of files. Equal input gives an equal result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Chains, the worst first, then by path and line; at most [`crate::MOST_CHAINS`].
    pub chains: Vec<Chain>,
    /// Capabilities by path and line; at most [`crate::MOST_CAPABILITIES`].
    pub capabilities: Vec<Capability>,
    /// Files not read in full, by path.
    pub unread: Vec<Unread>,
    /// Number of files read as code.
    pub files: usize,
    /// Number of bytes read as code.
    pub bytes: usize,
}

impl Report {
    /// The worst severity of a chain.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.chains.iter().map(|chain| chain.severity).max()
    }
}

impl Threat {
    /// Name in context results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InstallAttack => "install_attack",
            Self::CredentialHarvesting => "credential_harvesting",
            Self::Exfiltration => "exfiltration",
            Self::Obfuscation => "obfuscation",
        }
    }
}

impl Severity {
    /// Name in context results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Call => "when called",
            Self::Import => "on import",
            Self::Install => "on installation",
        })
    }
}
