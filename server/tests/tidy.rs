//! House rules that no compiler checks, over the whole source tree: heads of modules,
//! lengths of files, names, the direction of dependencies, licences.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "tidy/arrows.rs"]
mod arrows;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use arrows::ARROWS;

/// Lines of production code a file may have.
const HARD_LIMIT: usize = 500;
/// Preferred number of lines; files above it are counted, and their number must not rise.
const WANTED: usize = 300;
/// Files above [`WANTED`] today. Lower it when it falls.
const OVER_WANTED: usize = 11;
/// Names without meaning.
const EMPTY_NAMES: [&str; 8] = ["util", "utils", "helper", "helpers", "misc", "types", "v2", "common_utils"];
/// Folders below `src` (or `tests`) at most.
const MOST_FOLDERS: usize = 2;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every Rust file of the workspace, relative to its root.
fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![root()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && name != "target" && name != "data" {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path.strip_prefix(root()).unwrap().to_owned());
            }
        }
    }
    found.sort();
    assert!(found.len() > 100, "only {} files found below {}", found.len(), root().display());
    found
}

fn is_test(path: &Path) -> bool {
    let mut parts = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    parts.any(|part| {
        part == "tests" || part == "tests.rs" || part == "conformance.rs" || part == "conformance"
    })
}

/// Lines before the inline tests.
fn production_lines(text: &str) -> usize {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().lines().count()
}

