//! The names of ledgers.

use std::fmt;

use common::ids::OrganizationId;
use common::partition::{Partition, Shard};

/// Names a ledger: the unit of atomicity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LedgerId {
    /// Incidents and analyzer state of one partition of the log.
    Partition(Partition),
    /// Resources that belong to one organization and no partition: sources, policies, targets.
    Organization(OrganizationId),
    /// Resources of the whole deployment: organizations and API keys.
    Platform,
    /// Assignment of shared work to processes. Written every second, so it has a ledger of its own.
    Ownership(Work),
    /// Deliveries of a partition's events: their receivers, and every attempt. Written for each of them, so
    /// it has a ledger of its own and never delays an analyzer.
    Deliveries(Partition),
    /// Totals of the sources whose batches are in a partition. Written every few seconds by processes of several roles,
    /// so they have a ledger of their own. It has no follower: the feed contains a few commits only.
    Statistics(Partition),
    /// Records of organizations, for example findings and reports, with their history, their events and the jobs that work
    /// on them. Apart from the analyzer's ledgers, so that nothing here delays a flush.
    Records(Shard),
    /// Results that organizations may share, and the jobs that compute them. Every key begins with the organization, or with
    /// the nil UUID where the result is public.
    Shared(Shard),
}

impl fmt::Display for LedgerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Partition(partition) => write!(f, "partition {}", partition.0),
            Self::Organization(organization) => write!(f, "organization {organization}"),
            Self::Platform => f.write_str("the platform"),
            Self::Ownership(Work::Analysis) => f.write_str("leases on analysis"),
            Self::Ownership(Work::Delivery) => f.write_str("leases on delivery"),
            Self::Ownership(Work::Jobs) => f.write_str("leases on jobs"),
            Self::Deliveries(partition) => write!(f, "deliveries of partition {}", partition.0),
            Self::Statistics(partition) => write!(f, "statistics of partition {}", partition.0),
            Self::Records(shard) => write!(f, "records of shard {}", shard.0),
            Self::Shared(shard) => write!(f, "shared results of shard {}", shard.0),
        }
    }
}

/// Work that processes share out among themselves by partition. The numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Work {
    /// Turning batches into incidents.
    Analysis = 0,
    /// Telling receivers of events.
    Delivery = 1,
    /// Running jobs.
    Jobs = 2,
}
