//! Output of public tools about the project in `tests/projects/shop`; the README in this folder has the commands.

use std::path::Path;

use engine::Observation;
use engine::sarif::{Log, ResultOutcome, Root, SarifError, read};

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sarif").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Reads the output in a file of this folder. Every result of it becomes an observation.
fn output(name: &str) -> Log {
    let log = read(file(name).as_bytes(), None).unwrap();
    let places: Vec<_> = (0..log.results.len()).map(ResultOutcome::Observation).collect();
    assert_eq!(log.results, places, "{name}");
    log
}

/// Observations in one line each: check, severity, CWE numbers, primary location, title.
fn shown(log: &Log) -> Vec<String> {
    let shown = |one: &Observation| {
        let cwes: Vec<String> = one.cwes.iter().map(ToString::to_string).collect();
        let place = &one.locations[0];
        let line = place.region.unwrap().start_line;
        format!(
            "{} {} [{}] {}:{line} {}",
            one.check,
            one.risk.as_str(),
            cwes.join(","),
            place.path,
            one.title
        )
    };
    log.observations.iter().map(|one| shown(&one.observation)).collect()
}

fn identities(log: &Log) -> Vec<Vec<&str>> {
    log.observations.iter().map(|one| one.observation.identity.iter().map(String::as_str).collect()).collect()
}

/// Tool and version of all observations.
fn tool(log: &Log) -> (&str, &str) {
    let first = &log.observations[0];
    for one in &log.observations {
        assert_eq!(
            (&one.tool, &one.observation.check_version),
            (&first.tool, &first.observation.check_version)
        );
    }
    (&first.tool, &first.observation.check_version)
}

#[test]
fn bandit() {
    let log = output("bandit.sarif");
    assert_eq!(tool(&log), ("Bandit", "1.9.4"));
    let expected = [
        "Bandit/B403 low [502] orders.py:4 Consider possible security implications associated with pickle module.",
        "Bandit/B404 low [78] orders.py:6 Consider possible security implications associated with the subprocess module.",
        "Bandit/B608 medium [89] orders.py:14 Possible SQL injection vector through string-based query construction.",
        "Bandit/B602 high [78] orders.py:20 subprocess call with shell=True identified, security issue.",
        "Bandit/B324 high [327] orders.py:25 Use of weak MD5 hash for security. Consider usedforsecurity=False",
        "Bandit/B301 medium [502] orders.py:30 Pickle and modules that wrap it can be unsafe when used to deserialize \
         untrusted data, possible security issue.",
        "Bandit/B506 medium [20] orders.py:35 Use of unsafe yaml load. Allows instantiation of arbitrary objects. \
         Consider yaml.safe_load().",
    ];
    assert_eq!(shown(&log), expected);
    let query = r#"cursor.execute("SELECT id, total FROM orders WHERE customer = '" + customer + "'")"#;
    assert_eq!(identities(&log)[2], ["orders.py", query]);
    let observation = &log.observations[2].observation;
    assert_eq!(observation.locations[0].snippet.trim(), query);
    let page = "https://bandit.readthedocs.io/en/1.9.4/plugins/b608_hardcoded_sql_expressions.html";
    assert_eq!(observation.references, [page]);
}

#[test]
fn gosec() {
    let log = output("gosec.sarif");
    assert_eq!(tool(&log), ("gosec", "dev"));
    let expected = [
        "gosec/G404 high [338] main.go:28 Use of weak random number generator (math/rand or math/rand/v2 instead of \
         crypto/rand)",
        "gosec/G702 high [78] main.go:20 Command injection via taint analysis: os/exec.Command",
        "gosec/G401 high [328] main.go:24 Use of weak cryptographic primitive",
        "gosec/G114 high [676] main.go:38 Use of net/http serve function that has no support for setting timeouts",
        "gosec/G204 high [78] main.go:20 Subprocess launched with a potential tainted input or cmd arguments",
        "gosec/G302 high [276] main.go:36 Expect file permissions to be 0600 or less",
        "gosec/G501 high [327] main.go:6 Blocklisted import crypto/md5: weak cryptographic primitive",
        "gosec/G104 medium [703] main.go:38 Errors unhandled",
        "gosec/G104 medium [703] main.go:36 Errors unhandled",
    ];
    assert_eq!(shown(&log), expected);
    // Two results of one rule in one file, which differ in their text.
    let identities = identities(&log);
    assert_eq!(identities[7], ["main.go", "http.ListenAndServe(\":8080\", nil)"]);
    assert_eq!(identities[8], ["main.go", "os.Chmod(\"labels\", 0777)"]);
    // The help of gosec repeats the title.
    assert!(log.observations.iter().all(|one| one.observation.remedy.is_empty()));
}

