//! The command line, beside a running server and without one.

use std::process::{Command, Output};

use serde_json::Value;

use crate::http::Request;
use crate::server::{Server, everywhere, wait_for};

fn output(server: &Server, arguments: &[&str]) -> String {
    let output = server.command(arguments).stdout(std::process::Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn status(server: &Server, key: &str) -> u16 {
    Request::new("GET", "/api/v1/organization")
        .header("authorization", &format!("Bearer {key}"))
        .send(server.address())
        .status
}

#[test]
fn keys_made_beside_a_running_server_work_and_stop_working_within_seconds() {
    everywhere("keys made beside a running server work and stop working within seconds", |server| {
        let made = output(server, &["key", "create", "--name", "second"]);
        let key = made.lines().next().unwrap().to_owned();
        assert!(key.starts_with("pal_live_"), "{made}");
        assert_eq!(status(server, &key), 200);

        let listed = output(server, &["key", "list"]);
        assert!(listed.contains("second") && !listed.contains(&key), "{listed}");
        let id = made
            .split_whitespace()
            .map(|word| word.trim_matches(|character: char| !character.is_ascii_hexdigit()))
            .find(|word| word.len() == 36)
            .unwrap();
        output(server, &["key", "revoke", id]);
        wait_for("a revoked key is refused", || (status(server, &key) == 401).then_some(()));
    });
}

#[test]
fn the_help_of_scopes_lists_them_and_an_unknown_one_is_refused() {
    let palisade =
        |arguments: &[&str]| Command::new(env!("CARGO_BIN_EXE_palisade")).args(arguments).output().unwrap();
    let help = text(&palisade(&["key", "create", "--help"]));
    for scope in directory::SCOPES {
        assert!(help.contains(scope), "{scope}: {help}");
    }
    let refused = palisade(&["key", "create", "--name", "a", "--scopes", "incidents:read,everything"]);
    let said = text(&refused);
    assert!(
        !refused.status.success() && said.contains("everything") && said.contains("incidents:read"),
        "{said}"
    );
}

#[test]
fn sources_and_organizations_are_made_listed_and_revoked() {
    everywhere("sources and organizations are made listed and revoked", |server| {
        let made = output(server, &["source", "create", "--name", "edge", "--environment", "staging"]);
        assert!(made.contains("/v1/logs"), "{made}");
        let listed = output(server, &["source", "list"]);
        assert!(listed.contains("edge") && listed.contains("staging"), "{listed}");
        let id = listed
            .lines()
            .find(|line| line.contains("edge"))
            .unwrap()
            .split_whitespace()
            .next()
            .unwrap()
            .to_owned();
        assert_eq!(server.ingest(&id, "application/json", b"[]".to_vec()).status, 200);
        for (command, state, status) in
            [("disable", "disabled", 404), ("enable", "enabled", 200), ("revoke", "disabled", 404)]
        {
            let said = output(server, &["source", command, &id]);
            assert!(said.contains(&format!("is {state};")), "{said}");
            wait_for(&format!("a source is {state}"), || {
                (server.ingest(&id, "application/json", b"[]".to_vec()).status == status).then_some(())
            });
        }
        output(server, &["org", "create", "--name", "second"]);
        let refused =
            server.command(&["source", "list"]).stderr(std::process::Stdio::piped()).output().unwrap();
        assert!(!refused.status.success() && text(&refused).contains("--org"), "{}", text(&refused));
        let organizations = output(server, &["org", "list"]);
        let second = organizations.lines().find(|line| line.contains("second")).unwrap();
        let second = second.split_whitespace().next().unwrap();
        assert!(output(server, &["org", "plan", second]).contains("unlimited"));
        let limited = output(server, &["org", "plan", second, "--credits", "25"]);
        assert_eq!(
            limited.lines().last().unwrap().split_whitespace().collect::<Vec<_>>(),
            ["limited", "25", "0", "0"]
        );
        assert!(output(server, &["org", "plan", second, "--unlimited"]).contains("unlimited"));
    });
}

#[test]
fn the_configuration_prints_without_secrets_and_doctor_looks_around() {
    let server = Server::start();
    let printed = server
        .command(&["config", "print"])
        .env("PALISADE__SECRETS__PEPPER", "ab".repeat(32))
        .env("PALISADE__SECRETS__KEY_ENCRYPTION_KEYS", "ab".repeat(32))
        .stdout(std::process::Stdio::piped())
        .output()
        .unwrap();
    let settings: Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(settings["ingest"]["limits"]["records"], 10_000);
    assert!(!text(&printed).contains("abababab"), "a secret was printed");
    let looked = output(&server, &["doctor"]);
    assert!(looked.contains("ok") && looked.contains("a server is running on it"), "{looked}");
    assert!(looked.contains("secrets are wrapped by key"), "{looked}");
    // Started by this binary, with its allocator.
    assert!(looked.contains("ok    sandbox         starts with Landlock (version "), "{looked}");
}

#[test]
fn settings_that_cannot_work_are_refused_by_name() {
    for (variable, value, told) in [
        ("PALISADE__ROLES", "[]", "setting roles (PALISADE__ROLES) is empty"),
        ("PALISADE__PUBLIC_URL", "palisade", "setting public_url (PALISADE__PUBLIC_URL) is palisade"),
        ("PALISADE__PUBLIC_URL", "https://palisade.example/logs", "setting public_url"),
        ("PALISADE__API__BASE_URL", "https://palisade.example", "unknown field `base_url`"),
        (
            "PALISADE__API__REQUESTS_PER_MINUTE",
            "0",
            "api.requests_per_minute (PALISADE__API__REQUESTS_PER_MINUTE) is 0",
        ),
        (
            "PALISADE__LISTEN__MAX_CONNECTIONS",
            "0",
            "listen.max_connections (PALISADE__LISTEN__MAX_CONNECTIONS) is 0",
        ),
        ("PALISADE__LISTEN__MAX_HEADERS", "100000000000", "setting listen.max_headers"),
        ("PALISADE__SHUTDOWN__PAUSE_SECONDS", "1e19", "expected 0 to 31536000 seconds"),
        (
            "PALISADE__INGEST__ADMISSION__IN_FLIGHT_BYTES",
            "1000",
            "PALISADE__INGEST__ADMISSION__IN_FLIGHT_BYTES) is 1000",
        ),
        ("PALISADE__INGEST__LIMITS__BATCH_BYTES", "67108864", "expected at most 67043328 bytes"),
        ("PALISADE__TELEMETRY__LOG", "loud", "\"loud\" is none of"),
        (
            "PALISADE__KAFKA__PARTITIONS",
            "4",
            "setting kafka and cql is one of them, expected both or neither",
        ),
        (
            "PALISADE__OWNERSHIP__LEASE_MILLISECONDS",
            "2999",
            "PALISADE__OWNERSHIP__LEASE_MILLISECONDS) is 2999",
        ),
        ("PALISADE__WEBHOOKS__RETRY_SECONDS", "[5, 0]", "PALISADE__WEBHOOKS__RETRY_SECONDS) is 0"),
        ("PALISADE__WEBHOOKS__CONCURRENCY", "1", "PALISADE__WEBHOOKS__CONCURRENCY) is 1"),
        ("PALISADE__OUTBOUND__ALLOW_NETWORKS", "[\"10.0.0.0/33\"]", "invalid IP address syntax"),
        ("PALISADE__OUTBOUND__TIMEOUT_MS", "0", "PALISADE__OUTBOUND__TIMEOUT_MS) is 0"),
        ("PALISADE__SECRETS__KEY_ENCRYPTION_KEYS", "abc", "key number 1 must be 64 hexadecimal digits"),
    ] {
        refused(&[(variable, value)], told);
    }
}

/// The configuration in this environment is refused with this message.
fn refused(environment: &[(&str, &str)], told: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.args(["config", "check"]).envs(environment.iter().copied());
    let output = command.output().unwrap();
    assert!(!output.status.success(), "{environment:?}");
    assert!(text(&output).contains(told), "{environment:?}: {}", text(&output));
}

#[cfg(not(feature = "cluster"))]
#[test]
fn a_build_without_the_back_ends_of_a_cluster_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let environment = [
        ("PALISADE__KAFKA__BROKERS", "127.0.0.1:9"),
        ("PALISADE__CQL__NODES", "[\"127.0.0.1:9\"]"),
        ("PALISADE__SECRETS__PEPPER", &"5a".repeat(32)),
        ("PALISADE__DATA_DIR", directory.path().to_str().unwrap()),
    ];
    for arguments in
        [&["serve"][..], &["init"], &["doctor"], &["key", "list"], &["config", "check", "--offline"]]
    {
        let output =
            Command::new(env!("CARGO_BIN_EXE_palisade")).args(arguments).envs(environment).output().unwrap();
        assert!(!output.status.success(), "{arguments:?}");
        assert!(
            text(&output).contains("cargo build --release --features cluster"),
            "{arguments:?}: {}",
            text(&output)
        );
    }
}

#[cfg(feature = "cluster")]
#[test]
fn a_configuration_whose_ledger_cannot_be_asked_is_not_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let nobody = format!("[\"{}\"]", crate::server::free_address());
    let environment = [
        ("PALISADE__KAFKA__BROKERS", "127.0.0.1:9"),
        ("PALISADE__CQL__NODES", nobody.as_str()),
        ("PALISADE__SECRETS__PEPPER", &"5a".repeat(32)),
        ("PALISADE__DATA_DIR", directory.path().to_str().unwrap()),
    ];
    refused(&environment, "its ledger cannot be read");
    let mut offline = Command::new(env!("CARGO_BIN_EXE_palisade"));
    let output = offline.args(["config", "check", "--offline"]).envs(environment).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("it was not compared with the ledger"), "{}", text(&output));
}

