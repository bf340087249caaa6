//! Documents and archives of our own and of other programs, read in the sandbox by real processes. This program is its own child.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "pdf/active.rs"]
mod active;
#[path = "pdf/formats.rs"]
mod formats;
#[path = "pdf/hiding.rs"]
mod hiding;
#[path = "pdf/hostile.rs"]
mod hostile;
#[path = "pdf/reading.rs"]
mod reading;
#[path = "pdf/real.rs"]
mod real;
#[path = "pdf/refused.rs"]
mod refused;
#[path = "pdf/written.rs"]
mod written;

use std::process::ExitCode;

use documents::{Document, DocumentError, ReadError};
use libtest_mimic::{Arguments, Trial};
use sandbox::{Bounds, Sandbox};

/// As in the product: it reserves address space before any limit can be set.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    sandbox::enter_if_asked(&documents::sandbox_tasks());
    let tests = [
        reading::tests(),
        hiding::tests(),
        refused::tests(),
        hostile::tests(),
        real::tests(),
        active::tests(),
        formats::tests(),
    ]
    .concat();
    let trials = tests.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// Name and code of a test.
type Test = (&'static str, fn());

/// Runs a call with a sandbox.
fn sandboxed<F: Future>(call: impl FnOnce(Sandbox) -> F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(call(Sandbox::new(Bounds { running: 1, waiting: 0 })))
}

/// Reads in the sandbox.
fn read(content: &[u8]) -> Result<Document, DocumentError> {
    outcome(sandboxed(|sandbox| async move { documents::read(&sandbox, content).await }))
}

/// Reads in the sandbox, and accepts a document without text.
fn inspect(content: &[u8]) -> Result<Document, DocumentError> {
    outcome(sandboxed(|sandbox| async move { documents::inspect(&sandbox, content).await }))
}

fn outcome(read: Result<Document, ReadError>) -> Result<Document, DocumentError> {
    match read {
        Ok(document) => Ok(document),
        Err(ReadError::Document(error)) => Err(error),
        Err(ReadError::Unavailable(error)) => panic!("{error}"),
    }
}
