//! Against the mock cluster: no server is needed, and it can be made to fail. It cannot create or
//! describe topics, so that these logs are started on existing topics.

use rdkafka::consumer::Consumer as _;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};

use super::*;
use crate::kafka_config::Compression;

type Cluster = MockCluster<'static, DefaultProducerContext>;

fn cluster(partitions: i32) -> (Cluster, Config) {
    let cluster = MockCluster::new(3).unwrap();
    cluster.create_topic("log", partitions, 3).unwrap();
    let config = Config {
        brokers: cluster.bootstrap_servers(),
        topic: "log".to_owned(),
        partitions: u16::try_from(partitions).unwrap(),
        ..Config::default()
    };
    (cluster, config)
}

#[tokio::test]
async fn what_is_appended_is_read_from_any_place() {
    let (_cluster, config) = cluster(2);
    let log = log_of(&config);
    for number in 0..20 {
        let offset = log.append(Partition(1), batch(number, 100)).await.unwrap();
        assert_eq!(offset, Offset(u64::from(number) + 1));
    }
    assert_eq!(log.end(Partition(1)).await, Ok(Offset(20)));
    assert_eq!(log.end(Partition(0)).await, Ok(Offset(0)));
    for from in [1, 15, 3, 20] {
        let expected: Vec<u32> = (from - 1..20).collect();
        let found = read(&log, Partition(1), Offset(from.into()), expected.len()).await;
        assert_eq!(numbers(&found), expected);
    }
    assert_eq!(log.fetch(Partition(0), Offset(1), 1, Duration::ZERO).await, Ok(Vec::new()));
}

#[tokio::test]
async fn acceptance_times_are_read_beside_a_reader_and_leave_it_where_it_is() {
    let (cluster, config) = cluster(3);
    let log = log_of(&Config { request_timeout_milliseconds: 1_000, ..config });
    let ask = async |from: &[(u16, u64)]| {
        let from = from.iter().map(|(partition, offset)| (Partition(*partition), Offset(*offset))).collect();
        let accepted = log.accepted_at(&from).await?;
        Ok(accepted.into_iter().map(|(partition, at)| (partition.0, at.0)).collect::<Vec<_>>())
    };
    assert_eq!(ask(&[(0, 0), (1, 1), (2, 1)]).await, Ok(Vec::new()));
    for number in 1..=5 {
        log.append(Partition(1), batch(number, 100)).await.unwrap();
        log.append(Partition(2), batch(number + 10, 200_000)).await.unwrap();
    }
    assert_eq!(numbers(&read(&log, Partition(1), Offset(1), 2).await)[0], 1);
    assert_eq!(ask(&[(0, 1), (1, 2), (2, 5)]).await, Ok(vec![(1, 2), (2, 15)]));
    assert_eq!(ask(&[(1, 6), (2, 1)]).await, Ok(vec![(2, 11)]), "nothing waits in partition 1");
    assert_eq!(numbers(&read(&log, Partition(1), Offset(3), 3).await), [3, 4, 5]);
    for broker in 1..=3 {
        cluster.broker_down(broker).unwrap();
    }
    let unanswered: Result<Vec<(u16, i64)>, FetchError> = ask(&[(1, 1)]).await;
    assert!(matches!(unanswered, Err(FetchError::Unavailable { .. })), "{unanswered:?}");
}

#[tokio::test]
async fn requests_that_fail_are_repeated_without_doubles() {
    let (cluster, config) = cluster(1);
    let log = log_of(&config);
    log.append(Partition(0), batch(0, 100)).await.unwrap();
    let errors = [
        RDKafkaRespErr::RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
        RDKafkaRespErr::RD_KAFKA_RESP_ERR__TRANSPORT,
        RDKafkaRespErr::RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
    ];
    cluster.request_errors(RDKafkaApiKey::Produce, &errors);
    for number in 1..10 {
        assert_eq!(log.append(Partition(0), batch(number, 100)).await, Ok(Offset(u64::from(number) + 1)));
    }
    assert_eq!(numbers(&read(&log, Partition(0), Offset(1), 10).await), (0..10).collect::<Vec<_>>());
}

#[tokio::test]
async fn without_brokers_the_outcome_is_unknown_and_the_queue_is_given_back() {
    let (cluster, config) = cluster(1);
    let log = log_of(&Config { delivery_timeout_milliseconds: 1_000, queue_bytes: 20_000, ..config });
    log.append(Partition(0), batch(0, 10)).await.unwrap();
    for broker in 1..=3 {
        cluster.broker_down(broker).unwrap();
    }
    let waiting = log.append(Partition(0), batch(1, 10_000));
    let refused = async {
        tokio::task::yield_now().await;
        log.append(Partition(0), batch(2, 10_000)).await
    };
    let (waiting, refused) = tokio::join!(waiting, refused);
    assert!(matches!(waiting, Err(AppendError::Unknown { .. })), "{waiting:?}");
    assert!(matches!(refused, Err(AppendError::QueueFull { capacity: 20_000, .. })), "{refused:?}");
    assert_eq!(log.usage().queued_bytes, 0);
    for broker in 1..=3 {
        cluster.broker_up(broker).unwrap();
    }
    log.close().await;
    assert_eq!(log.append(Partition(0), batch(3, 1)).await, Err(AppendError::Closed));
}

