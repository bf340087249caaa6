//! Where the real OpenTelemetry Collector is, if one was started for this run (deploy/local/collector), and what it has
//! written. Tests that need it are skipped without, which they say, or fail, where `PALISADE_REQUIRE_SERVERS`
//! is 1 and `PALISADE_REQUIRE_COLLECTOR` is not 0.

use std::path::PathBuf;

use super::server::wait_for;
use super::skip::{Lacking, skip};

/// See the module.
pub(crate) struct Collector {
    address: String,
    log: PathBuf,
}

impl Collector {
    pub(crate) fn find(for_what: &str) -> Option<Self> {
        let given = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let (address, log) = (given("PALISADE_TEST_COLLECTOR"), given("PALISADE_TEST_COLLECTOR_LOG"));
        let (Some(address), Some(log)) = (address, log) else {
            let why = "PALISADE_TEST_COLLECTOR and PALISADE_TEST_COLLECTOR_LOG are not set: deploy/local/collector start";
            skip(for_what, Lacking::Collector, why);
            return None;
        };
        Some(Self { address, log: log.into() })
    }

    /// Where it takes logs.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1/logs", self.address)
    }

    /// What it has written of the request that holds a text.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        wait_for(&format!("the collector writes {text}"), || {
            let written = String::from_utf8_lossy(&std::fs::read(&self.log).unwrap()).into_owned();
            let mut requests = written.split("ResourceLog #0");
            requests.find(|request| request.contains(text)).map(str::to_owned)
        })
    }
}
