//! Numbers of findings, in the order of their creation within an organization. A number gives the default order on a board.

use common::ids::OrganizationId;
use common::row::{decode, encode};
use ledger::retry::Attempts;
use ledger::{Kind, Ledger, LedgerId, Op};
use records::RecordError;

use crate::error::FindingError;

/// Row of the count in the organization's ledger.
const COUNT: &[u8] = b"findings/count";
/// Board position before that of the first finding: the middle of the integers that a JSON number represents exactly (2^53).
const ORIGIN: u64 = 1 << 52;
/// Distance of neighbours: a finding can be put between two others 16 times before positions have to be spread again.
const DISTANCE: u64 = 1 << 16;

/// Numbers that are reserved for new findings. Those that are not used are lost, which only leaves gaps.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    next: u64,
    end: u64,
}

impl Numbers {
    /// Sees to it that there are `count` numbers.
    pub(crate) async fn reserve(
        &mut self,
        ledger: &dyn Ledger,
        organization: OrganizationId,
        count: usize,
    ) -> Result<(), FindingError> {
        let count = count as u64;
        if self.end - self.next >= count {
            return Ok(());
        }
        let id = LedgerId::Organization(organization);
        let mut attempts = Attempts::of(ledger, id);
        while attempts.next().await? {
            let body = ledger.get(id, Kind::State, COUNT).await?;
            let used: u64 = body.map(|body| decode(&body)).transpose()?.unwrap_or_default();
            let op = Op::Put { kind: Kind::State, key: COUNT.into(), body: encode(&(used + count))?.into() };
            // After an unknown outcome the next attempt reserves anew: a gap at most.
            if attempts.commit(vec![op]).await? {
                (self.next, self.end) = (used + 1, used + 1 + count);
                return Ok(());
            }
        }
        Err(RecordError::Conflict.into())
    }

    /// Board positions of the reserved numbers, in their order; newer findings are above older ones.
    pub(crate) fn positions(&self) -> impl Iterator<Item = u64> + use<> {
        (self.next..self.end).map(|number| ORIGIN.saturating_sub(number.saturating_mul(DISTANCE)))
    }

    /// Marks the first numbers as used.
    pub(crate) fn used(&mut self, count: usize) {
        self.next = self.end.min(self.next + count as u64);
    }
}
