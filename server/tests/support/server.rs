//! A real server for tests: the built binary in its own process, a temporary data directory, a
//! port on loopback. Killed by its id at the end of the test.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::http::{Request, Response};
use super::servers::Servers;

/// Longest wait for something the server does by itself: far longer than it takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server, running or not; its data outlives the process.
pub(crate) struct Server {
    directory: tempfile::TempDir,
    address: SocketAddr,
    /// Address of its metrics.
    admin: SocketAddr,
    arguments: Vec<String>,
    /// Further settings, by the names of the environment.
    settings: Vec<(String, String)>,
    /// Location of its data, unless that is its data directory.
    servers: Option<Servers>,
    /// Whether its standard output and error go to [`Self::output`].
    is_verbose: bool,
    process: Option<Child>,
}

/// Runs a scenario on a server that stores everything in its data directory, then on one that stores
/// everything in Kafka and Cassandra, if they are available.
pub(crate) fn everywhere(name: &str, scenario: impl Fn(&mut Server)) {
    scenario(&mut Server::start());
    if let Some(servers) = Servers::find(name) {
        scenario(&mut Server::start_on(servers));
    }
}

impl Server {
    /// Starts a server with an empty data directory.
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// The same, with logs of every level in [`Self::output`].
    pub(crate) fn start_verbose() -> Self {
        let mut server = Self::unstarted().verbose();
        server.run();
        server
    }

    /// With logs of every level in [`Self::output`].
    pub(crate) fn verbose(mut self) -> Self {
        self.is_verbose = true;
        self.set("PALISADE__TELEMETRY__LOG", "trace");
        self
    }

    /// The same with more arguments.
    pub(crate) fn start_with(arguments: &[&str]) -> Self {
        let mut server = Self::prepare(arguments, None);
        server.run();
        server
    }

    /// The same at a given address.
    pub(crate) fn start_at(address: SocketAddr) -> Self {
        let mut server = Self::prepare(&[], None);
        server.address = address;
        server.run();
        server
    }

    /// A server that was not started yet, with an empty data directory.
    pub(crate) fn unstarted() -> Self {
        Self::prepare(&[], None)
    }

    /// A server that was not started yet, on a copy of a data directory.
    pub(crate) fn on_copy_of(data: &Path) -> Self {
        let server = Self::unstarted();
        for file in files_below(data) {
            let copy = server.data_dir().join(file.strip_prefix(data).unwrap());
            std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
            std::fs::copy(&file, &copy).unwrap();
        }
        server
    }

    /// Prepares a deployment on Kafka and Cassandra and starts one server that plays every role in it.
    pub(crate) fn start_on(servers: Servers) -> Self {
        let mut server = Self::prepare(&[], Some(servers));
        let prepared = server.command(&["init"]).output().unwrap();
        assert!(prepared.status.success(), "{}", String::from_utf8_lossy(&prepared.stderr));
        server.run();
        server
    }

