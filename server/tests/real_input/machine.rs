//! Prerequisites of a test on its machine: programs, and processes that end with the test. If
//! one is missing the test is skipped with a message, unless PALISADE_REQUIRE_DAEMONS is set.

use std::ffi::OsStr;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crate::skip::{Lacking, skip};

/// Longest lifetime of a daemon, seconds, even if the test is killed before it can end it.
const DAEMON_SECONDS: &str = "50";
/// Longest run of any other program, seconds.
const CLIENT_SECONDS: &str = "90";

/// The prerequisite; or `None` and a reason on standard error, past the capture of test output.
pub(crate) fn or_skip<T>(test: &str, ready: Result<T, String>) -> Option<T> {
    match ready {
        Ok(ready) => Some(ready),
        Err(reason) => {
            skip(test, Lacking::Daemons, &reason);
            None
        }
    }
}

/// A program in PATH, or in Debian's directory of daemons.
pub(crate) fn program(name: &str) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin"), PathBuf::from("/sbin")])
        .map(|directory| directory.join(name))
        .find(|candidate| candidate.is_file())
        .ok_or_else(|| format!("{name} is not installed"))
}

/// Writes a program that its owner can run.
pub(crate) fn write_program(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).unwrap();
}

/// A command with a time limit.
pub(crate) fn bounded(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("timeout");
    command.arg(CLIENT_SECONDS).arg(program).stdin(Stdio::null());
    command
}

/// Output of a program, on both streams.
pub(crate) fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
        .trim()
        .to_owned()
}

/// Runs a program that must succeed; returns its output.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", printed(&output));
    printed(&output)
}

/// A port on loopback without a listener.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// A daemon in the foreground, ended by its id.
pub(crate) struct Daemon {
    process: Child,
}

impl Daemon {
    /// Starts it, with its standard error in a file.
    pub(crate) fn start(
        program: &Path,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
        log: &Path,
    ) -> Self {
        let process = Command::new("timeout")
            .arg(DAEMON_SECONDS)
            .arg(program)
            .args(arguments)
            // The time zone of its dates.
            .env("TZ", "UTC")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(log).unwrap())
            .spawn()
            .unwrap();
        Self { process }
    }
}

impl Drop for Daemon {
    /// `timeout` passes the signal on and ends when the daemon has ended.
    fn drop(&mut self) {
        let id = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let _ = self.process.wait();
    }
}
