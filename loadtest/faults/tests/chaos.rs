//! The mode `chaos` against a real server with embedded stores: it finds no violation after a few faults,
//! finds a single missing line, and loads only this machine.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "../../tests/support/tool.rs"]
mod tool;

use std::process::Output;

use tool::server;

fn chaos(arguments: &[&str]) -> (Output, String) {
    let small = ["--organizations", "2", "--sources", "1", "--phases", "2", "--rate", "60"];
    let quick = ["--seconds-between", "0.5", "--deadline-seconds", "120", "--seed", "20261101"];
    tool::run("chaos", &server(), &[small.as_slice(), &quick, arguments].concat())
}

#[test]
fn one_process_tells_the_same_after_faults_as_without() {
    let (output, said) = chaos(&["--faults", "3"]);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("violations   none"), "{said}");
    assert!(said.contains("all-1: kill 1, pause 1, restart 1"), "{said}");
    let compared = said.lines().find_map(|line| line.strip_prefix("compared     ")).unwrap();
    let incidents: u64 = compared.split(' ').next().unwrap().parse().unwrap();
    assert!(incidents > 30, "a comparison of little proves little: {said}");
}

#[test]
fn a_line_that_is_missing_is_found() {
    // Data of a failed run is kept: here, until the end of the test.
    let work = tempfile::tempdir().unwrap();
    let work_dir = work.path().to_str().unwrap();
    let (output, said) = chaos(&["--faults", "1", "--spoil-comparison", "--work-dir", work_dir]);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("DIFFERENT: o0s0") && said.contains("event_count is"), "{said}");
}

#[test]
fn no_other_machine_is_loaded() {
    let (output, said) = chaos(&["--kafka", "192.0.2.1:9092", "--cassandra", "127.0.0.1:9042"]);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("192.0.2.1 is not a loopback address"), "{said}");
}
