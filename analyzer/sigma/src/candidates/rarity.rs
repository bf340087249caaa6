//! How rarely, about, a literal is found in events it is not looked for in. Guesses, of which only the order
//! matters: a rule is found by the rarest of what it needs.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::witness::{Literal, Witness, every_witness};
use crate::matcher::Program;
use crate::matcher::text::Anchor;

/// How many rules of a log source look for each literal: what many look for is found often.
#[derive(Debug, Default)]
pub(super) struct Rarity {
    counts: HashMap<Witness, u32, FixedState>,
}

impl Rarity {
    /// Counts everything that a rule looks for.
    pub(super) fn count(&mut self, program: &Program) {
        for witness in every_witness(program) {
            *self.counts.entry(witness).or_default() += 1;
        }
    }

    /// How likely one of several is found for nothing.
    pub(super) fn cost(&self, witnesses: &[Witness]) -> f64 {
        witnesses.iter().map(|witness| self.cost_of(witness)).sum()
    }

    /// A literal is the rarer the longer it is and the fewer rules look for it. Thousands of hashes are still
    /// better than looking at every value.
    #[expect(clippy::cast_precision_loss, reason = "lengths of literals")]
    fn cost_of(&self, witness: &Witness) -> f64 {
        let shared = f64::from(self.counts.get(witness).copied().unwrap_or(1));
        let chance = match &witness.literal {
            Literal::Text(Anchor::Whole | Anchor::NotAscii, _) => 0.02,
            Literal::Number(_) => 0.05,
            Literal::Text(Anchor::Start | Anchor::End, text) => {
                0.005 + 0.5 * (-(text.len() as f64) / 3.0).exp()
            }
            Literal::Text(Anchor::Anywhere, text) if text.iter().any(u8::is_ascii_control) => 0.000_1,
            Literal::Text(Anchor::Anywhere, text) => 0.000_5 + (-(text.len() as f64) / 4.0).exp(),
            Literal::Length(bytes) => (-(*bytes as f64) / 100.0).exp(),
            Literal::Present => 100.0,
        };
        chance * (1.0 + shared.log2())
    }
}
