//! Search for damage in the file of an embedded ledger: after an unclean shutdown, concurrently with everything else,
//! because a large file takes minutes and most of it is usable meanwhile.

use std::sync::{Arc, OnceLock};
use std::thread;

use ledger::embedded::{Inspection, ServerLock};
use metrics::{describe_gauge, gauge};

use crate::settings::Settings;
use crate::storage::StorageError;
use crate::{Failure, storage};

/// Gauge: 1 when the inspection found damage, or failed.
const DAMAGED: &str = "palisade_ledger_file_damaged";

/// Known state of the ledger's file. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct LedgerDamage(Arc<OnceLock<Known>>);

#[derive(Debug)]
enum Known {
    /// The last shutdown was clean, or the inspection found nothing.
    Sound,
    /// A detail of readiness.
    Suspect(String),
}

impl LedgerDamage {
    /// Whether the ledger is damaged, as a detail of readiness: most of it remains usable. It names no row,
    /// because the endpoint is public.
    pub(super) fn check(&self) -> Result<(), String> {
        match self.0.get() {
            Some(Known::Suspect(detail)) => Err(detail.clone()),
            Some(Known::Sound) | None => Ok(()),
        }
    }

    /// Whether the next start needs no inspection: the state of the file is known, and no damage was
    /// found. Damage is therefore found again at every start until it is repaired.
    pub(super) fn is_known_sound(&self) -> bool {
        matches!(self.0.get(), Some(Known::Sound))
    }

    /// There is one inspection per process.
    fn set(&self, known: Known) {
        if matches!(known, Known::Suspect(_)) {
            gauge!(DAMAGED).set(1.0);
        }
        let _ = self.0.set(known);
    }

    fn note(&self, inspection: &Inspection) {
        let Inspection { sound_rows, findings } = inspection;
        if findings.is_empty() {
            tracing::info!(
                rows = sound_rows,
                "the last server did not shut down cleanly; the ledger file is intact"
            );
            return self.set(Known::Sound);
        }
        let (count, findings) = (findings.len(), findings.join("; "));
        tracing::error!(
            rows = sound_rows,
            findings,
            "the ledger file is damaged: restore the data directory from its backup"
        );
        self.set(Known::Suspect(format!(
            "the ledger file is damaged in {count} places or more: `palisade doctor` names them"
        )));
    }

    fn note_failure(&self, error: &StorageError) {
        let error = error as &dyn std::error::Error;
        tracing::error!(error, "the ledger file cannot be inspected");
        self.set(Known::Suspect(
            "the last server did not shut down cleanly, and the ledger file cannot be inspected".to_owned(),
        ));
    }
}

/// Records that a server uses the data directory, and inspects the ledger's file after an unclean shutdown.
///
/// # Errors
/// When that cannot be recorded, or there is no thread for it.
pub(super) fn start(lock: Option<&ServerLock>, settings: &Settings) -> Result<LedgerDamage, Failure> {
    let damage = LedgerDamage::default();
    let Some(lock) = lock else { return Ok(damage) };
    describe_gauge!(
        DAMAGED,
        "Whether the integrity check at startup failed or found the ledger file damaged (0 or 1)."
    );
    gauge!(DAMAGED).set(0.0);
    if lock.begin()? {
        damage.set(Known::Sound);
        return Ok(damage);
    }
    let (noted, settings) = (damage.clone(), settings.clone());
    // The thread is never joined: it only reads, and the process may end at any moment.
    thread::Builder::new().name("ledger-inspection".to_owned()).spawn(
        move || match storage::inspect_ledger(&settings) {
            Ok(inspection) => noted.note(&inspection.unwrap_or_default()),
            Err(error) => noted.note_failure(&error),
        },
    )?;
    Ok(damage)
}
