//! The tool against a real server: it finds no violation after a few kills, and prints an error when
//! there is nothing to test.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "../../tests/support/tool.rs"]
mod tool;

use std::path::Path;
use std::process::Output;

use tool::server;

fn kill(binary: &Path, arguments: &[&str]) -> (Output, String) {
    tool::run("kill", binary, arguments)
}

#[test]
fn nothing_acknowledged_is_lost_or_doubled_by_six_kills() {
    let arguments = [
        "--kills",
        "6",
        "--seconds-between",
        "0.6",
        "--senders",
        "4",
        "--deadline-seconds",
        "120",
        "--seed",
        "20261101",
    ];
    let (output, said) = kill(&server(), &arguments);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("violations   none"), "{said}");
    let acknowledged = said.lines().find_map(|line| line.strip_prefix("acknowledged ")).unwrap();
    let batches: u64 = acknowledged.split(' ').next().unwrap().parse().unwrap();
    assert!(batches > 20, "a run without load proves nothing: {said}");
}

#[test]
fn a_server_that_does_not_stay_up_is_no_success() {
    let (output, said) = kill(Path::new("/bin/true"), &["--kills", "1"]);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("the server ended by itself"), "{said}");
    let (output, said) = kill(Path::new("/nowhere/palisade"), &["--kills", "1"]);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("/nowhere/palisade cannot be started"), "{said}");
}

#[test]
fn nothing_but_this_machine_is_loaded() {
    let (output, said) = kill(Path::new("/bin/true"), &["--listen", "192.0.2.1"]);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("192.0.2.1 is not a loopback address"), "{said}");
}
