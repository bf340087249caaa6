//! What ingestion is told. Each part is described where it is used.

use serde::{Deserialize, Serialize};

use crate::admit::AdmissionConfig;
use crate::limits::Limits;
use crate::receive::PaceConfig;

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
