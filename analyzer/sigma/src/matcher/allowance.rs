//! Number of steps that the documents of an organization may take for one record.

/// Steps that one document of an organization may take for one record: 0.2 s at worst, and a thousand times as much as
/// an expression takes for a line.
pub const RECORD_STEPS: u64 = 1 << 25;
/// Bytes of a record that each expression searches in any case.
pub const LEAST_SEARCHED: u64 = 8 << 10;
/// Steps that all documents of an organization together may take for one record: enough for the largest expression to
/// search its least, and less than a second at worst.
pub const ORGANIZATION_RECORD_STEPS: u64 = 1 << 27;
/// The same once an organization has taken more than its share: about as much as matching the built-in pack takes.
const SMALL_ORGANIZATION_RECORD_STEPS: u64 = 1 << 12;
/// Of which one document may take a quarter, so that one does not leave nothing to the others.
const SMALL_RECORD_STEPS: u64 = SMALL_ORGANIZATION_RECORD_STEPS / 4;

/// Steps for one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Of one document.
    pub(super) document: u64,
    /// Of all documents together.
    pub(super) organization: u64,
    /// Bytes that each expression searches in any case.
    pub(super) least: u64,
}

impl Allowance {
    /// As long as an organization keeps within its share.
    pub const FULL: Self =
        Self { document: RECORD_STEPS, organization: ORGANIZATION_RECORD_STEPS, least: LEAST_SEARCHED };
    /// For an organization that has used up its share: cheap conditions are still decided, all others stay undecided.
    pub const SMALL: Self =
        Self { document: SMALL_RECORD_STEPS, organization: SMALL_ORGANIZATION_RECORD_STEPS, least: 0 };
}

impl Default for Allowance {
    fn default() -> Self {
        Self::FULL
    }
}
