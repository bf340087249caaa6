//! State of the fold of one partition: the parts that the four steps need, and their rows.

use common::row::BodyError;
use common::timestamp::Timestamp;

use crate::accumulate::Accumulated;
use crate::accumulate::correlate::Correlations;
use crate::accumulate::risk::Risks;
use crate::accumulate::tally::Tallies;
use crate::attach::Incidents;
use crate::fan_in::FanInGuard;
use crate::rows::PendingDeletes;
use crate::state_table::{Row, StateRows};

/// State of the fold of one partition.
#[derive(Debug)]
pub struct FoldState {
    /// Read and changed by classify, attach and escalate.
    pub fan_in: FanInGuard,
    /// Changed by accumulate.
    pub accumulated: Accumulated,
    /// Changed by attach and escalate.
    pub incidents: Incidents,
}

impl FoldState {
    /// An empty state, with room for `groups` of one correlation and entities with risk, and `window_bytes` of windows.
    #[must_use]
    pub fn new(groups: usize, window_bytes: usize, incidents: Incidents) -> Self {
        Self {
            fan_in: FanInGuard::default(),
            accumulated: Accumulated {
                correlations: Correlations::new(groups, window_bytes),
                risks: Risks::new(groups),
                tallies: Tallies::default(),
            },
            incidents,
        }
    }

    /// Forgets everything that is too old to matter.
    pub fn forget_before(&mut self, log_time: Timestamp, pending_deletes: &mut PendingDeletes) {
        self.accumulated.correlations.forget_before(log_time, pending_deletes);
        self.accumulated.risks.forget_before(log_time, pending_deletes);
        self.fan_in.forget_before(log_time, pending_deletes);
    }

    /// The tables whose rows are read back one by one; windows are restored by [`Correlations::restore`].
    pub fn tables_mut(&mut self) -> [&mut dyn StateRows; 4] {
        let Accumulated { risks, tallies, .. } = &mut self.accumulated;
        [&mut self.fan_in.rules, &mut self.fan_in.families, &mut risks.entities, &mut tallies.0]
    }

    /// Sums up the tables once all rows are read back.
    pub fn restored(&mut self) {
        self.accumulated.correlations.restored();
        self.accumulated.risks.restored();
        self.fan_in.restored();
    }

    /// Rows and bytes, about, of a commit of the findings now.
    #[must_use]
    pub fn pending_cost(&self) -> (usize, usize) {
        let costs = [
            self.accumulated.correlations.pending_cost(),
            self.accumulated.risks.entities.pending_cost(),
            self.fan_in.rules.pending_cost(),
            self.fan_in.families.pending_cost(),
            self.incidents.pending_cost(),
        ];
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
