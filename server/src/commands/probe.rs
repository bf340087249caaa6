//! `palisade probe`: readiness of the process of this configuration as exit status: for containers that
//! have no shell.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use http::Method;
use process::admin::{self, AdminListen};
use serde_json::Value;
use thiserror::Error;

use super::client::{Client, UnexpectedStatus};
use super::runtime;
use crate::Failure;
use crate::cli::{Common, Probe, Serve};
use crate::settings::{self, Settings};

/// Longest time of an answer: orchestrators wait no longer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Reason why the process is not known to be ready.
#[derive(Debug, Error)]
enum ProbeError {
    #[error(
        "{address} did not answer within {PATIENCE:?}; expected the process of this configuration at {setting}"
    )]
    Silent { address: SocketAddr, setting: &'static str },
    #[error(
        "no response at {address}: start the process, or give the address that it uses for {setting}, for \
        example \
         palisade probe --admin-listen 127.0.0.1:9464"
    )]
    Unreachable { address: SocketAddr, setting: &'static str, source: Failure },
    #[error("the process at {address} is not ready: {failing}")]
    NotReady { address: SocketAddr, failing: String },
    #[error(
        "admin_listen is off and the listener requires TLS: set admin_listen, so that the process can be \
        probed"
    )]
    Nowhere,
}

pub(super) fn run(probe: Probe, common: &Common) -> Result<(), Failure> {
    let serve = Serve { listen: probe.listen, admin_listen: probe.admin_listen, ..Serve::default() };
    let settings = settings::load(common, &serve)?;
    let (address, setting) = address(&settings)?;
    let Some(answered) = ask(address)? else {
        return Err(ProbeError::Silent { address, setting }.into());
    };
    let Err(failure) = answered else { return Ok(()) };
    Err(match failure.downcast_ref::<UnexpectedStatus>() {
        Some(refused) => ProbeError::NotReady { address, failing: failing(refused.body()) },
        None => ProbeError::Unreachable { address, setting, source: failure },
    }
    .into())
}

/// Whether a process of Palisade answers here without TLS, ready or not.
pub(super) fn is_answered(address: SocketAddr) -> bool {
    let answer = match ask(reachable(address)) {
        Ok(Some(Ok(answer))) => answer,
        Ok(Some(Err(failure))) => match failure.downcast_ref::<UnexpectedStatus>() {
            Some(refused) => serde_json::from_str(refused.body()).unwrap_or_default(),
            None => return false,
        },
        _ => return false,
    };
    answer["failing"].is_array() && answer["degraded"].is_array()
}

/// The answer of `/readyz`; `None` without an answer in time.
fn ask(address: SocketAddr) -> Result<Option<Result<Value, Failure>>, Failure> {
    let client = Client::new(&format!("http://{address}"), "")?;
    let request = client.send(Method::GET, "/readyz", "application/json", String::new(), 200);
    Ok(runtime()?.block_on(async { tokio::time::timeout(PATIENCE, request).await }).ok())
}

/// The failing checks of an answer, or all of it if it has another form.
fn failing(body: &str) -> String {
    let answer: Value = serde_json::from_str(body).unwrap_or_default();
    let checks = answer["failing"].as_array().into_iter().flatten();
    let told: Vec<String> =
        checks.map(|check| format!("{}: {}", text(&check["check"]), text(&check["reason"]))).collect();
    if told.is_empty() { body.to_owned() } else { told.join("; ") }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Address of this process's health endpoints, and the setting that contains it.
fn address(settings: &Settings) -> Result<(SocketAddr, &'static str), ProbeError> {
    const ADMIN: &str = "admin_listen (PALISADE__ADMIN_LISTEN)";
    let (address, setting) = match settings.admin_listen {
        AdminListen::Default => (admin::DEFAULT_ADDRESS, ADMIN),
        AdminListen::At(address) => (address, ADMIN),
        AdminListen::Off if settings.listen.tls.is_some() => return Err(ProbeError::Nowhere),
        AdminListen::Off => (settings.listen.address, "listen.address (PALISADE__LISTEN__ADDRESS)"),
    };
    Ok((reachable(address), setting))
}

/// A process that listens on every address is probed on loopback.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}
