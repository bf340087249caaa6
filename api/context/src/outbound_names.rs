//! Name servers by outbound look-ups, with the limits of an organization.

use std::sync::Arc;

use async_trait::async_trait;
use common::ids::OrganizationId;
use outbound::{Answer, DnsError, DnsType, Outbound, Question, Requester};

use crate::asking;
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
        asking::ask(&self.outbound, requester, Question::Records(name, kind)).await
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::time::Duration;

    use common::clock::{SharedClock, SystemClock};
    use outbound::{Config, Resolve};
    use uuid::Uuid;

    use super::*;

    /// Name servers that take their time.
    struct Slow;

    #[async_trait]
    impl Resolve for Slow {
        async fn resolve(&self, _: &str) -> std::io::Result<Vec<IpAddr>> {
            Err(std::io::ErrorKind::NotFound.into())
        }

        async fn ask(&self, _: Question<'_>) -> Result<Answer, DnsError> {
            tokio::time::sleep(Duration::from_millis(50)).await;
            Ok(Answer::default())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn look_ups_that_the_limit_of_the_organization_refuses_are_made_again() {
        let clock: SharedClock = Arc::new(SystemClock::new());
        let outbound = Outbound::new(&Config::default(), Arc::new(Slow), clock).unwrap();
        let names =
            OutboundNames { outbound: Arc::new(outbound), organization: OrganizationId(Uuid::from_u128(1)) };
        let asked = (0..40).map(|_| names.ask("k._domainkey.example.org", DnsType::Txt));
        let answers = futures_util::future::join_all(asked).await;
        assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    }
}
