//! A process of the product with the environment that a deployment file gives it, on ports of its own.

use std::net::SocketAddr;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::http::Request;
use crate::machine::{free_port, printed};
use crate::product::Environment;

/// Longer than a start takes here, recovery and rules included.
const PATIENCE: Duration = Duration::from_secs(40);

/// A server, killed by its id at the end of the test.
pub(crate) struct Process {
    child: Child,
    environment: Environment,
    pub(crate) listener: SocketAddr,
    pub(crate) admin: SocketAddr,
    directory: tempfile::TempDir,
}

impl Process {
    /// Runs a command of the binary with this environment; its addresses and its data directory are replaced. Waits
    /// until it is ready.
    pub(crate) fn start(environment: &Environment, command: &[String]) -> Self {
        let mut process = Self::begin(environment, command);
        process.wait_until_ready();
        process
    }

    /// The same without waiting.
    pub(crate) fn begin(environment: &Environment, command: &[String]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let local = || SocketAddr::from(([127, 0, 0, 1], free_port()));
        let (listener, admin) = (local(), local());
        let mut environment = environment.clone();
        for (name, value) in [
            ("PALISADE__LISTEN__ADDRESS", listener.to_string()),
            ("PALISADE__ADMIN_LISTEN", admin.to_string()),
            ("PALISADE__DATA_DIR", directory.path().join("data").display().to_string()),
            ("PALISADE__TELEMETRY__LOG", "warn".to_owned()),
        ] {
            environment.insert(name.to_owned(), value);
        }
        let child = run(&environment, command).stdout(Stdio::null()).spawn().unwrap();
        Self { child, environment, listener, admin, directory }
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    fn wait_until_ready(&mut self) {
        let begun = Instant::now();
        let ready = |address| {
            Request::new("GET", "/readyz").try_send(address).is_some_and(|answer| answer.status == 200)
        };
        while !ready(self.listener) {
            assert!(self.child.try_wait().unwrap().is_none(), "the process ended");
            assert!(begun.elapsed() < PATIENCE, "the process is not ready");
            // Polls another process, whose clock the test cannot control.
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A command in the environment of the process, as `docker exec` runs it.
    pub(crate) fn exec(&self, command: &[String]) -> Output {
        run(&self.environment, command).output().unwrap()
    }

    /// The metrics it serves.
    pub(crate) fn metrics(&self) -> String {
        let answer = Request::new("GET", "/metrics").send(self.admin);
        assert_eq!(answer.status, 200);
        answer.text()
    }

    /// A member of the document of the first start.
    pub(crate) fn first_run(&self, member: &str) -> String {
        let file = std::fs::read(self.directory.path().join("data/first-run.json")).unwrap();
        let document: serde_json::Value = serde_json::from_slice(&file).unwrap();
        document[member].as_str().unwrap().to_owned()
    }

    /// Kills it.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run(environment: &Environment, arguments: &[String]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.env_clear().envs(environment).args(arguments).stdin(Stdio::null());
    command
}

/// The words of a command line.
pub(crate) fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Fails with the output of a command that did not succeed.
pub(crate) fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}", printed(output));
}
