//! A server with a rule that finds the records of the page's examples, and checks of their arrival.

use serde_json::Value;

use crate::server::Server;

/// The examples say `login failed` in the name of the program or service `shop`.
const RULE: &str = "title: Failed login at the shop
id: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e77
logsource: {service: shop}
detection: {keywords: [login failed], condition: keywords}
level: high
";

/// See the module.
pub(crate) struct Receiver {
    pub(crate) server: Server,
    pub(crate) source: String,
    _rules: tempfile::TempDir,
}

impl Receiver {
    pub(crate) fn start() -> Self {
        let rules = tempfile::tempdir().unwrap();
        std::fs::write(rules.path().join("shop.yml"), RULE).unwrap();
        let mut server = Server::start();
        let source = server.source("senders");
        assert!(server.interrupt());
        server.set("PALISADE__RULES__DIRECTORIES", &format!("[{:?}]", rules.path().display().to_string()));
        server.run();
        Self { server, source, _rules: rules }
    }

    /// The incident that the records of an example become.
    pub(crate) fn incident(&self) -> Value {
        let incident = self.server.incidents(&self.source, |incidents| !incidents.is_empty())[0].clone();
        self.server.get(&format!("/incidents/{}", incident["id"].as_str().unwrap()))
    }

    /// The evidence of the incident that the record of an example becomes.
    pub(crate) fn arrived(&self) -> Value {
        let detail = self.incident();
        let evidence = detail["evidence"][0].clone();
        assert!(evidence["message"].as_str().unwrap().contains("login failed"), "{detail}");
        evidence
    }

    /// The evidence of an example that names a program and a host.
    pub(crate) fn arrived_from_the_shop(&self) -> Value {
        let evidence = self.arrived();
        assert_eq!(evidence["fields"]["process.name"], "shop", "{evidence}");
        assert_eq!(evidence["fields"]["host.name"], "web-1", "{evidence}");
        assert_eq!(evidence["time_inferred"], false, "{evidence}");
        evidence
    }

    /// Whether anything was accepted for the source.
    pub(crate) fn has_received(&self) -> bool {
        !self.server.get(&format!("/infrastructure/sources/{}", self.source))["last_received_at"].is_null()
    }
}
