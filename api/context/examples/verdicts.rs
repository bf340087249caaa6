//! Verdicts of many inputs of one origin, one line each: verdict, score, path, threats. For the error rates of a labelled set.
//!
//! `cargo run --release -p context --example verdicts -- mcp FOLDER...`, with `email`, `message` or `file` and paths of files, or with
//! `package`, `skill` or `mcp` and paths of folders.
#![expect(clippy::unwrap_used, reason = "an input that cannot be read has no verdict")]
#![expect(clippy::print_stdout, reason = "the verdicts are the result")]

use std::path::Path;
use std::sync::Arc;

use common::clock::{Clock, SystemClock};
use context::{
    Brands, Config, Engine, NoNames, OfflineOrigin, Origin, Reading, Tolerance, scan_offline,
    scan_package_folder, scan_repository_folder,
};
use redact::{Policy, Redactor};
use sandbox::{Bounds, Sandbox};
use serde_json::Value;

static MODEL: &[u8] = include_bytes!("../../../models/guard.plm");

/// Files below a folder, in the order of their paths.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() && !path.ends_with("node_modules") {
                waiting.push(path);
            } else if path.is_file() {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                files.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// Verdict, score, path and threats, separated by tabs.
fn line(path: &str, result: &str) -> String {
    let result: Value = serde_json::from_str(result).unwrap();
    let threats = result["threats"].as_array().into_iter().flatten().map(|threat| {
        let part = |name: &str| threat[name].as_str().unwrap_or_default().to_owned();
        format!("{} {} ({})", part("severity"), part("type"), part("detail"))
    });
    let threats: Vec<_> = threats.collect();
    format!("{}\t{}\t{path}\t{}", result["verdict"].as_str().unwrap(), result["score"], threats.join("; "))
}

fn main() {
    sandbox::enter_if_asked(&documents::sandbox_tasks());
    let mut arguments = std::env::args().skip(1);
    let origin = arguments.next().unwrap_or_default();
    let redactor = Arc::new(Redactor::new(&Policy::default()).unwrap());
    let engine = Engine::load(MODEL, redactor, Brands::built_in()).unwrap();
    let sandbox = Sandbox::new(Bounds { running: 1, waiting: 1 });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let config = Config::default();
    let reading = Reading { names: &NoNames, sandbox: &sandbox, config: &config };
    let choices = (Tolerance::Conservative, SystemClock::new().now());
    let of_file = |origin, path: &str| {
        let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
        let input = (origin, name, std::fs::read(path).unwrap());
        runtime.block_on(scan_offline(&engine, &reading, input, choices))
    };
    let of_repository = |origin, path: &str| {
        scan_repository_folder(&engine, origin, (files(Path::new(path)), path.to_owned()), choices)
    };
    for path in arguments {
        let result = match origin.as_str() {
            "message" => of_file(OfflineOrigin::Message, &path),
            "email" => of_file(OfflineOrigin::Email, &path),
            "file" => of_file(OfflineOrigin::File, &path),
            "package" => scan_package_folder(&engine, (files(Path::new(&path)), path.clone()), choices),
            "skill" => of_repository(Origin::Skill, &path),
            "mcp" => of_repository(Origin::Mcp, &path),
            other => panic!("expected message, email, file, package, skill or mcp, found {other:?}"),
        };
        println!("{}", line(&path, &result.unwrap()));
    }
}