#[tokio::test]
async fn a_producer_that_broke_is_replaced() {
    let (cluster, config) = cluster(1);
    let refusal = [RDKafkaRespErr::RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED];
    cluster.request_errors(RDKafkaApiKey::InitProducerId, &refusal);
    let log = log_of(&config);
    let first = log.append(Partition(0), batch(0, 10)).await;
    assert!(matches!(first, Err(AppendError::Unknown { .. })), "{first:?}");
    assert_eq!(log.append(Partition(0), batch(1, 10)).await, Ok(Offset(1)));
    assert_eq!(numbers(&read(&log, Partition(0), Offset(1), 1).await), [1]);
}

#[tokio::test]
async fn what_was_trimmed_is_said_and_what_never_was_too() {
    let (_cluster, config) = cluster(1);
    let log = log_of(&Config { compression: Compression::None, ..config });
    // The mock cluster keeps 5 MiB of a partition.
    for number in 0..12 {
        log.append(Partition(0), batch(number, 900_000)).await.unwrap();
    }
    let (low, _) = log.reader.extent().watermarks(Partition(0)).await.unwrap();
    let oldest = low.offset().0;
    assert!(oldest > 1, "something was trimmed");
    let found = log.fetch(Partition(0), Offset(1), 1, Duration::from_secs(30)).await;
    assert_eq!(found, Err(FetchError::Trimmed { partition: 0, from: 1, oldest }));
    let beyond = log.fetch(Partition(0), Offset(500), 1, Duration::from_secs(30)).await;
    assert!(matches!(beyond, Err(FetchError::Unavailable { .. })), "{beyond:?}");
    let kept = log.fetch(Partition(0), Offset(oldest), 1, Duration::from_secs(30)).await.unwrap();
    assert_eq!(kept[0].offset, Offset(oldest));
}

#[tokio::test]
async fn a_broker_that_is_down_takes_nothing_from_the_others_and_loses_nothing() {
    let (cluster, config) = cluster(3);
    for broker in 1..=3 {
        cluster.partition_leader("log", broker - 1, Some(broker)).unwrap();
    }
    let log = log_of(&Config { delivery_timeout_milliseconds: 2_000, ..config });
    let mut acknowledged = Vec::new();
    for number in 0..3 {
        let partition = Partition(number as u16);
        acknowledged.push((partition, number, log.append(partition, batch(number, 100)).await.unwrap()));
    }
    cluster.broker_down(2).unwrap();
    let unknown = log.append(Partition(1), batch(10, 100)).await;
    assert!(matches!(unknown, Err(AppendError::Unknown { .. })), "{unknown:?}");
    for number in [20, 21] {
        for partition in [Partition(0), Partition(2)] {
            let offset = log.append(partition, batch(number, 100)).await.unwrap();
            acknowledged.push((partition, number, offset));
        }
    }
    // Another takes over while a batch waits.
    let waiting = log.append(Partition(1), batch(30, 100));
    let taking_over = async { cluster.partition_leader("log", 1, Some(3)).unwrap() };
    let (waited, ()) = tokio::join!(waiting, taking_over);
    acknowledged.push((Partition(1), 30, waited.unwrap()));
    cluster.broker_up(2).unwrap();
    for (partition, number, offset) in acknowledged {
        let found = read(&log, partition, offset, 1).await;
        assert_eq!(found[0], Entry { offset, batch: batch(number, 100) });
    }
    let all = numbers(&read(&log, Partition(1), Offset(1), 2).await);
    assert!(
        all == [1, 30] || all == [1, 10, 30],
        "what is unknown may be there, nothing is doubled: {all:?}"
    );
}

#[tokio::test]
async fn a_partition_that_nobody_reads_is_left_and_read_again_when_it_is_wanted() {
    let (_cluster, config) = cluster(2);
    let clock = manual_clock();
    let log = log_with(&config, None, clock.clone());
    for number in 0..5 {
        log.append(Partition(1), batch(number, 100)).await.unwrap();
    }
    assert_eq!(numbers(&read(&log, Partition(1), Offset(1), 5).await), [0, 1, 2, 3, 4]);
    let read_ahead = || log.reader.consumer().assignment().unwrap().count();
    log.reader.leave_idle();
    assert_eq!(read_ahead(), 1, "it was read a moment ago");
    clock.advance(Duration::from_secs(31));
    log.reader.leave_idle();
    assert_eq!(read_ahead(), 0);
    log.append(Partition(1), batch(5, 100)).await.unwrap();
    assert_eq!(numbers(&read(&log, Partition(1), Offset(4), 3).await), [3, 4, 5]);
    assert_eq!(read_ahead(), 1);
}

#[tokio::test]
async fn where_kafka_does_not_say_how_far_analysis_is_it_stays_as_it_was_found() {
    let (cluster, config) = cluster(2);
    let config = Config { request_timeout_milliseconds: 1_000, ..config };
    let kept = Duration::from_secs(3600);
    let log = log_with(&config, Some(kept), manual_clock());
    log.append(Partition(0), batch(0, 100)).await.unwrap();
    // The mock cluster does not support times: all its batches are old.
    look(&log).await;
    for brokers_up in [true, false] {
        let refused = log.append(Partition(0), batch(1, 100)).await;
        assert_eq!(refused, Err(AppendError::Behind { partition: 0, kept }), "up: {brokers_up}");
        assert_eq!(log.usage().partitions_behind, 1);
        for broker in 1..=3 {
            cluster.broker_down(broker).unwrap();
        }
        look(&log).await;
    }
}
