//! Log to batches: an endless stream of the batches to be matched next, read ahead within a bound.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use common::partition::{Offset, Partition};
use durable_log::{DurableLog, Entry, FetchError};
use futures_util::Stream;
use futures_util::stream;

/// Time that one read waits for a new batch before it is repeated; nothing depends on it.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

struct Reading {
    log: Arc<dyn DurableLog>,
    partition: Partition,
    next: Offset,
    read_ahead: usize,
    ready: VecDeque<Entry>,
}

/// The batches of a partition from `from` on, in order. Ends after an error.
pub(crate) fn batches(
    log: Arc<dyn DurableLog>,
    partition: Partition,
    from: Offset,
    read_ahead: usize,
) -> impl Stream<Item = Result<Entry, FetchError>> {
    // Offsets start at 1. Asked for 0, an empty log would answer at once, over and over.
    let next = from.max(Offset(1));
    let reading = Reading { log, partition, next, read_ahead, ready: VecDeque::new() };
    stream::unfold(Some(reading), async |reading| {
        let mut reading = reading?;
        match reading.next_entry().await {
            Ok(entry) => Some((Ok(entry), Some(reading))),
            Err(error) => Some((Err(error), None)),
        }
    })
}

impl Reading {
    async fn next_entry(&mut self) -> Result<Entry, FetchError> {
        loop {
            if let Some(entry) = self.ready.pop_front() {
                return Ok(entry);
            }
            let entries = self.log.fetch(self.partition, self.next, self.read_ahead, LONGEST_WAIT).await?;
            if let Some(last) = entries.last() {
                self.next = last.offset.next();
            }
            self.ready.extend(entries);
        }
    }
}
