//! The tool of this build, and the server under test.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Its binary: Cargo provides the path to the tests of its own crate only.
pub(crate) fn tool() -> &'static Path {
    let load = option_env!("CARGO_BIN_EXE_palisade-loadtest");
    Path::new(load.or(option_env!("CARGO_BIN_EXE_palisade-faults")).unwrap())
}

/// The server of the same build: its binary lies beside the tool's.
pub(crate) fn server() -> PathBuf {
    let binary = tool().with_file_name("palisade");
    assert!(
        binary.try_exists().unwrap(),
        "{} is missing: build it first, with `cargo build -p palisade`, or run the tests of the whole workspace",
        binary.display()
    );
    binary
}

/// Runs a mode of the tool on a server's binary; returns its exit status and output.
pub(crate) fn run(mode: &str, binary: &Path, arguments: &[&str]) -> (Output, String) {
    let output = Command::new(tool()).arg(mode).arg("--binary").arg(binary).args(arguments).output().unwrap();
    let said = [output.stderr.as_slice(), b"\n", output.stdout.as_slice()].concat();
    let said = String::from_utf8(said).unwrap();
    (output, said)
}
