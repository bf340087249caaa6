//! Admission: every byte a request makes us hold is paid for from one budget before it is held, and
//! paid back when the batch is durable or refused. What does not fit is refused at once, so that
//! senders keep what we cannot.

use std::sync::Arc;

use durable_log::Usage;
use metrics::Gauge;
use process::listen::READ_BUFFER_BYTES;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::measure;
use crate::validate::GROWTH;

/// What a body of unknown length is charged at first, and by how much the charge grows.
const STEP_BYTES: usize = 256 * 1024;

/// How much all requests together may hold.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdmissionConfig {
    /// Bytes of all bodies from their arrival to durability, default 256 MiB: a quarter of the
    /// memory of the smallest machine we name, enough for a handful of the largest bodies or for
    /// hundreds of batches of a thousand records. A body counts as often as it lies in memory: as
    /// sent, inflated, transcoded. Refused when the largest gzip JSON body within the limits, which may
    /// grow fivefold when it is transcoded, would never fit: 101 MiB with the default limits.
    pub in_flight_bytes: usize,
}

impl Default for AdmissionConfig {
    fn default() -> Self {
        Self { in_flight_bytes: 256 << 20 }
    }
}

/// Why a request is not admitted now.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum AdmitError {
    #[error("too many bytes are in flight")]
    BytesInFlight,
    #[error("too many batches wait to become durable")]
    QueueFull,
    #[error("too many batches wait to be analysed")]
    LogFull,
    #[error("the log takes no batches")]
    NotWritable,
}

/// The budget all requests share.
pub(crate) struct Admission {
    bytes: Arc<Semaphore>,
    held: Gauge,
}

impl Admission {
    pub(crate) fn new(config: &AdmissionConfig) -> Self {
        let capacity = config.in_flight_bytes.min(Semaphore::MAX_PERMITS);
        measure::queue_capacity(capacity);
        Self { bytes: Arc::new(Semaphore::new(capacity)), held: measure::queue_bytes() }
    }

    /// Admits a request whose body has `declared` bytes on the wire, if that is known.
    pub(crate) fn admit(&self, usage: Usage, declared: Option<usize>) -> Result<Permit, AdmitError> {
        let wire = declared.unwrap_or(STEP_BYTES);
        check_log(usage, wire)?;
        let none = self.bytes.clone().try_acquire_many_owned(0).map_err(|_| AdmitError::BytesInFlight)?;
        let gauge = self.held.clone();
        let mut permit = Permit { held: none, gauge, wire: 0, inflated: 0, transcoded: 0 };
        permit.hold_wire(wire)?;
        Ok(permit)
    }
}

/// Looks at the log before a body is read in vain. The log itself decides when the batch arrives.
fn check_log(usage: Usage, wire: usize) -> Result<(), AdmitError> {
    if !usage.writable {
        return Err(AdmitError::NotWritable);
    }
    if usage.unreleased_bytes >= usage.capacity_bytes {
        return Err(AdmitError::LogFull);
    }
    // The log takes any batch when nothing waits, however small its queue is.
    let queued = usage.queued_bytes;
    if queued > 0 && queued.saturating_add(wire as u64) > usage.queue_capacity_bytes {
        return Err(AdmitError::QueueFull);
    }
    Ok(())
}

/// The bytes one request may hold. Given back when dropped.
pub(crate) struct Permit {
    held: OwnedSemaphorePermit,
    gauge: Gauge,
    wire: usize,
    inflated: usize,
    transcoded: usize,
}

impl Permit {
    /// Room for `bytes` of the body as sent.
    pub(crate) fn hold_wire(&mut self, bytes: usize) -> Result<(), AdmitError> {
        if bytes > self.wire {
            // A body of unknown length arrives in many small frames: not a charge for each.
            self.wire = if self.wire == 0 { bytes } else { bytes.max(self.wire + STEP_BYTES) };
            self.settle()?;
        }
        Ok(())
    }

    /// Room for `bytes` of the body after gzip.
    pub(crate) fn hold_inflated(&mut self, bytes: usize) -> Result<(), AdmitError> {
        self.inflated = bytes;
        self.settle()
    }

