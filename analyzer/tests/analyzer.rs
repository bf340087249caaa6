//! The analyzer as a whole: batches in a log in memory, the workers, and the final rows of the ledger in memory. Unit tests of
//! each stage are beside it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod analyzer {
    mod harness;
    #[path = "../../sigma/tests/language/letters.rs"]
    mod letters;

    mod adoption;
    mod arrival;
    mod bounds;
    mod chains;
    mod closing;
    mod crash;
    mod decided_once;
    mod entities;
    mod escalation;
    mod formats;
    mod widespread;
    mod lab;
    mod logs;
    mod once;
    mod people;
    mod poison;
    mod positions;
    mod qualification;
    mod suppressions;
    mod shares;
    mod storms;
    mod ticks;
    mod times;
    mod turns;
    mod unloadable;
}
