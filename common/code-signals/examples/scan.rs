//! Analyzes folders, each as one set of files, and prints chains and the bytes read for each second of processor time.
//!
//! `scan [--skill|--repository] [--all] [--declared] [--digest] FOLDER...`
//!
//! `--declared` reads declarations too, and `--digest` prints a hash of each whole result, to compare two builds.
#![expect(clippy::print_stdout, reason = "a command for people")]

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use code_signals::{Declarations, Report, Severity, SourceFile, Subject, analyze, analyze_with_declarations};

fn main() {
    let mut subject = Subject::Package;
    let mut least = Severity::Medium;
    let (mut folders, mut is_declared, mut is_digest) = (Vec::new(), false, false);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--skill" => subject = Subject::Skill,
            "--repository" => subject = Subject::Repository,
            "--declared" => is_declared = true,
            "--digest" => is_digest = true,
            "--all" => least = Severity::Low,
            _ => folders.push(PathBuf::from(argument)),
        }
    }
    let (mut sets, mut suspicious, mut bytes) = (0, 0, 0);
    let mut seconds = 0.0;
    for folder in folders {
        let files = read(&folder);
        let sources: Vec<SourceFile<'_>> =
            files.iter().map(|(path, content)| SourceFile { path, content }).collect();
        let before = processor_seconds();
        let (report, declared) = if is_declared {
            analyze_with_declarations(&sources, subject)
        } else {
            (analyze(&sources, subject), Declarations::default())
        };
        let took = processor_seconds() - before;
        if is_digest {
            println!("{} {:016x}", folder.display(), digest(&report, &declared));
        }
        seconds += took;
        sets += 1;
        bytes += report.bytes;
        suspicious += usize::from(report.worst() >= Some(Severity::High));
        if took > 2.0 {
            println!(
                "SLOW {} {took:.1} s for {} bytes in {} files",
                folder.display(),
                report.bytes,
                report.files
            );
        }
        for chain in report.chains.iter().filter(|chain| chain.severity >= least) {
            println!(
                "{} {} {} {}:{} <- {}:{} {}",
                folder.display(),
                chain.severity.name(),
                chain.rule,
                chain.sink.path,
                chain.sink.line,
                chain.source.path,
                chain.source.line,
                chain.explanation
            );
        }
        for unread in report.unread.iter().filter(|_| least == Severity::Low) {
            println!("{} unread {} {:?}", folder.display(), unread.path, unread.reason);
        }
    }
    println!("{sets} sets, {suspicious} high or critical, {bytes} bytes in {seconds:.2} s");
}

/// Files of a folder by their paths in it; folders of nested packages are sets of their own.
fn read(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && path.file_name().is_some_and(|name| name != "node_modules") {
                waiting.push(path);
            } else if kind.is_file() {
                let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
                files.extend(fs::read(&path).ok().map(|content| (name, content)));
            }
        }
    }
    files.sort();
    files
}

/// Hash of everything that a set gave.
fn digest(report: &Report, declared: &Declarations) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{report:?}{declared:?}").hash(&mut hasher);
    hasher.finish()
}

/// Processor time of this process, of the file that Linux provides.
fn processor_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|number| number.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}
