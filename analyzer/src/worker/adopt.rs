//! Adoption of other rules by a running partition: windows of removed correlations end, incidents lose the contributions
//! of withdrawn rules, and the version is recorded with the position, so that a replay knows where it began. Nothing is
//! analysed a second time.

use std::sync::Arc;

use bytes::Bytes;
use common::incident::IncidentHead;
use common::row;
use incidents::attach::{Moment, differs_from};
use incidents::fold_state::FoldState;
use incidents::rows;
use ledger::{Kind, Range};

use super::{TurnError, Worker};
use crate::catalogue::{Affected, Catalogue};
use crate::fold::{self, FoldError};
use crate::state::State;

/// Heads of incidents read at a time: small rows.
const PAGE: usize = 500;

impl Worker {
    /// Goes on under the latest rules. Everything folded so far must be committed.
    pub(super) async fn adopt(&mut self, state: &mut State, latest: Arc<Catalogue>) -> Result<(), TurnError> {
        let before = Arc::clone(&self.catalogue);
        self.follow(latest);
        let affected = before.affected_by(&self.catalogue);
        state.adopt(&self.catalogue);
        self.withdraw(state, affected).await
    }

    /// Compares the rules in force with those the state was left under.
    pub(super) async fn recognise_rules(&mut self, state: &mut State) -> Result<(), TurnError> {
        if state.progress.rules_version == state.steps.version(self.catalogue.version()) {
            return Ok(());
        }
        self.withdraw(state, Affected::All).await
    }

    /// Withdraws the contributions of rules that are no longer in force from the incidents concerned. The version is
    /// recorded last, so that an interrupted withdrawal is repeated; repeating it changes nothing twice.
    async fn withdraw(&mut self, state: &mut State, affected: Affected) -> Result<(), TurnError> {
        state.policies.forget();
        let mut revised = 0;
        match affected {
            Affected::All => {
                revised += self.withdraw_below(state, &[]).await?;
            }
            Affected::Organizations(organizations) => {
                for organization in organizations {
                    revised += self.withdraw_below(state, organization.as_bytes()).await?;
                }
            }
        }
        let version = state.steps.version(self.catalogue.version());
        tracing::info!(partition = self.partition.0, version, revised, "rule catalogue adopted");
        state.adopted(version);
        self.commit(state).await
    }

    /// Withdraws from all incidents whose keys begin with `prefix` and returns the number of revised ones.
    async fn withdraw_below(&mut self, state: &mut State, prefix: &[u8]) -> Result<u32, TurnError> {
        let mut revised = 0;
        let mut after: Option<Bytes> = None;
        loop {
            let lookup = self.lookup();
            let range = Range { prefix, after: after.as_deref(), backwards: false };
            let page = lookup.ledger.scan(lookup.ledger_id(), Kind::Head, range, PAGE).await;
            let page = page.map_err(FoldError::from)?;
            let Some(last) = page.last() else { return Ok(revised) };
            after = Some(last.key.clone());
            for row in page {
                let head: IncidentHead = row::decode(&row.body).map_err(FoldError::from)?;
                revised += u32::from(self.withdraw_from(state, &head).await?);
            }
        }
    }

    async fn withdraw_from(&mut self, state: &mut State, head: &IncidentHead) -> Result<bool, TurnError> {
        if head.triage.resolved.is_some() {
            return Ok(false);
        }
        let catalogue = Arc::clone(&self.catalogue);
        let plan = catalogue.plan(head.organization);
        let moment = Moment { position: state.progress.position, at: state.progress.received_through };
        let lookup = self.lookup();
        let working = lookup.get(Kind::State, &rows::working_key(head.organization, head.id)).await;
        let working = working.map_err(FoldError::from)?;
        if !differs_from(working.as_deref(), plan).map_err(FoldError::from)? {
            return Ok(false);
        }
        let retract = |fold: &mut FoldState| fold.incidents.retract(head, plan, moment);
        let revised = fold::with_rows(state, lookup, retract).await?;
        if revised {
            fold::escalate(state, lookup, head.id, moment.at).await?;
        }
        if revised && self.is_full(state) {
            self.commit(state).await?;
        }
        Ok(revised)
    }
}
