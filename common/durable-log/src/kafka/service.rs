//! The thread beside the readers: serves what Kafka's client reports, tells Kafka what was released,
//! and leaves partitions that nobody reads any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::error::OpenError;
use super::reader::Reader;

/// How long the thread waits for a report: how late it may notice that the log is gone.
const TURN: Duration = Duration::from_millis(100);
/// Turns between two looks at what was released and what is idle: about a second.
const TURNS_A_LOOK: u32 = 10;

pub(super) struct Service {
    stop: Arc<AtomicBool>,
}

impl Service {
    /// Starts the thread. It is not waited for: it ends soon after the log and takes the consumer
    /// with it, whose end asks Kafka and waits.
    pub(super) fn start(reader: Arc<Reader>) -> Result<Self, OpenError> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopping = Arc::clone(&stop);
        thread::Builder::new()
            .name("log-kafka".to_owned())
            .spawn(move || {
                let mut turn: u32 = 0;
                while !stopping.load(Ordering::Relaxed) {
                    reader.serve(TURN);
                    turn = turn.wrapping_add(1);
                    if turn.is_multiple_of(TURNS_A_LOOK) {
                        reader.commit_released();
                        reader.leave_idle();
                    }
                }
                reader.commit_released();
            })
            .map_err(|source| OpenError::Thread { source })?;
        Ok(Self { stop })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
