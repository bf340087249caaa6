//! Events outside of a request: rules are tried on events as ingestion would have accepted them from a log drain.

use std::sync::Arc;

use bytes::BytesMut;
use common::timestamp::Timestamp;
use redact::Redactor;

use crate::limits::Limits;
use crate::sanitize::sanitize;
use crate::validate::{Format, Rejection, validate};

/// Reads events of a log drain with the default limits, and masks their secrets.
#[derive(Clone)]
pub struct Events {
    redactor: Arc<Redactor>,
    limits: Limits,
}

impl Events {
    /// Masks the findings of `redactor`.
    #[must_use]
    pub fn new(redactor: Arc<Redactor>) -> Self {
        Self { redactor, limits: Limits::default() }
    }

    /// Most bytes of an event.
    #[must_use]
    pub fn record_bytes(&self) -> usize {
        self.limits.record_bytes
    }

    /// The OTLP logs export in protobuf that the log would hold for the text of a JSON object. `received_at` completes
    /// times without a year.
    ///
    /// # Errors
    /// As [`validate`].
    pub fn read(&self, event: &[u8], received_at: Timestamp) -> Result<BytesMut, Rejection> {
        let mut batch = validate(Format::Ndjson, BytesMut::from(event), &self.limits, received_at)?;
        sanitize(&self.redactor, &mut batch.payload);
        Ok(batch.payload)
    }
}
