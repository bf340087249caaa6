//! Searches that are charged: at worst each state of the compiled program is followed over each byte, which is the charge
//! unless all deterministic states of the expression are cached. The engine of the operator's expressions chooses among
//! strategies of which some search a text again from its end, at a cost that is not known in advance.

use std::cell::RefCell;
use std::sync::Arc;

use regex_automata::Input;
use regex_automata::nfa::thompson::NFA;
use regex_automata::nfa::thompson::pikevm::{self, PikeVM};

use super::deterministic::Deterministic;

thread_local! {
    /// Used for one search after the other, of whatever expression: below one MiB for a program of 256 KiB.
    static SIMULATION: RefCell<Option<pikevm::Cache>> = const { RefCell::new(None) };
}

/// An expression whose searches are charged.
#[derive(Clone, Debug)]
pub(super) struct Metered {
    simulation: Arc<PikeVM>,
    deterministic: Option<Arc<Deterministic>>,
}

impl Metered {
    /// Of a program; threads remember deterministic states only where all of them take at most `remembered_bytes`.
    ///
    /// `None` where the program cannot be simulated, which programs with Unicode tables always can.
    pub(super) fn new(program: NFA, remembered_bytes: usize) -> Option<Self> {
        let deterministic = Deterministic::of(&program, remembered_bytes).map(Arc::new);
        let simulation = Arc::new(PikeVM::new_from_nfa(program).ok()?);
        Some(Self { simulation, deterministic })
    }

    /// Bytes of the compiled program.
    pub(super) fn program_bytes(&self) -> usize {
        let deterministic = self.deterministic.as_ref().map_or(0, |states| states.program_bytes());
        self.simulation.get_nfa().memory_usage() + deterministic
    }

    /// Bytes that each thread remembers at most.
    pub(super) fn remembered_bytes(&self) -> usize {
        self.deterministic.as_ref().map_or(0, |states| states.remembered_bytes())
    }

    /// The same expression, of which nothing is remembered: its searches cost a step for each state and byte.
    pub(super) fn without_states(self) -> Self {
        Self { deterministic: None, ..self }
    }

    /// Steps of a search for each byte of the text.
    pub(super) fn steps_per_byte(&self, text: &str) -> u64 {
        match &self.deterministic {
            Some(states) if states.suffice_for(text) => 1,
            _ => u64::try_from(self.simulation.get_nfa().states().len()).unwrap_or(u64::MAX).max(1),
        }
    }

    /// Whether the expression matches before the byte `end`, a character boundary.
    pub(super) fn is_match_before(&self, text: &str, end: usize) -> bool {
        let input = Input::new(text).range(..end).earliest(true);
        let remembered = self.deterministic.as_ref().filter(|states| states.suffice_for(text));
        let found = remembered.and_then(|states| states.is_match(&input));
        found.unwrap_or_else(|| self.simulate(input))
    }

    fn simulate(&self, input: Input<'_>) -> bool {
        SIMULATION.with_borrow_mut(|cache| {
            let cache = cache.get_or_insert_with(|| self.simulation.create_cache());
            cache.reset(&self.simulation);
            self.simulation.is_match(cache, input)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Regex, expression_of};
    use crate::document::{Author, Flags};

    fn of(author: Author, expression: &str) -> Regex {
        expression_of(expression, Flags::default(), author).unwrap()
    }

    fn steps(expression: &str, text: &str) -> u64 {
        of(Author::Organization, expression).steps_per_byte(text)
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
        assert!(steps(r"a.{40}b", "ab") > 40);
    }

    #[test]
    fn an_expression_of_which_nothing_is_remembered_finds_the_same_and_costs_more() {
        let remembered = of(Author::Organization, r"a.*b");
        assert!(remembered.remembered_bytes() > 0);
        let forgotten = remembered.clone().without_states();
        assert_eq!(forgotten.remembered_bytes(), 0);
        assert!(forgotten.steps_per_byte("ab") > remembered.steps_per_byte("ab"));
        assert!(forgotten.is_match("-a-b-") && !forgotten.is_match("-b-a-"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

        /// Both engines agree, with cached states or without, also where the text continues behind the end.
        #[test]
        fn metered_searches_find_the_same_as_others(
            parts in prop::collection::vec(prop::sample::select(vec![
                "a", "B", "é", " ", r"\s", ".", "[ab]", "[^a]", "^", "$", r"\b", r"\B", "(a|bc)", "a*", "b+?", "[ab]{3}", "x?", r"\d", r"(?i)k",
            ]), 1..6),
            subjects in prop::collection::vec("[abBckKxé\u{212a} \n]{0,12}", 1..20),
        ) {
            let expression = parts.concat();
            let whole = of(Author::Operator, &expression);
            let metered = of(Author::Organization, &expression);
            let simulated = metered.clone().without_states();
            for text in &subjects {
                prop_assert_eq!(metered.is_match(text), whole.is_match(text), "{:?} {:?}", expression, text);
                for (end, _) in text.char_indices() {
                    let expected = whole.is_match_before(text, end);
                    for other in [&metered, &simulated] {
                        prop_assert_eq!(other.is_match_before(text, end), expected, "{:?} {:?} {}", expression, text, end);
                    }
                }
            }
        }
    }
}
