//! The models that can be trained.

use std::io::Write;

use crate::TrainError;
use crate::data::Data;

/// Seed of the models of the product.
pub const SEED: u64 = 21;

/// Prints tables of quality.
pub type Report = fn(&mut Data, &mut dyn Write) -> Result<(), TrainError>;

/// Name of the report on redaction as a whole, which uses the model of names and is no model itself.
pub const REDACT: &str = "redact";

/// How one model is made.
pub struct Trainer {
    /// Name of the subcommand.
    pub name: &'static str,
    /// File in the directory of the models.
    pub file: &'static str,
    /// Data and seed to the bytes of the model file.
    pub train: fn(&mut Data, u64) -> Result<Vec<u8>, TrainError>,
    /// Prints the quality on projects that training left out, as tables for the documentation.
    pub report: Report,
}

/// All models.
pub const TRAINERS: &[Trainer] = &[
    Trainer { name: "guard", file: "guard.plm", train: crate::guard::train, report: crate::guard::report },
    Trainer { name: "names", file: "names.plm", train: crate::names::train, report: crate::names::report },
    Trainer {
        name: "payload",
        file: "payload.plm",
        train: crate::payload::train,
        report: crate::payload::report,
    },
    Trainer {
        name: "pretext",
        file: "pretext.plm",
        train: crate::pretext::train,
        report: crate::pretext::report,
    },
    Trainer {
        name: "verify",
        file: "verify.plm",
        train: crate::verify::train,
        report: crate::verify::report,
    },
];

/// The report of a model, or of redaction.
#[must_use]
pub fn report(name: &str) -> Option<Report> {
    if name == REDACT {
        return Some(crate::redact::report);
    }
    TRAINERS.iter().find(|trainer| trainer.name == name).map(|trainer| trainer.report)
}
