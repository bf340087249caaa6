//! Errors of opening a log in Kafka.

use std::io;
use std::path::PathBuf;

use rdkafka::error::KafkaError;
use thiserror::Error;

use crate::kafka_config::ConfigError;

/// Reason why a log could not be opened. None of these changes any acknowledged batch.
#[derive(Debug, Error)]
pub enum OpenError {
    /// A setting is out of its bounds.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A secret could not be read.
    #[error("{} could not be read", path.display())]
    Secret {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// Kafka refused.
    #[error("could not {operation}")]
    Kafka {
        /// Operation that failed.
        operation: &'static str,
        /// Error of Kafka or its client.
        source: KafkaError,
    },
    /// The brokers do not answer, or not to us.
    #[error("could not reach Kafka {attempt}")]
    Unreachable {
        /// Protocol used, and reason why the last connection failed: a broker that expects another
        /// protocol closes it without a message.
        attempt: String,
        /// Error of Kafka's client.
        source: KafkaError,
    },
    /// The topic does not exist, and may not be created.
    #[error(
        "the topic {topic} does not exist, and may not be created: kafka.create_topic \
        (PALISADE__KAFKA__CREATE_TOPIC) is off, \
         or the deployment was prepared with a topic that no longer exists"
    )]
    NoTopic {
        /// Its name.
        topic: String,
    },
    /// The topic could not be created.
    #[error("the topic {topic} could not be created: {cause}")]
    NotCreated {
        /// Its name.
        topic: String,
        /// Error of Kafka.
        cause: String,
    },
    /// The topic is not as it must be; every fault is named.
    #[error("the topic {topic} cannot hold the log: {faults}")]
    WrongTopic {
        /// Its name.
        topic: String,
        /// Found and expected values.
        faults: String,
    },
    /// A thread could not be started.
    #[error("could not start the thread of the log")]
    Thread {
        /// Reason.
        source: io::Error,
    },
}

impl OpenError {
    pub(super) fn kafka(operation: &'static str) -> impl FnOnce(KafkaError) -> Self {
        move |source| Self::Kafka { operation, source }
    }
}