#[test]
fn settings_of_many_processes_are_checked_before_anything_is_asked() {
    for (variable, value, told) in [
        ("PALISADE__KAFKA__PARTITIONS", "5000", "kafka.partitions (PALISADE__KAFKA__PARTITIONS) is 5000"),
        ("PALISADE__CQL__PAGE_ROWS", "1", "cql.page_rows (PALISADE__CQL__PAGE_ROWS)"),
    ] {
        let nodes = ("PALISADE__CQL__NODES", "[\"192.0.2.1:9042\"]");
        refused(&[("PALISADE__KAFKA__BROKERS", "192.0.2.1:9092"), nodes, (variable, value)], told);
    }
}

/// Runs `rules explain` over these lines.
fn explained(lines: &str, arguments: &[&str]) -> Output {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_palisade"))
        .args(["rules", "explain", "-"])
        .args(arguments)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines = lines.to_owned();
    // It may have ended before reading everything.
    let writer = std::thread::spawn(move || drop(input.write_all(lines.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

const FAILED_LOGIN: &str =
    "Jul  8 09:10:11 bastion sshd[7]: Failed password for root from 192.0.2.1 port 5022 ssh2";

#[test]
fn rules_explain_tells_the_format_the_fields_the_rules_and_the_counts_of_a_line() {
    let lines = format!("{FAILED_LOGIN}\nthe kettle has been on for a while\n\n{{\"message\": ");
    let output = explained(&lines, &[]);
    assert!(output.status.success(), "{}", text(&output));
    let (said, told) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let blocks: Vec<&str> = said.split_terminator("\n\n").collect();
    assert_eq!(blocks.len(), 2, "{said}");
    for wanted in [
        "line 0: no incident on its own: it counts towards \"",
        "\n  format      OpenSSH\n",
        "\n  log source  product linux, category authentication, service sshd\n",
        "\n    client.address",
        "counts towards \"",
        " events within ",
        "client.address = \"192.0.2.1\"",
    ] {
        assert!(blocks[0].contains(wanted), "{wanted}: {said}");
    }
    let not_recognised = "line 1: no incident: the format was not recognised, and no rule matches";
    assert!(blocks[1].starts_with(not_recognised), "{said}");
    assert!(blocks[1].contains("\n  format      not recognised\n"), "{said}");
    assert!(told.contains("line 3: "), "{told}");
}

#[test]
fn rules_explain_names_the_item_that_keeps_a_rule_of_a_directory_from_matching() {
    let rule = "title: Login by a service account\nid: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e21\nlevel: high\n\
                logsource: {product: linux, service: sshd}\n\
                detection: {own: {event.outcome: failure, user.name|startswith: svc-, user.id: 7}, condition: own}\n";
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("own.yml"), rule.replace(", user.id: 7", "")).unwrap();
    let rules = ["--rules", directory.path().to_str().unwrap()];
    let said = text(&explained(FAILED_LOGIN, &rules));
    assert!(said.contains("\n  matched     none\n"), "{said}");
    assert!(
        said.contains("\"Login by a service account\" (high, 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e21)"),
        "{said}"
    );
    assert!(said.contains("own: user.name|startswith: expected \"svc-\", found \"root\""), "{said}");

    let matching = text(&explained(&FAILED_LOGIN.replace("root", "svc-mail"), &rules));
    assert!(matching.starts_with("line 0: incident: \"Login by a service account\""), "{matching}");
    assert!(matching.contains("opens an incident on its own, about client.address 192.0.2.1"), "{matching}");

    std::fs::write(directory.path().join("own.yml"), rule).unwrap();
    let absent = text(&explained(&FAILED_LOGIN.replace("root", "svc-mail"), &rules));
    assert!(absent.contains("own: user.id: expected \"7\", the field is absent (user.id)"), "{absent}");
    assert!(text(&explained(FAILED_LOGIN, &rules)).contains("\n  nearly      none\n"), "two items fail");
}

#[test]
fn rules_explain_prints_json_masks_secrets_and_bounds_lines() {
    let long = "x".repeat(8 << 20);
    let lines =
        format!("{FAILED_LOGIN}\n{long}\n{{\"message\": \"\\u001b[2Jlogin password=hunter2hunter2\"}}\n");
    let output = explained(&lines, &["--json"]);
    let (said, told) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let all: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(all.iter().map(|one| one["event"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 2], "{told}");
    assert_eq!(all[0]["format"], "OpenSSH");
    assert_eq!(all[0]["log_source"]["service"], "sshd");
    let counted = &all[0]["matches"][0]["counted_by"][0];
    assert!(counted["timespan_seconds"].as_u64().unwrap() > 0, "{counted}");
    assert!(told.contains("line 1: it is longer than"), "{told}");
    assert!(!said.contains("hunter2hunter2"), "{said}");

    let plain = text(&explained(&lines, &[]));
    assert!(
        !plain.contains('\u{1b}') && !plain.contains("hunter2hunter2") && plain.contains("\\u{1b}[2J"),
        "{plain}"
    );
}
