//! `palisade rules`: whether a directory of Sigma rules can be used.

use std::collections::BTreeMap;
use std::path::PathBuf;

use thiserror::Error;

use super::print;
use crate::Failure;
use crate::cli::RulesCommand;
use crate::serve::rules::compile;

/// None of the rules can be used.
#[derive(Debug, Error)]
#[error("none of the rules can be used")]
struct NothingCompiled;

pub(super) fn run(command: &RulesCommand) -> Result<(), Failure> {
    let RulesCommand::Check { dir } = command;
    let directories: [PathBuf; 1] = [dir.clone()];
    let compiled = compile(false, &directories)?;
    for refusal in &compiled.refusals {
        print(&format!("refused  {refusal}"))?;
    }
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    for refusal in &compiled.refusals {
        *causes.entry(refusal.cause.kind().to_owned()).or_default() += 1;
    }
    let rules = compiled.rules;
    print(&format!(
        "{} files: {} rules, {} correlations, {} filters compiled; {} documents refused",
        compiled.files,
        rules.rules().len(),
        rules.correlations().len(),
        rules.filters().len(),
        compiled.refusals.len()
    ))?;
    for (cause, count) in causes {
        print(&format!("  {count:>5}  {cause}"))?;
    }
    let used = rules.rules().len() + rules.correlations().len() + rules.filters().len();
    if used == 0 && !compiled.refusals.is_empty() {
        return Err(NothingCompiled.into());
    }
    Ok(())
}
