//! Programs of the machine that tests run.

use std::process::Command;

use crate::skip::{Lacking, skip};

/// Whether a program runs here; a test without it is skipped with the reason.
pub(crate) fn has(test: &str, program: &str) -> bool {
    // The go command has no such option.
    let version = if program == "go" { "version" } else { "--version" };
    let reason = match Command::new(program).arg(version).output() {
        Ok(output) if output.status.success() => return true,
        Ok(output) => format!("{program} {version}: {}", output.status),
        Err(error) => format!("{program}: {error}"),
    };
    skip(test, Lacking::Daemons, &reason);
    false
}
