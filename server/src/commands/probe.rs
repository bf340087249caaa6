//! `palisade probe`: whether the process of this configuration is ready, by exit status: for containers that
//! have no shell.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use process::admin::{self, AdminListen};
use thiserror::Error;

use super::client::Client;
use super::runtime;
use crate::Failure;
use crate::cli::{Common, Serve};
use crate::settings::{self, Settings};

/// How long the process may take to answer: what probes it waits no longer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why it cannot be told whether the process is ready.
#[derive(Debug, Error)]
enum ProbeError {
    #[error("{address} did not answer within {PATIENCE:?}")]
    Silent { address: SocketAddr },
    #[error("admin_listen is off and the listener wants TLS: there is nowhere to ask")]
    Nowhere,
}

pub(super) fn run(common: &Common) -> Result<(), Failure> {
    let settings = settings::load(common, &Serve::default())?;
    let address = address(&settings)?;
    let client = Client::new(&format!("http://{address}"), "")?;
    runtime()?.block_on(async {
        let asked = tokio::time::timeout(PATIENCE, client.get("/readyz")).await;
        asked.map_err(|_| ProbeError::Silent { address })?.map(|_| ())
    })
}

/// Where this process answers about itself. What listens everywhere is asked at home.
fn address(settings: &Settings) -> Result<SocketAddr, ProbeError> {
    let mut address = match settings.admin_listen {
        AdminListen::Default => admin::DEFAULT_ADDRESS,
        AdminListen::At(address) => address,
        AdminListen::Off if settings.listen.tls.is_some() => return Err(ProbeError::Nowhere),
        AdminListen::Off => settings.listen.address,
    };
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    Ok(address)
}
