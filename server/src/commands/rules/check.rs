//! `palisade rules check`: the usable rules, and the reasons why the others are not.

use std::collections::BTreeMap;

use super::NothingCompiled;
use crate::Failure;
use crate::commands::print;
use crate::serve::rules::Compiled;

pub(super) fn run(compiled: &Compiled) -> Result<(), Failure> {
    for refusal in &compiled.refusals {
        print(&format!("refused  {refusal}"))?;
    }
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    for refusal in &compiled.refusals {
        *causes.entry(refusal.cause.kind().to_owned()).or_default() += 1;
    }
    let rules = &compiled.rules;
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
    if compiled.usable() == 0 && !compiled.refusals.is_empty() {
        return Err(NothingCompiled.into());
    }
    Ok(())
}
