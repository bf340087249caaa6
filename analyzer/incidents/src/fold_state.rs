//! State of the fold of one partition, and the four steps over the parts of it that each needs.

use std::time::Duration;

use common::ids::{IncidentId, OrganizationId};
use common::incident::IncidentHead;
use common::partition::Partition;
use common::row::BodyError;
use common::timestamp::Timestamp;

use crate::accumulate::Accumulated;
use crate::accumulate::correlate::{Correlations, GroupKey};
use crate::accumulate::risk::Risks;
use crate::accumulate::tally::Tallies;
use crate::attach::{Attached, Incidents, Missing};
use crate::classify::classify;
use crate::escalate::{Decision, Trigger};
use crate::fan_in::FanInGuard;
use crate::finding::{Finding, Findings, RecordContext, RulePolicy};
use crate::matched::Matched;
use crate::plan::Plan;
use crate::rows::PendingDeletes;
use crate::state_table::{Row, RowKey, StateRows};

/// State of the fold of one partition.
#[derive(Debug)]
pub struct FoldState {
    fan_in: FanInGuard,
    accumulated: Accumulated,
    /// Incidents in memory.
    pub incidents: Incidents,
}

/// Bounds of the state of one partition.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Groups of one correlation, and entities with risk.
    pub groups: usize,
    /// Bytes of all windows.
    pub window_bytes: usize,
    /// Incidents kept in memory.
    pub incidents: usize,
    /// How long a resolved incident takes in findings.
    pub resolved_retention: Duration,
}

impl FoldState {
    /// An empty state.
    #[must_use]
    pub fn new(partition: Partition, bounds: Bounds) -> Self {
        Self {
            fan_in: FanInGuard::default(),
            accumulated: Accumulated {
                correlations: Correlations::new(bounds.groups, bounds.window_bytes),
                risks: Risks::new(bounds.groups),
                tallies: Tallies::default(),
            },
            incidents: Incidents::new(partition, bounds.incidents, bounds.resolved_retention),
        }
    }

    /// Steps 1 and 2: classifies a matched record and accumulates it.
    pub fn record(&mut self, plan: &Plan, context: &RecordContext<'_>, matched: &Matched) -> Findings {
        let classified = classify(&mut self.fan_in, plan, context, matched);
        self.accumulated.record(&self.fan_in, plan, context, matched, classified)
    }

    /// Step 2 at the end of a window that is due: closes it and returns the findings.
    pub fn close_window(&mut self, plan: &Plan, context: &RecordContext<'_>, key: GroupKey) -> Findings {
        let counted = self.accumulated.correlations.close(plan, context, key);
        let new = self.accumulated.crossings(plan, context, context.log_time, counted);
        Findings { new, superseded: Vec::new() }
    }

    /// Closes a window that is due as if nothing had been in it, because its end cannot be evaluated.
    pub fn set_window_aside(&mut self, log_time: Timestamp, key: GroupKey) {
        self.accumulated.correlations.set_aside(log_time, key);
        metrics::counter!("palisade_analysis_window_events_total", "reason" => "set_aside").increment(1);
    }

    /// Step 3: attaches a finding to an incident.
    ///
    /// # Errors
    /// [`Missing`].
    pub fn attach(
        &mut self,
        context: &RecordContext<'_>,
        finding: &mut Finding,
        rule_policy: RulePolicy<'_>,
    ) -> Result<Attached, Missing> {
        self.incidents.attach(&mut self.fan_in, context, finding, rule_policy)
    }

    /// Step 4: decides whether the latest revision of an incident is escalated, as [`Incidents::escalate`].
    pub fn escalate(
        &mut self,
        incident: IncidentId,
        log_time: Timestamp,
        policies_version: u64,
        wants: impl FnOnce(&IncidentHead, Trigger) -> bool,
    ) -> Decision {
        self.incidents.escalate(&mut self.fan_in, incident, log_time, policies_version, wants)
    }

    /// Windows of correlations.
    #[must_use]
    pub fn windows(&self) -> &Correlations {
        &self.accumulated.correlations
    }

    /// Forgets everything that is too old to matter.
    pub fn forget_before(&mut self, log_time: Timestamp, pending_deletes: &mut PendingDeletes) {
        self.accumulated.correlations.forget_before(log_time, pending_deletes);
        self.accumulated.risks.forget_before(log_time, pending_deletes);
        self.fan_in.forget_before(log_time, pending_deletes);
    }

    /// Goes on under other rules: windows of correlations that are gone or have changed end here.
    pub fn adopt<'p>(
        &mut self,
        plan_of: impl Fn(OrganizationId) -> &'p Plan,
        pending_deletes: &mut PendingDeletes,
    ) {
        self.accumulated.correlations.adopt(plan_of, pending_deletes);
    }

    /// Reads a window back, as a row of the prefix [`rows::WINDOW`](crate::rows::WINDOW).
    ///
    /// # Errors
    /// When the row is broken.
    pub fn restore_window<'p>(
        &mut self,
        plan_of: impl Fn(OrganizationId) -> &'p Plan,
        key: &[u8],
        body: &[u8],
        pending_deletes: &mut PendingDeletes,
    ) -> Result<(), BodyError> {
        self.accumulated.correlations.restore(plan_of, GroupKey::read(key), body, pending_deletes)
    }

    /// The tables whose rows are read back one by one.
    pub fn tables_mut(&mut self) -> [&mut dyn StateRows; 4] {
        let [rules, families] = self.fan_in.tables_mut();
        [rules, families, self.accumulated.risks.table_mut(), &mut self.accumulated.tallies.0]
    }

    /// Sums up the tables once all rows are read back.
    pub fn restored(&mut self) {
        self.accumulated.correlations.restored();
        self.accumulated.risks.restored();
        self.fan_in.restored();
    }

    /// About how many rows and bytes a commit of the findings takes now.
    #[must_use]
    pub fn pending_cost(&self) -> (usize, usize) {
        let [rules, families] = self.fan_in.tables().map(|table| table.pending_cost());
        let risks = self.accumulated.risks.table().pending_cost();
        let costs = [self.windows().pending_cost(), risks, rules, families, self.incidents.pending_cost()];
        costs.into_iter().fold((0, 0), |sum, cost| (sum.0 + cost.0, sum.1 + cost.1))
    }

    /// The same of the tallies, which every match adds to.
    #[must_use]
    pub fn tallies_cost(&self) -> (usize, usize) {
        self.accumulated.tallies.0.pending_cost()
    }

    /// State rows to write since the last call.
    ///
    /// # Errors
    /// When a row cannot be written as JSON.
    pub fn take_changes(&mut self) -> Result<Vec<Row>, BodyError> {
        let mut rows = self.accumulated.correlations.take_changes()?;
        for table in self.tables_mut() {
            rows.extend(table.take_changes()?);
        }
        Ok(rows)
    }
}
