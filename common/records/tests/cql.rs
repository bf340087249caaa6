//! The suite over a ledger in ScyllaDB or Cassandra, on the server that `PALISADE_TEST_CQL` names (`host:port`). Without a
//! server the test says that it is skipped, or fails when `PALISADE_REQUIRE_SERVERS` is 1.

use std::io::Write;
use std::sync::Arc;

use ledger::cql::{connect, create_schema};
use ledger::cql_config::Config;

#[tokio::test(flavor = "multi_thread")]
async fn conforms() {
    let Ok(node) = std::env::var("PALISADE_TEST_CQL") else {
        let required = std::env::var("PALISADE_REQUIRE_SERVERS").is_ok_and(|value| value == "1");
        assert!(!required, "PALISADE_TEST_CQL is not set, and PALISADE_REQUIRE_SERVERS is 1");
        std::io::stderr().write_all(b"skipped conforms: PALISADE_TEST_CQL is not set\n").unwrap();
        return;
    };
    let config = Config {
        nodes: vec![node],
        // Nobody has written there.
        keyspace: format!("test_records_{}", uuid::Uuid::new_v4().as_u64_pair().0),
        replication_factor: 1,
        request_timeout_ms: 30_000,
        ..Config::default()
    };
    create_schema(&config).await.unwrap();
    records::conformance::run(Arc::new(connect(&config).await.unwrap())).await;
}
