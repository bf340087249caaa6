//! The settings of a log in Kafka, and the bounds they must keep: read and checked in every build, also in one that has no
//! client of Kafka.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Most partitions a log may have; incident ids hold 16 bits of it, and each costs a reader memory.
pub const MAX_PARTITIONS: u16 = 1024;
/// More than the headers of a batch take: the margin of [`Config::max_batch_bytes`] over the largest payload.
pub const HEADERS_BYTES: u64 = 64 * 1024;
/// Largest message size that may be configured: the maximum of Kafka's client.
const MAX_BATCH_BYTES: u64 = 512 * 1024 * 1024;

/// Settings of a log in Kafka.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Bootstrap brokers, `host:port`, separated by commas. Default `127.0.0.1:9092`.
    pub brokers: String,
    /// Name of the topic. Default `palisade`.
    pub topic: String,
    /// Number of partitions of the topic, 1..1024; cannot be changed later. Default 64.
    pub partitions: u16,
    /// Whether a missing topic is created, with the settings below. Default true.
    pub create_topic: bool,
    /// Replicas of each partition: a topic with fewer is rejected. Default 3.
    pub replication_factor: u16,
    /// Minimum number of in-sync replicas for an acknowledgement (`min.insync.replicas`): a topic with fewer is
    /// rejected. Default 2, so that one broker can fail without loss of a batch and without interruption.
    pub min_insync_replicas: u16,
    /// Retention of a topic created by Palisade, in hours, for analysed and other batches alike. Default 168, a week.
    /// A partition whose analysis lags by half of it rejects batches.
    pub retention_hours: u32,
    /// Maximum size of a batch with its headers in bytes; a topic with a lower limit is rejected. Default 64 MiB, as
    /// in the embedded log.
    pub max_batch_bytes: u64,
    /// Maximum number of bytes not yet acknowledged; beyond it appends are rejected. A batch is always accepted if
    /// none is waiting. Default 64 MiB.
    pub queue_bytes: u64,
    /// Bytes prefetched of each partition, decompressed. Default 4 MiB; one response of a broker may exceed it.
    pub read_ahead_bytes: u64,
    /// Milliseconds until an unacknowledged batch fails with unknown outcome, at least 1000. Default 10000.
    pub delivery_timeout_milliseconds: u32,
    /// Timeout of metadata requests to Kafka, and of fetching existing messages, in milliseconds. Default 5000.
    pub request_timeout_milliseconds: u32,
    /// Compression of batches. Default `lz4`.
    pub compression: Compression,
    /// Consumer group whose offsets state the analysed batches; the same for all processes. Default `palisade`.
    pub consumer_group: String,
    /// Client id of this process at the brokers. Default `palisade`.
    pub client_id: String,
    /// TLS to the brokers. Default none: connections are not encrypted.
    pub tls: Option<Tls>,
    /// Authentication at the brokers. Default none.
    pub sasl: Option<Sasl>,
}

/// Compression of batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Not at all.
    None,
    /// A quarter to a half of the size for little work.
    Lz4,
    /// Smaller and slower.
    Gzip,
}

/// TLS towards the brokers, whose certificates and names are always checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tls {
    /// File with the trusted certificate authorities, in PEM. Default: those of the system.
    pub authorities: Option<PathBuf>,
    /// File with the client certificate, in PEM, for brokers that require one. Default none.
    pub certificate: Option<PathBuf>,
    /// File with the key of the certificate, in PEM. Default none.
    pub key: Option<PathBuf>,
}

/// Authentication towards the brokers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Sasl {
    /// Means of authentication.
    pub mechanism: Mechanism,
    /// User name.
    pub username: String,
    /// File that holds the password; a line break at its end does not count.
    pub password_file: PathBuf,
}

/// SASL mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Mechanism {
    /// The password itself: with TLS only.
    #[serde(rename = "PLAIN")]
    Plain,
    /// RFC 5802 with SHA-256.
    #[serde(rename = "SCRAM-SHA-256")]
    ScramSha256,
    /// RFC 5802 with SHA-512.
    #[serde(rename = "SCRAM-SHA-512")]
    ScramSha512,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            brokers: "127.0.0.1:9092".to_owned(),
            topic: "palisade".to_owned(),
            partitions: 64,
            create_topic: true,
            replication_factor: 3,
            min_insync_replicas: 2,
            retention_hours: 168,
            max_batch_bytes: 64 * 1024 * 1024,
            queue_bytes: 64 * 1024 * 1024,
            read_ahead_bytes: 4 * 1024 * 1024,
            delivery_timeout_milliseconds: 10_000,
            request_timeout_milliseconds: 5_000,
            compression: Compression::Lz4,
            consumer_group: "palisade".to_owned(),
            client_id: "palisade".to_owned(),
            tls: None,
            sasl: None,
        }
    }
}

/// A setting that is out of its bounds: its name, value and expected values.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ConfigError(String);

