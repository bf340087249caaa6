//! Name servers by outbound look-ups, with the limits of an organization.

use std::sync::Arc;

use async_trait::async_trait;
use common::ids::OrganizationId;
use outbound::{Answer, DnsError, DnsType, Outbound, Question, Requester};

use crate::email::Names;

/// The name servers of the settings of outbound connections.
pub struct OutboundNames {
    /// Look-ups.
    pub outbound: Arc<Outbound>,
    /// Organization whose limits hold.
    pub organization: OrganizationId,
}

#[async_trait]
impl Names for OutboundNames {
    async fn ask(&self, name: &str, kind: DnsType) -> Result<Answer, DnsError> {
        let requester = Requester::background(self.organization);
        self.outbound.ask(requester, Question::Records(name, kind)).await
    }
}
