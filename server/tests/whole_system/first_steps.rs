//! The first steps of an operator: output of `config check` and `doctor` before and after a deployment is prepared, for
//! unusable certificates and for another pepper; output of a server, and its time; partitions beside a server.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::http::Request;
use crate::lines::{Form, failed_logins};
use crate::server::{Server, free_address, wait_for};
use crate::servers::Servers;

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn palisade(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.args(arguments).envs(environment.iter().copied()).output().unwrap()
}

#[test]
fn before_anything_is_prepared_the_commands_say_so_and_make_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let at = ["--data-dir", data.to_str().unwrap()];
    let free = free_address().to_string();
    for command in [&["config", "check"][..], &["doctor"]] {
        let output = palisade(&[command, &at].concat(), &[("PALISADE__LISTEN__ADDRESS", &free)]);
        assert!(output.status.success(), "{}", text(&output));
        assert!(text(&output).contains("not prepared yet: run `palisade init`"), "{}", text(&output));
    }
    let output = palisade(&[&["key", "list"][..], &at].concat(), &[]);
    assert!(!output.status.success());
    assert!(text(&output).contains("not prepared yet: run `palisade init`"), "{}", text(&output));
    assert!(!data.try_exists().unwrap(), "looking makes nothing");

    assert!(palisade(&[&["init"][..], &at].concat(), &[]).status.success());
    let output = palisade(&[&["config", "check"][..], &at].concat(), &[]);
    assert!(text(&output).contains("it matches the ledger of the deployment"), "{}", text(&output));
}

#[test]
fn before_a_cluster_is_prepared_doctor_names_the_command() {
    let Some(servers) = Servers::find("doctor before init") else { return };
    let directory = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str], more: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
        command.args(arguments).arg("--data-dir").arg(directory.path());
        servers.configure(&mut command);
        command.envs(more.iter().copied()).output().unwrap()
    };
    for command in [&["doctor"][..], &["config", "check"]] {
        let output = run(command, &[]);
        assert!(text(&output).contains("not prepared yet: run `palisade init`"), "{}", text(&output));
        // The secrets do not exist yet either.
        let mut bare = Command::new(env!("CARGO_BIN_EXE_palisade"));
        servers.configure(bare.args(command).arg("--data-dir").arg(directory.path()));
        bare.env_remove("PALISADE__SECRETS__PEPPER").env_remove("PALISADE__SECRETS__KEY_ENCRYPTION_KEYS");
        let told = text(&bare.output().unwrap());
        assert!(
            told.contains("not prepared yet: run `palisade init`") && !told.contains("no pepper"),
            "{told}"
        );
    }
    let greedy = run(&["init"], &[("PALISADE__CQL__REPLICATION_FACTOR", "3")]);
    let told = text(&greedy);
    assert!(!greedy.status.success() && told.contains("PALISADE__CQL__REPLICATION_FACTOR"), "{told}");
    assert!(told.contains("keeps 3 copies") && told.contains("1 node"), "{told}");
    let greedy = run(&["init"], &[("PALISADE__KAFKA__REPLICATION_FACTOR", "3")]);
    let told = text(&greedy);
    assert!(!greedy.status.success() && told.contains("PALISADE__KAFKA__REPLICATION_FACTOR"), "{told}");

    assert!(run(&["init"], &[]).status.success());
    let free = free_address().to_string();
    let prepared = run(&["doctor"], &[("PALISADE__LISTEN__ADDRESS", &free)]);
    assert!(prepared.status.success(), "{}", text(&prepared));
    let other = "7c".repeat(32);
    for command in [&["doctor"][..], &["config", "check"]] {
        let output = run(command, &[("PALISADE__SECRETS__PEPPER", &other)]);
        assert!(!output.status.success() && text(&output).contains("pepper"), "{}", text(&output));
    }
}

/// A certificate for a listener and its key, with a validity in seconds from now.
fn certificate(directory: &Path, name: &str, seconds: i64) -> (PathBuf, PathBuf) {
    let (certificate, key) = (directory.join(format!("{name}.pem")), directory.join(format!("{name}.key")));
    let mut parameters = rcgen::CertificateParams::new(["palisade.test".to_owned()]).unwrap();
    let epoch = rcgen::date_time_ymd(1970, 1, 1);
    parameters.not_before = epoch;
    let now = std::time::UNIX_EPOCH.elapsed().unwrap();
    let end = i64::try_from(now.as_secs()).unwrap() + seconds;
    parameters.not_after = epoch + std::time::Duration::from_secs(end.unsigned_abs());
    let pair = rcgen::KeyPair::generate().unwrap();
    std::fs::write(&certificate, parameters.self_signed(&pair).unwrap().pem()).unwrap();
    std::fs::write(&key, pair.serialize_pem()).unwrap();
    (certificate, key)
}

