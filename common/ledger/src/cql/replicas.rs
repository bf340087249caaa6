//! Check that as many nodes exist as a quorum of the copies needs. A keyspace with three copies on one node takes no
//! commit, and the servers' message, that too few nodes are alive, makes people look for nodes that are down.

use scylla::client::session::Session;
use scylla::cluster::metadata::Strategy;

use super::error::ConnectError;
use crate::cql_config::Config;

/// The current keyspace; nothing to check where there is none yet.
pub(super) fn check_keyspace(session: &Session, config: &Config) -> Result<(), ConnectError> {
    let state = session.get_cluster_state();
    let Some(keyspace) = state.get_keyspace(&config.keyspace) else { return Ok(()) };
    let datacenter = datacenter(session, config);
    let replicas = match &keyspace.strategy {
        Strategy::SimpleStrategy { replication_factor } => Some(*replication_factor),
        Strategy::NetworkTopologyStrategy { datacenter_repfactors } => {
            datacenter_repfactors.get(&datacenter).copied()
        }
        _ => None,
    };
    replicas.map_or(Ok(()), |replicas| check(session, config, datacenter, replicas))
}

/// The copies of a keyspace that would be made, unless it is there.
pub(super) fn check_configured(session: &Session, config: &Config) -> Result<(), ConnectError> {
    if session.get_cluster_state().get_keyspace(&config.keyspace).is_some() {
        return Ok(());
    }
    let replicas = usize::try_from(config.replication_factor).unwrap_or(usize::MAX);
    check(session, config, datacenter(session, config), replicas)
}

fn check(
    session: &Session,
    config: &Config,
    datacenter: String,
    replicas: usize,
) -> Result<(), ConnectError> {
    let state = session.get_cluster_state();
    let here = state.get_nodes_info().iter().filter(|node| node.datacenter.as_ref() == Some(&datacenter));
    let nodes = here.count();
    // Where nodes do not report their datacenter nothing is known.
    if nodes > 0 && nodes < replicas / 2 + 1 {
        return Err(ConnectError::TooManyReplicas {
            keyspace: config.keyspace.clone(),
            datacenter,
            replicas,
            nodes,
        });
    }
    if nodes > 0 && nodes < replicas {
        tracing::warn!(
            nodes,
            replicas,
            "the replication factor exceeds the number of nodes: commits tolerate fewer node failures"
        );
    }
    Ok(())
}

/// The datacenter that is used: the configured one, or the only one.
fn datacenter(session: &Session, config: &Config) -> String {
    let state = session.get_cluster_state();
    let only = || state.get_nodes_info().iter().find_map(|node| node.datacenter.clone());
    config.datacenter.clone().or_else(only).unwrap_or_default()
}
