//! Where `senders/install` has put the senders.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Seconds that building an example may take, from nothing.
const BUILD_SECONDS: &str = "300";

/// The directory, or `None` and a word about the test that is skipped.
pub(crate) fn find(test: &str) -> Option<PathBuf> {
    let given = std::env::var_os("PALISADE_TEST_SENDERS").filter(|path| !path.is_empty());
    if given.is_none() {
        missing(test, "PALISADE_TEST_SENDERS is not set: server/tests/senders/install");
    }
    given.map(PathBuf::from)
}

/// Says that a test is skipped, or fails where none may be.
pub(crate) fn missing(test: &str, why: &str) {
    let required = std::env::var_os("PALISADE_REQUIRE_SENDERS").is_some_and(|value| value == "1");
    assert!(!required, "{test} cannot run here, and PALISADE_REQUIRE_SENDERS is set: {why}");
    println!("SKIPPED {test}: {why}");
}

/// A command that builds an example.
pub(crate) fn builder(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("timeout");
    command.arg(BUILD_SECONDS).arg(program).stdin(Stdio::null());
    command
}
