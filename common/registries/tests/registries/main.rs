//! Registries on loopback, in the layouts that the ordinary clients fill and read: metadata, archives and every failure.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "a skipped test is shown")]
#![expect(clippy::disallowed_methods, reason = "the servers of a test end with its runtime")]

mod crates;
mod failures;
mod golang;
mod npm;
mod pypi;
mod rubygems;
mod site;
