//! The shape of the topic, queried from the brokers: the first query to them, so that it also
//! reports why they do not answer.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rdkafka::config::{FromClientConfigAndContext, RDKafkaLogLevel};
use rdkafka::consumer::{BaseConsumer, Consumer as _, ConsumerContext};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::metadata::MetadataTopic;
use rdkafka::types::RDKafkaRespErr;
use rdkafka::{ClientConfig, ClientContext};

use super::error::OpenError;
use crate::kafka_config::{Config, setting};

/// Time to wait for one more report of a connection failure: it is queued already, among others.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// The library's name of a failed connection.
const FAILURE: &str = "FAIL";

/// The shape of a topic, as far as it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) partitions: usize,
    /// Replicas of the partition that has the fewest.
    pub(super) replicas: usize,
    /// Whether every partition has a leader.
    pub(super) led: bool,
}

impl Shape {
    /// Deviations from the required shape, as text.
    pub(super) fn faults(&self, config: &Config) -> Vec<String> {
        let mut faults = Vec::new();
        if self.partitions != usize::from(config.partitions) {
            faults.push(format!(
                "it has {} partitions, {} is {}, and the number is fixed for the life of a log",
                self.partitions,
                setting("partitions"),
                config.partitions
            ));
        }
        if self.replicas < usize::from(config.replication_factor) {
            faults.push(format!(
                "a partition has {} replica(s), expected at least the {} of {}",
                self.replicas,
                config.replication_factor,
                setting("replication_factor")
            ));
        }
        faults
    }

    fn of(topic: &MetadataTopic) -> Option<Self> {
        let unknown = RDKafkaRespErr::RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
        if topic.error() == Some(unknown) || topic.partitions().is_empty() {
            return None;
        }
        let partitions = topic.partitions();
        Some(Self {
            partitions: partitions.len(),
            replicas: partitions.iter().map(|partition| partition.replicas().len()).min().unwrap_or(0),
            led: partitions.iter().all(|partition| partition.leader() >= 0),
        })
    }
}

/// Client that queries the brokers for the shape.
#[derive(Clone)]
pub(super) struct Inquirer {
    client: Arc<BaseConsumer<Reason>>,
    protocol: String,
    topic: String,
    request_timeout: Duration,
}

impl Inquirer {
    pub(super) fn new(client: &ClientConfig, config: &Config) -> Result<Self, OpenError> {
        let mut client = client.clone();
        let protocol = client.get("security.protocol").unwrap_or_default().to_owned();
        // A broker that closes the connection, as one does that expects another protocol, is not even a
        // warning to the library.
        client.set_log_level(RDKafkaLogLevel::Info);
        let client = BaseConsumer::from_config_and_context(&client, Reason::default())
            .map_err(OpenError::kafka("start a client"))?;
        Ok(Self {
            client: Arc::new(client),
            protocol,
            topic: config.topic.clone(),
            request_timeout: config.request_timeout(),
        })
    }

    /// The shape of the topic, none where it does not exist.
    pub(super) async fn shape(&self) -> Result<Option<Shape>, OpenError> {
        let inquirer = self.clone();
        let asking = tokio::task::spawn_blocking(move || inquirer.ask());
        asking.await.map_err(|_| KafkaError::Canceled).map_err(OpenError::kafka("ask for the topic"))?
    }

    fn ask(&self) -> Result<Option<Shape>, OpenError> {
        let answer = self.client.fetch_metadata(Some(&self.topic), self.request_timeout);
        // The reason for a failed connection is an event beside the answer; there are as many as there were attempts.
        while self.client.poll(LAST_WORDS).is_some() {}
        let metadata = answer.map_err(|source| {
            let reason = self.client.context().take().unwrap_or_else(|| "nobody answers".to_owned());
            OpenError::Unreachable { attempt: format!("over {}: {reason}", self.protocol), source }
        })?;
        Ok(metadata.topics().first().and_then(Shape::of))
    }
}

/// Notes the last connection failure that Kafka's client reported. The caller of the query reports it.
#[derive(Default)]
struct Reason(Mutex<Option<String>>);

impl Reason {
    fn note(&self, reason: &str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.to_owned());
    }

    fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl ClientContext for Reason {
    fn log(&self, _level: RDKafkaLogLevel, facility: &str, message: &str) {
        tracing::debug!(facility, reason = message, "message of the Kafka client");
        if facility == FAILURE {
            self.note(message);
        }
    }

    fn error(&self, error: KafkaError, reason: &str) {
        // That all are down follows from each.
        if error.rdkafka_error_code() != Some(RDKafkaErrorCode::AllBrokersDown) {
            self.note(reason);
        }
    }
}

impl ConsumerContext for Reason {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_said_with_what_was_expected() {
        let right = Shape { partitions: 64, replicas: 3, led: true };
        assert_eq!(right.faults(&Config::default()), [""; 0]);
        let wrong = Shape { partitions: 63, replicas: 2, led: true };
        let faults = wrong.faults(&Config::default()).join("; ");
        assert!(
            faults.contains("63 partitions, setting kafka.partitions (PALISADE__KAFKA__PARTITIONS) is 64"),
            "{faults}"
        );
        assert!(
            faults.contains("2 replica(s), expected at least the 3 of setting kafka.replication_factor"),
            "{faults}"
        );
    }
}
