//! Deterministic states of an expression. Most expressions have few: each thread remembers those that it has met, and
//! each byte of a text costs one step. Of others any byte may lead to a state that was never met; those are searched
//! without, by following each state of the compiled program.

use std::collections::HashSet;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use regex_automata::Input;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Builder, Cache, Config, DFA};
use regex_automata::nfa::thompson::NFA;
use regex_automata::util::pool::Pool;

/// Most deterministic states that are computed: each costs about as much as a step for each state of the program and class of
/// bytes, so that compiling takes milliseconds.
const MOST_STATES: usize = 2_048;
/// Transitions followed, times states of the program: the same bound for large programs, of which a transition
/// looks at a small part.
const MOST_WORK: usize = 250_000_000;

/// Makes the memory of a thread.
type NewCache = Box<dyn Fn() -> Cache + Send + Sync + UnwindSafe + RefUnwindSafe>;

/// All deterministic states that searches from the beginning of a text to the first match can reach.
#[derive(Debug)]
pub(super) struct Deterministic {
    dfa: Arc<DFA>,
    /// Bytes of all states.
    bytes: usize,
    texts: Texts,
    /// One for each thread that searches at a time.
    caches: Pool<Cache, NewCache>,
}

/// Texts that are searched by deterministic states alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Texts {
    /// `\b` is decided for ASCII text only.
    Ascii,
    All,
}

impl Deterministic {
    /// Visits every deterministic state of a program; `None` where they take more than `most_bytes`, or are too many.
    pub(super) fn of(program: &NFA, most_bytes: usize) -> Option<Self> {
        let config = |bytes| Config::new().unicode_word_boundary(true).cache_capacity(bytes);
        let build = |config| Builder::new().configure(config).build_from_nfa(program.clone()).ok();
        let explored = build(config(most_bytes))?;
        let mut cache = explored.create_cache();
        let texts = explore(&explored, &mut cache, program.states().len())?;
        let bytes = cache.memory_usage();
        // With room for all of them, whatever the order in which they are met.
        let dfa = Arc::new(build(config(bytes).skip_cache_capacity_check(true))?);
        let new: NewCache = {
            let dfa = Arc::clone(&dfa);
            Box::new(move || dfa.create_cache())
        };
        Some(Self { dfa, bytes, texts, caches: Pool::new(new) })
    }

    /// Bytes beside those of the program.
    pub(super) fn program_bytes(&self) -> usize {
        size_of::<Self>() + self.dfa.memory_usage()
    }

    /// Bytes that each thread remembers at most.
    pub(super) fn remembered_bytes(&self) -> usize {
        self.bytes
    }

    /// Whether a search of the text reaches no other states.
    pub(super) fn suffice_for(&self, text: &str) -> bool {
        match self.texts {
            Texts::All => true,
            Texts::Ascii => text.is_ascii(),
        }
    }

    /// Whether the expression matches; `None` where a state is missing after all.
    pub(super) fn is_match(&self, input: &Input<'_>) -> Option<bool> {
        let mut cache = self.caches.get();
        self.dfa.try_search_fwd(&mut cache, input).ok().map(|found| found.is_some())
    }
}

/// Visits all states; `None` where there are too many. A search ends at its first match, so nothing is behind one.
fn explore(dfa: &DFA, cache: &mut Cache, program_states: usize) -> Option<Texts> {
    let bytes: Vec<u8> =
        dfa.byte_classes().representatives(0..=u8::MAX).filter_map(|unit| unit.as_u8()).collect();
    let most = (MOST_WORK / (bytes.len().max(1) * program_states.max(1))).min(MOST_STATES);
    let mut texts = Texts::All;
    // Every search begins at the beginning of its text.
    let mut waiting = vec![dfa.start_state_forward(cache, &Input::new("")).ok()?];
    let mut seen: HashSet<LazyStateID> = waiting.iter().copied().collect();
    while let Some(state) = waiting.pop() {
        for byte in &bytes {
            let next = kept(cache, |cache| dfa.next_state(cache, state, *byte).ok())?;
            if next.is_quit() {
                texts = Texts::Ascii;
            } else if !next.is_dead() && !next.is_match() && seen.insert(next) {
                waiting.push(next);
            }
        }
        kept(cache, |cache| dfa.next_eoi_state(cache, state).ok())?;
        if seen.len() > most {
            return None;
        }
    }
    Some(texts)
}

/// The next state; `None` where the memory for states has run out.
fn kept(cache: &mut Cache, next: impl FnOnce(&mut Cache) -> Option<LazyStateID>) -> Option<LazyStateID> {
    let next = next(cache)?;
    (cache.clear_count() == 0).then_some(next)
}
