//! The sandbox with real processes. This program is its own sandboxed child.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

#[path = "sandbox/attempts.rs"]
mod attempts;
#[path = "sandbox/endings.rs"]
mod endings;
#[path = "sandbox/escapes.rs"]
mod escapes;
#[path = "sandbox/kernels.rs"]
mod kernels;
#[path = "sandbox/starts.rs"]
mod starts;

use std::future::Future;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use sandbox::{Bounds, Sandbox, SandboxTask};

/// As in the product: it reserves address space before any limit can be set.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let tasks: Vec<SandboxTask> = escapes::tasks().into_iter().chain(endings::tasks()).collect();
    sandbox::enter_if_asked(&tasks);
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some(code) = kernels::act_if_asked(&words).or_else(|| escapes::act_if_asked(&words)) {
        return code;
    }
    let tests = [escapes::tests(), endings::tests(), kernels::tests(), starts::tests()].concat();
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

/// A sandbox for one run at a time.
fn one_at_a_time() -> Sandbox {
    Sandbox::new(Bounds { running: 1, waiting: 0 })
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn run(task: &SandboxTask, assignment: &[u8]) -> Result<Vec<u8>, sandbox::SandboxError> {
    block_on(one_at_a_time().run(task, assignment))
}
