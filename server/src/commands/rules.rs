//! `palisade rules`: what a directory of Sigma rules is worth, before a server is given it.

mod check;
mod eval;

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
    let settings = settings::load(common, &Serve::default())?.rules;
    match command {
        RulesCommand::Check { dir } => check::run(&below(dir, &settings)?),
        RulesCommand::Eval { rules, events } => eval::run(&below(rules, &settings)?, events),
    }
}

/// The rules below a directory alone, with the placeholders of the configuration.
fn below(directory: &Path, settings: &RuleSettings) -> Result<Compiled, Failure> {
    let settings = RuleSettings { directories: vec![directory.to_owned()], ..settings.clone() };
    Ok(compile(false, &settings)?)
}
