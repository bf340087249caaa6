//! A run of the tool: its seed, its runtime, its progress on standard error and its result on standard output.

use std::error::Error;
use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

/// Reason why a run has no result.
pub type Failure = Box<dyn Error>;

/// A finished run; its text is printed.
pub trait Finished: Display {
    /// Whether nothing was violated.
    fn is_clean(&self) -> bool;
}

/// Writes a line of progress.
pub fn say(line: &str) {
    // A closed standard error does not end a run.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// The given seed, or a new one; printed, so that a run can be repeated.
#[must_use]
pub fn seed(given: Option<u64>) -> u64 {
    let seed = given.unwrap_or_else(rand::random);
    say(&format!("seed {seed}"));
    seed
}

/// Runs on a runtime of its own, prints the result and writes its files; returns whether nothing was violated.
///
/// # Errors
/// When threads cannot be started, there is no result, or a file cannot be written.
pub fn drive<R: Finished, E: Error + 'static>(
    run: impl Future<Output = Result<R, E>>,
    write: impl FnOnce(&R) -> std::io::Result<()>,
) -> Result<bool, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let finished = runtime.block_on(run)?;
    // A closed standard output still gets the exit status.
    let _ = write!(std::io::stdout().lock(), "{finished}");
    write(&finished)?;
    Ok(finished.is_clean())
}

/// The exit status of a run: 0 if nothing was violated, 1 if something was, 2 if there is no result.
#[must_use]
pub fn exit_code(tool: &str, finished: Result<bool, Failure>) -> ExitCode {
    match finished {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            say(&format!("{tool}: {failure}"));
            ExitCode::from(2)
        }
    }
}
