//! The log's metrics. Labels are a partition or the number of a broker, of which there are few.

use metrics::{Unit, counter, describe_counter, describe_gauge, gauge};
use rdkafka::Statistics;

/// Registers the description of each metric.
pub(super) fn describe() {
    describe_gauge!(
        "palisade_log_partitions_behind",
        "Partitions that reject batches because their analysis lags by half of the retention."
    );
    describe_gauge!("palisade_log_partition_lag_batches", "Batches of a partition not yet analysed.");
    describe_gauge!("palisade_log_producer_queue_batches", "Batches not yet acknowledged by Kafka.");
    describe_gauge!("palisade_log_producer_queue_bytes", Unit::Bytes, "Bytes not yet acknowledged by Kafka.");
    describe_gauge!(
        "palisade_log_broker_round_trip_seconds",
        Unit::Seconds,
        "Round-trip time of requests to a broker, 99th percentile of the last seconds."
    );
    describe_gauge!(
        "palisade_log_broker_timeouts",
        "Requests to a broker that timed out since the producer was created."
    );
    describe_counter!(
        "palisade_log_producers_replaced_total",
        "Replacements of the Kafka producer after a fatal error."
    );
    counter!("palisade_log_producers_replaced_total").increment(0);
}

pub(super) fn partitions_behind(partitions: u16) {
    gauge!("palisade_log_partitions_behind").set(f64::from(partitions));
}

pub(super) fn waiting(partition: u16, batches: u64) {
    gauge!("palisade_log_partition_lag_batches", "partition" => partition.to_string()).set(batches as f64);
}

/// Statistics that the producer reports.
pub(super) fn producer(statistics: &Statistics) {
    gauge!("palisade_log_producer_queue_batches").set(statistics.msg_cnt as f64);
    gauge!("palisade_log_producer_queue_bytes").set(statistics.msg_size as f64);
    for broker in statistics.brokers.values() {
        // The addresses one begins with are no brokers yet.
        if broker.nodeid < 0 {
            continue;
        }
        let id = broker.nodeid.to_string();
        gauge!("palisade_log_broker_timeouts", "broker" => id.clone()).set(broker.req_timeouts as f64);
        if let Some(round_trip) = broker.rtt.as_ref().filter(|round_trip| round_trip.cnt > 0) {
            let seconds = round_trip.p99 as f64 / 1e6;
            gauge!("palisade_log_broker_round_trip_seconds", "broker" => id, "percentile" => "99")
                .set(seconds);
        }
    }
}
