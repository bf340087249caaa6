//! Regular expressions of rules, within bounds of memory, nesting and time. Look-around and back-references
//! do not exist, so that matching takes time in proportion to the text and the size of the expression.

mod deterministic;
mod metered;
mod required;

use regex_automata::Input;
use regex_automata::meta;
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

use crate::document::{Author, Flags};
use crate::refusal::Cause;
use metered::Metered;
pub(crate) use required::{NotAscii, Required};

/// Memory of one compiled expression of the operator, bytes: `\w{1,64}`, in a public rule, needs more than
/// one MiB because letters are those of Unicode.
const OPERATOR_PROGRAM_BYTES: usize = 4 << 20;
/// Memory of one compiled expression of an organization, bytes: two expressions of the public corpus need more.
pub const ORGANIZATION_PROGRAM_BYTES: usize = 256 << 10;
/// Counted repetitions (`x{9}` is nine, `(x{9}){9}` eighty-one) in one expression of an organization. Each one is a
/// copy in the compiled program, all of which a text can make active at once.
pub const ORGANIZATION_REPETITIONS: u64 = 1_000;
/// Memory in which a thread remembers the deterministic states of an operator's expression, bytes.
const OPERATOR_CACHE_BYTES: usize = 4 << 20;
/// The same for an expression of an organization, bytes: more than nine in ten expressions of public rules need.
const ORGANIZATION_CACHE_BYTES: usize = 512 << 10;
/// Nesting within a regular expression.
const MAX_NESTING: u32 = 100;

/// A compiled regular expression; it is searched for, not matched as a whole.
#[derive(Clone, Debug)]
pub struct Regex {
    engine: Engine,
}

/// Kind of search for an expression.
#[derive(Clone, Debug)]
enum Engine {
    /// As fast as it goes.
    Unmetered(meta::Regex),
    /// At a cost that is known in advance.
    Metered(Metered),
}

impl Regex {
    /// Whether the expression matches anywhere in the text.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.is_match_before(text, text.len())
    }

    /// Whether the expression matches anywhere before the byte `end`, a character boundary. The text behind it is
    /// seen by `$` and `\b` only.
    pub(crate) fn is_match_before(&self, text: &str, end: usize) -> bool {
        match &self.engine {
            Engine::Unmetered(engine) => engine.is_match(Input::new(text).range(..end)),
            Engine::Metered(engine) => engine.is_match_before(text, end),
        }
    }

    /// Bytes of memory that the compiled program takes, without those that threads remember while they search.
    pub(crate) fn program_bytes(&self) -> usize {
        match &self.engine {
            Engine::Unmetered(engine) => engine.memory_usage(),
            Engine::Metered(engine) => engine.program_bytes(),
        }
    }

    /// Bytes that each thread remembers of a metered expression at most; 0 where searches are not metered.
    pub(crate) fn remembered_bytes(&self) -> usize {
        match &self.engine {
            Engine::Unmetered(_) => 0,
            Engine::Metered(engine) => engine.remembered_bytes(),
        }
    }

    /// The same expression, of which threads remember nothing where searches are metered.
    #[must_use]
    pub(crate) fn without_states(self) -> Self {
        match self.engine {
            Engine::Unmetered(_) => self,
            Engine::Metered(engine) => Self { engine: Engine::Metered(engine.without_states()) },
        }
    }

    /// Steps that a search takes for each byte of a text, at worst; 0 where searches are not metered.
    #[must_use]
    pub fn steps_per_byte(&self, text: &str) -> u64 {
        match &self.engine {
            Engine::Unmetered(_) => 0,
            Engine::Metered(engine) => engine.steps_per_byte(text),
        }
    }
}

/// The expression of an operator's rule with `re` and its flags.
///
/// # Errors
/// [`Cause::Regex`] where it is invalid, or too large.
pub fn expression(text: &str, flags: Flags) -> Result<Regex, Cause> {
    expression_of(text, flags, Author::Operator)
}

/// The expression of a rule of this author.
///
/// # Errors
/// [`Cause::Regex`] where it is invalid, or larger than the limit of the author.
pub fn expression_of(text: &str, flags: Flags, author: Author) -> Result<Regex, Cause> {
    let parsed = parser(flags).parse(text).map_err(|error| refused(&error))?;
    let engine = match author {
        Author::Operator => Engine::Unmetered(unmetered(&parsed)?),
        Author::Organization => Engine::Metered(metered(&parsed)?),
    };
    Ok(Regex { engine })
}

fn unmetered(parsed: &Hir) -> Result<meta::Regex, Cause> {
    let config = meta::Config::new()
        .nfa_size_limit(Some(OPERATOR_PROGRAM_BYTES))
        .hybrid_cache_capacity(OPERATOR_CACHE_BYTES)
        .which_captures(WhichCaptures::Implicit);
    meta::Builder::new().configure(config).build_from_hir(parsed).map_err(|error| match error.size_limit() {
        Some(limit) => too_large(limit),
        None => refused(&error),
    })
}

fn metered(parsed: &Hir) -> Result<Metered, Cause> {
    let found = repetitions(parsed);
    if found > ORGANIZATION_REPETITIONS {
        let cause = format!("expected at most {ORGANIZATION_REPETITIONS} counted repetitions, found {found}");
        return Err(Cause::Regex(cause.into()));
    }
    let program = program(parsed, ORGANIZATION_PROGRAM_BYTES)?;
    Metered::new(program, ORGANIZATION_CACHE_BYTES)
        .ok_or_else(|| Cause::Regex("the expression cannot be simulated".into()))
}

fn refused(error: &dyn std::fmt::Display) -> Cause {
    Cause::Regex(one_line(&error.to_string()))
}

/// Requirements on a text that an expression with the same flags matches: each of these is necessary, so that one is enough to
/// search for. Empty where nothing is known.
pub(crate) fn required(text: &str, flags: Flags) -> Vec<Required> {
    let parsed = parser(flags).parse(text);
    parsed.map(|parsed| required::of(&parsed)).unwrap_or_default()
}

fn parser(flags: Flags) -> regex_syntax::Parser {
    ParserBuilder::new()
        .case_insensitive(flags.ignore_case)
        .multi_line(flags.multi_line)
        .dot_matches_new_line(flags.dot_all)
        .nest_limit(MAX_NESTING)
        .build()
}

/// The program that is simulated state by state where nothing quicker works.
fn program(parsed: &Hir, limit: usize) -> Result<NFA, Cause> {
    let config = thompson::Config::new().nfa_size_limit(Some(limit)).which_captures(WhichCaptures::None);
    thompson::Compiler::new().configure(config).build_from_hir(parsed).map_err(|_| too_large(limit))
}

fn too_large(limit: usize) -> Cause {
    Cause::Regex(format!("compiled program exceeds {limit} bytes").into())
}

/// Copies that counted repetitions make, those within others multiplied.
fn repetitions(parsed: &Hir) -> u64 {
    match parsed.kind() {
        HirKind::Repetition(repetition) => {
            let within = repetitions(&repetition.sub);
            let count = match (repetition.min, repetition.max) {
                (0 | 1, None) | (0, Some(1)) => return within,
                (min, max) => u64::from(max.unwrap_or(min)),
            };
            count.saturating_mul(within.max(1))
        }
        HirKind::Capture(capture) => repetitions(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(repetitions).fold(0, u64::saturating_add)
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => 0,
    }
}

/// The error draws an arrow under the expression; a refusal is one line.
fn one_line(error: &str) -> Box<str> {
    error.lines().last().unwrap_or(error).trim().trim_start_matches("error: ").into()
}
