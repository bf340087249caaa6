//! Encoding of a ledger's name in a store: few bytes, because every row begins with them.

use crate::LedgerId;

/// Encoded name of a ledger. It is stored: the meaning of a first byte never changes.
pub(crate) fn name(ledger: LedgerId) -> Vec<u8> {
    match ledger {
        LedgerId::Partition(partition) => [[0].as_slice(), &partition.0.to_be_bytes()].concat(),
        LedgerId::Organization(organization) => [[1].as_slice(), organization.as_bytes()].concat(),
        LedgerId::Platform => vec![2],
        LedgerId::Ownership(work) => vec![3, work as u8],
        LedgerId::Deliveries(partition) => [[4].as_slice(), &partition.0.to_be_bytes()].concat(),
        LedgerId::Statistics(partition) => [[5].as_slice(), &partition.0.to_be_bytes()].concat(),
        LedgerId::Records(shard) => [[6].as_slice(), &shard.0.to_be_bytes()].concat(),
        LedgerId::Shared(shard) => [[7].as_slice(), &shard.0.to_be_bytes()].concat(),
    }
}