#[test]
fn eslint() {
    let log = output("eslint.sarif");
    assert_eq!(tool(&log), ("ESLint", "10.15.0"));
    // The log has absolute addresses and names no directory.
    let expected = [
        "ESLint/security/detect-eval-with-expression medium [] /tmp/project/web/basket.js:8 Detects \"eval(variable)\" \
         which can allow an attacker to run arbitrary code inside your process.",
        "ESLint/no-eval high [] /tmp/project/web/basket.js:8 Disallow the use of `eval()`",
        "ESLint/security/detect-child-process medium [] /tmp/project/web/basket.js:12 Detects instances of \
         \"child_process\" & non-literal \"exec()\" calls.",
        "ESLint/security/detect-non-literal-fs-filename medium [] /tmp/project/web/basket.js:16 Detects variable in \
         filename argument of \"fs\" calls, which might allow an attacker to access anything on your system.",
        "ESLint/security/detect-non-literal-regexp medium [] /tmp/project/web/basket.js:20 Detects \
         \"RegExp(variable)\", which might allow an attacker to DOS your server with a long-running regular expression.",
        "ESLint/no-unused-vars medium [] /tmp/project/web/basket.js:24 Disallow unused variables",
        "ESLint/security/detect-object-injection medium [] /tmp/project/web/basket.js:25 Detects \"variable[key]\" as a \
         left- or right-hand assignment operand.",
    ];
    assert_eq!(shown(&log), expected);
    // Without text of the program, the message identifies, of which the index of the argument is left out.
    let message = "Found readFileSync from package \"fs\" with non literal argument at index";
    assert_eq!(identities(&log)[3], ["/tmp/project/web/basket.js", message]);
}

#[test]
fn ruff() {
    let log = output("ruff.sarif");
    assert_eq!(tool(&log), ("ruff", "0.17.6"));
    let titles: Vec<&str> = log.observations.iter().map(|one| one.observation.title.as_str()).collect();
    // Where the short description is a template, the message is the title.
    assert_eq!(titles[2], "Probable use of insecure hash functions in `hashlib`: `md5`");
    assert_eq!(titles[0], "Possible SQL injection vector through string-based query construction");
    let hash = &log.observations[2].observation;
    assert!(
        hash.description
            .starts_with("Probable use of insecure hash functions in `hashlib`: `md5`\n\n## What it does")
    );
    assert_eq!(hash.description.chars().count(), engine::Limits::DESCRIPTION);
    let message = "Probable use of insecure hash functions in `hashlib`: `md5`";
    assert_eq!(identities(&log)[2], ["/tmp/project/orders.py", message]);
}

/// The second outputs are those after ten lines were added at the top of each file.
#[test]
fn ten_lines_more_above_change_no_identity() {
    for name in ["bandit", "gosec", "eslint", "ruff"] {
        let (before, after) = (output(&format!("{name}.sarif")), output(&format!("{name}_shifted.sarif")));
        assert_eq!(identities(&before), identities(&after), "{name}");
        assert!(before.observations.len() >= 5, "{name}");
        for (before, after) in before.observations.iter().zip(&after.observations) {
            let line = |one: &Observation| one.locations[0].region.unwrap().start_line;
            assert_eq!(before.observation.check, after.observation.check);
            assert_eq!(line(&before.observation) + 10, line(&after.observation), "{name}");
        }
    }
}

/// Folders of a checkout as addresses in a log, and as the root that the caller states.
const CHECKOUTS: [(&str, &str); 4] = [
    ("file:///tmp/project/", "/tmp/project"),
    ("file:///home/ci/repo/", "file:///home/ci/repo/"),
    ("file:///c%3A/ci%20jobs/repo/", "C:\\ci jobs\\repo"),
    ("file:///", "/"),
];

#[test]
fn checkouts_in_different_folders_give_the_same_observations() {
    for (name, path) in [("eslint", "web/basket.js"), ("ruff", "orders.py")] {
        let written = file(&format!("{name}.sarif"));
        let mut first = None;
        for (folder, root) in CHECKOUTS {
            let moved = written.replace("file:///tmp/project/", folder);
            assert_eq!(moved.matches(folder).count(), written.matches("file:///tmp/project/").count());
            let log = read(moved.as_bytes(), Some(&Root::parse(root).unwrap())).unwrap();
            for one in &log.observations {
                assert_eq!(one.observation.identity[0], path);
                assert!(one.observation.locations.iter().all(|location| location.path == path));
            }
            assert_eq!(first.get_or_insert_with(|| log.clone()), &log, "{name} in {folder}");
        }
    }
}

#[test]
fn a_log_that_states_its_folder_needs_no_root() {
    let stated = [
        r#""originalUriBaseIds": {"SRCROOT": {"uri": "file:///tmp/project/"}}, "results": ["#,
        r#""originalUriBaseIds": {"PROJECT": {"uri": "file:///tmp/project"}}, "results": ["#,
        r#""versionControlProvenance": [{"mappedTo": {"uri": "file:///tmp/project"}}], "results": ["#,
        r#""invocations": [{"workingDirectory": {"uri": "file:///tmp/project"}}], "results": ["#,
    ];
    let root = Root::parse("/tmp/project").unwrap();
    for name in ["eslint.sarif", "ruff.sarif"] {
        let written = file(name);
        assert_eq!(written.matches("\"results\": [").count(), 1);
        let expected = read(written.as_bytes(), Some(&root)).unwrap();
        for folder in stated {
            let log = read(written.replace("\"results\": [", folder).as_bytes(), None).unwrap();
            assert_eq!(log, expected, "{folder}");
        }
    }
}

#[test]
fn a_root_changes_nothing_where_the_log_has_relative_paths_and_is_refused_where_it_has_others() {
    let root = Root::parse("/home/ci/repo").unwrap();
    for name in ["bandit.sarif", "gosec.sarif"] {
        assert_eq!(read(file(name).as_bytes(), Some(&root)).unwrap(), output(name));
    }
    let error = read(file("eslint.sarif").as_bytes(), Some(&root)).unwrap_err();
    assert_eq!(error, SarifError::OutsideOfRoot { found: "/tmp/project/web/basket.js".to_owned() });
    assert_eq!(
        error.to_string(),
        "expected files below the stated root, found \"/tmp/project/web/basket.js\""
    );
}
