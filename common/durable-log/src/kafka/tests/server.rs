//! Against a real server: `PALISADE_TEST_KAFKA` names it; without it, these tests have no server
//! and end, unless `PALISADE_REQUIRE_SERVERS` is 1.

use std::env;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::consumer::Consumer as _;
use rdkafka::{ClientConfig, TopicPartitionList};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::*;
use crate::conformance::{self, Bounds};

/// The output of the macros is not shown for tests that pass.
fn say(text: &str) {
    writeln!(std::io::stderr(), "{text}").unwrap();
}

/// Settings of a log on a topic of its own; none where there is no server.
fn server(partitions: u16) -> Option<Config> {
    let Ok(brokers) = env::var("PALISADE_TEST_KAFKA") else {
        assert_ne!(
            env::var("PALISADE_REQUIRE_SERVERS").as_deref(),
            Ok("1"),
            "PALISADE_TEST_KAFKA is not set"
        );
        say("SKIPPED on Kafka: PALISADE_TEST_KAFKA names no server");
        return None;
    };
    let topic = format!("test-{}", Uuid::new_v4());
    Some(Config {
        brokers,
        consumer_group: topic.clone(),
        topic,
        partitions,
        replication_factor: 1,
        min_insync_replicas: 1,
        delivery_timeout_milliseconds: 60_000,
        ..Config::default()
    })
}

fn clock() -> SharedClock {
    Arc::new(SystemClock::new())
}

