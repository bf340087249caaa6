//! What ingestion is told. Each part is described where it is used.

use process::listen::READ_BUFFER_BYTES;
use process::settings::OutOfBounds;
use serde::{Deserialize, Serialize};

use crate::admit::AdmissionConfig;
use crate::limits::Limits;
use crate::receive::PaceConfig;
use crate::validate::GROWTH;

/// Settings of ingestion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct IngestConfig {
    /// How much one request may hold.
    pub limits: Limits,
    /// How much all requests together may hold.
    pub admission: AdmissionConfig,
    /// How slow a sender may be.
    pub pace: PaceConfig,
}

impl IngestConfig {
    /// Whether the settings allow what they promise: every request within its limits can be admitted
    /// when no other is there. One that could not would be told to try again for ever.
    ///
    /// # Errors
    /// [`OutOfBounds`], which names the setting that stands in the way.
    pub fn check(&self) -> Result<(), OutOfBounds> {
        let Limits { wire_bytes, inflated_bytes, .. } = self.limits;
        // A gzip JSON body: in the connection's buffer, as sent, inflated, and transcoded.
        let held = [READ_BUFFER_BYTES, wire_bytes, inflated_bytes, inflated_bytes.saturating_mul(GROWTH)];
        let largest = held.into_iter().fold(0, usize::saturating_add);
        if largest > MOST_OF_ONE_REQUEST {
            let expected = format_args!(
                "less: a request may take {MOST_OF_ONE_REQUEST} bytes of memory, this one {largest}"
            );
            return Err(OutOfBounds::new("ingest.limits.inflated_bytes", inflated_bytes, expected));
        }
        let in_flight = self.admission.in_flight_bytes;
        if in_flight < largest {
            let expected =
                format_args!("at least {largest}, which the largest request within ingest.limits takes");
            return Err(OutOfBounds::new("ingest.admission.in_flight_bytes", in_flight, expected));
        }
        Ok(())
    }
}

/// The most that one request may be charged for: permits are counted in 32 bits.
const MOST_OF_ONE_REQUEST: usize = u32::MAX as usize;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_request_fits_or_the_settings_are_refused() {
        assert_eq!(IngestConfig::default().check(), Ok(()));
        let refused = |config: IngestConfig| config.check().unwrap_err().to_string();
        let admission = AdmissionConfig { in_flight_bytes: 100 << 20 };
        let text = refused(IngestConfig { admission, ..IngestConfig::default() });
        assert!(
            text.starts_with("setting ingest.admission.in_flight_bytes is 104857600, expected at least 1")
        );
        let limits = Limits { inflated_bytes: usize::MAX, ..Limits::default() };
        let text = refused(IngestConfig { limits, ..IngestConfig::default() });
        assert!(text.starts_with("setting ingest.limits.inflated_bytes is"), "{text}");
    }
}