#[test]
fn certificates_that_cannot_be_used_are_found_before_the_start() {
    let directory = tempfile::tempdir().unwrap();
    const DAY: i64 = 24 * 3_600;
    let (good, key) = certificate(directory.path(), "good", 30 * DAY);
    let (_, other_key) = certificate(directory.path(), "other", 30 * DAY);
    let (soon, soon_key) = certificate(directory.path(), "soon", 3 * DAY);
    let (old, old_key) = certificate(directory.path(), "old", -DAY);
    let missing = directory.path().join("missing.pem");
    let free = free_address().to_string();
    let data = directory.path().join("data").display().to_string();
    let run = |command: &[&str], certificate: &Path, key: &Path| {
        let environment = [
            ("PALISADE__LISTEN__TLS__CERTIFICATE_FILE", certificate.to_str().unwrap()),
            ("PALISADE__LISTEN__TLS__KEY_FILE", key.to_str().unwrap()),
            ("PALISADE__LISTEN__ADDRESS", &free),
            ("PALISADE__DATA_DIR", &data),
        ];
        palisade(command, &environment)
    };
    for command in [&["doctor"][..], &["config", "check"]] {
        let fine = run(command, &good, &key);
        assert!(fine.status.success(), "{}", text(&fine));
        for (certificate, key, told) in [
            (&missing, &key, "missing.pem"),
            (&good, &missing, "missing.pem"),
            (&good, &other_key, "does not belong to the certificate"),
            (&old, &old_key, "expired at "),
        ] {
            let output = run(command, certificate, key);
            let words = text(&output);
            assert!(!output.status.success() && words.contains(told), "{words}");
            assert!(words.contains("PALISADE__LISTEN__TLS__CERTIFICATE_FILE"), "{words}");
        }
    }
    let ends = run(&["doctor"], &soon, &soon_key);
    assert!(ends.status.success() && text(&ends).contains("expires soon"), "{}", text(&ends));
}

