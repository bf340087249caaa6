//! Selection of a benchmark on its command line: one kind or all, and the number of rounds.

use std::env;

/// Benchmarks to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    kind: Option<String>,
    /// Turns of each kind.
    pub rounds: usize,
}

impl Selection {
    /// Reads the arguments: a kind's name and a number of rounds, each where it is given. `None` if `cargo test
    /// --benches` only asks whether the benchmark starts.
    #[must_use]
    pub fn of_arguments(usual_rounds: usize) -> Option<Self> {
        if env::args().any(|argument| argument == "--test") {
            return None;
        }
        let arguments: Vec<String> =
            env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
        let rounds = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(usual_rounds);
        let kind = arguments.into_iter().find(|argument| argument.parse::<usize>().is_err());
        Some(Self { kind, rounds })
    }

    /// Whether a kind is asked for.
    #[must_use]
    pub fn has(&self, kind: &str) -> bool {
        self.kind.as_ref().is_none_or(|wanted| wanted == kind)
    }
}
