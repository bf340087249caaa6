//! Facts about a snapshot, as the sandbox gives them.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::skill::FrontMatter;
use crate::artifact::{Severity, ThreatType};
use crate::score::Skipped;

/// A file of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SnapshotFile {
    /// Path from the root.
    pub(crate) path: String,
    /// Content.
    pub(crate) content: Vec<u8>,
}

/// Role of a text, which decides how much its context lowers a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Role {
    /// Description of a tool, parameter or prompt, or instructions of a server.
    Declared,
    /// Text that the agent follows: files of a skill.
    Instructions,
    /// A literal or data of the code.
    Literal,
    /// Documentation for people.
    Docs,
    /// A comment or the documentation of code.
    Comment,
    /// Anything in a test or example.
    Aside,
}

/// A text with its role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Text {
    pub(crate) role: Role,
    /// Path, and the line at which the text begins.
    pub(crate) path: String,
    pub(crate) line: u32,
    /// Name of the tool that it describes.
    pub(crate) tool: String,
    pub(crate) text: String,
    /// Parts that a person does not see.
    pub(crate) hidden: Vec<Range<usize>>,
}

/// A chain of capabilities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chain {
    pub(crate) rule: String,
    pub(crate) severity: Severity,
    pub(crate) threat: ThreatType,
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) says: String,
    /// Tools whose handlers reach it.
    pub(crate) tools: Vec<String>,
}

/// A capability of code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Use {
    pub(crate) kind: Effect,
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) detail: String,
}

/// Capabilities that a description can hide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Effect {
    Fetch,
    Send,
    Execution,
    CredentialRead,
    EnvironmentRead,
    Capture,
    FileWrite,
    Persistence,
    AgentConfiguration,
    DropEndpoint,
    Destruction,
}

/// A tool with the effects that its handler reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) uses: Vec<Use>,
}

/// A file that is no text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Opaque {
    pub(crate) path: String,
    /// Its format, as a noun with article.
    pub(crate) what: String,
    /// Whether it is a program; otherwise an archive or other bytes.
    pub(crate) is_program: bool,
    /// Whether the source stands beside it, as with a cache of bytecode.
    pub(crate) has_source: bool,
}

/// Facts about a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reading {
    pub(crate) texts: Vec<Text>,
    pub(crate) chains: Vec<Chain>,
    pub(crate) uses: Vec<Use>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) opaque: Vec<Opaque>,
    pub(crate) front_matter: Option<FrontMatter>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) left_out: Vec<Skipped>,
    /// Number of files that were read.
    pub(crate) files: usize,
}

impl Reading {
    /// The texts, those of one tool as one: an order can be spread over its parameters.
    pub(super) fn whole_texts(&self) -> Vec<Text> {
        let mut whole: Vec<Text> = Vec::with_capacity(self.texts.len());
        let mut of_tool: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for text in &self.texts {
            if text.role != Role::Declared || text.tool.is_empty() {
                whole.push(text.clone());
                continue;
            }
            let place = *of_tool.entry((&text.path, &text.tool)).or_insert(whole.len());
            match whole.get_mut(place) {
                Some(tool) => {
                    tool.text.push('\n');
                    tool.text.push_str(&text.text);
                }
                None => whole.push(text.clone()),
            }
        }
        whole
    }
}
