//! The stand-in as a process, and clients of it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use common::clock::{Clock, ManualClock, SharedClock};
use common::timestamp::Timestamp;
use http::{HeaderMap, Method};
use outbound::{Caps, Coding, Outbound, Policy, Reading, Request, SystemResolver};
use serde_json::{Value, json};
use tempfile::TempDir;
use zeroize::Zeroizing;

use crate::conformance;
use crate::github::{Config, GitHub, Shared};

/// When every test begins.
const START: i64 = 1_780_000_000;
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/github/stand_in.py");

/// The running stand-in. It ends with the test.
pub(super) struct StandIn {
    pub(super) state: Value,
    clock: Arc<ManualClock>,
    outbound: Arc<Outbound>,
    url: String,
    key: Zeroizing<String>,
    child: Child,
    directory: TempDir,
}

/// What the stand-in has seen since its state or its faults were last set.
pub(super) struct Seen(Value);

impl Seen {
    /// Requests whose path ends so.
    pub(super) fn paths(&self, end: &str) -> Vec<Value> {
        let all = self.0["requests"].as_array().unwrap().iter();
        all.filter(|one| one["path"].as_str().unwrap().ends_with(end)).cloned().collect()
    }

    pub(super) fn count(&self) -> usize {
        self.0["requests"].as_array().unwrap().len()
    }

    pub(super) fn at_once(&self) -> u64 {
        self.0["at_once"].as_u64().unwrap()
    }
}

/// A key as GitHub gives it out, made by OpenSSL.
pub(super) fn new_key() -> Zeroizing<String> {
    let made = Command::new("openssl").args(["genrsa", "-traditional", "2048"]).output().unwrap();
    assert!(made.status.success());
    Zeroizing::new(String::from_utf8(made.stdout).unwrap())
}

impl StandIn {
    /// `None`, and a message, where Python has no `jsonschema`; a Python that PALISADE_TEST_PYTHON names must have it.
    pub(super) async fn start() -> Option<Self> {
        static KEY: OnceLock<Zeroizing<String>> = OnceLock::new();
        let named = std::env::var_os("PALISADE_TEST_PYTHON");
        let python = named.clone().unwrap_or_else(|| "python3".into());
        let has_packages = Command::new(&python).args(["-c", "import jsonschema"]).output();
        if !has_packages.is_ok_and(|output| output.status.success()) {
            let is_required = std::env::var("PALISADE_REQUIRE_DAEMONS").is_ok_and(|value| value == "1");
            assert!(named.is_none() && !is_required, "{} lacks the package jsonschema", python.display());
            eprintln!(
                "SKIPPED: {} lacks the package jsonschema (server/tests/requirements.txt)",
                python.display()
            );
            return None;
        }
        let directory = TempDir::new().unwrap();
        let key = KEY.get_or_init(new_key).clone();
        let mut state = conformance::state(directory.path());
        state["app"]["public_key"] = json!(write_public_key(directory.path(), &key));
        state["now"] = json!(START);
        let file = directory.path().join("state.json");
        std::fs::write(&file, state.to_string()).unwrap();
        let mut child = Command::new(&python)
            .arg("-B")
            .arg(PROGRAM)
            .arg(&file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let clock = Arc::new(ManualClock::new(Timestamp(START * 1_000_000_000)));
        let config = outbound::Config {
            allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
            ..outbound::Config::default()
        };
        let resolver = SystemResolver::new(&config, clock.clone()).unwrap();
        let outbound = Arc::new(Outbound::new(&config, Arc::new(resolver), clock.clone()).unwrap());
        let url = format!("http://127.0.0.1:{}", port.trim());
        Some(Self { state, clock, outbound, url, key, child, directory })
    }

    pub(super) fn config(&self) -> Config {
        Config {
            app_id: 99,
            client_id: "Iv1.1".to_owned(),
            private_key: self.key.clone(),
            client_secret: Zeroizing::new("the secret of the client".to_owned()),
            api_url: self.url.clone(),
            web_url: self.url.clone(),
        }
    }

    /// A client without patience: a pause is an error at once.
    pub(super) fn client(&self) -> GitHub {
        self.client_with(|_| ())
    }

    pub(super) fn client_with(&self, change: impl FnOnce(&mut Config)) -> GitHub {
        let mut config = self.config();
        change(&mut config);
        GitHub::new(&config, self.outbound(), self.clock()).unwrap().with_patience(Duration::ZERO)
    }

    pub(super) fn outbound(&self) -> Arc<Outbound> {
        Arc::clone(&self.outbound)
    }

    pub(super) fn clock(&self) -> SharedClock {
        self.clock.clone()
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(super) async fn advance(&mut self, by: Duration) {
        self.clock.advance(by);
        self.state["now"] = json!(self.clock.now().0 / 1_000_000_000);
        self.put_state().await;
    }

    /// Sets the state; requests before it are forgotten.
    pub(super) async fn put_state(&self) {
        self.control(Method::PUT, "/_state", self.state.to_string()).await;
    }

    /// Says how the next requests fail; requests before it are forgotten.
    pub(super) async fn faults(&self, faults: Value) {
        self.control(Method::PUT, "/_faults", faults.to_string()).await;
    }

    pub(super) async fn seen(&self) -> Seen {
        let body = self.control(Method::GET, "/_seen", String::new()).await;
        Seen(serde_json::from_slice(&body).unwrap())
    }

    /// Fails when a request or a reply was not as GitHub describes it.
    pub(super) async fn check(&self) {
        let seen = self.seen().await;
        assert_eq!(seen.0["differences"], json!([]));
    }

    async fn control(&self, method: Method, path: &str, body: String) -> Bytes {
        let destination = self.outbound.destination(&format!("{}{path}", self.url)).unwrap();
        let request = Request {
            method,
            target: None,
            headers: HeaderMap::new(),
            body: body.into(),
            caps: Caps {
                body_bytes: 8 * 1024 * 1024,
                reading: Reading::Whole,
                coding: Coding::AsSent,
                header_bytes: 64 * 1024,
                deadline: None,
            },
            policy: Policy::default(),
        };
        let reply = self.outbound.send(Shared::requester(), &destination, request).await.unwrap();
        assert_eq!(reply.status, 200);
        reply.body
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        // It ends by itself when its standard input is closed; the directory goes with this value.
        let _ = self.child.kill();
        let _ = self.child.wait();
        debug_assert!(self.directory.path().is_absolute());
    }
}

fn write_public_key(directory: &Path, key: &str) -> String {
    let (private, public) = (directory.join("private.pem"), directory.join("public.pem"));
    std::fs::write(&private, key).unwrap();
    let made = Command::new("openssl")
        .args(["rsa", "-pubout", "-in"])
        .arg(&private)
        .arg("-out")
        .arg(&public)
        .output()
        .unwrap();
    assert!(made.status.success());
    public.to_str().unwrap().to_owned()
}
