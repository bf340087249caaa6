//! Files of a package to the facts that its checks judge. Runs in the sandbox; the reply is small and has bounds.

use std::collections::BTreeSet;

use code_signals::{SourceFile, Subject, Time, UnreadReason};
use documents::decode_text;
use serde::{Deserialize, Serialize};

use super::archive::Depth;
use super::collect::{Collected, File};
use super::hooks::{hooks, installed};
use super::payload::{self, Payload};
use super::pickle;
use super::prose::{Comments, commented, document, is_document};
use super::rank::{Rank, is_in_tests};
use super::steps;
use crate::artifact::{Severity, ThreatType};
use crate::score::Skipped;
use crate::text::Passage;

/// Bytes of texts that are judged: half a minute of reading for a person is 2 KiB, and a package has at most some hundred KiB of comments.
const MOST_TEXT: usize = 2 << 20;
/// Chains, hooks, paths and unread parts that a reply has at most.
const MOST_CHAINS: usize = 50;
const MOST_LISTED: usize = 100;
/// Files with declarations of tools that are read.
const MOST_SERVERS: usize = 50;
/// Characters of a text that comes from a package, in a reply.
const MOST_CHARACTERS: usize = 400;

/// A chain of capabilities of code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chain {
    pub(super) rule: String,
    pub(super) severity: Severity,
    pub(super) threat: ThreatType,
    pub(super) is_early: bool,
    /// Rule, sentence and place.
    pub(super) detail: String,
}

/// Contents of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Contents {
    pub(super) chains: Vec<Chain>,
    /// Scripts that run on installation, by name.
    pub(super) hooks: Vec<String>,
    /// Files that these scripts are or run.
    pub(super) installed: Vec<String>,
    /// Code that resembles that of malicious packages.
    pub(super) payload: Option<Payload>,
    pub(super) passages: Vec<Passage>,
    pub(super) programs: Vec<String>,
    pub(super) bytecode: Vec<String>,
    pub(super) archives: Vec<String>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) is_ambiguous: bool,
    /// Files that were analysed.
    pub(super) files: usize,
}

impl Contents {
    /// Analyses files.
    pub(crate) fn of(collected: Collected, depth: Depth) -> Self {
        let mut contents = Self {
            hooks: hooks(&collected.files),
            installed: installed(&collected.files),
            files: collected.files.len(),
            ..Self::default()
        };
        if depth == Depth::Hooks {
            return contents.bounded();
        }
        contents.analyse(&collected.files);
        contents.read(&collected.files);
        contents.chains.extend(collected.pickles.iter().map(|(path, name)| pickle::chain(path, name)));
        contents.skipped.extend(collected.skipped);
        contents.programs = collected.programs;
        contents.bytecode = collected.bytecode;
        contents.archives = collected.archives;
        contents.is_ambiguous = collected.is_ambiguous;
        contents.bounded()
    }

    fn analyse(&mut self, given: &[File]) {
        let steps: Vec<(String, String)> = given.iter().flat_map(commands).collect();
        let files = given.iter().map(|file| (&file.path, file.content.as_slice()));
        let files = files.chain(steps.iter().map(|(path, command)| (path, command.as_bytes())));
        let sources: Vec<SourceFile<'_>> =
            files.map(|(path, content)| SourceFile { path, content }).collect();
        self.declared(&sources);
        let report = code_signals::analyze(&sources, Subject::Package);
        let (payload, is_cut) = payload::find(&sources, &report);
        self.payload = payload;
        if is_cut {
            let reason = "the model of payloads judges a bounded number of windows and words".to_owned();
            self.skipped.push(Skipped { what: "code of the package".to_owned(), reason });
        }
        self.chains = report.chains.into_iter().map(chain).collect();
        for unread in report.unread {
            // A test that the installation runs, or other code loads, is a part of the package.
            if is_in_tests(&unread.path)
                && !self.installed.contains(&unread.path)
                && !is_named_by_code(given, &unread.path)
            {
                continue;
            }
            let what = if unread.path.is_empty() { "code of the package".to_owned() } else { unread.path };
            self.skipped.push(Skipped { what, reason: reason(unread.reason).to_owned() });
        }
    }

    /// Descriptions of tools that models read, of files with forms of servers.
    fn declared(&mut self, sources: &[SourceFile<'_>]) {
        const FORMS: [&str; 5] = ["inputSchema", "input_schema", "FastMCP", "McpServer", "mcp.NewTool"];
        let has = |file: &&SourceFile<'_>| {
            FORMS.iter().any(|form| memchr::memmem::find(file.content, form.as_bytes()).is_some())
        };
        let files: Vec<SourceFile<'_>> = sources.iter().filter(has).take(MOST_SERVERS).cloned().collect();
        let declarations = code_signals::declarations(&files);
        for declared in declarations.declared.iter().take(MOST_LISTED) {
            let texts: Vec<&str> = declared.texts.iter().map(|text| text.text.as_str()).collect();
            let name = format!("the description of {} in {}", declared.name, declared.site.path);
            let passage = Passage::visible(name, texts.join("\n"));
            let is_test = is_in_tests(&declared.site.path);
            self.passages.push(Passage {
                threat: Some(ThreatType::DescriptionInjection),
                is_test,
                ..passage
            });
        }
    }