async fn open_with(bounds: Bounds) -> Arc<dyn DurableLog> {
    let config = Config { queue_bytes: bounds.queue_bytes, ..server(bounds.partitions).unwrap() };
    Arc::new(open(&config, clock()).await.unwrap())
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
    let missing = open(&Config { create_topic: false, ..config.clone() }, clock()).await.err().unwrap();
    assert!(missing.to_string().contains("does not exist"), "{missing}");
    drop(open(&config, clock()).await.unwrap());
    open(&Config { create_topic: false, ..config.clone() }, clock()).await.unwrap();
    for (wrong, expected) in [
        (
            Config { partitions: 3, ..config.clone() },
            "it has 2 partitions, setting kafka.partitions (PALISADE__KAFKA__PARTITIONS) is 3",
        ),
        (
            Config { replication_factor: 3, min_insync_replicas: 2, ..config.clone() },
            "a partition has 1 replica(s), expected at least the 3 of setting kafka.replication_factor \
             (PALISADE__KAFKA__REPLICATION_FACTOR); min.insync.replicas is 1, expected at least 2 by setting \
             kafka.min_insync_replicas (PALISADE__KAFKA__MIN_INSYNC_REPLICAS)",
        ),
        (Config { max_batch_bytes: 128 * 1024 * 1024, ..config }, "max.message.bytes is 67174400"),
    ] {
        let error = open(&wrong, clock()).await.err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Creates a topic with settings of its own.
async fn create_topic(config: &Config, settings: &[(&str, &str)]) {
    let admin: AdminClient<_> =
        ClientConfig::new().set("bootstrap.servers", &config.brokers).create().unwrap();
    let mut topic = NewTopic::new(&config.topic, config.partitions.into(), TopicReplication::Fixed(1));
    for (name, value) in settings {
        topic = topic.set(name, value);
    }
    let wait = AdminOptions::new().operation_timeout(Some(Duration::from_secs(30)));
    admin.create_topics([&topic], &wait).await.unwrap().remove(0).unwrap();
}

#[tokio::test]
async fn a_topic_that_forgets_otherwise_than_by_time_is_refused_in_words() {
    let Some(config) = server(1) else { return };
    let right = ("max.message.bytes", "68157440");
    let wrong = [
        right,
        ("retention.ms", "60000"),
        ("retention.bytes", "1073741824"),
        ("cleanup.policy", "compact,delete"),
    ];
    create_topic(&config, &wrong).await;
    let error = open(&config, clock()).await.err().unwrap().to_string();
    for expected in
        ["retention.ms is 60000", "retention.bytes is 1073741824", "cleanup.policy is compact,delete"]
    {
        assert!(error.contains(expected), "{error}");
    }
    let config = Config { topic: format!("{}-for-ever", config.topic), ..config };
    create_topic(&config, &[right, ("retention.ms", "-1")]).await;
    let log = open(&config, clock()).await.unwrap();
    log.append(Partition(0), batch(0, 10)).await.unwrap();
    look(&log).await;
    assert_eq!(log.usage().partitions_behind, 0, "what is kept for ever can wait");
}

/// Queries the committed offset of partition 0 until it is the expected one: the commit takes a moment.
async fn until_released(log: &KafkaLog, config: &Config, expected: i64) {
    let asking = async {
        let mut found = rdkafka::Offset::Invalid;
        while found != rdkafka::Offset::Offset(expected) {
            let (reader, config) = (Arc::clone(&log.reader), config.clone());
            let asking = tokio::task::spawn_blocking(move || released(&reader, &config));
            found = asking.await.unwrap();
        }
    };
    // Far longer than it takes: only a broken implementation reaches it.
    tokio::time::timeout(Duration::from_secs(60), asking).await.unwrap();
}

fn released(reader: &Reader, config: &Config) -> rdkafka::Offset {
    reader.tell_released();
    let mut list = TopicPartitionList::new();
    list.add_partition(&config.topic, 0);
    let told = reader.consumer().committed_offsets(list, config.request_timeout()).unwrap();
    told.find_partition(&config.topic, 0).unwrap().offset()
}

#[tokio::test]
async fn what_was_released_is_the_offset_of_the_group() {
    let Some(config) = server(2) else { return };
    let log = open(&config, clock()).await.unwrap();
    for number in 0..5 {
        log.append(Partition(0), batch(number, 10)).await.unwrap();
    }
    log.release(Partition(0), Offset(3));
    until_released(&log, &config, 3).await;
    log.release(Partition(0), Offset(4));
    drop(log);
    // A new process has seen nothing yet, and may release more than exists.
    let log = open(&config, clock()).await.unwrap();
    log.release(Partition(0), Offset(2));
    log.release(Partition(0), Offset(u64::MAX));
    until_released(&log, &config, 5).await;
    log.append(Partition(0), batch(5, 10)).await.unwrap();
    until_released(&log, &config, 5).await;
}

#[tokio::test]
async fn a_partition_takes_nothing_while_its_analysis_is_behind() {
    let Some(config) = server(3) else { return };
    let (clock, kept) = (manual_clock(), Duration::from_secs(10 * 3600));
    let config = Config { retention_hours: 10, ..config };
    let log = open(&config, clock.clone()).await.unwrap();
    for number in 0..4 {
        for partition in [Partition(0), Partition(1)] {
            log.append(partition, batch(number, 10)).await.unwrap();
        }
    }
    log.release(Partition(1), Offset(4));
    log.release(Partition(0), Offset(3));
    until_released(&log, &config, 3).await;
    look(&log).await;
    assert_eq!(log.usage().partitions_behind, 0, "all of it is fresh");

    clock.advance(kept / 2 + Duration::from_secs(60));
    look(&log).await;
    assert_eq!(log.usage().partitions_behind, 1, "one is released, one is empty");
    assert!(log.usage().writable);
    let refused = log.append(Partition(0), batch(4, 10)).await;
    assert_eq!(refused, Err(AppendError::Behind { partition: 0, kept }));
    for partition in [Partition(1), Partition(2)] {
        log.append(partition, batch(4, 10)).await.unwrap();
    }
    // Every process knows it, not only the analyzer.
    let other = open(&config, clock.clone()).await.unwrap();
    look(&other).await;
    assert_eq!(other.append(Partition(0), batch(4, 10)).await, refused);

    log.release(Partition(0), Offset(4));
    until_released(&log, &config, 4).await;
    look(&log).await;
    look(&other).await;
    for log in [&log, &other] {
        assert_eq!(log.append(Partition(0), batch(5, 10)).await.map(|_| ()), Ok(()));
    }
    assert_eq!(log.usage().partitions_behind, 2, "what the others took meanwhile is old by this clock");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_partitions_of_a_new_topic_can_be_asked_for_their_ends_at_once() {
    let Some(config) = server(64) else { return };
    let log = Arc::new(open(&config, clock()).await.unwrap());
    let mut asking = JoinSet::new();
    for partition in (0..64).map(Partition) {
        let log = Arc::clone(&log);
        asking.spawn(async move { log.end(partition).await });
    }
    for end in asking.join_all().await {
        assert_eq!(end, Ok(Offset(0)));
    }
}

/// Acknowledged batches of a writer: partition, offset, number.
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
        say("SKIPPED while the broker is killed: PALISADE_TEST_KAFKA_KILL is not 1");
        return;
    }
    let config = server(2).expect("PALISADE_TEST_KAFKA is set as well");
    let log = Arc::new(open(&config, clock()).await.unwrap());
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
    let log = open(&config, clock()).await.unwrap();
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
