//! Added lines of a change: the hunks of unified diffs, as code hosts return them for each file.
//!
//! A hunk is a fragment of a file. Its context lines are kept beside the added ones, because statements and blocks begin in
//! them; removed lines are left out. The hunks of a file are joined, and lines between them are unknown. Afterwards only chains
//! and capabilities remain that have an added line at one of their ends: code that was there before is not part of the change.

use std::collections::BTreeMap;

use crate::analyze;
use crate::lexical;
use crate::report::{Report, Site, Unread, UnreadReason};
use crate::source::{self, Language, SourceFile, Subject};

/// The fragment of one changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedLines {
    path: String,
    content: Vec<u8>,
    lines: Vec<Line>,
    is_complete: bool,
}

/// A line of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    /// Its number in the new file, from 1; 0 for lines that only the fragment has.
    number: u32,
    is_added: bool,
}

/// Line that only the fragment has.
const BETWEEN: Line = Line { number: 0, is_added: false };

impl AddedLines {
    /// Reads the hunks of a file. Never fails: text that is not in unified form ends the fragment, and
    /// [`AddedLines::is_complete`] says so.
    #[must_use]
    pub fn parse(path: &str, patch: &str) -> Self {
        let mut read =
            Self { path: path.to_owned(), content: Vec::new(), lines: Vec::new(), is_complete: true };
        let is_python = source::language(path, b"") == Some(Language::Python);
        let mut next: Option<u32> = None;
        let mut begins = false;
        for line in patch.lines() {
            if line.starts_with("@@") {
                let Some(first) = first_line(line) else {
                    read.is_complete = false;
                    return read;
                };
                if !read.lines.is_empty() {
                    read.push(BETWEEN, "");
                }
                (next, begins) = (Some(first), true);
                continue;
            }
            let (mark, text) = match line.chars().next() {
                // Some tools leave out the space of an empty line.
                None => (' ', ""),
                Some(mark) => (mark, line.get(mark.len_utf8()..).unwrap_or_default()),
            };
            let Some(number) = next.filter(|_| matches!(mark, '+' | '-' | ' ' | '\\')) else {
                read.is_complete = false;
                return read;
            };
            if !matches!(mark, '+' | ' ') {
                continue;
            }
            if begins && !text.trim().is_empty() {
                begins = false;
                // The block of an indented beginning is not part of the hunk.
                if is_python && text.starts_with([' ', '\t']) {
                    read.push(BETWEEN, "if True:");
                }
            }
            read.push(Line { number, is_added: mark == '+' }, text);
            next = Some(number.saturating_add(1));
        }
        read
    }

    fn push(&mut self, line: Line, text: &str) {
        self.lines.push(line);
        self.content.extend_from_slice(text.as_bytes());
        self.content.push(b'\n');
    }

    /// Whether all of the text was in unified form.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The added lines, in order, without their ends.
    pub fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let texts = self.content.split(|byte| *byte == b'\n');
        self.lines.iter().zip(texts).filter(|(line, _)| line.is_added).map(|(_, text)| text)
    }

    /// Whether an added line has characters that hide data or reorder the text, in any kind of text.
    #[must_use]
    pub fn has_hidden_characters(&self) -> bool {
        self.texts().any(lexical::has_hidden_characters)
    }

    fn line(&self, number: u32) -> Line {
        let place = usize::try_from(number).unwrap_or(usize::MAX).wrapping_sub(1);
        self.lines.get(place).copied().unwrap_or(BETWEEN)
    }
}

/// The first line in the new file: the number behind `+` of `@@ -a,b +c,d @@`.
fn first_line(header: &str) -> Option<u32> {
    let (ranges, _) = header.strip_prefix("@@ -")?.split_once(" @@")?;
    let (_, new) = ranges.split_once(" +")?;
    let number = new.split(',').next()?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok())?
}

/// Analyzes the fragments of a change, each path once, as files of a repository. Chains and capabilities without an added line
/// are left out; the lines of the others are those of the new files.
#[must_use]
pub fn analyze_added(files: &[AddedLines]) -> Report {
    let sources: Vec<SourceFile<'_>> =
        files.iter().map(|file| SourceFile { path: &file.path, content: &file.content }).collect();
    let by_path: BTreeMap<&str, &AddedLines> = files.iter().map(|file| (file.path.as_str(), file)).collect();
    let line = |site: &Site| by_path.get(site.path.as_str()).map_or(BETWEEN, |file| file.line(site.line));
    let mut report = analyze(&sources, Subject::Repository);
    report.chains.retain_mut(|chain| {
        let (from, to) = (line(&chain.source), line(&chain.sink));
        // Lines that only the fragment has are shown as the first.
        (chain.source.line, chain.sink.line) = (from.number.max(1), to.number.max(1));
        from.is_added || to.is_added
    });
    report.capabilities.retain_mut(|capability| {
        let at = line(&capability.site);
        capability.site.line = at.number.max(1);
        at.is_added
    });
    let unread = files.iter().filter(|file| !file.is_complete);
    report.unread.extend(unread.map(|file| Unread { path: file.path.clone(), reason: UnreadReason::Diff }));
    report.unread.sort_by(|one, other| (&one.path, one.reason).cmp(&(&other.path, other.reason)));
    report
}
