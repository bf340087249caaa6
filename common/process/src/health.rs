//! Health: whether the process is alive, and whether it should receive work. Readiness is a list of named checks,
//! registered by their owners. A check either decides about readiness or is a detail: shown, without effect on the
//! status.

use bytes::Bytes;
use http::{Method, Response, StatusCode, header};
use http_body_util::Full;

use crate::shutdown::{Shutdown, Stage};

type Check = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// The checks of this process. Built once, then shared.
pub struct Health {
    shutdown: Shutdown,
    checks: Vec<(&'static str, Check)>,
    details: Vec<(&'static str, Check)>,
}

impl std::fmt::Debug for Health {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.checks.iter().map(|(name, _)| name)).finish()
    }
}

/// A failing check, and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// Name of the check.
    pub check: &'static str,
    /// Its text. Shown to any client: no secret, no address.
    pub reason: String,
}

impl Health {
    /// Health without checks of its own: ready until `shutdown` leaves.
    #[must_use]
    pub fn new(shutdown: Shutdown) -> Self {
        Self { shutdown, checks: Vec::new(), details: Vec::new() }
    }

    /// Adds a readiness check: called on every probe, so it uses known state and never waits.
    #[must_use]
    pub fn with_check(
        mut self,
        name: &'static str,
        check: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.checks.push((name, Box::new(check)));
        self
    }

    /// Adds a detail: a fault on which work sent here does not depend. Called like a check.
    #[must_use]
    pub fn with_detail(
        mut self,
        name: &'static str,
        check: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.details.push((name, Box::new(check)));
        self
    }

    /// The details that are wrong now.
    #[must_use]
    pub fn degraded(&self) -> Vec<Failing> {
        self.details.iter().filter_map(ask).collect()
    }

    /// The checks that fail now; empty when work may be sent here.
    #[must_use]
    pub fn failing(&self) -> Vec<Failing> {
        let leaving = match self.shutdown.stage() {
            Stage::Serving => None,
            _ => Some(Failing { check: "shutdown", reason: "the process is shutting down".to_owned() }),
        };
        leaving.into_iter().chain(self.checks.iter().filter_map(ask)).collect()
    }

    /// Answers `/healthz` and `/readyz` (and the aliases `/health/livez`, `/health/readyz`); `None`
    /// for every other path. 200 or 503, with the failing checks and the details as JSON.
    #[must_use]
    pub fn answer(&self, method: &Method, path: &str) -> Option<Response<Full<Bytes>>> {
        let (failing, degraded) = match path {
            "/healthz" | "/health/livez" => (Vec::new(), Vec::new()),
            "/readyz" | "/health/readyz" => (self.failing(), self.degraded()),
            _ => return None,
        };
        if method != Method::GET && method != Method::HEAD {
            return Some(method_not_allowed());
        }
        let status = if failing.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        let word = if failing.is_empty() { "ok" } else { "unavailable" };
        let body =
            serde_json::json!({"status": word, "failing": list(&failing), "degraded": list(&degraded)});
        Some(answer_with(status, "application/json", body.to_string()))
    }
}

fn ask((name, check): &(&'static str, Check)) -> Option<Failing> {
    check().err().map(|reason| Failing { check: name, reason })
}

fn list(failing: &[Failing]) -> Vec<serde_json::Value> {
    let entry = |failing: &Failing| serde_json::json!({"check": failing.check, "reason": failing.reason});
    failing.iter().map(entry).collect()
}

/// An answer that no cache keeps.
pub(crate) fn answer_with(
    status: StatusCode,
    content_type: &'static str,
    body: impl Into<Bytes>,
) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, http::HeaderValue::from_static(content_type));
    headers.insert(header::CACHE_CONTROL, http::HeaderValue::from_static("no-store"));
    response
}

/// 405 for read-only resources.
pub(crate) fn method_not_allowed() -> Response<Full<Bytes>> {
    // The shape of every error this process answers with.
    let body = r#"{"error":{"code":"method_not_allowed","message":"only GET and HEAD are supported here"}}"#;
    let mut response = answer_with(StatusCode::METHOD_NOT_ALLOWED, "application/json", body);
    response.headers_mut().insert(header::ALLOW, http::HeaderValue::from_static("GET, HEAD"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detail_is_shown_and_does_not_change_the_status() {
        let health =
            Health::new(Shutdown::new()).with_detail("analysis", || Err("partition 3 is stalled".to_owned()));
        assert_eq!(health.failing(), []);
        let ready = health.answer(&Method::GET, "/readyz").unwrap();
        assert_eq!(ready.status().as_u16(), 200);
        let analysis = Failing { check: "analysis", reason: "partition 3 is stalled".to_owned() };
        assert_eq!(health.degraded(), [analysis]);
    }

    #[test]
    fn readiness_names_what_fails_and_life_goes_on() {
        let shutdown = Shutdown::new();
        let health = Health::new(shutdown.clone())
            .with_check("ledger", || Ok(()))
            .with_check("log", || Err("poisoned".to_owned()));
        let log = Failing { check: "log", reason: "poisoned".to_owned() };
        assert_eq!(health.failing(), [log]);
        shutdown.advance(Stage::Leaving);
        assert_eq!(health.failing().first().map(|failing| failing.check), Some("shutdown"));
        let status = |path| health.answer(&Method::GET, path).map(|response| response.status().as_u16());
        assert_eq!(status("/healthz"), Some(200));
        assert_eq!(status("/health/readyz"), Some(503));
        assert_eq!(status("/metrics"), None);
        let posted = health.answer(&Method::POST, "/healthz").unwrap();
        assert_eq!(posted.status().as_u16(), 405);
        assert_eq!(posted.headers()[header::ALLOW], "GET, HEAD");
    }
}
