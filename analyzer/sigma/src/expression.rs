//! Regular expressions of rules, within bounds of memory and nesting. Look-around and back-references
//! do not exist, so that matching takes time in proportion to the text.

mod required;

pub use regex::Regex;
use regex::RegexBuilder;
use regex_syntax::ParserBuilder;

use crate::document::Flags;
use crate::refusal::Cause;
pub(crate) use required::{NotAscii, Required};

/// Memory of one compiled regular expression, bytes: `\w{1,64}`, in a public rule, needs more than
/// one MiB because letters are those of Unicode.
const MAX_BYTES: usize = 4 << 20;
/// Nesting within a regular expression.
const MAX_NESTING: u32 = 100;

/// The expression of a rule with `re` and its flags; it is searched for, not matched as a whole.
///
/// # Errors
/// [`Cause::Regex`] where it is none, or takes too much.
pub fn expression(text: &str, flags: Flags) -> Result<Regex, Cause> {
    RegexBuilder::new(text)
        .case_insensitive(flags.ignore_case)
        .multi_line(flags.multi_line)
        .dot_matches_new_line(flags.dot_all)
        .size_limit(MAX_BYTES)
        .dfa_size_limit(MAX_BYTES)
        .nest_limit(MAX_NESTING)
        .build()
        .map_err(|error| Cause::Regex(one_line(&error.to_string())))
}

/// What a text must hold where an expression that was built with the same flags matches: each of these is
/// needed, so that one is enough to look for. Empty where nothing is known.
pub(crate) fn required(text: &str, flags: Flags) -> Vec<Required> {
    let parser = ParserBuilder::new()
        .case_insensitive(flags.ignore_case)
        .multi_line(flags.multi_line)
        .dot_matches_new_line(flags.dot_all)
        .nest_limit(MAX_NESTING)
        .build()
        .parse(text);
    parser.map(|parsed| required::of(&parsed)).unwrap_or_default()
}

/// The error draws an arrow under the expression; a refusal is one line.
fn one_line(error: &str) -> Box<str> {
    error.lines().last().unwrap_or(error).trim().trim_start_matches("error: ").into()
}
