//! The OpenTelemetry SDKs: each example of the page, with the variables of the page.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::installed::{self, builder};
use crate::machine::{or_skip, printed, run};
use crate::page::{adapted, block};
use crate::python::Python;
use crate::receiver::Receiver;

/// Longest run of an example, seconds: the exporters that retry continue for ten or fifteen.
const EXAMPLE_SECONDS: &str = "40";
/// An exporter that retries a refused connection waits at least this long before it gives up.
const AT_ONCE: Duration = Duration::from_secs(4);

/// Command line of an example: program and arguments.
type Program = Vec<String>;

fn python(_: &Path) -> Option<Program> {
    let python = or_skip("the Python example", Python::find())?;
    Some(vec![python.program().display().to_string(), "-c".to_owned(), block("Python", 0).to_owned()])
}

fn javascript(directory: &Path) -> Option<Program> {
    let senders = installed::find("the JavaScript example")?;
    std::os::unix::fs::symlink(senders.join("node/node_modules"), directory.join("node_modules")).unwrap();
    let file = directory.join("example.mjs");
    std::fs::write(&file, block("JavaScript", 0)).unwrap();
    Some(vec!["node".to_owned(), file.display().to_string()])
}

fn java(directory: &Path) -> Option<Program> {
    let senders = installed::find("the Java example")?;
    let file = directory.join("Example.java");
    std::fs::write(&file, block("Java", 0)).unwrap();
    let classpath = std::fs::read_to_string(senders.join("java/classpath")).unwrap();
    Some(["java", "-cp", classpath.trim(), &file.display().to_string()].map(str::to_owned).to_vec())
}

fn go(directory: &Path) -> Option<Program> {
    let senders = installed::find("the Go example")?;
    for file in ["go.mod", "go.sum"] {
        std::fs::copy(senders.join("go").join(file), directory.join(file)).unwrap();
    }
    std::fs::write(directory.join("main.go"), block("Go", 0)).unwrap();
    run(builder("go").args(["build", "-o", "example", "."]).current_dir(directory));
    Some(vec![directory.join("example").display().to_string()])
}

fn rust(directory: &Path) -> Option<Program> {
    let senders = installed::find("the Rust example")?;
    for file in ["Cargo.toml", "Cargo.lock"] {
        std::fs::copy(senders.join("rust").join(file), directory.join(file)).unwrap();
    }
    std::fs::write(directory.join("main.rs"), block("Rust", 0)).unwrap();
    let target = senders.join("rust-target");
    run(builder("cargo")
        .args(["build", "--locked", "--offline"])
        .env("CARGO_TARGET_DIR", &target)
        .current_dir(directory));
    // The next example is built in its place.
    std::fs::copy(target.join("debug/example"), directory.join("example")).unwrap();
    Some(vec![directory.join("example").display().to_string()])
}

/// The program with the variables of the page, as a shell sets them.
fn command(program: &Program, receiver: &Receiver) -> Command {
    let variables = adapted("OpenTelemetry SDKs", 0, receiver);
    let mut command = Command::new("timeout");
    command.arg(EXAMPLE_SECONDS).args(["bash", "-c"]).arg(format!("{variables}\nexec \"$@\"")).arg("bash");
    command.args(program).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn arrives(prepare: impl Fn(&Path) -> Option<Program>) {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = prepare(directory.path()) else { return };
    let receiver = Receiver::start();
    let output = command(&program, &receiver).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    let evidence = receiver.arrived();
    assert_eq!(evidence["fields"]["client.address"], "203.0.113.9", "{evidence}");
    assert_eq!(evidence["fields"]["service.name"], "shop", "{evidence}");
}

/// Sends while the server is down, which is back a moment later.
fn arrives_late(prepare: impl Fn(&Path) -> Option<Program>) {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = prepare(directory.path()) else { return };
    let mut receiver = Receiver::start();
    let mut command = command(&program, &receiver);
    receiver.server.kill();
    let mut example: Child = command.spawn().unwrap();
    receiver.server.run();
    assert!(example.wait().unwrap().success());
    receiver.arrived();
}

/// Sends while the server is down, and gives up at once.
fn is_lost(prepare: impl Fn(&Path) -> Option<Program>) {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = prepare(directory.path()) else { return };
    let mut receiver = Receiver::start();
    let mut command = command(&program, &receiver);
    receiver.server.kill();
    let begun = Instant::now();
    let _ = command.status().unwrap();
    assert!(begun.elapsed() < AT_ONCE, "it retries now: the page says that it does not");
    receiver.server.run();
    assert!(!receiver.has_received());
}

#[test]
fn the_python_example_arrives() {
    arrives(python);
}

#[test]
fn the_javascript_example_arrives() {
    arrives(javascript);
}

#[test]
fn the_java_example_arrives() {
    arrives(java);
}

#[test]
fn the_go_example_arrives() {
    arrives(go);
}

#[test]
fn the_rust_example_arrives() {
    arrives(rust);
}

#[test]
fn python_javascript_and_java_bridge_a_restart() {
    for prepare in [python, javascript, java] {
        arrives_late(prepare);
    }
}

#[test]
fn go_and_rust_lose_records_while_connections_are_refused() {
    for prepare in [go, rust] {
        is_lost(prepare);
    }
}
