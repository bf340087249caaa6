//! The first start, and later ones.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::server::{Server, free_address, wait_for};

#[test]
fn writes_the_first_key_down_once_and_for_its_owner_only() {
    let mut server = Server::start();
    let file = server.data_dir().join("first-run.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(
        std::fs::metadata(server.data_dir().join("pepper")).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let first = server.first_run();
    for field in ["base_url", "app_url", "logs_url", "api_key", "organization_id", "source_id"] {
        assert!(first[field].is_string(), "{field} is missing: {first}");
    }
    assert_eq!(first["base_url"], format!("http://{}/api/v1", server.address()));
    assert_eq!(server.get("/organization")["id"], first["organization_id"]);
    assert_eq!(
        server.get(&format!("/infrastructure/sources/{}", first["source_id"].as_str().unwrap()))["logs_url"],
        first["logs_url"]
    );

    assert!(server.interrupt(), "an interrupted server ends well");
    server.run();
    assert_eq!(server.first_run(), first);
    assert_eq!(server.get("/api-keys")["pagination"]["total"], 1, "a second start makes no second key");
}

#[test]
fn a_second_server_on_the_same_data_is_refused_in_words() {
    let server = Server::start();
    let output = server
        .command(&["serve", "--listen", "127.0.0.1:0", "--admin-listen", "off"])
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert!(!output.status.success());
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(words.contains("server"), "{words}");
}

/// The line of `proc_pid_status(5)` for a process for which the kernel makes none.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_not_in_huge_pages() {
    let server = Server::start();
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    assert!(status.lines().any(|line| line == "THP_enabled:\t0"), "{status}");
}

#[test]
fn misspelt_settings_are_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("palisade.toml");
    std::fs::write(&file, "[ingest.limits]\nrecrods = 5\n").unwrap();
    let server_free = Command::new(env!("CARGO_BIN_EXE_palisade"))
        .args(["config", "check", "--config"])
        .arg(&file)
        .output()
        .unwrap();
    assert!(!server_free.status.success());
    let words = String::from_utf8(server_free.stderr).unwrap();
    assert!(words.contains("recrods"), "{words}");
}

/// Starts a server by a command that runs a shell's line, and reads its output until it serves.
fn output_of_first_start(command: &[&str]) -> (String, serde_json::Value) {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let line = format!(
        "echo $$; exec {} serve --listen 127.0.0.1:0 --admin-listen off --data-dir {}",
        env!("CARGO_BIN_EXE_palisade"),
        data.display()
    );
    let line = |argument: &&str| argument.replace("LINE", &line);
    let mut process = Command::new(command[0])
        .args(command[1..].iter().map(line))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let server = lines.next().unwrap().unwrap().trim().to_owned();
    let mut said = String::new();
    while !said.contains("/incidents") {
        said.push_str(&lines.next().expect("it ended early").unwrap());
        said.push('\n');
    }
    let first_run = serde_json::from_slice(&std::fs::read(data.join("first-run.json")).unwrap()).unwrap();
    // The server itself: it outlives a closed terminal.
    assert!(Command::new("kill").args(["-KILL", &server]).status().unwrap().success());
    process.wait().unwrap();
    (said, first_run)
}

#[test]
fn the_first_key_is_shown_on_a_terminal_only() {
    let (said, first_run) = output_of_first_start(&["sh", "-c", "LINE"]);
    assert!(!said.contains(first_run["api_key"].as_str().unwrap()), "{said}");
    assert!(said.contains("data/first-run.json") && said.contains("not a terminal"), "{said}");

    // `script` of util-linux runs the line on a terminal of its own.
    let (said, first_run) = output_of_first_start(&["script", "-qec", "LINE", "/dev/null"]);
    assert!(said.contains(first_run["api_key"].as_str().unwrap()), "{said}");
}

#[test]
fn the_lock_file_is_its_owners() {
    let mut server = Server::start();
    let lock = server.data_dir().join("server.lock");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&lock), 0o600);
    assert!(server.interrupt());
    // The file was made readable for everyone.
    std::fs::set_permissions(&lock, std::fs::Permissions::from_mode(0o644)).unwrap();
    server.run();
    assert_eq!(mode(&lock), 0o600);
}

/// The output of `init` for one machine starts the server and makes an incident, pasted unchanged.
#[test]
fn the_lines_that_init_prints_for_one_machine_work() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let address = free_address().to_string();
    let shell = |line: &str| {
        let mut command = Command::new("bash");
        let program = Path::new(env!("CARGO_BIN_EXE_palisade")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        command.args(["-c", line]).env("PATH", path).env("PALISADE__LISTEN__ADDRESS", &address);
        command.env("PALISADE__ADMIN_LISTEN", "off").stdin(Stdio::null()).stderr(Stdio::null());
        command
    };
    let prepared = shell(&format!("palisade init --data-dir '{}'", data.display())).output().unwrap();
    let said = String::from_utf8(prepared.stdout).unwrap();
    assert!(prepared.status.success() && !said.contains("--role"), "{said}");
    let line = |start: &str| {
        let line = said.lines().find(|line| line.trim_start().starts_with(start));
        line.unwrap_or_else(|| panic!("no line begins with {start}: {said}")).trim().to_owned()
    };
    let start = line("palisade serve ");
    let mut server = shell(&format!("exec {start}")).stdout(Stdio::null()).spawn().unwrap();
    let ready = wait_for("the server takes logs", || {
        let (setup, paste) = (line("key="), line("for n in "));
        let sent = shell(&format!("{setup}\n{paste}")).output().unwrap();
        sent.status.success().then_some(setup)
    });
    wait_for("the incident is shown", || {
        let shown = shell(&format!("{ready}\n{}", line("curl "))).output().unwrap();
        String::from_utf8_lossy(&shown.stdout).contains("\"object\":\"incident\"").then_some(())
    });
    server.kill().unwrap();
    server.wait().unwrap();
}
