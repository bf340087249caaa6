//! Settings of ingestion. Each part is described where it is used.

use process::listen::READ_BUFFER_BYTES;
use process::settings::OutOfBounds;
use serde::{Deserialize, Serialize};

use crate::admit::{AdmissionConfig, budget_for};
use crate::limits::Limits;
use crate::receive::PaceConfig;
use crate::validate::GROWTH;

/// Settings of ingestion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct IngestConfig {
    /// Limits of one request.
    pub limits: Limits,
    /// Limits of all requests together.
    pub admission: AdmissionConfig,
    /// Minimum pace of a sender.
    pub pace: PaceConfig,
}

impl IngestConfig {
    /// Checks that the settings are consistent: every request within its limits can be admitted when
    /// there is no other. One that could not would be told to retry for ever.
    ///
    /// # Errors
    /// [`OutOfBounds`], which names the offending setting.
    pub fn check(&self) -> Result<(), OutOfBounds> {
        let Limits { wire_bytes, inflated_bytes, .. } = self.limits;
        // A gzip JSON body: in the connection's buffer, as sent, inflated, and transcoded.
        let held = [READ_BUFFER_BYTES, wire_bytes, inflated_bytes, inflated_bytes.saturating_mul(GROWTH)];
        let largest = held.into_iter().fold(0, usize::saturating_add);
        let least = budget_for(largest);
        if self.admission.queue.is_zero() {
            return Err(OutOfBounds::new("ingest.admission.queue_seconds", 0, "more than 0"));
        }
        let in_flight = self.admission.in_flight_bytes;
        if in_flight < least {
            let expected =
                format_args!("at least {least}, so that the largest request within ingest.limits fits");
            return Err(OutOfBounds::new("ingest.admission.in_flight_bytes", in_flight, expected));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_largest_request_fits_or_the_settings_are_refused() {
        assert_eq!(IngestConfig::default().check(), Ok(()));
        let refused = |config: IngestConfig| config.check().unwrap_err().to_string();
        let admission = AdmissionConfig { in_flight_bytes: 90 << 20, ..AdmissionConfig::default() };
        let text = refused(IngestConfig { admission, ..IngestConfig::default() });
        assert!(
            text.contains("(PALISADE__INGEST__ADMISSION__IN_FLIGHT_BYTES) is 94371840, expected at least 1")
        );
        let limits = Limits { inflated_bytes: usize::MAX, ..Limits::default() };
        let text = refused(IngestConfig { limits, ..IngestConfig::default() });
        assert!(text.starts_with("setting ingest.admission.in_flight_bytes (PALISADE__"), "{text}");
        let admission = AdmissionConfig { queue: Duration::ZERO, ..AdmissionConfig::default() };
        let text = refused(IngestConfig { admission, ..IngestConfig::default() });
        assert!(text.ends_with("QUEUE_SECONDS) is 0, expected more than 0"), "{text}");
    }
}
