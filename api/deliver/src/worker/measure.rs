//! Metrics of a worker: the same of webhook targets and telemetry endpoints, under names of their own.

use common::event::EventKind;
use common::timestamp::Timestamp;

use super::Worker;
use crate::delivery::{Delivery, DeliveryStatus};
use crate::endpoint::Endpoint;
use crate::fan_out;
use crate::queue::Job;
use crate::target::TargetId;
use crate::verdict::Verdict;

/// Outcome of a delivery: values of the label `outcome`.
const OUTCOMES: [&str; 4] = ["succeeded", "retried", "failed", "refused"];

/// Says what the names mean.
pub(crate) fn describe() {
    metrics::describe_counter!(
        "palisade_webhook_deliveries_total",
        "Delivery attempts and refusals, by event type and outcome: succeeded, retried, failed, refused."
    );
    metrics::describe_counter!(
        "palisade_webhook_events_dropped_total",
        "Events dropped before delivery, by reason."
    );
    metrics::describe_counter!(
        "palisade_webhook_targets_disabled_total",
        "Webhook targets disabled because they did not respond."
    );
    metrics::describe_gauge!("palisade_webhook_queue_depth", "Deliveries that are pending or in progress.");
    metrics::describe_histogram!(
        "palisade_webhook_delivery_seconds",
        metrics::Unit::Seconds,
        "Time from enqueuing an event to its acknowledgement, if the first attempt succeeded."
    );
    metrics::describe_counter!(
        "palisade_telemetry_records_total",
        "Exported records, by event type and outcome: succeeded, retried, failed, refused."
    );
    metrics::describe_counter!(
        "palisade_telemetry_records_rejected_total",
        "Records rejected by collectors in requests that they accepted (partial success)."
    );
    metrics::describe_counter!(
        "palisade_telemetry_endpoints_disabled_total",
        "Telemetry endpoints disabled because they did not respond."
    );
    metrics::describe_gauge!("palisade_telemetry_queue_depth", "Records that are pending or being exported.");
    metrics::describe_histogram!(
        "palisade_telemetry_export_seconds",
        metrics::Unit::Seconds,
        "Time from enqueuing an event to its acceptance, if the first attempt succeeded."
    );
    // A counter that is born at 1 has not increased, as Prometheus sees it.
    for kind in EventKind::ALL {
        for outcome in OUTCOMES {
            let labels = [("event", kind.as_str()), ("outcome", outcome)];
            metrics::counter!("palisade_webhook_deliveries_total", &labels).increment(0);
            metrics::counter!("palisade_telemetry_records_total", &labels).increment(0);
        }
    }
    for reason in fan_out::DROP_REASONS {
        metrics::counter!("palisade_webhook_events_dropped_total", "reason" => reason).increment(0);
    }
    metrics::counter!("palisade_webhook_targets_disabled_total").increment(0);
    metrics::counter!("palisade_telemetry_endpoints_disabled_total").increment(0);
    metrics::counter!("palisade_telemetry_records_rejected_total").increment(0);
}

/// One attempt of one delivery.
pub(super) fn outcome(job: Job, delivery: &Delivery, kind: EventKind, now: Timestamp) {
    let outcome = match delivery.status {
        DeliveryStatus::Pending => "retried",
        DeliveryStatus::Succeeded => "succeeded",
        DeliveryStatus::Failed => "failed",
    };
    count(job.target, kind, outcome);
    // Repeated deliveries do not measure the latency of the service.
    if delivery.status != DeliveryStatus::Succeeded || job.has_row {
        return;
    }
    let seconds = now.since(delivery.created_at).as_secs_f64();
    match job.target {
        TargetId::Webhook(_) => metrics::histogram!("palisade_webhook_delivery_seconds").record(seconds),
        TargetId::Telemetry(_) => metrics::histogram!("palisade_telemetry_export_seconds").record(seconds),
    }
}

/// A delivery there was no room for.
pub(super) fn refusal(target: TargetId, kind: EventKind) {
    count(target, kind, "refused");
}

fn count(target: TargetId, kind: EventKind, outcome: &'static str) {
    let (event, outcome) = (("event", kind.as_str()), ("outcome", outcome));
    match target {
        TargetId::Webhook(_) => {
            metrics::counter!("palisade_webhook_deliveries_total", &[event, outcome]).increment(1)
        }
        TargetId::Telemetry(_) => {
            metrics::counter!("palisade_telemetry_records_total", &[event, outcome]).increment(1)
        }
    }
}

/// Records that a collector rejected of an accepted request, also logged: they are not sent again.
pub(super) fn rejections(endpoint: &Endpoint, verdict: &Verdict) {
    let Verdict::Partly { rejected, cause } = verdict else { return };
    let (organization, target) = (endpoint.target.organization, TargetId::of(&endpoint.target));
    tracing::warn!(%organization, ?target, rejected, cause, "a collector has rejected records");
    metrics::counter!("palisade_telemetry_records_rejected_total").increment(*rejected as u64);
}

/// A target that was disabled.
pub(super) fn disabled(target: TargetId) {
    match target {
        TargetId::Webhook(_) => metrics::counter!("palisade_webhook_targets_disabled_total").increment(1),
        TargetId::Telemetry(_) => {
            metrics::counter!("palisade_telemetry_endpoints_disabled_total").increment(1)
        }
    }
}

impl Worker {
    /// Amount that waits.
    #[expect(clippy::cast_precision_loss, reason = "bounded by the backlog")]
    pub(super) fn measure(&self) {
        let partition = self.partition.0.to_string();
        let (webhooks, telemetry) = self.queue.depths();
        metrics::gauge!("palisade_webhook_queue_depth", "partition" => partition.clone())
            .set(webhooks as f64);
        metrics::gauge!("palisade_telemetry_queue_depth", "partition" => partition).set(telemetry as f64);
    }
}
