//! The binary `palisade`: reads the command line and hands over to the command. Back ends are opened
//! in `storage`, roles are started in `serve`; everything else happens in the crates of the rooms.

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

/// What a command may fail with. Told to the person at the terminal, with its causes.
type Failure = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    let arguments = cli::Arguments::parse();
    match commands::run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            tell(failure.as_ref());
            ExitCode::FAILURE
        }
    }
}

/// An error and its causes, on one line each.
fn tell(failure: &dyn Error) {
    let mut terminal = std::io::stderr().lock();
    let mut cause: Option<&dyn Error> = Some(failure);
    let mut lead = "palisade: ";
    while let Some(error) = cause {
        // When standard error is closed there is nobody left to tell.
        let _ = writeln!(terminal, "{lead}{error}");
        cause = error.source();
        lead = "  caused by: ";
    }
}
