//! `palisade rules`: checks of a directory of Sigma rules before a server uses it, and explanations of lines.

mod block;
mod check;
mod eval;
mod explain;
mod lines;

use std::path::Path;

use thiserror::Error;

use crate::Failure;
use crate::cli::{Common, RulesCommand, Serve};
use crate::serve::rules::{Compiled, compile};
use crate::settings::{self, RuleSettings};

/// None of the rules can be used.
#[derive(Debug, Error)]
#[error("none of the rules can be used")]
struct NothingCompiled;

pub(super) fn run(command: &RulesCommand, common: &Common) -> Result<(), Failure> {
    let settings = settings::load(common, &Serve::default())?;
    match command {
        RulesCommand::Check { dir } => check::run(&below(dir, &settings.rules)?),
        RulesCommand::Eval { rules, events } => {
            eval::run(&below(rules, &settings.rules)?, events, &settings.redaction)
        }
        RulesCommand::Explain { events, rules, json } => {
            explain::run(rules.as_deref(), events, *json, &settings)
        }
    }
}

/// The rules below a directory alone, with the placeholders of the configuration.
fn below(directory: &Path, settings: &RuleSettings) -> Result<Compiled, Failure> {
    Ok(compile(false, &alone(directory, settings))?)
}

/// The settings with one directory in place of all others.
fn alone(directory: &Path, settings: &RuleSettings) -> RuleSettings {
    RuleSettings { directories: vec![directory.to_owned()], ..settings.clone() }
}
