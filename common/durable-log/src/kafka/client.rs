//! Settings of Kafka's client library: the connection that all clients share, and the additions of
//! producer and consumer.

use std::fs;

use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::{ClientConfig, ClientContext};

use super::error::OpenError;
use crate::kafka_config::{Compression, Config, Mechanism, Sasl, Tls};

/// Bytes that Kafka puts around a batch in a message and a request, at most.
pub(super) const ENVELOPE_BYTES: u64 = 64 * 1024;
/// Most messages that may wait for an acknowledgement: bounds the cost of empty batches.
const QUEUED_MESSAGES: u32 = 20_000;
/// Milliseconds between two reports of the producer's statistics.
const STATISTICS_INTERVAL: u32 = 5_000;
/// Milliseconds: the library's bound, its poll interval.
const MAX_SESSION: u32 = 300_000;
/// Compressed bytes of a partition that one fetch requests: they may decompress to hundreds of times as
/// much, and a response is decompressed whole.
const FETCHED_AT_ONCE: u64 = 256 * 1024;
/// Milliseconds a broker waits for something to send to a reader.
const FETCH_WAIT: u32 = 50;
/// Milliseconds until a fetch is tried again that was put off because enough was read ahead.
const FETCH_BACKOFF: u32 = 10;

/// The settings that all clients of a log share, secrets included.
pub(super) struct Clients {
    common: ClientConfig,
}

impl Clients {
    pub(super) fn new(config: &Config) -> Result<Self, OpenError> {
        let mut common = ClientConfig::new();
        common
            .set("bootstrap.servers", &config.brokers)
            .set("client.id", &config.client_id)
            // Part of a broker's response; a topic's largest message must fit.
            .set("receive.message.max.bytes", (config.max_batch_bytes * 2 + ENVELOPE_BYTES).to_string())
            .set("message.max.bytes", (config.max_batch_bytes + ENVELOPE_BYTES).to_string())
            // A recovered broker is used again at once rather than after ten seconds.
            .set("reconnect.backoff.max.ms", "1000")
            .set_log_level(RDKafkaLogLevel::Warning);
        let protocol = match (&config.tls, &config.sasl) {
            (None, None) => "plaintext",
            (Some(_), None) => "ssl",
            (None, Some(_)) => "sasl_plaintext",
            (Some(_), Some(_)) => "sasl_ssl",
        };
        common.set("security.protocol", protocol);
        if let Some(tls) = &config.tls {
            encrypt(&mut common, tls);
        }
        if let Some(sasl) = &config.sasl {
            authenticate(&mut common, sasl)?;
        }
        Ok(Self { common })
    }

    pub(super) fn common(&self) -> ClientConfig {
        self.common.clone()
    }

    /// The producer loses nothing it has acknowledged and keeps the order of its messages despite
    /// retries.
    pub(super) fn producer(&self, config: &Config) -> ClientConfig {
        let compression = match config.compression {
            Compression::None => "none",
            Compression::Lz4 => "lz4",
            Compression::Gzip => "gzip",
        };
        // Ours is the bound that is reached first: it is the one that is reported.
        let queue = (config.queue_bytes.max(config.max_batch_bytes) + ENVELOPE_BYTES) / 1024 * 2;
        let request_timeout = config.request_timeout_milliseconds.min(config.delivery_timeout_milliseconds);
        let mut producer = self.common.clone();
        producer
            .set("acks", "all")
            .set("enable.idempotence", "true")
            .set("linger.ms", "1")
            .set("batch.size", "1048576")
            .set("compression.type", compression)
            .set("queue.buffering.max.kbytes", queue.to_string())
            .set("queue.buffering.max.messages", QUEUED_MESSAGES.to_string())
            .set("message.timeout.ms", config.delivery_timeout_milliseconds.to_string())
            .set("request.timeout.ms", request_timeout.to_string())
            .set("statistics.interval.ms", STATISTICS_INTERVAL.to_string());
        producer
    }

    /// The consumer reads from the given positions, and stops where they do not exist.
    pub(super) fn consumer(&self, config: &Config) -> ClientConfig {
        let ahead = config.read_ahead_bytes;
        let mut consumer = self.common.clone();
        consumer
            .set("group.id", &config.consumer_group)
            .set("enable.auto.commit", "false")
            .set("enable.auto.offset.store", "false")
            // Time that a commit of released offsets may wait for a broker.
            .set("session.timeout.ms", config.request_timeout_milliseconds.min(MAX_SESSION).to_string())
            .set("auto.offset.reset", "error")
            .set("isolation.level", "read_committed")
            .set("check.crcs", "true")
            .set("fetch.wait.max.ms", FETCH_WAIT.to_string())
            .set("fetch.queue.backoff.ms", FETCH_BACKOFF.to_string())
            // Kafka returns one batch of messages whole, whatever this limit.
            .set("fetch.message.max.bytes", FETCHED_AT_ONCE.to_string())
            .set("fetch.max.bytes", (config.max_batch_bytes + ENVELOPE_BYTES).to_string())
            .set("queued.min.messages", "1000")
            .set("queued.max.messages.kbytes", (ahead / 1024).to_string());
        consumer
    }
}

fn encrypt(client: &mut ClientConfig, tls: &Tls) {
    client.set("ssl.endpoint.identification.algorithm", "https");
    for (name, path) in [
        ("ssl.ca.location", &tls.authorities),
        ("ssl.certificate.location", &tls.certificate),
        ("ssl.key.location", &tls.key),
    ] {
        if let Some(path) = path {
            client.set(name, path.to_string_lossy());
        }
    }
}

fn authenticate(client: &mut ClientConfig, sasl: &Sasl) -> Result<(), OpenError> {
    let path = &sasl.password_file;
    let password =
        fs::read_to_string(path).map_err(|source| OpenError::Secret { path: path.clone(), source })?;
    let mechanism = match sasl.mechanism {
        Mechanism::Plain => "PLAIN",
        Mechanism::ScramSha256 => "SCRAM-SHA-256",
        Mechanism::ScramSha512 => "SCRAM-SHA-512",
    };
    client
        .set("sasl.mechanism", mechanism)
        .set("sasl.username", &sasl.username)
        .set("sasl.password", password.trim_end_matches(['\r', '\n']));
    Ok(())
}

/// The client that reads.
pub(super) type Consumer = BaseConsumer<Reporting>;

/// Reports of the library beside the outcome of a call, as events of ours.
pub(super) struct Reporting;

impl ClientContext for Reporting {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        report(level, facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        tracing::warn!(%error, reason, "error of the connection to Kafka");
    }
}

impl ConsumerContext for Reporting {}

pub(super) fn report(level: RDKafkaLogLevel, facility: &str, message: &str) {
    match level {
        RDKafkaLogLevel::Emerg
        | RDKafkaLogLevel::Alert
        | RDKafkaLogLevel::Critical
        | RDKafkaLogLevel::Error
        | RDKafkaLogLevel::Warning => {
            tracing::warn!(facility, reason = message, "message of the Kafka client")
        }
        RDKafkaLogLevel::Notice | RDKafkaLogLevel::Info | RDKafkaLogLevel::Debug => {
            tracing::debug!(facility, reason = message, "message of the Kafka client");
        }
    }
}
