//! The wall clock of a run.

use std::time::Instant;

/// The wall clock, read once when the run begins.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    began_ms: u64,
    began: Instant,
}

impl WallClock {
    /// A clock that goes on from the system's.
    #[expect(
        clippy::disallowed_methods,
        reason = "no internal crate here, so no Clock; the one reading of the run"
    )]
    #[must_use]
    pub fn start() -> Self {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Self { began_ms: u64::try_from(since.as_millis()).unwrap_or(0), began: Instant::now() }
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        self.began_ms + u64::try_from(self.began.elapsed().as_millis()).unwrap_or(0)
    }
}
