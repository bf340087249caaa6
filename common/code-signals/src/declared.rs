//! Texts in code that language models read: tools, prompts and instructions that MCP servers declare, other literals, comments.
//!
//! - `texts.rs`: literals, concatenations and named constants to texts.
//! - `walk.rs`: one pass over the tree of a file: functions with the names that they call, literals, comments.
//! - `registered.rs`, `described.rs`: the forms in which servers declare tools (Python, JavaScript, TypeScript, Go).
//!
//! Names are resolved by spelling and not by scope, so that a declaration is found where the code that registers it is in another
//! file. An additional connection can only add a capability to a tool, never hide one.

mod described;
mod registered;
mod texts;
mod walk;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Tree;

use crate::bounds::{MOST_FILES, MOST_SET_BYTES};
use crate::report::Site;
use crate::source::{self, Language, SourceFile};
use texts::Constants;

/// Texts of a set at most; further ones are not part of the result, and the set is marked as cut.
pub const MOST_TEXTS: usize = 50_000;
/// Bytes of all texts of a set.
const MOST_TEXT_BYTES: usize = 8 << 20;
/// Nodes that are looked at for each byte of the set, and besides: declarations within each other are read for each of them.
const STEPS_FOR_EACH_BYTE: usize = 8;
const STEPS_BESIDES: usize = 200_000;
/// Bytes of texts that are made for each byte of the set: a literal is part of constants, declarations and texts.
const TEXT_FOR_EACH_BYTE: usize = 8;
/// Functions that are followed from one handler.
const MOST_REACHED: usize = 400;

/// Kind of a text in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextKind {
    /// A literal of the code.
    Literal,
    /// A literal that documents a function, class or module.
    Docstring,
    /// A comment; lines that follow each other are one text.
    Comment,
}

/// A text with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeText {
    /// Its kind.
    pub kind: TextKind,
    /// Its first line.
    pub site: Site,
    /// The text without quotes, escapes and comment marks; concatenated parts are joined, and `…` stands for an unknown part.
    pub text: String,
}

/// Kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeclaredKind {
    /// A tool.
    Tool,
    /// A prompt.
    Prompt,
    /// A resource.
    Resource,
    /// A parameter of a tool that is described apart from it.
    Parameter,
    /// Instructions of the server.
    Instructions,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its kind.
    pub kind: DeclaredKind,
    /// Name as a client sees it; empty where it is computed.
    pub name: String,
    /// First line of the declaration.
    pub site: Site,
    /// Descriptions of it and of its parameters.
    pub texts: Vec<CodeText>,
    /// The functions that handle its calls.
    handlers: Vec<Handler>,
}

/// The way from a declaration to its handler.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Handler {
    /// A function with this name.
    Named(String),
    /// Code that begins in a line of a file and ends in another one, and the names that it calls.
    Lines { file: u32, first: u32, last: u32 },
}

/// A function, or a branch that is taken for one tool.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    /// Name of the tool for which a branch is taken.
    label: String,
    file: u32,
    first: u32,
    last: u32,
    calls: BTreeSet<String>,
}

/// Texts and declarations of a set of files.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    /// Declarations by file and line.
    pub declared: Vec<Declared>,
    /// All literals, documentation and comments by file and line.
    pub texts: Vec<CodeText>,
    /// Whether a bound was reached, so that texts are missing.
    pub is_cut: bool,
    paths: Vec<String>,
    functions: Vec<Function>,
}

/// Trees of a set, by the number of the file, each of [`source::readable_text`].
pub(crate) type Trees = BTreeMap<usize, Tree>;

