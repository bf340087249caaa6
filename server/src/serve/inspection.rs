//! Looking for damage in the file of an embedded ledger: after a server that did not end in order, beside everything else,
//! because a large file takes minutes and most of it is of use meanwhile.

use std::sync::{Arc, OnceLock};
use std::thread;

use ledger::embedded::{Inspection, ServerLock};
use metrics::{describe_gauge, gauge};

use crate::settings::Settings;
use crate::{Failure, storage};

/// Gauge: 1 when the last inspection found damage.
const DAMAGED: &str = "palisade_ledger_file_damaged";

/// What an inspection found, once it is done. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct LedgerDamage(Arc<OnceLock<String>>);

impl LedgerDamage {
    /// Where the ledger is damaged, as a detail of readiness: most of it is of use all the same.
    pub(super) fn check(&self) -> Result<(), String> {
        self.0.get().map_or(Ok(()), |findings| Err(format!("the ledger file is damaged: {findings}")))
    }

    fn note(&self, inspection: &Inspection) {
        let Inspection { sound_rows, findings } = inspection;
        if findings.is_empty() {
            tracing::info!(
                rows = sound_rows,
                "the last server did not end in order; the ledger file is sound"
            );
            return;
        }
        let findings = findings.join("; ");
        tracing::error!(
            rows = sound_rows,
            findings,
            "the ledger file is damaged: restore the data directory from its backup"
        );
        gauge!(DAMAGED).set(1.0);
        // There is one inspection a process.
        let _ = self.0.set(findings);
    }
}

/// Notes that a server works on the data directory, and inspects the ledger's file if the one before did not end in order.
///
/// # Errors
/// When that cannot be noted, or there is no thread for it.
pub(super) fn start(lock: Option<&ServerLock>, settings: &Settings) -> Result<LedgerDamage, Failure> {
    let damage = LedgerDamage::default();
    let Some(lock) = lock else { return Ok(damage) };
    describe_gauge!(DAMAGED, "Whether the inspection at the start found the ledger file damaged (0 or 1).");
    gauge!(DAMAGED).set(0.0);
    if lock.begin()? {
        return Ok(damage);
    }
    let (noted, settings) = (damage.clone(), settings.clone());
    // A thread that nobody waits for: it only reads, and the process may end at any moment.
    thread::Builder::new().name("ledger-inspection".to_owned()).spawn(
        move || match storage::inspect_ledger(&settings) {
            Ok(inspection) => noted.note(&inspection.unwrap_or_default()),
            Err(error) => tracing::error!(
                error = &error as &dyn std::error::Error,
                "the ledger file cannot be inspected"
            ),
        },
    )?;
    Ok(damage)
}
