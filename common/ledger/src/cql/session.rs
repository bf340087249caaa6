//! The session with the cluster: credentials, datacenter, consistency and time limits.
//!
//! Requests go to a replica of their ledger first: reads and conditional batches are prepared with the ledger
//! as partition key, and the driver routes a batch by its first statement. It does not see that a batch is
//! conditional, though, and uses the replicas in random order, so that two processes that write to one ledger
//! are served by different replicas, whose rounds of Paxos conflict. Conflicts stay correct and become slower:
//! one process should write most of a ledger's commits, and inside one they take turns.
//!
//! A node that failed is contacted again after 50 ms, then after twice as long each time, up to ten
//! seconds, which the driver does not let us change. Other nodes report its return earlier; where none is
//! left, the first success may come ten seconds after the servers.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::Duration;

use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::errors::{
    ConnectionError, ConnectionPoolError, ConnectionSetupRequestErrorKind, MetadataError, NewSessionError,
};
use scylla::frame::Compression;
use scylla::frame::types::{Consistency, SerialConsistency};
use scylla::policies::load_balancing::DefaultPolicy;

use super::error::ConnectError;
use super::tls;
use crate::cql_config::Config;

/// Most bytes of a password file.
const MAX_PASSWORD_BYTES: u64 = 4096;
/// Interval of keep-alives on a silent connection, and their time limit: a node that froze is left after
/// ten seconds.
const KEEPALIVE: Duration = Duration::from_secs(5);
/// Time that all nodes may take to agree on a changed schema; only then the change is complete.
const SCHEMA_AGREEMENT: Duration = Duration::from_secs(30);

/// Connects and authenticates.
pub(super) async fn open(config: &Config) -> Result<Session, ConnectError> {
    let builder = builder(config)?;
    // The driver's own limit is for the network connection alone, not for the responses of a node.
    let nodes = u32::try_from(config.nodes.len()).unwrap_or(u32::MAX);
    let patience = config.connect_timeout().saturating_mul(nodes);
    let built = tokio::time::timeout(patience, Box::pin(builder.build())).await;
    let unreachable = |cause: String| ConnectError::Unreachable { nodes: config.nodes.clone(), cause };
    let session = built
        .map_err(|_| unreachable(format!("no answer within {patience:?}{}", unlike(config))))?
        .map_err(|error| unreachable(format!("{error}{}", explanation(&error, config))))?;
    check_datacenter(&session, config)?;
    Ok(session)
}

fn builder(config: &Config) -> Result<SessionBuilder, ConnectError> {
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
        // The above begins after the TLS handshake; a machine that is lost during it is noticed by this.
        .tcp_keepalive_interval(KEEPALIVE)
        .schema_agreement_timeout(SCHEMA_AGREEMENT)
        // Enough to know the nodes of each ledger.
        .keyspaces_to_fetch([&config.keyspace]);
    if let Some(tls) = &config.tls {
        builder = builder.tls_context(Some(tls::context(tls)?));
    }
    if let (Some(user), Some(path)) = (&config.user, &config.password_file) {
        if config.tls.is_none() {
            tracing::warn!("the password for the CQL servers is sent without encryption: cql.tls is not set");
        }
        builder = builder.user(user, password(path)?);
    }
    Ok(builder)
}

/// Most frequent cause of a connection that ends without an answer: one side speaks TLS and the other does
/// not, which neither reports.
fn unlike(config: &Config) -> &'static str {
    if config.tls.is_some() {
        "; cql.tls is set: does the node speak TLS on this port?"
    } else {
        "; cql.tls is not set: does the node expect TLS on this port?"
    }
}

/// Hint for an operator, where the driver's message does not contain it.
fn explanation(error: &NewSessionError, config: &Config) -> &'static str {
    let NewSessionError::MetadataError(MetadataError::ConnectionPoolError(ConnectionPoolError::Broken {
        last_connection_error,
    })) = error
    else {
        return "";
    };
    match last_connection_error {
        // The driver returns TLS errors without a kind; those of the network have one.
        ConnectionError::IoError(error) if config.tls.is_some() && error.kind() == ErrorKind::Other => {
            "; cql.tls is set: the node must speak TLS on this port, with a certificate that comes from \
             one of the authorities, is valid today and names the address that is connected to"
        }
        ConnectionError::ConnectionSetupRequestError(error)
            if matches!(error.error, ConnectionSetupRequestErrorKind::BrokenConnection(_)) =>
        {
            if config.tls.is_some() {
                "; cql.tls: the node may ask for a certificate of ours, or not accept it"
            } else {
                unlike(config)
            }
        }
        ConnectionError::ConnectionSetupRequestError(error)
            if matches!(error.error, ConnectionSetupRequestErrorKind::MissingAuthentication) =>
        {
            "; cql.user is not set"
        }
        _ => "",
    }
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
