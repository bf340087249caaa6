//! The binary `palisade`: reads the command line and runs the command. Back ends are opened
//! in `storage`, roles are started in `serve`; everything else is in the other crates.

mod certificates;
mod cli;
mod commands;
mod first_run;
mod memory;
mod serve;
mod settings;
mod storage;

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use sandbox::SandboxTask;

/// Errors of a command, printed with their causes.
type Failure = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    // First of all: a sandboxed child does nothing else.
    sandbox::enter_if_asked(&sandbox_tasks());
    let arguments = cli::Arguments::parse();
    match commands::run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            tell(failure.as_ref());
            ExitCode::FAILURE
        }
    }
}

/// Work on hostile input, of all crates.
fn sandbox_tasks() -> Vec<SandboxTask> {
    documents::sandbox_tasks()
        .into_iter()
        .chain(web::sandbox_tasks())
        .chain(context::sandbox_tasks())
        .collect()
}

/// An error and its causes, on one line each.
fn tell(failure: &dyn Error) {
    let mut terminal = std::io::stderr().lock();
    let mut cause: Option<&dyn Error> = Some(failure);
    let mut lead = "palisade: ";
    while let Some(error) = cause {
        // When standard error is closed the message cannot be printed.
        let _ = writeln!(terminal, "{lead}{error}");
        cause = error.source();
        lead = "  caused by: ";
    }
}
