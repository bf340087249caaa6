//! The server under test: its address, and the control command.

use std::io::Write;
use std::process::Command;
use std::time::Duration;

use ledger::cql::{self, CqlLedger};
use ledger::cql_config::Config;
use ledger::{Ledger, LedgerError, LedgerId, Seq};
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::Instant;
use uuid::Uuid;

/// Only one test at a time may disturb the server.
static TURN: Mutex<()> = Mutex::const_new(());

/// Time limit of one call in these tests.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// A call that is over by then has kept to its time limit, on a machine that is busy.
pub(crate) const PATIENCE_KEPT: Duration = Duration::from_millis(2_900);
/// The driver leaves a frozen node within ten seconds and tries to reach one that went away every ten.
const RETURN_KEPT: Duration = Duration::from_secs(25);

/// A server that may be disturbed.
pub(crate) struct Server {
    config: Config,
    control: String,
    _turn: MutexGuard<'static, ()>,
}

impl Server {
    /// None means that the test is to be skipped.
    pub(crate) async fn take(test: &str) -> Option<Self> {
        let (Ok(node), Ok(control)) =
            (std::env::var("PALISADE_TEST_CQL"), std::env::var("PALISADE_TEST_CQL_CONTROL"))
        else {
            let required = std::env::var("PALISADE_REQUIRE_SERVERS").is_ok_and(|value| value == "1");
            assert!(!required, "no server or no command to disturb it, and PALISADE_REQUIRE_SERVERS is 1");
            say(&format!("skipped {test}: PALISADE_TEST_CQL or PALISADE_TEST_CQL_CONTROL is not set"));
            return None;
        };
        let config = Config {
            nodes: vec![node],
            keyspace: format!("test_{test}_{}", Uuid::new_v4().as_u64_pair().0),
            replication_factor: 1,
            ..Config::default()
        };
        let turn = TURN.lock().await;
        cql::create_schema(&config).await.unwrap();
        Some(Self { config, control, _turn: turn })
    }

    /// Connects with [`PATIENCE`].
    pub(crate) async fn connect(&self) -> CqlLedger {
        let request_timeout_ms = u32::try_from(PATIENCE.as_millis()).unwrap();
        cql::connect(&Config { request_timeout_ms, ..self.config.clone() }).await.unwrap()
    }

    /// Runs the control command of this name, and waits until it is done.
    pub(crate) async fn run(&self, command: &'static str) {
        let control = self.control.clone();
        let ran = tokio::task::spawn_blocking(move || Command::new(control).arg(command).status());
        assert!(ran.await.unwrap().unwrap().success(), "{command} failed");
    }
}

/// Repeats the call until there is an answer, each time within the limit, and returns the time taken.
pub(crate) async fn returned(ledger: &CqlLedger, id: LedgerId) -> Seq {
    let began = Instant::now();
    loop {
        match tokio::time::timeout(PATIENCE_KEPT, ledger.seq(id)).await.expect("a call ends in time") {
            Ok(seq) => {
                say(&format!("answers {:?} after the server", began.elapsed()));
                return seq;
            }
            Err(error) => {
                assert!(matches!(&error, LedgerError::Unavailable { .. }), "{error}");
                assert!(began.elapsed() < RETURN_KEPT, "{error}");
                tokio::task::yield_now().await;
            }
        }
    }
}

/// The output of the macros is not shown for tests that pass.
pub(crate) fn say(text: &str) {
    std::io::stderr().write_all(format!("{text}\n").as_bytes()).unwrap();
}
