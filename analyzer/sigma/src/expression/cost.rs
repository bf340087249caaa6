//! How much a search costs at worst, in steps for each byte of the text. Most expressions have few deterministic
//! states: a thread remembers all of them, and each byte is one step. Of others any byte may lead to a state
//! that was never met, and the search falls back to following each state of the compiled program.

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::NFA;
use regex_automata::{Input, hybrid::dfa::Builder};

/// Deterministic states that are looked for: finding one costs about as much as a step for each state of the
/// program and class of bytes, so that compiling stays a matter of milliseconds.
const MOST_DETERMINISTIC: usize = 2_048;
/// Transitions followed, times states of the program: the same bound for large programs, of which a transition
/// looks at a small part.
const MOST_WORK: usize = 250_000_000;
/// What may stand before the first byte of a search, as far as `^` and `\b` tell it apart.
const BEFORE: [&str; 5] = ["", "a", " ", "\n", "\r"];

/// The cost of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    /// States of the compiled program.
    states: u64,
    /// In which texts a byte costs one step.
    linear: Linear,
}

/// Texts in which all deterministic states are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Linear {
    Never,
    /// `\b` is decided for ASCII text only.
    InAscii,
    Always,
}

impl Cost {
    /// The cost of a program of which a thread remembers deterministic states in `cache_bytes`.
    pub(super) fn of(program: &NFA, cache_bytes: usize) -> Self {
        let states = program.states().len();
        let linear = deterministic(program, cache_bytes).unwrap_or(Linear::Never);
        Self { states: u64::try_from(states).unwrap_or(u64::MAX).max(1), linear }
    }

    /// Steps for each byte of a text.
    pub(super) fn steps_per_byte(self, text: &str) -> u64 {
        match self.linear {
            Linear::Always => 1,
            Linear::InAscii if text.is_ascii() => 1,
            Linear::InAscii | Linear::Never => self.states,
        }
    }
}

/// Visits every deterministic state; `None` where there are too many. Configured as the engine that searches is.
fn deterministic(program: &NFA, cache_bytes: usize) -> Option<Linear> {
    let config = Config::new().unicode_word_boundary(true).cache_capacity(cache_bytes);
    let dfa = Builder::new().configure(config).build_from_nfa(program.clone()).ok()?;
    let mut cache = dfa.create_cache();
    let mut linear = Linear::Always;
    let mut waiting = Vec::new();
    for before in BEFORE {
        let input = Input::new(before).range(before.len()..);
        waiting.push(dfa.start_state_forward(&mut cache, &input).ok()?);
    }
    let bytes: Vec<u8> =
        dfa.byte_classes().representatives(0..=u8::MAX).filter_map(|unit| unit.as_u8()).collect();
    let most = (MOST_WORK / (bytes.len().max(1) * program.states().len().max(1))).min(MOST_DETERMINISTIC);
    let mut seen: std::collections::HashSet<LazyStateID> = waiting.iter().copied().collect();
    while let Some(state) = waiting.pop() {
        for byte in &bytes {
            let next = step(&dfa, &mut cache, state, *byte)?;
            if next.is_quit() {
                linear = Linear::InAscii;
            } else if !next.is_dead() && seen.insert(next) {
                waiting.push(next);
            }
        }
        if seen.len() > most {
            return None;
        }
    }
    Some(linear)
}

/// The next state; `None` where the memory for states has run out.
fn step(dfa: &DFA, cache: &mut Cache, state: LazyStateID, byte: u8) -> Option<LazyStateID> {
    let next = dfa.next_state(cache, state, byte).ok()?;
    (cache.clear_count() == 0).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::super::expression_of;
    use crate::document::{Author, Flags};

    fn steps(expression: &str, text: &str) -> u64 {
        expression_of(expression, Flags::default(), Author::Organization).unwrap().steps_per_byte(text)
    }

    #[test]
    fn expressions_with_few_deterministic_states_cost_one_step_a_byte() {
        for expression in [r"a.*b", r"(?i)power\s+shell", r"\w+@\w+\.[a-z]{2,6}", "^x$", "[0-9a-f]{32}"] {
            assert_eq!(steps(expression, "aé"), 1, "{expression}");
        }
        assert_eq!(steps(r"\bnc\b", "ascii"), 1);
        assert!(steps(r"\bnc\b", "é") > 1, "a word boundary needs Unicode there");
    }

    #[test]
    fn expressions_whose_deterministic_states_multiply_cost_a_step_for_each_state() {
        assert!(steps(r"a[ab]{900}\pN", "ab") > 900);
        assert!(steps(r"(x+x+)+[^y]{30}z", "x") >= 1);
        assert!(steps(r"a.{40}b", "ab") > 40);
    }
}
