//! Other rules for a running partition: windows of correlations that are gone end, incidents take back what
//! withdrawn rules said and what an added filter would have taken away, and the version is recorded with the position, so that a replay knows where it began.
//! Nothing is analysed a second time.

use std::sync::Arc;

use bytes::Bytes;
use common::ids::OrganizationId;
use common::incident::IncidentHead;
use common::row;
use ledger::{Kind, Range};

use super::{TurnError, Worker};
use crate::catalogue::{Affected, Catalogue};
use crate::fold::escalate;
use crate::fold::finding::Place;
use crate::fold::incidents::FoldError;
use crate::fold::revise::Moment;
use crate::state::State;

/// What may wait to be committed, in bytes, when the risk of an entity is lessened. Its row and all the incidents of it
/// that change go into one commit, and each may take a few hundred KiB.
const MOST_BESIDE_A_SUM: usize = 64 * 1024;
/// Heads of incidents read at a time: small rows.
const PAGE: usize = 500;

impl Worker {
    /// Goes on under the latest rules. Everything folded so far must be committed.
    pub(super) async fn adopt(&mut self, state: &mut State, latest: Arc<Catalogue>) -> Result<(), TurnError> {
        let before = Arc::clone(&self.catalogue);
        self.follow(latest);
        let affected = before.affected_by(&self.catalogue);
        state.adopt(&before, &self.catalogue);
        self.take_back(state, affected).await
    }

    /// Compares the rules in force with those the state was left under.
    pub(super) async fn recognise_rules(&mut self, state: &mut State) -> Result<(), TurnError> {
        if state.progress.rules_version == state.steps.version(self.catalogue.version()) {
            return Ok(());
        }
        self.take_back(state, Affected::Everybody).await
    }

    /// Lets incidents take back what withdrawn rules said and filters would have taken away. The version is recorded
    /// last: whoever is interrupted before does it all again, which changes nothing twice.
    async fn take_back(&mut self, state: &mut State, affected: Affected) -> Result<(), TurnError> {
        state.policies.forget();
        let mut revised = 0;
        match affected {
            Affected::Everybody => {
                revised += self.take_from_sums(state, None).await?;
                revised += self.take_back_below(state, &[]).await?;
            }
            Affected::Organizations(organizations) => {
                for organization in organizations {
                    revised += self.take_from_sums(state, Some(organization)).await?;
                    revised += self.take_back_below(state, organization.as_bytes()).await?;
                }
            }
        }
        // Now: rules that could not be loaded for their filters are withheld since.
        let version = state.steps.version(self.catalogue.version());
        tracing::info!(partition = self.partition.0, version, revised, "rules are adopted");
        state.adopted(version);
        self.commit(state).await
    }

    /// Takes from the risk of entities what filters would have taken away. What does not add up any more is taken
    /// back in the same commit; tells how many incidents were revised.
    async fn take_from_sums(
        &mut self,
        state: &mut State,
        organization: Option<OrganizationId>,
    ) -> Result<u32, TurnError> {
        let mut revised = 0;
        for key in state.risks.of(organization) {
            if state.pending_cost().1 > MOST_BESIDE_A_SUM {
                self.commit(state).await?;
            }
            let Some(organization) = state.risks.organization_of(key) else { continue };
            // Held as long as filters are asked.
            let Some(_layer) = self.filters_of(organization).await? else { continue };
            let catalogue = Arc::clone(&self.catalogue);
            let Some(lessened) = state.risks.suppress(&catalogue, key) else { continue };
            let at = state.progress.received_through;
            let headers = lessened.owner.headers(at);
            let place = Place { headers: &headers, position: state.progress.position, log_time: at };
            let plan = catalogue.plan(headers.organization);
            let reader = self.reader();
            for family in &lessened.families {
                let incident = state.incidents.retract_sum(reader, &place, family, &lessened, plan).await?;
                let Some(incident) = incident else { continue };
                escalate::judge(state, reader, incident, at).await?;
                revised += 1;
            }
            if self.is_full(state) {
                self.commit(state).await?;
            }
        }
        Ok(revised)
    }

    /// All incidents whose key begins so; tells how many were revised.
    async fn take_back_below(&mut self, state: &mut State, prefix: &[u8]) -> Result<u32, TurnError> {
        let mut revised = 0;
        let mut after: Option<Bytes> = None;
        loop {
            let reader = self.reader();
            let range = Range { prefix, after: after.as_deref(), backwards: false };
            let page = reader.ledger.scan(reader.ledger_id(), Kind::Head, range, PAGE).await;
            let page = page.map_err(FoldError::from)?;
            let Some(last) = page.last() else { return Ok(revised) };
            after = Some(last.key.clone());
            for row in page {
                let head: IncidentHead = row::decode(&row.body).map_err(FoldError::from)?;
                revised += u32::from(self.take_back_from(state, &head).await?);
            }
        }
    }

    async fn take_back_from(&mut self, state: &mut State, head: &IncidentHead) -> Result<bool, TurnError> {
        if head.triage.resolved.is_some() {
            return Ok(false);
        }
        // Held as long as filters are asked.
        let Some(_layer) = self.filters_of(head.organization).await? else { return Ok(false) };
        let catalogue = Arc::clone(&self.catalogue);
        let plan = catalogue.plan(head.organization);
        let moment = Moment { position: state.progress.position, at: state.progress.received_through };
        let reader = self.reader();
        let revised = state.incidents.retract(reader, head, plan, moment).await?;
        if revised {
            escalate::judge(state, reader, head.id, moment.at).await?;
        }
        if revised && self.is_full(state) {
            self.commit(state).await?;
        }
        Ok(revised)
    }
}
