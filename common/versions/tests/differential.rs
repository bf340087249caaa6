//! Versions and ranges against the ecosystems' own tools: recorded results, and live ones where a tool is installed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "a skipped comparison is shown")]

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::process::Command;

use versions::{Ecosystem, Range, Version};

/// Pairs of a live run.
const LIVE_PAIRS: &str = "2000";

fn read(ecosystem: Ecosystem, text: &str) -> Option<Version> {
    Version::parse(ecosystem, text).ok()
}

fn yes(answer: bool) -> String {
    if answer { "yes" } else { "no" }.to_owned()
}

/// The result of this crate for a recorded line.
fn result(ecosystem: Ecosystem, line: &[&str]) -> Option<String> {
    let [kind, left, right, _] = line else { panic!("expected four values, found {line:?}") };
    Some(match *kind {
        "order" => match read(ecosystem, left)?.compare(&read(ecosystem, right)?)? {
            Ordering::Less => "less".to_owned(),
            Ordering::Equal => "equal".to_owned(),
            Ordering::Greater => "greater".to_owned(),
        },
        "prerelease" => yes(read(ecosystem, left)?.is_prerelease()),
        "pseudo" => yes(read(ecosystem, left)?.pseudo().is_some()),
        "match" => {
            let version = read(ecosystem, left)?;
            yes(Range::parse(ecosystem, right).ok()?.matches(&version))
        }
        "select" => selected(ecosystem, left, right)?,
        other => panic!("unknown kind {other}"),
    })
}

/// The version that `go list -m` selects: a release if one matches, the lowest for lower bounds, otherwise the highest.
fn selected(ecosystem: Ecosystem, versions: &str, query: &str) -> Option<String> {
    let range = Range::parse(ecosystem, query).ok()?;
    let all = versions.split(',').map(|text| read(ecosystem, text)).collect::<Option<Vec<_>>>()?;
    let mut matching: Vec<Version> = all.into_iter().filter(|version| range.matches(version)).collect();
    if matching.iter().any(|version| !version.is_prerelease()) {
        matching.retain(|version| !version.is_prerelease());
    }
    matching.sort_by(|a, b| a.compare(b).unwrap());
    let choice = if query.starts_with('>') { matching.first() } else { matching.last() };
    Some(choice.map_or_else(|| "none".to_owned(), |version| version.as_str().to_owned()))
}

fn compare(ecosystem: Ecosystem, results: &str, origin: &str) {
    let mut differences = Vec::new();
    let mut count = 0;
    for line in results.lines() {
        count += 1;
        let values: Vec<&str> = line.split('\t').collect();
        let found = result(ecosystem, &values).unwrap_or_else(|| "invalid".to_owned());
        if found != values[3] {
            differences.push(format!("{line}, found {found}"));
        }
    }
    assert!(count >= 1_000, "{origin}: only {count} results");
    let shown = differences.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{origin}: {} of {count} differ:\n{shown}", differences.len());
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn recorded(ecosystem: Ecosystem, file: &str) {
    let results = std::fs::read_to_string(folder("recorded").join(file)).unwrap();
    compare(ecosystem, &results, file);
}

/// Runs a script; `None`, with a line of output, where its tool is missing.
fn live(ecosystem: Ecosystem, tool: &str, command: &mut Command) -> Option<()> {
    let output = match command.output() {
        Ok(output) if output.status.success() => output,
        Ok(output) => {
            println!("skipped: {tool}: {}", String::from_utf8_lossy(&output.stderr));
            return None;
        }
        Err(error) => {
            println!("skipped: {tool}: {error}");
            return None;
        }
    };
    let results = String::from_utf8(output.stdout).unwrap();
    compare(ecosystem, &results, &format!("{command:?}"));
    Some(())
}

fn seed() -> String {
    rand::random::<u32>().to_string()
}

#[test]
fn npm_agrees_with_recorded_results_of_semver() {
    recorded(Ecosystem::Npm, "npm.tsv");
}

#[test]
fn pypi_agrees_with_recorded_results_of_packaging() {
    recorded(Ecosystem::Pypi, "pypi.tsv");
}

#[test]
fn go_agrees_with_recorded_results_of_the_go_command() {
    recorded(Ecosystem::Go, "go.tsv");
}

#[test]
fn rubygems_agrees_with_recorded_results_of_rubygems() {
    recorded(Ecosystem::RubyGems, "rubygems.tsv");
}

#[test]
fn npm_agrees_with_the_semver_of_the_installed_npm() {
    let root = Command::new("npm").args(["root", "--global"]).output().ok();
    let root = root.and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    let semver = Path::new(root.trim()).join("npm/node_modules/semver");
    let mut command = Command::new("node");
    command.arg(folder("record").join("npm.mjs")).arg(semver).args([&seed(), LIVE_PAIRS]);
    live(Ecosystem::Npm, "npm", &mut command);
}

#[test]
fn pypi_agrees_with_the_installed_packaging() {
    let mut command = Command::new("python3");
    command.arg(folder("record").join("pypi.py")).args([&seed(), LIVE_PAIRS]);
    live(Ecosystem::Pypi, "packaging for Python", &mut command);
}

#[test]
fn go_agrees_with_the_installed_go() {
    let root = Command::new("go").args(["env", "GOROOT"]).output().ok();
    let root = root.and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    let vendored = Path::new(root.trim()).join("src/cmd/vendor/golang.org/x/mod");
    let module = tempfile::tempdir().unwrap();
    let copied = Command::new("cp").arg("-r").arg(vendored).arg(module.path().join("mod")).output();
    if !copied.is_ok_and(|output| output.status.success()) {
        println!("skipped: no Go on this machine");
        return;
    }
    let write = |name: &str, text: &str| std::fs::write(module.path().join(name), text).unwrap();
    write("mod/go.mod", "module golang.org/x/mod\n\ngo 1.24\n");
    write(
        "go.mod",
        "module example.com/record\n\ngo 1.24\n\nrequire golang.org/x/mod v0.0.0\n\nreplace golang.org/x/mod => ./mod\n",
    );
    std::fs::copy(folder("record").join("golang.go"), module.path().join("main.go")).unwrap();
    let mut command = Command::new("go");
    command.args(["run", ".", &seed(), "1000"]).current_dir(module.path());
    command.envs([("GOFLAGS", "-mod=mod"), ("GOTOOLCHAIN", "local"), ("GOPROXY", "off")]);
    live(Ecosystem::Go, "Go", &mut command);
}

#[test]
fn rubygems_agrees_with_the_installed_ruby() {
    let script = std::fs::read_to_string(folder("record").join("rubygems.rb")).unwrap();
    let constants = format!("SEED = {}\nCOUNT = {LIVE_PAIRS}\n", seed());
    let mut command = Command::new("ruby");
    command.arg("-rrubygems").arg("-e").arg(format!("{constants}{script}\nputs OUTPUT"));
    live(Ecosystem::RubyGems, "Ruby", &mut command);
}
