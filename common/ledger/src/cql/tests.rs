//! The ledger in a cluster under the conformance suite, on the server that `PALISADE_TEST_CQL` names
//! (`host:port`), and its particular behaviour. Without a server those tests report that they are skipped,
//! or fail when `PALISADE_REQUIRE_SERVERS` is 1.

mod schema;
mod secure;

use std::io::Write;
use std::sync::Arc;

use super::*;
use crate::conformance;
use crate::cql_config::Tls;

/// The value of a variable with the address of a server; none means that the test is to be skipped.
fn server(variable: &str) -> Option<String> {
    if let Ok(value) = std::env::var(variable) {
        return Some(value);
    }
    let required = std::env::var("PALISADE_REQUIRE_SERVERS").is_ok_and(|value| value == "1");
    assert!(!required, "{variable} is not set, and PALISADE_REQUIRE_SERVERS is 1");
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    say(&format!("skipped {test}: {variable} is not set"));
    None
}

/// The output of the macros is not shown for tests that pass.
fn say(text: &str) {
    std::io::stderr().write_all(format!("{text}\n").as_bytes()).unwrap();
}

/// A keyspace of its own for each test, so that it is unused.
fn config(test: &str) -> Option<Config> {
    Some(config_at(server("PALISADE_TEST_CQL")?, test))
}

fn config_at(node: String, test: &str) -> Config {
    Config {
        nodes: vec![node],
        keyspace: format!("test_{test}_{}", Uuid::new_v4().as_u64_pair().0),
        replication_factor: 1,
        // Far above the default: the suite's contention on a busy machine is no failure of a server.
        request_timeout_ms: 30_000,
        feed_commits: conformance::FEED_COMMITS,
        ..Config::default()
    }
}

async fn created(config: &Config) -> CqlLedger {
    assert_eq!(create_schema(config).await.unwrap(), Schema::Created);
    connect(config).await.unwrap()
}

async fn drop_keyspace(ledger: &CqlLedger, config: &Config) {
    ledger.store.session.query_unpaged(format!("DROP KEYSPACE {}", config.keyspace), ()).await.unwrap();
}

