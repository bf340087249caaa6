//! Runs the cases of `tests/cases`: sets of files with the chain that must be found, or with a bound of severity.
//!
//! `## chain RULE SEVERITY [TIME] [skill|repository]: description`: that chain is found, no other is worse.
//! `## honest SEVERITY [skill|repository]: description`: no chain is worse than the severity (`none`, `low`, `medium`).
//! `--- PATH` begins a file.

use std::fs;
use std::path::Path;

use code_signals::{Report, SourceFile, Subject, analyze};

struct Case {
    title: String,
    expected: Vec<String>,
    files: Vec<(String, String)>,
}

fn read(path: &Path) -> Vec<Case> {
    let text = fs::read_to_string(path).unwrap();
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("## ") {
            let (expected, title) = head.split_once(": ").unwrap_or_else(|| panic!("{head}: no description"));
            let expected = expected.split(' ').map(str::to_owned).collect();
            cases.push(Case { title: title.to_owned(), expected, files: Vec::new() });
        } else if let (Some(path), Some(case)) = (line.strip_prefix("--- "), cases.last_mut()) {
            case.files.push((path.to_owned(), String::new()));
        } else if let Some((_, content)) = cases.last_mut().and_then(|case| case.files.last_mut()) {
            content.push_str(line);
            content.push('\n');
        }
    }
    cases
}

fn run(case: &Case) -> Report {
    let subject = if case.expected.iter().any(|word| word == "skill") {
        Subject::Skill
    } else if case.expected.iter().any(|word| word == "repository") {
        Subject::Repository
    } else {
        Subject::Package
    };
    let files: Vec<SourceFile<'_>> =
        case.files.iter().map(|(path, text)| SourceFile { path, content: text.as_bytes() }).collect();
    let report = analyze(&files, subject);
    assert_eq!(report, analyze(&files, subject), "{}: another result the second time", case.title);
    report
}

/// The complaint about a case, if it fails.
fn complaint(case: &Case) -> Option<String> {
    let report = run(case);
    let chains: Vec<String> = report
        .chains
        .iter()
        .map(|c| format!("{} {} {:?} {}:{}", c.rule, c.severity.name(), c.time, c.sink.path, c.sink.line))
        .collect();
    let words: Vec<&str> = case.expected.iter().map(String::as_str).collect();
    let worst = report.worst().map_or("none", |severity| severity.name());
    let order = ["none", "low", "medium", "high", "critical"];
    let rank = |name: &str| order.iter().position(|word| *word == name).unwrap();
    let holds = match words.as_slice() {
        ["chain", rule, severity, rest @ ..] => {
            let time = |time: &str| {
                rest.iter().all(|word| !["install", "import", "call"].contains(word) || *word == time)
            };
            worst == *severity
                && report.chains.iter().any(|c| {
                    c.rule == *rule
                        && c.severity.name() == *severity
                        && time(&format!("{:?}", c.time).to_lowercase())
                })
        }
        ["honest", severity, ..] => rank(worst) <= rank(severity),
        _ => panic!("{}: unknown form", case.title),
    };
    (!holds).then(|| {
        format!("{} [{}]: found {chains:?}, unread {:?}", case.title, words.join(" "), report.unread)
    })
}

fn check(files: &[&str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let cases: Vec<Case> = files.iter().flat_map(|file| read(&folder.join(file))).collect();
    let file = files[0];
    let malicious = cases.iter().filter(|case| case.expected[0] == "chain").count();
    assert!(
        malicious >= 12 && cases.len() - malicious >= 12,
        "{file}: {malicious} of {} are malicious",
        cases.len()
    );
    let complaints: Vec<String> = cases.iter().filter_map(complaint).collect();
    assert!(
        complaints.is_empty(),
        "{file}: {} of {}:\n{}",
        complaints.len(),
        cases.len(),
        complaints.join("\n")
    );
}

#[test]
fn cases_of_python_are_judged() {
    check(&["python.txt", "python_concealed.txt"]);
}

#[test]
fn cases_of_javascript_are_judged() {
    check(&["javascript.txt", "javascript_concealed.txt"]);
}

#[test]
fn cases_of_go_are_judged() {
    check(&["go.txt"]);
}

#[test]
fn cases_of_ruby_are_judged() {
    check(&["ruby.txt"]);
}

#[test]
fn cases_of_shells_are_judged() {
    check(&["shell.txt"]);
}

#[test]
fn cases_of_skills_and_repositories_are_judged() {
    check(&["agents.txt", "skills.txt"]);
}