    fn prepare(arguments: &[&str], servers: Option<Servers>) -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            address: free_address(),
            admin: free_address(),
            arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
            settings: Vec::new(),
            servers,
            is_verbose: false,
            process: None,
        }
    }

    /// Adds a setting for it and its commands from the next start on.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.settings.push((name.to_owned(), value.to_owned()));
    }

    /// Starts the process (again) and waits until it is ready.
    pub(crate) fn run(&mut self) {
        self.begin();
        wait_for("the server answers", || {
            Request::new("GET", "/readyz").try_send(self.address).filter(|response| response.status == 200)
        });
    }

    /// Its readiness, once it satisfies `enough`: status and details.
    pub(crate) fn readiness(&self, enough: impl Fn(u16, &Value) -> bool) -> (u16, Value) {
        wait_for("the readiness", || {
            let response = Request::new("GET", "/readyz").try_send(self.address)?;
            let (status, details) = (response.status, response.json());
            enough(status, &details).then_some((status, details))
        })
    }

    /// The series of a metric, each with its labels as Prometheus writes them.
    pub(crate) fn metric(&self, name: &str) -> Vec<(String, f64)> {
        let text = Request::new("GET", "/metrics").send(self.admin).text();
        let series = text.lines().filter_map(|line| line.strip_prefix(name)?.rsplit_once(' '));
        series.map(|(labels, value)| (labels.to_owned(), value.parse().unwrap())).collect()
    }

    /// Starts the process with other arguments, from now on.
    pub(crate) fn begin_with(&mut self, arguments: &[&str]) {
        self.arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        self.begin();
    }

    /// Starts the process (again), ready or not.
    pub(crate) fn begin(&mut self) {
        let mut command = self.command(&["serve"]);
        command
            .args(["--listen", &self.address.to_string(), "--admin-listen", &self.admin.to_string()])
            .args(&self.arguments);
        if self.is_verbose {
            let output = File::options().create(true).append(true).open(self.output()).unwrap();
            command.stdout(output.try_clone().unwrap()).stderr(output);
        }
        self.process = Some(command.spawn().unwrap());
    }

    /// A command of the same binary on the same data directory.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
        command
            .args(arguments)
            .arg("--data-dir")
            .arg(self.data_dir())
            .env("PALISADE__TELEMETRY__LOG", "warn")
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command.envs(self.settings.iter().cloned());
        if let Some(servers) = &self.servers {
            servers.configure(&mut command);
        }
        command
    }

    /// Kills the process.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    /// Shuts the process down in order; returns whether it reports success.
    pub(crate) fn interrupt(&mut self) -> bool {
        let mut process = self.process.take().unwrap();
        let id = process.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        process.wait().unwrap().success()
    }

    /// Process id, while it runs.
    pub(crate) fn id(&self) -> u32 {
        self.process.as_ref().unwrap().id()
    }

    /// Address of its listener.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its data directory.
    pub(crate) fn data_dir(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    /// The file with the standard output and error of a verbose server.
    pub(crate) fn output(&self) -> PathBuf {
        self.directory.path().join("output")
    }

    /// Document of its first start.
    pub(crate) fn first_run(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.data_dir().join("first-run.json")).unwrap()).unwrap()
    }

    /// The first key.
    pub(crate) fn key(&self) -> String {
        self.first_run()["api_key"].as_str().unwrap().to_owned()
    }

    /// A request below the API's base path, with the first key.
    pub(crate) fn request(&self, method: &str, path: &str) -> Request {
        Request::new(method, &format!("/api/v1{path}"))
            .header("authorization", &format!("Bearer {}", self.key()))
    }

    /// Reads a resource that must exist.
    pub(crate) fn get(&self, path: &str) -> Value {
        let response = self.request("GET", path).send(self.address);
        assert_eq!(response.status, 200, "GET {path}: {}", response.text());
        response.json()
    }

    /// Sends a JSON body.
    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> Response {
        self.request(method, path)
            .header("content-type", "application/json")
            .body(body.to_string().into_bytes())
            .send(self.address)
    }

    /// Creates a source and returns its id.
    pub(crate) fn source(&self, name: &str) -> String {
        let response = self.send("POST", "/infrastructure/sources", &serde_json::json!({"name": name}));
        assert_eq!(response.status, 201, "{}", response.text());
        response.json()["id"].as_str().unwrap().to_owned()
    }

    /// Sends a batch to a source.
    pub(crate) fn ingest(&self, source: &str, content_type: &str, body: Vec<u8>) -> Response {
        self.request("POST", &format!("/infrastructure/sources/{source}/v1/logs"))
            .header("content-type", content_type)
            .body(body)
            .send(self.address)
    }

    /// Incidents of a source, once there are any that satisfy `enough`.
    pub(crate) fn incidents(&self, source: &str, enough: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        wait_for("the incidents appear", || {
            let list = self.get(&format!("/incidents?limit=100&source_id={source}"));
            let incidents = list["data"].as_array().unwrap().clone();
            enough(&incidents).then_some(incidents)
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Polls until there is an answer.
pub(crate) fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begun.elapsed() < PATIENCE, "waited {PATIENCE:?} in vain: {what}");
        // Polls another process, whose clock the test cannot control. Slower than the ten
        // requests a second that one key may make.
        std::thread::sleep(Duration::from_millis(120));
    }
}

/// A free address that no other test of this process is given. Its port is below those that the system gives to clients
/// (`ip_local_port_range`, from 32768 on), which could take it before the server binds it.
pub(crate) fn free_address() -> SocketAddr {
    const PORTS: std::ops::Range<u16> = 16_384..32_768;
    static NEXT: AtomicU16 = AtomicU16::new(0);
    loop {
        let start = std::process::id() % u32::from(PORTS.len() as u16);
        let step = NEXT.fetch_add(1, Ordering::Relaxed);
        let port = PORTS.start + ((start as usize + usize::from(step)) % PORTS.len()) as u16;
        if let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            return listener.local_addr().unwrap();
        }
    }
}

/// Asserts that none of the files contains one of the texts, in letters of any case.
pub(crate) fn assert_in_no_file(files: &[PathBuf], texts: &[&str]) {
    let mut searched = 0;
    for file in files {
        let bytes = std::fs::read(file).unwrap().to_ascii_lowercase();
        searched += bytes.len();
        for text in texts {
            let found = memchr::memmem::find(&bytes, text.to_ascii_lowercase().as_bytes());
            assert_eq!(found, None, "{text} is in {}", file.display());
        }
    }
    assert!(searched > 0, "the files are empty");
}

/// Every file below a directory.
pub(crate) fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files
}
