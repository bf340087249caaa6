//! The log in Kafka, against the mock cluster of Kafka's client library and against a real server.

use std::sync::Arc;

use common::clock::{Clock, ManualClock, SystemClock};
use common::partition::{Offset, Partition};

use super::*;
use crate::conformance::batch;

mod mock;
mod page;
mod server;

fn log_of(config: &Config) -> Arc<KafkaLog> {
    log_with(config, None, Arc::new(SystemClock::new()))
}

fn log_with(config: &Config, kept: Option<Duration>, clock: SharedClock) -> Arc<KafkaLog> {
    config.check().unwrap();
    Arc::new(start(&client::Clients::new(config).unwrap(), config, kept, clock).unwrap())
}

/// A clock that shows the time of the servers' clocks, until it is moved.
fn manual_clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(SystemClock::new().now()))
}

/// Checks the lag of analysis now, rather than when the service does.
async fn look(log: &KafkaLog) {
    let lag = Arc::clone(&log.lag);
    tokio::task::spawn_blocking(move || lag.look()).await.unwrap();
}

/// Everything from an offset on, once it holds as many as are expected.
async fn read(log: &KafkaLog, partition: Partition, from: Offset, expected: usize) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut from = from;
    while entries.len() < expected {
        let more = log.fetch(partition, from, 100_000, Duration::from_secs(30)).await.unwrap();
        from = more.last().expect("there is more").offset.next();
        entries.extend(more);
    }
    entries
}

fn numbers(entries: &[Entry]) -> Vec<u32> {
    entries.iter().map(|entry| entry.batch.headers.record_count).collect()
}
