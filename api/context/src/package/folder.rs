//! An unpacked package in a folder, without a registry: checks of metadata are not possible.

use documents::decode_text;
use serde_json::Value;

use super::archive::Depth;
use super::collect::Collected;
use super::contents::Contents;
use super::{Target, behavior, connected, identity, names};
use crate::engine::Engine;
use crate::score::Assessment;
use crate::weights::package as weights;

/// Reason of checks that need a registry.
const OFFLINE: &str = "a folder has no registry";

/// The package that the manifest of a folder names.
pub(crate) fn target_of_folder(files: &[(String, Vec<u8>)]) -> Option<Target> {
    let file = |name: &str| files.iter().find(|(path, _)| path == name).map(|(_, content)| content);
    if let Some(manifest) = file("package.json").and_then(|text| serde_json::from_slice::<Value>(text).ok()) {
        let field = |name: &str| manifest.get(name).and_then(Value::as_str);
        return target("npm", field("name")?, field("version"));
    }
    let is_metadata = |path: &str| path == "PKG-INFO" || path.ends_with(".dist-info/METADATA");
    if let Some((_, text)) = files.iter().find(|(path, _)| is_metadata(path)) {
        let text = decode_text(text, None);
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        return target("pypi", field("Name:")?, field("Version:"));
    }
    let module = decode_text(file("go.mod")?, None).into_owned();
    target("go", module.lines().find_map(|line| line.strip_prefix("module "))?.trim(), None)
}

fn target(ecosystem: &str, name: &str, version: Option<&str>) -> Option<Target> {
    let version = version.map_or_else(String::new, |version| format!("@{version}"));
    Target::parse(&format!("{ecosystem}:{name}{version}"))
        .ok()
        .or_else(|| Target::parse(&format!("{ecosystem}:{name}")).ok())
}

/// Checks of a folder; `target` is the package that it says to be.
pub(crate) fn assess_folder(
    engine: &Engine,
    target: Option<&Target>,
    files: Vec<(String, Vec<u8>)>,
) -> Assessment {
    let contents = Contents::of(Collected::from_files(files), Depth::Whole);
    let mut checks = identity::not_possible(OFFLINE);
    checks.extend(connected::not_possible(OFFLINE));
    match target {
        Some(target) => {
            checks.push(names::typosquat_offline(engine, target));
            checks.extend(names::listed(engine, target));
        }
        None => {
            let specs = [&weights::TYPOSQUAT, &weights::CONFUSION, &weights::ALLOWED, &weights::BLOCKED];
            checks.extend(
                specs.into_iter().map(|spec| spec.not_possible("the folder has no manifest with a name")),
            );
        }
    }
    checks.push(weights::ADVISORY.not_possible(OFFLINE));
    checks.push(weights::ARCHIVE.passed());
    checks.extend(behavior::code(&contents, &Err(OFFLINE.to_owned())));
    checks.extend(behavior::texts(engine, &contents));
    let is_unreadable = contents.files == 0;
    Assessment { checks, skipped: contents.skipped, is_unreadable, ..Assessment::default() }
}
