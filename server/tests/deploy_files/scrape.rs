//! Prometheus' own tools on the metrics of a running process: the lint of `promtool`, the tests of the alerts, and a real
//! Prometheus that scrapes as configured in the deployment files and evaluates every expression of alerts and dashboard.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::http::Request;
use crate::machine::{Daemon, bounded, free_port, or_skip, printed, program};
use crate::metrics::Known;
use crate::monitoring::{ALERTS, expressions, rules};
use crate::process::{Process, words};
use crate::product::{Environment, palisade};
use crate::servers::Servers;
use crate::{report, root, text, yaml};

const TESTS: &str = "deploy/prometheus/tests/alerts.yml";
/// Longer than a scrape and a few evaluations take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Metrics of back ends that a process on one machine does not have.
const DISTRIBUTED: [&str; 3] = ["palisade_log_", "palisade_ledger_unknown", "palisade_ownership_"];
/// Failed logins, enough for an incident.
const LOGINS: usize = 6;

/// A process of every role with accepted and refused batches, an incident and requests to the API.
fn busy() -> Process {
    let process = Process::start(&Environment::new(), &words("serve"));
    let (key, logs) = (process.first_run("api_key"), process.first_run("logs_url"));
    let path = logs.split_once("/api/").map(|(_, path)| format!("/api/{path}")).unwrap();
    let authorization = format!("Bearer {key}");
    let send = |body: String| {
        let request = Request::new("POST", &path).header("authorization", &authorization);
        let request = request.header("content-type", "application/x-ndjson").body(body.into_bytes());
        request.send(process.listener).status
    };
    for number in 1..=LOGINS {
        let line = format!(
            r#"{{"message":"Failed password for root from 203.0.113.9 port 402{number} ssh2","program":"sshd","host":"web-1"}}"#
        );
        assert_eq!(send(line), 200);
    }
    assert_eq!(send("no JSON".to_owned()), 400);
    let incidents = Request::new("GET", "/api/v1/incidents").header("authorization", &authorization);
    let begun = Instant::now();
    while incidents.send(process.listener).json()["pagination"]["total"] != 1 {
        assert!(begun.elapsed() < PATIENCE, "no incident appears");
        // Polls another process, whose clock the test cannot control.
        std::thread::sleep(Duration::from_millis(150));
    }
    process
}

fn lint(promtool: &Path, metrics: &str) {
    let mut child = bounded(promtool)
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(metrics.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && printed(&output).is_empty(), "{}", printed(&output));
}

#[test]
fn metrics_are_clean_by_the_lint_of_prometheus() {
    let Some(promtool) = or_skip("the lint of metrics", program("promtool")) else { return };
    lint(&promtool, &busy().metrics());
    let Some(servers) = Servers::find("the lint of metrics of a cluster") else { return };
    let environment: Environment = servers.variables().into_iter().collect();
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().display().to_string();
    crate::process::succeeds(&palisade(&environment, &[words("init --data-dir"), vec![data]].concat()));
    lint(&promtool, &Process::start(&environment, &words("serve")).metrics());
}

/// The series of counters whose labels are known in advance.
fn counters(metrics: &str) -> BTreeSet<String> {
    let is_counter = |name: &str| name.ends_with("_total");
    let series =
        metrics.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.rsplit_once(' '));
    let names = series.map(|(series, _)| series.to_owned());
    names.filter(|series| is_counter(series.split('{').next().unwrap_or_default())).collect()
}

/// An alert on the increase of a counter that starts at 1 never fires.
#[test]
fn every_counter_is_there_from_the_start() {
    let process = Process::start(&Environment::new(), &words("serve"));
    let before = counters(&process.metrics());
    let missing: Vec<String> = Known::read()
        .counters()
        .filter(|name| !DISTRIBUTED.iter().any(|start| name.starts_with(start)))
        .filter(|name| !before.iter().any(|series| series.split('{').next() == Some(name)))
        .map(|name| format!("{name} has no series before it counts"))
        .collect();
    report(&missing);
    drop(process);
    let after = counters(&busy().metrics());
    let born: Vec<String> =
        after.difference(&before).map(|series| format!("{series} is born by counting")).collect();
    report(&born);
}

