//! Against a real server: `PALISADE_TEST_KAFKA` names it; without, these tests have nothing to ask
//! and end, unless `PALISADE_REQUIRE_SERVERS` is 1.

use std::env;
use std::path::Path;
use std::process::Command;

use tokio::task::JoinSet;
use uuid::Uuid;

use super::*;
use crate::conformance::{self, Bounds};

/// Settings of a log on a topic that nobody has; none where there is no server.
fn server(partitions: u16) -> Option<Config> {
    let Ok(brokers) = env::var("PALISADE_TEST_KAFKA") else {
        assert_ne!(
            env::var("PALISADE_REQUIRE_SERVERS").as_deref(),
            Ok("1"),
            "PALISADE_TEST_KAFKA is not set"
        );
        return None;
    };
    Some(Config {
        brokers,
        topic: format!("test-{}", Uuid::new_v4()),
        partitions,
        replication_factor: 1,
        min_insync_replicas: 1,
        delivery_timeout_milliseconds: 60_000,
        ..Config::default()
    })
}

async fn open_with(bounds: Bounds) -> Arc<dyn DurableLog> {
    let config = Config { queue_bytes: bounds.queue_bytes, ..server(bounds.partitions).unwrap() };
    Arc::new(open(&config).await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn it_keeps_the_contract() {
    if server(1).is_none() {
        return;
    }
    conformance::contract(open_with).await;
}

#[tokio::test]
async fn a_wrong_topic_is_refused_in_words() {
    let Some(config) = server(2) else { return };
    let missing = open(&Config { create_topic: false, ..config.clone() }).await.err().unwrap();
    assert!(missing.to_string().contains("does not exist"), "{missing}");
    drop(open(&config).await.unwrap());
    open(&Config { create_topic: false, ..config.clone() }).await.unwrap();
    for (wrong, expected) in [
        (Config { partitions: 3, ..config.clone() }, "it has 2 partitions, 3 are configured"),
        (
            Config { replication_factor: 3, min_insync_replicas: 2, ..config.clone() },
            "a partition has 1 replicas, expected at least 3; min.insync.replicas is 1, expected at least 2",
        ),
        (Config { max_batch_bytes: 128 * 1024 * 1024, ..config }, "max.message.bytes is 67174400"),
    ] {
        let error = open(&wrong).await.err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// What was acknowledged of a writer's batches: partition, offset, number.
async fn append_all(log: &KafkaLog, writer: u32) -> Vec<(Partition, Offset, u32)> {
    let partition = Partition((writer % 2) as u16);
    let mut acknowledged = Vec::new();
    for number in (0..150).map(|number| writer * 1000 + number) {
        if let Ok(offset) = log.append(partition, batch(number, 500)).await {
            acknowledged.push((partition, offset, number));
        }
    }
    acknowledged
}

/// Only where `PALISADE_TEST_KAFKA_KILL` is 1, since others may be using that server: kills the broker
/// of `deploy/local` while batches are appended.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_when_the_broker_is_killed() {
    if env::var("PALISADE_TEST_KAFKA_KILL").as_deref() != Ok("1") {
        return;
    }
    let config = server(2).expect("PALISADE_TEST_KAFKA is set as well");
    let log = Arc::new(open(&config).await.unwrap());
    let mut appending = JoinSet::new();
    for writer in 0..8_u32 {
        let log = Arc::clone(&log);
        appending.spawn(async move { append_all(&log, writer).await });
    }
    for command in ["kill", "start", "kill", "start"] {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/kafka");
        let status = tokio::task::spawn_blocking(move || Command::new(program).arg(command).status());
        assert!(status.await.unwrap().unwrap().success(), "{command}");
    }
    let acknowledged = appending.join_all().await.concat();
    assert!(acknowledged.len() > 1000, "{} of 1200", acknowledged.len());
    drop(log);
    let log = open(&config).await.unwrap();
    for partition in [Partition(0), Partition(1)] {
        let end = log.end(partition).await.unwrap();
        let found = read(&log, partition, Offset(1), usize::try_from(end.0).unwrap()).await;
        assert!(found.is_sorted_by(|one, other| one.offset < other.offset));
        for (_, offset, number) in acknowledged.iter().filter(|(of, _, _)| *of == partition) {
            let at = found.iter().find(|entry| entry.offset == *offset);
            assert_eq!(at.map(|entry| &entry.batch), Some(&batch(*number, 500)), "{offset:?}");
        }
        for writer in 0..8 {
            let of = |number: &u32| number / 1000 == writer;
            assert!(numbers(&found).into_iter().filter(of).is_sorted_by(|one, other| one < other));
        }
    }
}
