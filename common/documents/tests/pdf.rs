//! PDFs of our own and of other programs, read in the sandbox by real processes. This program is its own child.
#![expect(clippy::unwrap_used, reason = "tests")]

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
    let tests =
        [reading::tests(), hiding::tests(), refused::tests(), hostile::tests(), real::tests()].concat();
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

/// Reads in the sandbox.
fn read(content: &[u8]) -> Result<Document, DocumentError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let sandbox = Sandbox::new(Bounds { running: 1, waiting: 0 });
    match runtime.block_on(documents::read(&sandbox, content)) {
        Ok(document) => Ok(document),
        Err(ReadError::Document(error)) => Err(error),
        Err(ReadError::Unavailable(error)) => panic!("{error}"),
    }
}