/// Output of a server until it prints its address; the process is ended then.
fn printed(arguments: &[&str], data: &Path, environment: &[(&str, &str)]) -> Vec<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_palisade"))
        .args(arguments)
        .arg("--data-dir")
        .arg(data)
        .env("PALISADE__TELEMETRY__LOG", "warn")
        .envs(environment.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let reader = BufReader::new(child.stdout.take().unwrap());
    let mut lines = Vec::new();
    for line in reader.lines() {
        let line = line.unwrap();
        let last = line.trim_start().starts_with("Metrics ");
        lines.push(line);
        if last {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    lines
}

#[test]
fn each_role_prints_the_addresses_it_serves_and_no_others() {
    let directory = tempfile::tempdir().unwrap();
    for (role, expected) in [
        ("ingest", &["Logs", "Health", "Metrics"][..]),
        ("analyzer", &["Health", "Metrics"]),
        ("api", &["API", "Health", "Metrics"]),
        ("ingest,analyzer,api", &["API", "Logs", "Health", "Metrics"]),
    ] {
        let data = directory.path().join(role);
        assert!(palisade(&["init", "--data-dir", data.to_str().unwrap()], &[]).status.success());
        let (listen, admin) = (free_address().to_string(), free_address().to_string());
        let lines =
            printed(&["serve", "--role", role, "--listen", &listen, "--admin-listen", &admin], &data, &[]);
        let names: Vec<&str> = lines
            .iter()
            .filter(|line| line.contains("http://"))
            .map(|line| line.split_whitespace().next().unwrap())
            .collect();
        assert_eq!(names, expected, "{role}: {lines:?}");
    }
}

#[test]
fn nothing_is_printed_and_no_key_is_made_where_the_start_fails() {
    let directory = tempfile::tempdir().unwrap();
    let rules = directory.path().join("rules");
    std::fs::create_dir(&rules).unwrap();
    std::fs::write(rules.join("broken.yml"), "title: broken\ndetection: 3\n").unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let directories = format!("[{:?}]", rules.to_str().unwrap());
    for (name, variable, value) in [
        ("rules", "PALISADE__RULES__DIRECTORIES", directories.as_str()),
        ("metrics", "PALISADE__ADMIN_LISTEN", taken.as_str()),
    ] {
        let data = directory.path().join(name);
        let listen = free_address().to_string();
        let arguments = ["serve", "--listen", &listen, "--data-dir", data.to_str().unwrap()];
        let output = palisade(&arguments, &[(variable, value)]);
        assert!(!output.status.success(), "{name}");
        assert!(output.stdout.is_empty(), "{name}: {}", text(&output));
        assert!(!data.join("first-run.json").try_exists().unwrap(), "{name}");
    }
}

#[test]
fn partitions_are_listed_beside_a_running_server_and_next_is_right() {
    let server = Server::start();
    let list = || {
        let output =
            server.command(&["partition", "list"]).stdout(Stdio::piped()).stderr(Stdio::piped()).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", text(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let columns = |row: &str| row.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert!(list().lines().skip(1).all(|row| columns(row)[1..3] == ["-", "0"]), "{}", list());

    let source = server.source("bastion");
    let body = Form::Ndjson.body(&failed_logins(12, "root", "203.0.113.9"));
    for _ in 0..3 {
        assert_eq!(server.ingest(&source, Form::Ndjson.content_type(), body.clone()).status, 200);
    }
    server.incidents(&source, |incidents| !incidents.is_empty());
    // Three batches of one source: the last offset of its partition is 3, and nothing waits once all are analysed.
    wait_for("everything is analysed", || {
        let rows = list();
        let rows: Vec<_> = rows.lines().skip(1).map(columns).collect();
        let used: Vec<_> = rows.iter().filter(|row| row[2] != "0").collect();
        (used.len() == 1 && used[0][2] == "3" && used[0][1] == "-").then_some(())
    });
    let partition = list().lines().skip(1).map(columns).find(|row| row[2] == "3").unwrap()[0].clone();
    let sound = server.command(&["partition", "resume", &partition]).stderr(Stdio::piped()).output().unwrap();
    assert!(!sound.status.success() && text(&sound).contains("nothing was changed"), "{}", text(&sound));
    assert_eq!(Request::new("GET", "/readyz").send(server.address()).status, 200);
}

/// The metric follows the certificate in use: the one at the start, and after SIGHUP the then current one.
#[test]
fn the_end_of_the_certificate_is_a_metric_and_near_it_a_warning() {
    let directory = tempfile::tempdir().unwrap();
    let (certificate_file, key_file) = certificate(directory.path(), "listener", 3 * 24 * 3_600);
    let end = |path: &Path| process::certificates::validity(path).unwrap().not_after;
    let first = end(&certificate_file);
    let (listen, admin) = (free_address(), free_address());
    let log = directory.path().join("log");
    let mut child = Command::new(env!("CARGO_BIN_EXE_palisade"))
        .args(["serve", "--listen", &listen.to_string(), "--admin-listen", &admin.to_string()])
        .env("PALISADE__LISTEN__TLS__CERTIFICATE_FILE", &certificate_file)
        .env("PALISADE__LISTEN__TLS__KEY_FILE", &key_file)
        .env("PALISADE__DATA_DIR", directory.path().join("data"))
        .env("PALISADE__TELEMETRY__LOG_FORMAT", "json")
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let metric = || {
        let answer = Request::new("GET", "/metrics").try_send(admin)?.text();
        let series = "palisade_tls_certificate_expiry_timestamp_seconds{used_for=\"listener\"} ";
        answer.lines().find_map(|line| line.strip_prefix(series)).map(|value| value.parse::<i64>().unwrap())
    };
    let at_start = wait_for("the metric is there", metric);
    wait_for("the warning is logged", || {
        std::fs::read_to_string(&log).unwrap().contains("the certificate expires soon").then_some(())
    });
    let renewed = certificate(directory.path(), "listener", 90 * 24 * 3_600);
    assert_eq!(renewed, (certificate_file.clone(), key_file));
    let second = end(&certificate_file);
    assert!(Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap().success());
    let followed = wait_for("the metric follows", || metric().filter(|value| *value != first));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!((at_start, followed), (first, second));
}

/// A partition whose next batches are lost is moved beside the server that has halted it.
#[test]
fn a_partition_is_resumed_beside_a_running_server() {
    let mut server = Server::start_with(&["--role", "ingest"]);
    let source = server.first_run()["source_id"].as_str().unwrap().to_owned();
    let body = Form::Ndjson.body(&failed_logins(12, "root", "203.0.113.9"));
    let send = |server: &Server| {
        assert_eq!(server.ingest(&source, Form::Ndjson.content_type(), body.clone()).status, 200);
    };
    // A start begins a segment, and moves the last batch into it: the first batch, never analysed, stays alone in the
    // first segment and is lost with it.
    send(&server);
    send(&server);
    assert!(server.interrupt());
    server.run();
    send(&server);
    assert!(server.interrupt());
    let log = server.data_dir().join("log");
    let segments = || {
        let names =
            std::fs::read_dir(&log).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name.starts_with("segment-")).collect();
        names.sort();
        names
    };
    std::fs::remove_file(log.join(&segments()[0])).unwrap();

    server.begin_with(&[]);
    server.readiness(|status, _| status == 200);
    let row = |server: &Server| {
        let output = server.command(&["partition", "list"]).stdout(Stdio::piped()).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let list = text(&output);
        let row = list.lines().skip(1).find(|row| row.split_whitespace().nth(2) == Some("3"));
        row.unwrap_or_else(|| panic!("no partition ends at 3: {list}")).to_owned()
    };
    let before = row(&server);
    assert!(before.contains("blocked, the next offset in the log is 2"), "{before}");
    let partition = before.split_whitespace().next().unwrap().to_owned();
    let resumed =
        server.command(&["partition", "resume", &partition]).stdout(Stdio::piped()).output().unwrap();
    assert!(resumed.status.success(), "{}", text(&resumed));
    assert!(text(&resumed).contains("resumes at offset 2"), "{}", text(&resumed));
    assert!(row(&server).contains("sound"), "{}", row(&server));
    assert_eq!(Request::new("GET", "/healthz").send(server.address()).status, 200);
}
