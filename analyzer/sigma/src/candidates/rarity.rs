//! Rarity, about, of a literal in events it is not searched for in. Guesses, of which only the order matters: a rule is found
//! by the rarest of its required literals.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use memchr::memmem;

use super::witness::{Literal, Witness, every_witness, threshold};
use crate::matcher::Program;
use crate::matcher::literal::commonness;
use crate::matcher::text::Anchor;

/// Texts that a large share of all events contain, in lower case: the directories of Windows and Unix programs, the programs
/// that start them, their vendors, and the common values of flags and levels; a line each.
const EVERYDAY: &str = r"c:\windows\system32\windowspowershell\v1.0\powershell.exe
c:\windows\system32\svchost.exe -k netsvcs -p
c:\windows\system32\services.exe
c:\windows\system32\cmd.exe /c
c:\windows\system32\rundll32.exe
c:\windows\explorer.exe
c:\program files (x86)\microsoft office\root\office16\
c:\program files\google\chrome\application\chrome.exe
c:\users\public\appdata\local\temp\
hklm\software\microsoft\windows nt\currentversion\
hklm\system\currentcontrolset\services\
nt authority\system
microsoft corporation
microsoft® windows® operating system
/usr/local/sbin/
/usr/bin/bash -c
https://www.
http/1.1 get post 200
true false success
low medium high system
0x3e7
root";

/// Most common number of a field with few values: the status of a request.
const EVERYDAY_NUMBERS: [f64; 1] = [200.0];

/// Number of rules of a log source that search for each literal: a literal of many rules is found often.
#[derive(Debug, Default)]
pub(super) struct Rarity {
    counts: HashMap<Witness, Count, FixedState>,
}

/// Number of rules that search for a literal, and the probability that it is found.
#[derive(Clone, Copy, Debug)]
struct Count {
    rules: u32,
    chance: f64,
}

impl Rarity {
    /// Counts everything that a rule looks for.
    pub(super) fn count(&mut self, program: &Program) {
        for witness in every_witness(program) {
            let first = |witness: &Witness| Count { rules: 0, chance: chance(&witness.literal) };
            self.counts.entry(witness).or_insert_with_key(first).rules += 1;
        }
    }

    /// Probability that one of several is found in vain.
    pub(super) fn cost(&self, witnesses: &[Witness]) -> f64 {
        witnesses.iter().map(|witness| self.cost_of(witness)).sum()
    }

    fn cost_of(&self, witness: &Witness) -> f64 {
        let counted = self.counts.get(witness).copied();
        let Count { rules, chance } =
            counted.unwrap_or_else(|| Count { rules: 1, chance: chance(&witness.literal) });
        chance * (1.0 + f64::from(rules).log2())
    }
}

/// A literal is the rarer the longer it is, and rarer still with characters that are rare in logs.
fn chance(literal: &Literal) -> f64 {
    match literal {
        Literal::Text(Anchor::NotAscii, _) => 0.02,
        Literal::Text(_, text) if is_everyday(text) => 0.5,
        Literal::Text(Anchor::Whole, _) => 0.01,
        Literal::Text(Anchor::Start | Anchor::End, text) => 0.002 + 0.5 * 0.3_f64.powf(weight(text) / 2.0),
        Literal::Text(Anchor::Anywhere, text) => 0.000_5 + 60.0 * 0.25_f64.powf(weight(text)),
        Literal::Number(key) if EVERYDAY_NUMBERS.contains(&f64::from_bits(*key)) => 10.0,
        Literal::Number(_) => 0.05,
        Literal::AtLeast(key) if EVERYDAY_NUMBERS.iter().any(|number| *number >= threshold(*key)) => 10.0,
        // Numbers of logs are of any size, small ones the most.
        Literal::AtLeast(key) => 0.01 + 20.0 / threshold(*key).max(1.0),
        #[expect(clippy::cast_precision_loss, reason = "a length that is compared with others, about")]
        Literal::Length(bytes) => 60.0 * (-(*bytes as f64) / 25.0).exp(),
        Literal::Present => 1_000.0,
    }
}

/// Equivalent number of common characters, about.
fn weight(text: &[u8]) -> f64 {
    let weight = |byte: &u8| match byte {
        0..=31 => 5.0,
        byte if commonness(*byte) > 0 => 1.0,
        _ => 3.0,
    };
    text.iter().map(weight).sum()
}

/// Whether it is a part of a text that a large share of all events contain.
pub(super) fn is_everyday(text: &[u8]) -> bool {
    text.len() > 1 && memmem::find(EVERYDAY.as_bytes(), text).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::witness::threshold_key;
    use super::*;

    #[test]
    fn what_is_looked_for_first() {
        let text = |anchor, text: &str| Literal::Text(anchor, text.as_bytes().into());
        let rarest_first = [
            text(Anchor::Anywhere, "downloadstring("),
            text(Anchor::Anywhere, "`${"),
            text(Anchor::End, r"\mimikatz.exe"),
            text(Anchor::Whole, "stoplogging"),
            Literal::Number(4_625),
            Literal::AtLeast(threshold_key(500.0)),
            text(Anchor::End, r"\cmd.exe"),
            text(Anchor::Anywhere, " -e"),
            text(Anchor::Anywhere, ".."),
            Literal::Number(200.0_f64.to_bits()),
            Literal::AtLeast(threshold_key(200.0)),
            Literal::Length(40),
            text(Anchor::Anywhere, "-"),
            Literal::Present,
        ];
        let chances: Vec<f64> = rarest_first.iter().map(chance).collect();
        assert!(chances.is_sorted(), "{chances:?}");
    }
}