fn report(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

/// `just test-cluster` runs the tests of this list alone, since the others ran in the build for one machine.
#[test]
fn tests_that_need_a_cluster_are_listed() {
    let folder = Path::new("server/tests/whole_system");
    let files = sources().into_iter().filter(|file| file.starts_with(folder));
    let mut found: Vec<String> = files.flat_map(|file| on_cluster(folder, &file)).collect();
    found.sort();
    let listed = fs::read_to_string(root().join(folder).join("on_cluster.txt")).unwrap();
    assert_eq!(found, listed.lines().collect::<Vec<_>>(), "server/tests/whole_system/on_cluster.txt");
}

/// The tests of a file that run on Kafka and Cassandra, with their modules.
fn on_cluster(folder: &Path, file: &Path) -> Vec<String> {
    let module = file.strip_prefix(folder).unwrap().with_extension("");
    let module = module.to_str().unwrap().replace('/', "::");
    let text = fs::read_to_string(root().join(file)).unwrap();
    let tests = text.split("\n#[test]\nfn ").skip(1);
    let needs = |test: &&str| test.contains("everywhere(") || test.contains("Servers::find(");
    let name = |test: &str| format!("{module}::{}", test.split('(').next().unwrap());
    tests.filter(needs).map(name).collect()
}

#[test]
fn every_module_says_what_lives_in_it() {
    let complaints: Vec<String> = sources()
        .iter()
        .filter(|path| {
            !fs::read_to_string(root().join(path))
                .unwrap()
                .trim_start_matches("#![no_main]\n")
                .starts_with("//! ")
        })
        .map(|path| format!("{} does not begin with //!", path.display()))
        .collect();
    report(&complaints);
}

#[test]
fn files_can_be_read_in_one_sitting() {
    let mut over_wanted = Vec::new();
    let mut complaints = Vec::new();
    for path in sources().iter().filter(|path| !is_test(path)) {
        let lines = production_lines(&fs::read_to_string(root().join(path)).unwrap());
        if lines > HARD_LIMIT {
            complaints.push(format!("{}: {lines} lines, at most {HARD_LIMIT}", path.display()));
        }
        if lines > WANTED {
            over_wanted.push(format!("{}: {lines}", path.display()));
        }
    }
    if over_wanted.len() > OVER_WANTED {
        complaints.push(format!(
            "{} files have more than {WANTED} lines, allowed are {OVER_WANTED}: {over_wanted:?}",
            over_wanted.len()
        ));
    }
    report(&complaints);
}

#[test]
fn names_say_something() {
    let mut complaints = Vec::new();
    for path in sources() {
        let parts: Vec<String> = path
            .with_extension("")
            .components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect();
        for part in &parts {
            if EMPTY_NAMES.contains(&part.as_str()) {
                complaints.push(format!("{}: {part} says nothing", path.display()));
            }
        }
        if path.file_name().is_some_and(|name| name == "mod.rs") {
            complaints.push(format!("{}: modules are named after themselves", path.display()));
        }
        let below_src = parts.iter().position(|part| part == "src").map(|at| parts.len() - at - 2);
        if below_src.is_some_and(|folders| folders > MOST_FOLDERS) {
            complaints.push(format!("{}: deeper than {MOST_FOLDERS} folders", path.display()));
        }
    }
    report(&complaints);
}

#[test]
fn dependencies_point_one_way() {
    let allowed: BTreeMap<&str, &[&str]> = ARROWS.into_iter().collect();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let mut complaints = Vec::new();
    let mut checked = 0;
    for member in manifest.lines().filter_map(|line| line.trim().strip_prefix('"')?.split('"').next()) {
        let Ok(text) = fs::read_to_string(root().join(member).join("Cargo.toml")) else { continue };
        let name = text.lines().find_map(|line| line.strip_prefix("name = ")).unwrap().trim_matches('"');
        let Some(targets) = allowed.get(name) else {
            complaints.push(format!("{name} has no place in the arrows"));
            continue;
        };
        checked += 1;
        let production =
            text.split("[dependencies]").nth(1).unwrap_or_default().split("\n[").next().unwrap_or_default();
        for dependency in production.lines().filter_map(|line| line.split(['.', ' ', '=']).next()) {
            if allowed.contains_key(dependency) && !targets.contains(&dependency) {
                complaints.push(format!("{name} must not depend on {dependency}"));
            }
        }
    }
    assert!(checked >= 12, "only {checked} members were found in Cargo.toml");
    report(&complaints);
}

#[test]
fn the_vocabulary_stays_small() {
    let lines: usize = sources()
        .iter()
        .filter(|path| path.starts_with("common/src") && !is_test(path))
        .map(|path| production_lines(&fs::read_to_string(root().join(path)).unwrap()))
        .sum();
    assert!(lines <= 1_560, "common has {lines} lines, at most 1560: nouns only");
}

#[test]
fn only_pools_name_rayon_and_only_storage_names_back_ends() {
    const POOLS: [&str; 2] = ["analyzer/src/pool.rs", "ingest/src/prepare/threads.rs"];
    let mut complaints = Vec::new();
    for path in sources()
        .iter()
        .filter(|path| !is_test(path) && !path.starts_with("fuzz") && !path.starts_with("benches"))
    {
        let text = fs::read_to_string(root().join(path)).unwrap();
        if text.contains("rayon::") && !POOLS.iter().any(|pool| path.ends_with(pool)) {
            complaints.push(format!("{} names rayon", path.display()));
        }
        let opens = ["embedded::open", "kafka::open", "cql::connect"].iter().any(|call| text.contains(call));
        let is_storage = path.starts_with("server/src/storage") || path.ends_with("server/src/storage.rs");
        if opens && !is_storage && !path.starts_with("common") {
            complaints.push(format!("{} opens a back end", path.display()));
        }
    }
    report(&complaints);
}

#[test]
fn every_setting_is_described() {
    let mut complaints = Vec::new();
    for path in sources().iter().filter(|path| !is_test(path)) {
        let text = fs::read_to_string(root().join(path)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let mut in_settings = false;
        let mut strict = false;
        for (number, line) in lines.iter().enumerate() {
            strict |= line.contains("deny_unknown_fields");
            if strict && line.contains("struct ") {
                (in_settings, strict) = (true, false);
            }
            if in_settings && line.starts_with('}') {
                in_settings = false;
            }
            let field = line.trim_start();
            if in_settings && field.starts_with("pub ") && field.contains(": ") {
                let described = lines[..number]
                    .iter()
                    .rev()
                    .map(|line| line.trim_start())
                    .find(|line| !line.starts_with("#[") && !line.ends_with(")]"));
                if !described.is_some_and(|line| line.starts_with("///")) {
                    complaints.push(format!(
                        "{}:{}: a setting without a description",
                        path.display(),
                        number + 1
                    ));
                }
            }
        }
    }
    report(&complaints);
}

/// Variants of an error enum, without those constructed only by `?`.
fn error_variants(text: &str) -> Vec<String> {
    let mut variants = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_error = line.starts_with("#[derive(") && line.contains("Error");
        let named = |line: &&str| line.contains("enum ") && line.trim_end().ends_with('{');
        if !is_error || !lines.clone().find(|line| !line.starts_with("#[")).as_ref().is_some_and(named) {
            continue;
        }
        for line in lines.by_ref().take_while(|line| *line != "}") {
            let Some(rest) =
                line.strip_prefix("    ").filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
            else {
                continue;
            };
            if !rest.contains("#[from]") {
                variants.push(rest.chars().take_while(|c| c.is_ascii_alphanumeric()).collect());
            }
        }
    }
    variants
}

#[test]
fn every_error_is_made_somewhere() {
    let production: Vec<(PathBuf, String)> = sources()
        .into_iter()
        .filter(|path| !path.starts_with("fuzz"))
        .map(|path| (path.clone(), fs::read_to_string(root().join(path)).unwrap()))
        .collect();
    let mut complaints = Vec::new();
    let mut checked = 0;
    for (path, text) in &production {
        for variant in error_variants(text) {
            checked += 1;
            let made = format!("::{variant}");
            if !production.iter().any(|(_, text)| text.contains(&made)) {
                complaints.push(format!("{}: nobody makes {variant}", path.display()));
            }
        }
    }
    assert!(checked > 50, "only {checked} variants were found");
    report(&complaints);
}