/// Reads the texts of a set of files. Files that are not code are ignored; syntax that cannot be read gives no texts, which
/// [`crate::analyze`] reports.
#[must_use]
pub fn declarations(files: &[SourceFile<'_>]) -> Declarations {
    of_sorted(&source::sorted(files), Trees::new())
}

/// Reads the texts of files in the order of their paths, with the trees that exist already.
pub(crate) fn of_sorted(sorted: &[SourceFile<'_>], mut parsed: Trees) -> Declarations {
    let mut found = Declarations::default();
    let mut left = MOST_SET_BYTES;
    let mut trees = Vec::new();
    for (place, file) in sorted.iter().enumerate().take(MOST_FILES) {
        let Some(language) = source::language(file.path, file.content) else { continue };
        let (text, _) = source::readable_text(file.content);
        if text.len() > left || memchr::memchr(0, text).is_some() {
            found.is_cut |= text.len() > left;
            continue;
        }
        left -= text.len();
        let tree = parsed.remove(&place);
        let tree = tree.or_else(|| crate::parse::parse(text, language, file.path.ends_with('x')));
        if let Some(tree) = tree {
            let number = u32::try_from(found.paths.len()).unwrap_or(u32::MAX);
            found.paths.push(file.path.to_owned());
            trees.push((number, language, tree, text));
        }
    }
    // Twice, so that constants which are made of others are known too.
    let bytes: usize = trees.iter().map(|(_, _, _, text)| text.len()).sum();
    let mut constants = Constants::new(bytes * TEXT_FOR_EACH_BYTE + MOST_TEXT_BYTES);
    for _ in 0..2 {
        for (_, _, tree, text) in &trees {
            constants.add(tree.root_node(), text);
        }
    }
    let steps = Cell::new(bytes * STEPS_FOR_EACH_BYTE + STEPS_BESIDES);
    for (file, language, tree, text) in &trees {
        let reader = Reader { file: *file, language: *language, text, constants: &constants, steps: &steps };
        walk::walk(&reader, tree.root_node(), &mut found);
    }
    found.is_cut |= constants.is_cut();
    found.finish();
    found
}

/// A file that is read.
struct Reader<'a> {
    file: u32,
    language: Language,
    text: &'a [u8],
    constants: &'a Constants,
    steps: &'a Cell<usize>,
}

impl Reader<'_> {
    /// Counts a step; false when none is left.
    fn step(&self) -> bool {
        let left = self.steps.get();
        self.steps.set(left.saturating_sub(1));
        left > 0
    }
}

impl Declarations {
    /// Path and line of a place.
    fn site(&self, file: u32, line: u32) -> Site {
        Site { path: self.paths.get(file as usize).cloned().unwrap_or_default(), line }
    }

    fn push(&mut self, kind: TextKind, file: u32, line: u32, text: String) {
        if !text.trim().is_empty() {
            let site = self.site(file, line);
            self.texts.push(CodeText { kind, site, text });
        }
    }

    /// Sorts, and cuts at the bounds.
    fn finish(&mut self) {
        self.texts.sort_by(|one, other| (&one.site, one.kind).cmp(&(&other.site, other.kind)));
        self.declared.sort_by(|one, other| {
            (&one.site, one.kind, &one.name).cmp(&(&other.site, other.kind, &other.name))
        });
        self.declared.dedup_by(|one, other| {
            one.site == other.site && one.kind == other.kind && one.texts == other.texts
        });
        let mut bytes = 0;
        let kept = self.texts.iter().take(MOST_TEXTS).take_while(|text| {
            bytes += text.text.len();
            bytes <= MOST_TEXT_BYTES
        });
        let kept = kept.count();
        self.is_cut |= kept < self.texts.len();
        self.texts.truncate(kept);
    }

    /// Names of all tools.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        let tools = self.declared.iter().filter(|declared| declared.kind == DeclaredKind::Tool);
        tools.map(|tool| tool.name.as_str()).filter(|name| !name.is_empty())
    }

    /// Parts of files that execute when a declaration is used: those of its handlers, and of the functions that they call.
    #[must_use]
    pub fn reached(&self, declared: &Declared) -> Reached {
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, function) in self.functions.iter().enumerate() {
            by_name.entry(&function.name).or_default().push(number);
        }
        let mut reached = Reached::default();
        let mut waiting: Vec<usize> = Vec::new();
        for handler in &declared.handlers {
            match handler {
                Handler::Named(name) => waiting.extend(by_name.get(name.as_str()).into_iter().flatten()),
                Handler::Lines { file, first, last } => {
                    reached.parts.push((self.site(*file, *first), *last));
                    let inside = |function: &&Function| {
                        function.file == *file && *first <= function.first && function.last <= *last
                    };
                    let calls = self.functions.iter().filter(inside).flat_map(|function| &function.calls);
                    waiting.extend(calls.filter_map(|name| by_name.get(name.as_str())).flatten());
                }
            }
        }
        let labelled = self.functions.iter().enumerate();
        let labelled = labelled.filter(|(_, one)| !declared.name.is_empty() && one.label == declared.name);
        waiting.extend(labelled.map(|(number, _)| number));
        let mut seen = BTreeSet::new();
        while let Some(number) = waiting.pop() {
            if seen.len() >= MOST_REACHED || !seen.insert(number) {
                continue;
            }
            let Some(function) = self.functions.get(number) else { continue };
            reached.parts.push((self.site(function.file, function.first), function.last));
            waiting.extend(function.calls.iter().filter_map(|name| by_name.get(name.as_str())).flatten());
        }
        reached
    }
}

/// Parts of files.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// First line and number of the last line.
    parts: Vec<(Site, u32)>,
}

impl Reached {
    /// Whether a place is within one of them.
    #[must_use]
    pub fn contains(&self, site: &Site) -> bool {
        let within = |(first, last): &(Site, u32)| {
            first.path == site.path && (first.line..=*last).contains(&site.line)
        };
        self.parts.iter().any(within)
    }

    /// Whether nothing is known about the handlers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}
