//! A deployment under test: its processes, and the organizations, keys and sources in it. Distributed or
//! in one process: the same for its users. `site` creates it.

use std::net::SocketAddr;
use std::sync::Arc;

use rand::rngs::StdRng;
use tokio::sync::Mutex;

use crate::chaos::answers::{Answers, Side};
use crate::chaos::caller::Caller;
use crate::chaos::input::SourceRef;
use loadtest::client::Client;
use loadtest::process::{Process, Role};

/// An organization in the deployment.
#[derive(Clone, Debug)]
pub(crate) struct Tenant {
    /// Its API key.
    pub(crate) key: String,
    /// Ids of its sources.
    pub(crate) sources: Vec<String>,
}

/// The constant properties of a process.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) address: SocketAddr,
    pub(crate) admin: SocketAddr,
}

impl Member {
    pub(crate) fn of(process: &Process) -> Self {
        let Process { name, role, address, admin, .. } = process;
        Self { name: name.clone(), role: *role, address: *address, admin: *admin }
    }
}

/// A deployment: processes and organizations; clones share the processes.
#[derive(Clone, Debug)]
pub(crate) struct Deployment {
    pub(crate) processes: Vec<Arc<Mutex<Process>>>,
    pub(crate) members: Vec<Member>,
    pub(crate) tenants: Vec<Tenant>,
    /// Partitions that analyzers share, if they do.
    pub(crate) partitions: Option<u16>,
}

impl Deployment {
    /// Every source, in order.
    pub(crate) fn places(&self) -> Vec<SourceRef> {
        let of = |(organization, tenant): (usize, &Tenant)| {
            (0..tenant.sources.len()).map(move |source| SourceRef { organization, source })
        };
        self.tenants.iter().enumerate().flat_map(of).collect()
    }

    /// The id of a source.
    pub(crate) fn source(&self, place: SourceRef) -> &str {
        let tenant = self.tenants.get(place.organization);
        tenant.and_then(|tenant| tenant.sources.get(place.source)).map_or("", String::as_str)
    }

    /// The processes of one side.
    pub(crate) fn side(&self, side: Side) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(move |member| match side {
            Side::Api => member.role.answers_api(),
            Side::Ingest | Side::Stranger => member.role.takes_logs(),
        })
    }

    /// Their addresses.
    pub(crate) fn addresses(&self, side: Side) -> Vec<SocketAddr> {
        self.side(side).map(|member| member.address).collect()
    }

    /// A caller of one side with the key of an organization.
    pub(crate) fn caller(
        &self,
        side: Side,
        organization: usize,
        answers: &Answers,
        chance: StdRng,
    ) -> Caller {
        let key = self.tenants.get(organization).map_or("", |tenant| tenant.key.as_str());
        let clients = self.addresses(side).into_iter().map(|address| Client::new(address, key));
        Caller { side, clients: clients.collect(), answers: answers.clone(), chance }
    }

    /// Kills every process.
    pub(crate) async fn close(&self) {
        for process in &self.processes {
            // Any that cannot be killed here is killed when its handle is dropped.
            let _ = process.lock().await.kill().await;
        }
    }
}