impl Config {
    /// Checks that the settings are within their bounds, before any broker is contacted.
    ///
    /// # Errors
    /// [`ConfigError`], which names the first that is not.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_bounds().map_err(ConfigError)
    }

    /// Time limit of a request to Kafka.
    #[must_use]
    pub fn request_timeout(&self) -> Duration {
        Duration::from_millis(self.request_timeout_milliseconds.into())
    }

    fn check_bounds(&self) -> Result<(), String> {
        bound("partitions", self.partitions.into(), 1..=MAX_PARTITIONS.into())?;
        for (name, text) in [
            ("brokers", &self.brokers),
            ("topic", &self.topic),
            ("consumer_group", &self.consumer_group),
            ("client_id", &self.client_id),
        ] {
            if text.is_empty() {
                return Err(format!("{} is empty", setting(name)));
            }
        }
        if self.min_insync_replicas == 0 || self.min_insync_replicas > self.replication_factor {
            return Err(format!(
                "{} is {}, expected 1 to {}, the value of {}",
                setting("min_insync_replicas"),
                self.min_insync_replicas,
                self.replication_factor,
                setting("replication_factor")
            ));
        }
        bound("max_batch_bytes", self.max_batch_bytes, 1024..=MAX_BATCH_BYTES)?;
        bound("queue_bytes", self.queue_bytes, 1024..=1024 * 1024 * 1024)?;
        bound("read_ahead_bytes", self.read_ahead_bytes, 1024..=1024 * 1024 * 1024)?;
        bound("retention_hours", self.retention_hours.into(), 1..=u32::MAX.into())?;
        let times = 1_000..=900_000;
        bound("delivery_timeout_milliseconds", self.delivery_timeout_milliseconds.into(), times.clone())?;
        bound("request_timeout_milliseconds", self.request_timeout_milliseconds.into(), times)?;
        self.check_security()
    }

    fn check_security(&self) -> Result<(), String> {
        if let Some(Tls { certificate, key, .. }) = &self.tls
            && certificate.is_some() != key.is_some()
        {
            return Err("kafka.tls has one of certificate and key, expected both or neither".to_owned());
        }
        match &self.sasl {
            Some(Sasl { mechanism: Mechanism::Plain, .. }) if self.tls.is_none() => {
                Err("kafka.sasl with PLAIN sends the password in clear text, which requires kafka.tls"
                    .to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// A setting as it is written: the dotted key, and the variable of the environment.
pub(crate) fn setting(name: &str) -> String {
    format!("setting kafka.{name} (PALISADE__KAFKA__{})", name.to_uppercase())
}

fn bound(name: &str, found: u64, allowed: RangeInclusive<u64>) -> Result<(), String> {
    if allowed.contains(&found) {
        return Ok(());
    }
    Err(format!("{} is {found}, expected {} to {}", setting(name), allowed.start(), allowed.end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_allowed() {
        assert_eq!(Config::default().check_bounds(), Ok(()));
    }

    #[test]
    fn settings_that_do_not_exist_are_refused() {
        let text = r#"{"partitions": 3, "compression": "gzip", "tls": {}, "sasl": {"mechanism":
            "SCRAM-SHA-512", "username": "us", "password_file": "/run/secrets/kafka"}}"#;
        let config: Config = serde_json::from_str(text).unwrap();
        let sasl = Sasl {
            mechanism: Mechanism::ScramSha512,
            username: "us".to_owned(),
            password_file: PathBuf::from("/run/secrets/kafka"),
        };
        let (tls, compression) = (Some(Tls::default()), Compression::Gzip);
        let expected = Config { partitions: 3, compression, tls, sasl: Some(sasl), ..Config::default() };
        assert_eq!(config, expected);
        for text in [r#"{"partition": 3}"#, r#"{"tls": {"insecure": true}}"#] {
            let error = serde_json::from_str::<Config>(text).unwrap_err();
            assert!(error.to_string().contains("unknown field"), "{error}");
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_named() {
        let plain = Sasl {
            mechanism: Mechanism::Plain,
            username: "us".to_owned(),
            password_file: PathBuf::from("password"),
        };
        let cases = [
            (
                Config { partitions: 0, ..Config::default() },
                "kafka.partitions (PALISADE__KAFKA__PARTITIONS) is 0",
            ),
            (Config { topic: String::new(), ..Config::default() }, "PALISADE__KAFKA__TOPIC) is empty"),
            (Config { min_insync_replicas: 4, ..Config::default() }, "MIN_INSYNC_REPLICAS) is 4"),
            (Config { max_batch_bytes: 1, ..Config::default() }, "MAX_BATCH_BYTES) is 1"),
            (Config { queue_bytes: 0, ..Config::default() }, "queue_bytes"),
            (Config { delivery_timeout_milliseconds: 9, ..Config::default() }, "delivery_timeout"),
            (Config { sasl: Some(plain), ..Config::default() }, "requires kafka.tls"),
        ];
        for (config, expected) in cases {
            let found = config.check_bounds().unwrap_err();
            assert!(found.contains(expected), "{found}");
        }
    }
}