    /// Room for the protobuf that becomes of `bytes` of JSON, at worst.
    pub(crate) fn hold_transcoded(&mut self, bytes: usize) -> Result<(), AdmitError> {
        self.transcoded = bytes.saturating_mul(GROWTH);
        self.settle()
    }

    /// Gives back all but `bytes`: what is left of the request once the batch is prepared.
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        let spare = self.held.num_permits().saturating_sub(bytes);
        if let Some(given_back) = self.held.split(spare) {
            self.gauge.decrement(given_back.num_permits() as f64);
        }
    }

    /// Pays for what is held now. The connection's read buffer holds a copy of what arrives.
    fn settle(&mut self) -> Result<(), AdmitError> {
        let buffered = self.wire.min(READ_BUFFER_BYTES);
        let charge =
            [buffered, self.wire, self.inflated, self.transcoded].into_iter().fold(0, usize::saturating_add);
        let more = charge.saturating_sub(self.held.num_permits());
        let more = u32::try_from(more).map_err(|_| AdmitError::BytesInFlight)?;
        let semaphore = self.held.semaphore().clone();
        let more = semaphore.try_acquire_many_owned(more).map_err(|_| AdmitError::BytesInFlight)?;
        self.gauge.increment(more.num_permits() as f64);
        self.held.merge(more);
        Ok(())
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.gauge.decrement(self.held.num_permits() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage() -> Usage {
        Usage {
            unreleased_bytes: 0,
            capacity_bytes: 1 << 30,
            queued_bytes: 0,
            queue_capacity_bytes: 1 << 30,
            writable: true,
            partitions_behind: 0,
        }
    }

    #[test]
    fn everything_held_is_paid_for_and_given_back() {
        let admission = Admission::new(&AdmissionConfig { in_flight_bytes: 1000 });
        let mut permit = admission.admit(usage(), Some(100)).ok().unwrap();
        assert_eq!(admission.bytes.available_permits(), 800);
        permit.hold_wire(90).unwrap();
        permit.hold_inflated(200).unwrap();
        assert_eq!(admission.bytes.available_permits(), 600);
        permit.hold_transcoded(100).unwrap();
        assert_eq!(admission.bytes.available_permits(), 600 - 100 * GROWTH);
        assert_eq!(permit.hold_inflated(501), Err(AdmitError::BytesInFlight));
        assert_eq!(admission.bytes.available_permits(), 600 - 100 * GROWTH);
        permit.shrink_to(50);
        assert_eq!(admission.bytes.available_permits(), 950);
        drop(permit);
        assert_eq!(admission.bytes.available_permits(), 1000);
    }

    #[test]
    fn a_body_of_unknown_length_pays_as_it_comes() {
        let admission = Admission::new(&AdmissionConfig { in_flight_bytes: 4 * STEP_BYTES });
        let mut permit = admission.admit(usage(), None).ok().unwrap();
        permit.hold_wire(STEP_BYTES).unwrap();
        assert_eq!(admission.bytes.available_permits(), 2 * STEP_BYTES);
        permit.hold_wire(STEP_BYTES + 1).unwrap();
        assert_eq!(admission.bytes.available_permits(), 0);
        assert_eq!(permit.hold_wire(2 * STEP_BYTES + 1), Err(AdmitError::BytesInFlight));
    }

    #[test]
    fn a_log_in_trouble_is_not_fed() {
        let admission = Admission::new(&AdmissionConfig::default());
        let refused = |usage| admission.admit(usage, Some(10)).err();
        assert_eq!(refused(usage()), None);
        assert_eq!(refused(Usage { writable: false, ..usage() }), Some(AdmitError::NotWritable));
        assert_eq!(refused(Usage { unreleased_bytes: 1 << 30, ..usage() }), Some(AdmitError::LogFull));
        let small = Usage { queue_capacity_bytes: 9, ..usage() };
        assert_eq!(refused(Usage { queued_bytes: 1, ..small }), Some(AdmitError::QueueFull));
        assert_eq!(refused(small), None, "the log takes any batch when nothing waits");
    }
}
