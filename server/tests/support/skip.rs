//! Skips a test that cannot run here with a message, or fails if the variable of its kind forbids skipping, as in `.ci/run`.

use std::io::Write;

/// Kinds of prerequisites that a machine may lack; the variable of each forbids to skip when it is 1.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lacking {
    /// Programs, daemons and Python packages.
    Daemons,
    /// Kafka and Cassandra.
    Servers,
    /// An OpenTelemetry Collector: one of the servers, unless `PALISADE_REQUIRE_COLLECTOR` is 0, where none can be built.
    Collector,
    /// The senders of the page on senders.
    Senders,
    /// The public rules.
    Corpus,
    /// A prerequisite that a machine for CI may lack too.
    Machine,
}

impl Lacking {
    fn is_required(self) -> bool {
        let is =
            |variable: &str, expected: &str| std::env::var(variable).is_ok_and(|value| value == expected);
        match self {
            Self::Daemons => is("PALISADE_REQUIRE_DAEMONS", "1"),
            Self::Servers => is("PALISADE_REQUIRE_SERVERS", "1"),
            Self::Collector => is("PALISADE_REQUIRE_SERVERS", "1") && !is("PALISADE_REQUIRE_COLLECTOR", "0"),
            Self::Senders => is("PALISADE_REQUIRE_SENDERS", "1"),
            Self::Corpus => is("PALISADE_REQUIRE_CORPUS", "1"),
            Self::Machine => false,
        }
    }
}

/// Prints that a test is skipped, and the reason; fails if skipping is forbidden.
pub(crate) fn skip(test: &str, lacking: Lacking, why: &str) {
    assert!(!lacking.is_required(), "{test} cannot run here, and must ({lacking:?} are required): {why}");
    say(&format!("SKIPPED {test}: {why}"));
}

/// Prints a message that is visible although the test passes.
pub(crate) fn say(text: &str) {
    // The macros print into the captured output, which is shown for tests that fail.
    let mut stream = std::io::stderr();
    writeln!(stream, "{text}").unwrap();
}