    /// Texts in the order of importance.
    fn read(&mut self, files: &[File]) {
        let mut comments = Comments::default();
        let (mut bytes, mut left_out) = (0, 0_usize);
        for file in files {
            if file.rank == Rank::Data {
                continue;
            }
            let text = decode_text(&file.content, None);
            let is_document = matches!(file.rank, Rank::Readme | Rank::Text) || is_document(&file.path);
            if is_document && file.content.len() > code_signals::MOST_FILE_BYTES {
                let reason = reason(UnreadReason::TooLong).to_owned();
                self.skipped.push(Skipped { what: file.path.clone(), reason });
            }
            let passages = if is_document {
                document(&file.path, &text)
            } else {
                commented(&file.path, &text, &mut comments)
            };
            bytes += passages.iter().map(|passage| passage.text.len()).sum::<usize>();
            if bytes > MOST_TEXT {
                left_out += 1;
                continue;
            }
            let is_test = is_in_tests(&file.path);
            let passages = passages.into_iter().filter(|passage| !passage.text.trim().is_empty());
            self.passages.extend(passages.map(|passage| Passage { is_test, ..passage }));
        }
        if left_out > 0 {
            let reason = format!("at most {MOST_TEXT} bytes of texts and comments are judged");
            self.skipped.push(Skipped { what: format!("texts and comments of {left_out} files"), reason });
        }
    }

    /// The same within the bounds of a reply. A reply of the sandbox is trusted no further than this.
    pub(crate) fn bounded(mut self) -> Self {
        self.chains.truncate(MOST_CHAINS);
        for list in
            [&mut self.hooks, &mut self.installed, &mut self.programs, &mut self.bytecode, &mut self.archives]
        {
            list.sort();
            list.truncate(MOST_LISTED);
            list.iter_mut().for_each(shorten);
        }
        self.chains.iter_mut().for_each(|chain| shorten(&mut chain.detail));
        self.payload.iter_mut().for_each(|found| shorten(&mut found.detail));
        let further = self.skipped.len().saturating_sub(MOST_LISTED);
        self.skipped.truncate(MOST_LISTED);
        if further > 0 {
            let reason = "the list is limited".to_owned();
            self.skipped.push(Skipped { what: format!("{further} further parts"), reason });
        }
        self.skipped.iter_mut().for_each(|skipped| shorten(&mut skipped.what));
        self
    }

    /// The contents of several archives of a release, each by its name.
    pub(super) fn merged(archives: Vec<(String, Self)>) -> Self {
        let several = archives.len() > 1;
        let (mut merged, mut texts) = (Self::default(), BTreeSet::new());
        for (name, contents) in archives {
            let within = |path: String| if several { format!("{name}: {path}") } else { path };
            merged.is_ambiguous |= contents.is_ambiguous;
            merged.files += contents.files;
            let Self {
                chains,
                hooks,
                installed,
                payload,
                passages,
                programs,
                bytecode,
                archives,
                skipped,
                ..
            } = contents;
            let worst = merged.payload.as_ref().map(|found| found.severity);
            if payload.as_ref().map(|found| found.severity) > worst {
                merged.payload = payload;
            }
            for chain in chains {
                let known = merged
                    .chains
                    .iter()
                    .any(|other| other.rule == chain.rule && other.detail == chain.detail);
                if !known {
                    merged.chains.push(chain);
                }
            }
            // A wheel has the files of the source distribution.
            let fresh = passages.into_iter().filter(|passage| texts.insert(passage.text.clone()));
            merged.passages.extend(fresh);
            merged.hooks.extend(hooks);
            merged.installed.extend(installed);
            merged.programs.extend(programs.into_iter().map(within));
            merged.bytecode.extend(bytecode.into_iter().map(within));
            merged.archives.extend(archives.into_iter().map(within));
            merged.skipped.extend(
                skipped.into_iter().map(|Skipped { what, reason }| Skipped { what: within(what), reason }),
            );
        }
        for list in [&mut merged.hooks, &mut merged.installed] {
            list.sort();
            list.dedup();
        }
        merged
    }
}

/// Whether code outside of tests contains the folder and name of a test, by which it may load it.
fn is_named_by_code(files: &[File], path: &str) -> bool {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let start = stem.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    let name = stem.get(start..).unwrap_or(stem).as_bytes();
    let mut code = files.iter().filter(|file| file.rank < Rank::Test);
    code.any(|file| memchr::memmem::find(&file.content, name).is_some())
}

/// Commands of an action, each as a file of a shell.
fn commands(file: &File) -> Vec<(String, String)> {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    if !matches!(name, "action.yml" | "action.yaml") {
        return Vec::new();
    }
    let commands = steps::commands(&decode_text(&file.content, None));
    commands.into_iter().map(|(line, command)| (format!("{}/run-{line}.sh", file.path), command)).collect()
}

fn shorten(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(MOST_CHARACTERS) {
        text.truncate(end);
    }
}

fn chain(found: code_signals::Chain) -> Chain {
    let (severity, threat) = (found.severity.into(), found.threat.into());
    let detail =
        format!("{}: {} ({} line {})", found.rule, found.explanation, found.sink.path, found.sink.line);
    Chain { rule: found.rule.to_owned(), severity, threat, is_early: found.time != Time::Call, detail }
}

fn reason(reason: UnreadReason) -> &'static str {
    match reason {
        UnreadReason::TooLong => "the rest of the file is longer than is analysed",
        UnreadReason::SetTooLong => "the package has more code than is analysed",
        UnreadReason::NotText => "the file is not text, although its name is that of code",
        UnreadReason::Syntax => "the file is not in the language of its name",
        UnreadReason::TooComplex => "the code is nested deeper than is analysed",
        UnreadReason::Diff => "the change is not a diff in unified form",
        UnreadReason::Steps => "the steps of the analysis are used up",
    }
}
