//! Many processes of one deployment, one role each, on real Kafka and Cassandra: they see each other's
//! work, share the partitions, take over from stopped ones, and refuse a mismatched deployment.

use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

use crate::http::Request;
use crate::lines::{Form, failed_logins};
use crate::receiver::{Answer, Receiver};
use crate::server::{free_address, wait_for};
use crate::servers::{PARTITIONS, Servers};

/// A deployment and its processes, all of which end with it.
struct Fleet {
    servers: Servers,
    directory: tempfile::TempDir,
    processes: Vec<Process>,
}

struct Process {
    child: Child,
    address: std::net::SocketAddr,
    admin: std::net::SocketAddr,
}

impl Fleet {
    fn new(servers: Servers) -> Self {
        Self { servers, directory: tempfile::tempdir().unwrap(), processes: Vec::new() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
        command.args(arguments).arg("--data-dir").arg(self.directory.path());
        command.env("PALISADE__TELEMETRY__LOG", "warn").env("PALISADE__SHUTDOWN__PAUSE_SECONDS", "0");
        command.env("PALISADE__OUTBOUND__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#);
        command.env("PALISADE__WEBHOOKS__RETRY_SECONDS", format!("{:?}", [2; 15]));
        command.stdin(Stdio::null()).stdout(Stdio::null());
        self.servers.configure(&mut command);
        command
    }

    fn init(&self) {
        let output = self.command(&["init"]).output().unwrap();
        assert!(output.status.success(), "{}", words(&output));
    }

    /// Starts a process of a role and returns its index.
    fn start(&mut self, role: &str) -> usize {
        let (address, admin) = (free_address(), free_address());
        let child = self
            .command(&["serve", "--role", role])
            .args(["--listen", &address.to_string(), "--admin-listen", &admin.to_string()])
            .spawn()
            .unwrap();
        self.processes.push(Process { child, address, admin });
        wait_for("the process is ready", || {
            Request::new("GET", "/readyz").try_send(admin).filter(|response| response.status == 200)
        });
        self.processes.len() - 1
    }

    /// `doctor` with the addresses of a running process.
    fn look_around(&self, index: usize) {
        let Process { address, admin, .. } = &self.processes[index];
        let mut doctor = self.command(&["doctor"]);
        doctor.env("PALISADE__LISTEN__ADDRESS", address.to_string());
        doctor.env("PALISADE__ADMIN_LISTEN", admin.to_string());
        let output = doctor.stdout(Stdio::piped()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        let in_use = told.matches("is in use, as expected of a running server").count();
        assert!(output.status.success() && in_use == 2, "{told}");
    }

    fn signal(&self, index: usize, signal: &str) {
        let id = self.processes[index].child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    fn kill(&mut self, index: usize) {
        self.processes[index].child.kill().unwrap();
        self.processes[index].child.wait().unwrap();
    }

    /// Number of partitions of each of these analyzers.
    fn shares(&self, analyzers: &[usize]) -> Vec<u16> {
        analyzers.iter().map(|index| partitions(self.processes[*index].admin)).collect()
    }

    fn wait_for_shares(&self, analyzers: &[usize], expected: &[u16]) {
        wait_for(&format!("{analyzers:?} work on {expected:?} partitions"), || {
            let mut shares = self.shares(analyzers);
            shares.sort_unstable();
            (shares == expected).then_some(())
        });
    }

    fn key(&self) -> String {
        let file = std::fs::read(self.directory.path().join("first-run.json")).unwrap();
        let first: Value = serde_json::from_slice(&file).unwrap();
        first["api_key"].as_str().unwrap().to_owned()
    }

    fn request(&self, method: &str, path: &str) -> Request {
        Request::new(method, &format!("/api/v1{path}"))
            .header("authorization", &format!("Bearer {}", self.key()))
    }

    fn json(&self, method: &str, path: &str) -> Request {
        self.request(method, path).header("content-type", "application/json")
    }

    fn address(&self, index: usize) -> std::net::SocketAddr {
        self.processes[index].address
    }

    fn source(&self, api: usize, name: &str) -> String {
        let body = json!({"name": name}).to_string().into_bytes();
        let response = self.json("POST", "/infrastructure/sources").body(body).send(self.address(api));
        assert_eq!(response.status, 201, "{}", response.text());
        response.json()["id"].as_str().unwrap().to_owned()
    }

    fn send(&self, ingest: usize, source: &str, client: &str) {
        let path = format!("/infrastructure/sources/{source}/v1/logs");
        let body = Form::Ndjson.body(&failed_logins(12, "root", client));
        // A source is known to another process within seconds.
        wait_for("the batch is accepted", || {
            let response = self
                .request("POST", &path)
                .header("content-type", "application/x-ndjson")
                .body(body.clone())
                .send(self.address(ingest));
            (response.status == 200).then_some(())
        });
    }

    /// The incident about a client, as one API process lists it.
    fn incident(&self, api: usize, client: &str) -> Value {
        wait_for("the incident is listed", || {
            let list = self.request("GET", "/incidents?limit=100").send(self.address(api));
            let list = (list.status == 200).then(|| list.json())?;
            let found = list["data"]
                .as_array()?
                .iter()
                .find(|incident| incident["entity"]["value"] == client && incident["event_count"] == 12);
            found.cloned()
        })
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for process in &mut self.processes {
            // It may have ended already.
            let _ = process.child.kill();
            let _ = process.child.wait();
        }
    }
}

fn partitions(admin: std::net::SocketAddr) -> u16 {
    let Some(response) = Request::new("GET", "/metrics").try_send(admin) else { return 0 };
    let text = response.text();
    let line = text.lines().find_map(|line| line.strip_prefix("palisade_analysis_partitions "));
    line.map_or(0, |number| number.parse().unwrap())
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn roles_find_each_others_work_and_take_over_from_the_dead() {
    let Some(servers) = Servers::find("many processes, one role each") else { return };
    let mut fleet = Fleet::new(servers);
    fleet.init();
    let (ingest, one, other) = (fleet.start("ingest"), fleet.start("api"), fleet.start("api"));
    let first = fleet.start("analyzer");
    fleet.wait_for_shares(&[first], &[PARTITIONS]);
    let second = fleet.start("analyzer");
    fleet.wait_for_shares(&[first, second], &[PARTITIONS / 2, PARTITIONS / 2]);

    let source = fleet.source(one, "edge");
    let logs = format!("/infrastructure/sources/{source}/v1/logs");
    let astray = fleet.request("POST", &logs).send(fleet.address(one));
    assert!(astray.status == 404 && astray.text().contains("does not have the role"), "{}", astray.text());
    fleet.look_around(ingest);
    fleet.send(ingest, &source, "203.0.113.1");
    let incident = fleet.incident(one, "203.0.113.1");
    fleet.incident(other, "203.0.113.1");
    let path = format!("/incidents/{}", incident["id"].as_str().unwrap());
    let review = json!({"triage_version": 1, "triage_status": "triaged"}).to_string().into_bytes();
    assert_eq!(fleet.json("PATCH", &path).body(review).send(fleet.address(one)).status, 200);
    let seen = fleet.request("GET", &path).send(fleet.address(other)).json();
    assert_eq!(seen["triage_status"], "triaged", "detail is the truth in every process");

    fleet.kill(first);
    fleet.wait_for_shares(&[second], &[PARTITIONS]);
    fleet.send(ingest, &source, "203.0.113.2");
    fleet.incident(other, "203.0.113.2");

    fleet.signal(second, "-STOP");
    let third = fleet.start("analyzer");
    fleet.wait_for_shares(&[third], &[PARTITIONS]);
    fleet.signal(second, "-CONT");
    fleet.wait_for_shares(&[second, third], &[PARTITIONS / 2, PARTITIONS / 2]);
    fleet.send(ingest, &source, "203.0.113.3");
    fleet.incident(one, "203.0.113.3");
    fleet.signal(third, "-TERM");
    fleet.wait_for_shares(&[second], &[PARTITIONS]);
}

#[test]
fn what_a_dead_process_was_delivering_is_delivered_by_another() {
    let Some(servers) = Servers::find("deliveries of a dead process") else { return };
    let mut fleet = Fleet::new(servers);
    fleet.init();
    let (ingest, first) = (fleet.start("ingest"), fleet.start("api"));
    fleet.start("analyzer");
    let receiver = Receiver::start(Answer::Nothing);
    let post = |fleet: &Fleet, path: &str, body: &Value| {
        let body = body.to_string().into_bytes();
        let response = fleet.json("POST", path).body(body).send(fleet.address(first));
        assert_eq!(response.status, 201, "{}", response.text());
        response.json()
    };
    post(&fleet, "/monitoring-policies", &json!({"name": "on call", "minimum_severity": "low"}));
    let events = json!(["infrastructure.incident.escalated"]);
    let webhook =
        post(&fleet, "/webhooks", &json!({"name": "pager", "url": receiver.url(), "events": events}));
    let source = fleet.source(first, "edge");
    fleet.send(ingest, &source, "203.0.113.1");
    let sent = receiver.wait_for(1)[0].clone();

    fleet.kill(first);
    receiver.answer_with(Answer::Status(204));
    let second = fleet.start("api");
    let path = format!("/webhooks/{}/deliveries", webhook["id"].as_str().unwrap());
    let delivered = wait_for("the other process delivers", || {
        let list = fleet.request("GET", &path).send(fleet.address(second)).json();
        let list = list["data"].as_array()?.clone();
        list.into_iter().find(|one| one["event_id"] == sent.json()["id"] && one["status"] == "succeeded")
    });
    assert_eq!(delivered["attempts"].as_array().unwrap().last().unwrap()["status_code"], 204);
    let received = receiver.wait_for(2);
    assert!(
        received.iter().filter(|one| one.json()["id"] == sent.json()["id"]).all(|one| one.body == sent.body)
    );
}

#[test]
fn a_process_that_does_not_belong_to_the_deployment_is_refused_in_words() {
    let Some(servers) = Servers::find("processes that do not belong") else { return };
    let fleet = Fleet::new(servers);
    let refusal = |name: &str, value: &str| {
        let output = fleet
            .command(&["serve", "--role", "api", "--listen", "127.0.0.1:0", "--admin-listen", "off"])
            .env(name, value)
            .output()
            .unwrap();
        assert!(!output.status.success());
        words(&output)
    };
    let early = refusal("PALISADE__ROLES", "[api]");
    assert!(early.contains("palisade init"), "{early}");

    let machines: Vec<_> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    let init = |machine: &tempfile::TempDir| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
        fleet.servers.configure(command.arg("init").arg("--data-dir").arg(machine.path()));
        command.stdout(Stdio::null()).spawn().unwrap()
    };
    for init in &mut machines.iter().map(init).collect::<Vec<_>>() {
        assert!(init.wait().unwrap().success(), "all of them end well, one of them first");
    }
    let first_keys = machines.iter().filter(|machine| machine.path().join("first-run.json").is_file());
    assert_eq!(first_keys.count(), 1, "a key that will never be valid is not left behind");
    let organizations = fleet.command(&["org", "list"]).stdout(Stdio::piped()).output().unwrap();
    let listed = String::from_utf8_lossy(&organizations.stdout).lines().count();
    assert_eq!(listed, 2, "a heading and one organization");

    let partitions = refusal("PALISADE__KAFKA__PARTITIONS", "5");
    assert!(
        partitions.contains("4 partitions")
            && partitions.contains("(PALISADE__KAFKA__PARTITIONS) of this process is 5"),
        "{partitions}"
    );
    let pepper = refusal("PALISADE__SECRETS__PEPPER", &"00".repeat(32));
    assert!(pepper.contains("pepper"), "{pepper}");
    let topic = refusal("PALISADE__KAFKA__TOPIC", "another");
    assert!(topic.contains("another"), "{topic}");
}
