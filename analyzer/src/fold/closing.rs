//! A window whose end the log's time has passed: decided there, at that place in the log, as the last
//! thing before the batch that moved the time.

use common::batch::BatchHeaders;

use super::correlate::GroupKey;
use super::finding::RecordContext;
use super::incidents::{FoldError, Reader};
use super::{crossings, join};
use crate::catalogue::Catalogue;
use crate::state::State;

/// Closes one window and folds what follows. It belongs to its own source, not to the one whose batch moved
/// the time: `headers` are those of [`super::correlate::Correlations::headers`].
pub(crate) async fn window(
    state: &mut State,
    catalogue: &Catalogue,
    reader: Reader<'_>,
    key: GroupKey,
    headers: &BatchHeaders,
) -> Result<(), FoldError> {
    let context = RecordContext {
        headers,
        position: state.progress.position,
        log_time: state.progress.received_through,
    };
    let plan = catalogue.plan(headers.organization);
    let counted = state.correlations.close(plan, &context, key);
    let findings = crossings(state, plan, &context, context.log_time, counted);
    join(state, catalogue, reader, &context, findings).await
}

/// Closes one window and leaves it at that: what follows from it cannot be folded.
pub(crate) fn without_findings(
    state: &mut State,
    catalogue: &Catalogue,
    key: GroupKey,
    headers: &BatchHeaders,
) {
    let context = RecordContext {
        headers,
        position: state.progress.position,
        log_time: state.progress.received_through,
    };
    state.correlations.set_aside(catalogue.plan(headers.organization), &context, key);
    metrics::counter!("palisade_analysis_window_events_total", "reason" => "set_aside").increment(1);
}
