//! Addresses of the real Kafka and the real Cassandra, if they were started for this run (deploy/local/up).
//! Tests that need them are otherwise skipped with a message, or fail, if `PALISADE_REQUIRE_SERVERS` is 1.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use super::skip::{Lacking, skip};

/// Names of topics and keyspaces are used once.
static NEXT: AtomicU32 = AtomicU32::new(0);
/// Partitions of a deployment: enough for three processes to share.
pub(crate) const PARTITIONS: u16 = 4;

/// A topic and a keyspace of their own.
#[derive(Clone, Debug)]
pub(crate) struct Servers {
    kafka: String,
    cql: String,
    name: String,
}

impl Servers {
    /// The servers, with an unused name in them.
    pub(crate) fn find(for_what: &str) -> Option<Self> {
        if !cfg!(feature = "cluster") {
            skip(
                for_what,
                Lacking::Machine,
                "this build has no back ends of a cluster: --features palisade/cluster",
            );
            return None;
        }
        let given = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let (Some(kafka), Some(cql)) = (given("PALISADE_TEST_KAFKA"), given("PALISADE_TEST_CQL")) else {
            let why = "PALISADE_TEST_KAFKA and PALISADE_TEST_CQL are not set: deploy/local/up";
            skip(for_what, Lacking::Servers, why);
            return None;
        };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let since = std::time::UNIX_EPOCH.elapsed().unwrap().as_millis();
        Some(Self { kafka, cql, name: format!("whole_{}_{number}_{since}", std::process::id()) })
    }

    /// Passes their addresses to a command.
    pub(crate) fn configure(&self, command: &mut Command) {
        command.envs(self.variables());
    }

    /// The same as variables of the environment.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let variables = [
            ("PALISADE__KAFKA__BROKERS", self.kafka.clone()),
            ("PALISADE__KAFKA__TOPIC", self.name.clone()),
            ("PALISADE__KAFKA__CONSUMER_GROUP", self.name.clone()),
            ("PALISADE__KAFKA__PARTITIONS", PARTITIONS.to_string()),
            ("PALISADE__KAFKA__REPLICATION_FACTOR", "1".to_owned()),
            ("PALISADE__KAFKA__MIN_INSYNC_REPLICAS", "1".to_owned()),
            ("PALISADE__CQL__NODES", format!("[\"{}\"]", self.cql)),
            ("PALISADE__CQL__KEYSPACE", self.name.clone()),
            ("PALISADE__CQL__REPLICATION_FACTOR", "1".to_owned()),
            ("PALISADE__SECRETS__PEPPER", "5a".repeat(32)),
            ("PALISADE__SECRETS__KEY_ENCRYPTION_KEYS", "6b".repeat(32)),
        ];
        variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}