#[test]
fn alerts_fire_when_they_should_and_are_quiet_otherwise() {
    let Some(promtool) = or_skip("the tests of alerts", program("promtool")) else { return };
    for file in ALERTS {
        let output = bounded(&promtool).args(["check", "rules"]).arg(root().join(file)).output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
    }
    let output = bounded(&promtool).args(["test", "rules"]).arg(root().join(TESTS)).output().unwrap();
    assert!(output.status.success(), "{}", printed(&output));

    let tests = text(TESTS);
    let mut complaints = Vec::new();
    for rule in ALERTS.iter().flat_map(|file| rules(file)) {
        let name = rule["alert"].as_str().unwrap().to_owned();
        let firing = format!(r#"count(ALERTS{{alertname="{name}",alertstate="firing"}})"#);
        // Once with a sample and once without one.
        if tests.matches(&firing).count() < 2 {
            complaints.push(format!("{TESTS} does not show {name} both firing and quiet"));
        }
    }
    report(&complaints);
}

/// A Prometheus with a deployment's own scrape file, directed at a process.
struct Prometheus {
    address: SocketAddr,
    _daemon: Daemon,
    _directory: tempfile::TempDir,
}

impl Prometheus {
    fn start(program: &Path, target: SocketAddr) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let mut file = text("deploy/prometheus/single.yml");
        for (ours, here) in [
            ("127.0.0.1:9464", target.to_string()),
            ("scrape_interval: 15s", "scrape_interval: 1s".to_owned()),
            ("evaluation_interval: 15s", "evaluation_interval: 1s".to_owned()),
            ("- alerts.yml", format!("- {}", root().join("deploy/prometheus/alerts.yml").display())),
        ] {
            assert!(file.contains(ours), "single.yml has no {ours}");
            file = file.replace(ours, &here);
        }
        let path = directory.path().join("prometheus.yml");
        std::fs::write(&path, file).unwrap();
        let arguments = [
            format!("--config.file={}", path.display()),
            format!("--storage.tsdb.path={}", directory.path().join("data").display()),
            format!("--web.listen-address={address}"),
        ];
        let daemon = Daemon::start(program, arguments, &directory.path().join("log"));
        Self { address, _daemon: daemon, _directory: directory }
    }

    /// The samples of an instant query; `None` until Prometheus answers.
    fn query(&self, expression: &str) -> Option<Vec<Json>> {
        let body = format!("query={}", percent_encoded(expression));
        let answer = Request::new("POST", "/api/v1/query")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body.into_bytes())
            .try_send(self.address)?;
        assert!([200, 503].contains(&answer.status), "{expression}: {}", answer.text());
        (answer.status == 200).then(|| answer.json()["data"]["result"].as_array().unwrap().clone())
    }

    /// The samples once there are any.
    fn samples(&self, expression: &str) -> Option<Vec<Json>> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Some(samples) = self.query(expression).filter(|samples| !samples.is_empty()) {
                return Some(samples);
            }
            // Polls another process, whose clock the test cannot control.
            std::thread::sleep(Duration::from_millis(200));
        }
        None
    }
}

fn percent_encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |encoded, byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => format!("{encoded}{}", char::from(byte)),
        other => format!("{encoded}%{other:02X}"),
    })
}

#[test]
fn a_prometheus_that_scrapes_a_process_answers_every_expression() {
    let Some(prometheus) = or_skip("the expressions of alerts and dashboard", program("prometheus")) else {
        return;
    };
    let process = busy();
    let prometheus = Prometheus::start(&prometheus, process.admin);
    let up = prometheus.samples("sum(rate(palisade_ingest_records_total[10s]))");
    assert!(up.is_some(), "the process is not scraped");
    let alerts: BTreeSet<String> = ALERTS
        .iter()
        .flat_map(|file| rules(file))
        .map(|rule| rule["alert"].as_str().unwrap().to_owned())
        .collect();
    let mut complaints = Vec::new();
    for (place, expression) in expressions() {
        let expression = expression.replace("$__rate_interval", "10s");
        // A failure of the query itself is asserted there; an alert without samples is correct.
        let samples = prometheus.query(&expression).unwrap();
        let elsewhere = DISTRIBUTED.iter().any(|start| expression.contains(start));
        if samples.is_empty() && !alerts.contains(&place) && !elsewhere {
            complaints.push(format!("{place}: {expression} has no value on a process that works"));
        }
    }
    report(&complaints);
    let firing = prometheus.query(r#"ALERTS{alertstate="firing"}"#).unwrap();
    assert!(firing.is_empty(), "alerts of a process that works: {firing:?}");
    assert!(yaml("deploy/prometheus/single.yml")["scrape_configs"].is_array());
}