fn put(key: &'static str, body: &'static str) -> Op {
    Op::Put {
        kind: Kind::Head,
        key: Bytes::from_static(key.as_bytes()),
        body: Bytes::from_static(body.as_bytes()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conforms() {
    let Some(config) = config("conforms") else { return };
    let ledger = Arc::new(created(&config).await);
    conformance::run(Arc::clone(&ledger) as Arc<dyn Ledger>).await;
    drop_keyspace(&ledger, &config).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_compare_with_each_other() {
    let Some(config) = config("two") else { return };
    let first = Arc::new(created(&config).await);
    let second = Arc::new(connect(&config).await.unwrap());
    let handles: Vec<Arc<dyn Ledger>> = vec![Arc::clone(&first) as _, second as _];
    conformance::race(handles, LedgerId::Platform).await;
    drop_keyspace(&first, &config).await;
}

/// The answer to a commit is discarded; reading back finds its outcome.
#[tokio::test]
async fn a_commit_is_recognised_by_its_token_only() {
    let Some(config) = config("token") else { return };
    let ledger = created(&config).await;
    let (mine, theirs) = (ledger.store.tokens.next(), ledger.store.tokens.next());
    let id = LedgerId::Platform;
    let read_back = async |next, token| commit::read_back(&ledger.store, id, next, token).await;
    assert_eq!(read_back(Seq(1), mine).await, Commit::Unknown, "nothing is there, and it may still come");
    commit::send(&ledger.store, id, Seq(0), &[put("a", "1")], mine).await.unwrap();
    assert_eq!(read_back(Seq(1), mine).await, Commit::Done(Seq(1)));
    commit::send(&ledger.store, id, Seq(0), &[put("a", "2")], theirs).await.unwrap();
    assert_eq!(read_back(Seq(1), theirs).await, Commit::Conflict(Seq(1)));
    assert_eq!(ledger.get(id, Kind::Head, b"a").await.unwrap().unwrap(), "1");
    drop_keyspace(&ledger, &config).await;
}

#[tokio::test]
async fn feed_rows_that_are_gone_are_a_gap() {
    let Some(config) = config("gap") else { return };
    let ledger = created(&config).await;
    let id = LedgerId::Platform;
    for seq in 0..5 {
        ledger.commit(id, Seq(seq), vec![put("a", "1")]).await.unwrap();
    }
    let expire = format!("DELETE FROM {}.ledger WHERE ledger = ? AND kind = 1 AND key = ?", config.keyspace);
    let key = crate::feed::key(Seq(3));
    ledger.store.session.query_unpaged(expire, (&crate::name::name(id)[..], &key[..])).await.unwrap();
    assert_eq!(ledger.changes(id, Seq(2)).await.unwrap(), Changes::Gap { seq: Seq(5) });
    assert!(matches!(ledger.changes(id, Seq(3)).await.unwrap(), Changes::Touched { seq: Seq(5), .. }));
    drop_keyspace(&ledger, &config).await;
}

#[tokio::test]
async fn a_scan_goes_over_its_pages() {
    let Some(config) = config("pages") else { return };
    let ledger = created(&Config { page_rows: 20, ..config.clone() }).await;
    let id = LedgerId::Platform;
    let rows = |kind| {
        (0..95).map(move |number| Op::Put { kind, key: format!("{number:03}").into(), body: Bytes::new() })
    };
    ledger.commit(id, Seq(0), rows(Kind::Head).chain(rows(Kind::Detail)).collect()).await.unwrap();
    for (kind, backwards) in [(Kind::Head, false), (Kind::Head, true), (Kind::Detail, false)] {
        let range = Range { backwards, ..Range::default() };
        assert_eq!(ledger.scan(id, kind, range, usize::MAX).await.unwrap().len(), 95);
        assert_eq!(ledger.scan(id, kind, range, 33).await.unwrap().len(), 33);
    }
    let far = vec![b'0'; 100_000];
    let range = Range { after: Some(&far), ..Range::default() };
    assert_eq!(
        ledger.scan(id, Kind::Head, range, 100).await.unwrap().len(),
        94,
        "all but 000, which is before it"
    );
    assert_eq!(ledger.get(id, Kind::Head, &far).await.unwrap(), None);
    drop_keyspace(&ledger, &config).await;
}

/// Rows of half a megabyte after small ones, more than fit into a page that was sized for those.
#[tokio::test]
async fn a_scan_goes_over_large_rows() {
    let Some(config) = config("large") else { return };
    let ledger = created(&config).await;
    let id = LedgerId::Platform;
    let row = |number: usize, bytes| Op::Put {
        kind: Kind::State,
        key: format!("{number:03}").into(),
        body: Bytes::from(vec![u8::try_from(number % 251).unwrap(); bytes]),
    };
    ledger.commit(id, Seq(0), (0..200).map(|number| row(number, 10)).collect()).await.unwrap();
    for number in 200..230 {
        ledger.commit(id, Seq(number - 199), vec![row(number as usize, 500_000)]).await.unwrap();
    }
    for backwards in [false, true] {
        let rows =
            ledger.scan(id, Kind::State, Range { backwards, ..Range::default() }, 1_000).await.unwrap();
        assert_eq!(rows.len(), 230);
        let bytes: usize = rows.iter().map(|row| row.body.len()).sum();
        assert_eq!(bytes, 200 * 10 + 30 * 500_000);
    }
    drop_keyspace(&ledger, &config).await;
}

#[tokio::test]
async fn what_is_out_of_bounds_is_refused_before_any_server_is_asked() {
    let good = Config { nodes: vec!["nowhere.invalid:1".to_owned()], ..Config::default() };
    let bad = [
        ("nodes", Config { nodes: Vec::new(), ..good.clone() }),
        ("keyspace", Config { keyspace: "a; DROP".to_owned(), ..good.clone() }),
        ("replication_factor", Config { replication_factor: 0, ..good.clone() }),
        ("feed_commits", Config { feed_commits: 255, ..good.clone() }),
        ("feed_seconds", Config { feed_seconds: 59, ..good.clone() }),
        ("page_rows", Config { page_rows: 0, ..good.clone() }),
        ("tls", Config { tls: Some(Tls { key: Some("key.pem".into()), ..Tls::default() }), ..good.clone() }),
        ("user", Config { user: Some("me".to_owned()), ..good.clone() }),
    ];
    for (expected, config) in bad {
        let refused = connect(&config).await.unwrap_err();
        assert!(matches!(&refused, ConnectError::Config(error) if error.field == expected), "{refused}");
    }
    let missing = Config { user: Some("me".to_owned()), password_file: Some("/not/there".into()), ..good };
    let refused = connect(&missing).await.unwrap_err();
    assert!(matches!(&refused, ConnectError::Password { .. }), "{refused}");
}
