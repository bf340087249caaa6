//! Reasons for telling senders to retry, as labels of the metrics.

use crate::admit::AdmitError;
use crate::receive::ReceiveError;
use crate::refusal::Refusal;

/// The metrics' label for the reason of a retry.
pub(super) fn reason(refusal: &Refusal) -> &'static str {
    let admitted = match refusal {
        Refusal::Admit(error) | Refusal::Receive(ReceiveError::Admit(error)) => Some(*error),
        Refusal::Append(error) => AdmitError::of_append(error),
        Refusal::Receive(_) => return "slow",
        Refusal::Authorize(_) => return "directory",
        Refusal::Request(_) | Refusal::Rejected(_) | Refusal::Ending => return "ending",
    };
    match admitted {
        Some(AdmitError::BytesInFlight) => "memory",
        Some(AdmitError::QueueTooLong) => "delay",
        Some(AdmitError::LogQueueFull) => "log_queue",
        Some(AdmitError::LogFull) => "backlog",
        Some(AdmitError::DiskLow) => "disk",
        Some(AdmitError::NotWritable) | None => "log",
    }
}
