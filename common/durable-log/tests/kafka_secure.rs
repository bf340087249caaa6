//! TLS and passwords towards Kafka, on the server that `PALISADE_TEST_KAFKA_SECURE` names: its listener
//! takes SCRAM-SHA-512 over TLS from the user `palisade`. `PALISADE_TEST_KAFKA_SECURE_FILES` is a directory
//! with the user's `password`, the `authority.pem` that signed the server's certificate, and
//! `stranger.pem`, an authority that did not. Without them this has no server and ends, unless
//! `PALISADE_REQUIRE_SERVERS` is 1.
#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::clock::{SharedClock, SystemClock};
use common::partition::{Offset, Partition};
use durable_log::conformance::batch;
use durable_log::kafka::{self, OpenError};
use durable_log::kafka_config::{Config, Mechanism, Sasl, Tls};
use durable_log::{DurableLog, Entry};
use tracing_subscriber::fmt::MakeWriter;
use uuid::Uuid;

const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// All log output, of every thread.
#[derive(Clone, Default)]
struct Logged(Arc<Mutex<Vec<u8>>>);

impl Write for Logged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Logged {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

fn variable(name: &str) -> Option<String> {
    let value = std::env::var(name).ok();
    if value.is_none() {
        assert_ne!(std::env::var("PALISADE_REQUIRE_SERVERS").as_deref(), Ok("1"), "{name} is not set");
        // The macros print into the captured output, which is shown for tests that fail.
        let mut stream = io::stderr();
        writeln!(stream, "SKIPPED on a secure Kafka: {name} names no server").unwrap();
    }
    value
}

/// Settings that the server accepts.
fn config(brokers: String, files: &Path) -> Config {
    let topic = format!("test-{}", Uuid::new_v4());
    Config {
        brokers,
        consumer_group: topic.clone(),
        topic,
        partitions: 2,
        replication_factor: 1,
        min_insync_replicas: 1,
        request_timeout_milliseconds: u32::try_from(REQUEST_TIMEOUT.as_millis()).unwrap(),
        tls: Some(Tls { authorities: Some(files.join("authority.pem")), ..Tls::default() }),
        sasl: Some(Sasl {
            mechanism: Mechanism::ScramSha512,
            username: "palisade".to_owned(),
            password_file: files.join("password"),
        }),
        ..Config::default()
    }
}

/// Reason why the server rejected us, as an operator reads it.
async fn refusal(config: &Config, clock: &SharedClock) -> String {
    let begun = clock.monotonic();
    let error = kafka::open(config, Arc::clone(clock)).await.err().expect("it is refused");
    let took = clock.monotonic().saturating_sub(begun);
    assert!(took < REQUEST_TIMEOUT * 2, "{error} took {took:?}");
    assert!(matches!(error, OpenError::Unreachable { .. }), "{error:?}");
    error.to_string()
}

fn with_password(config: &Config, password_file: PathBuf) -> Config {
    let sasl = config.sasl.clone().map(|sasl| Sasl { password_file, ..sasl });
    Config { sasl, ..config.clone() }
}

#[tokio::test]
async fn only_who_knows_the_server_and_is_known_to_it_gets_in() {
    let (Some(brokers), Some(files)) =
        (variable("PALISADE_TEST_KAFKA_SECURE"), variable("PALISADE_TEST_KAFKA_SECURE_FILES"))
    else {
        return;
    };
    let logged = Logged::default();
    tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(logged.clone()).init();
    let (files, clock): (_, SharedClock) = (Path::new(&files), Arc::new(SystemClock::new()));
    let right = config(brokers, files);

    let log = kafka::open(&right, Arc::clone(&clock)).await.unwrap();
    let offset = log.append(Partition(1), batch(1, 100)).await.unwrap();
    let found = log.fetch(Partition(1), Offset(1), 1_000, Duration::from_secs(30)).await.unwrap();
    assert_eq!(found, [Entry { offset, batch: batch(1, 100) }]);

    let wrong_password = "not the password but as secret";
    let directory = tempfile::tempdir().unwrap();
    let password_file = directory.path().join("password");
    fs::write(&password_file, wrong_password).unwrap();
    let stranger = Tls { authorities: Some(files.join("stranger.pem")), ..Tls::default() };
    let cases = [
        (with_password(&right, password_file), "authentication"),
        (Config { tls: Some(stranger), ..right.clone() }, "certificate verify failed"),
        (Config { tls: None, sasl: None, ..right.clone() }, "over plaintext: "),
        (Config { tls: None, ..right.clone() }, "over sasl_plaintext: "),
        (Config { sasl: None, ..right.clone() }, "over ssl: "),
    ];
    let mut said = String::new();
    for (wrong, expected) in cases {
        let refusal = refusal(&wrong, &clock).await;
        assert!(refusal.to_lowercase().contains(expected), "expected {expected}: {refusal}");
        assert!(!refusal.contains("nobody answers"), "{refusal}");
        said.push_str(&refusal);
        said.push('\n');
    }
    said.push_str(&String::from_utf8(logged.0.lock().unwrap().clone()).unwrap());
    assert!(said.contains("log"), "something was logged");
    let password = fs::read_to_string(files.join("password")).unwrap();
    for secret in [wrong_password, password.trim()] {
        assert!(!said.contains(secret), "a password was said");
    }
}
