//! The session with the cluster: who we are, which datacenter is ours, consistency and time limits.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::frame::Compression;
use scylla::frame::types::{Consistency, SerialConsistency};
use scylla::policies::load_balancing::DefaultPolicy;

use super::config::Config;
use super::error::ConnectError;

/// Most bytes of a password file.
const MAX_PASSWORD_BYTES: u64 = 4096;
/// How often a silent connection is asked whether it is there, and how long it may take to answer: a node
/// that froze is left after ten seconds.
const KEEPALIVE: Duration = Duration::from_secs(5);

/// Connects and authenticates.
pub(super) async fn open(config: &Config) -> Result<Session, ConnectError> {
    let mut policy = DefaultPolicy::builder().token_aware(true).permit_dc_failover(false);
    if let Some(datacenter) = &config.datacenter {
        policy = policy.prefer_datacenter(datacenter.clone());
    }
    let profile = ExecutionProfile::builder()
        .consistency(Consistency::LocalQuorum)
        .serial_consistency(Some(SerialConsistency::LocalSerial))
        .request_timeout(Some(config.request_timeout()))
        .load_balancing_policy(policy.build())
        .build();
    let mut builder = SessionBuilder::new()
        .known_nodes(&config.nodes)
        .default_execution_profile_handle(profile.into_handle())
        .connection_timeout(config.connect_timeout())
        .compression(config.compression.then_some(Compression::Lz4))
        // A delayed acknowledgement costs 40 ms a commit.
        .tcp_nodelay(true)
        .keepalive_interval(KEEPALIVE)
        .keepalive_timeout(KEEPALIVE)
        // Enough to know which node holds which ledger.
        .keyspaces_to_fetch([&config.keyspace]);
    if let (Some(user), Some(path)) = (&config.user, &config.password_file) {
        builder = builder.user(user, password(path)?);
    }
    let session = Box::pin(builder.build()).await.map_err(|error| ConnectError::Unreachable {
        nodes: config.nodes.clone(),
        cause: error.to_string(),
    })?;
    check_datacenter(&session, config)?;
    Ok(session)
}

fn password(path: &Path) -> Result<String, ConnectError> {
    let refused = |cause: String| ConnectError::Password { path: path.to_owned(), cause };
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(|error| refused(error.to_string()))?;
    file.take(MAX_PASSWORD_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|error| refused(error.to_string()))?;
    if text.len() as u64 > MAX_PASSWORD_BYTES {
        return Err(refused("it is longer".to_owned()));
    }
    let end =
        text.strip_suffix('\n').map_or(text.len(), |rest| rest.strip_suffix('\r').unwrap_or(rest).len());
    text.truncate(end);
    Ok(text)
}

/// Two processes that compare in different datacenters would both win.
fn check_datacenter(session: &Session, config: &Config) -> Result<(), ConnectError> {
    let state = session.get_cluster_state();
    let found: BTreeSet<String> =
        state.get_nodes_info().iter().filter_map(|node| node.datacenter.clone()).collect();
    let settled = match &config.datacenter {
        Some(configured) => found.contains(configured),
        None => found.len() <= 1,
    };
    if settled {
        return Ok(());
    }
    Err(ConnectError::Datacenter {
        configured: config.datacenter.clone(),
        found: found.into_iter().collect(),
    })
}
