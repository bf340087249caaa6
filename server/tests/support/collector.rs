//! Address and output of the real OpenTelemetry Collector, if one was started for this run
//! (deploy/local/collector). Tests that need it are otherwise skipped with a message, or fail, if `PALISADE_REQUIRE_SERVERS`
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

    /// Address of its receiver of logs.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1/logs", self.address)
    }

    /// Its output for the request that contains a text.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        wait_for(&format!("the collector writes {text}"), || {
            let written = String::from_utf8_lossy(&std::fs::read(&self.log).unwrap()).into_owned();
            let mut requests = written.split("ResourceLog #0");
            requests.find(|request| request.contains(text)).map(str::to_owned)
        })
    }
}
