//! The log in Kafka, against the mock cluster of Kafka's client library and against a real server.

use std::sync::Arc;

use common::partition::{Offset, Partition};

use super::*;
use crate::conformance::batch;

mod mock;
mod server;

fn log_of(config: &Config) -> Arc<KafkaLog> {
    config.check().unwrap();
    Arc::new(start(&client::Clients::new(config).unwrap(), config).unwrap())
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
