//! Text to syntax tree, with a bound of steps.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

use crate::bounds::PARSER_STEPS;
use crate::source::Language;

/// A parsed text.
pub(crate) struct Parsed {
    pub(crate) tree: Tree,
}

thread_local! {
    /// A parser keeps its memory between texts.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// A text of a shell with a letter for each byte outside of ASCII. The scanner of tree-sitter-bash 0.25.1 gives characters behind `{` to
/// `isdigit` of C, which reads outside of its table for most of them. Places stay the same, and nodes are read from the text itself.
fn plain(text: &[u8]) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.iter().map(|byte| if byte.is_ascii() { *byte } else { b'x' }).collect())
}

/// Parses a text; `None` if the steps of the parser ended first.
pub(crate) fn parse(text: &[u8], language: Language, is_typed_markup: bool) -> Option<Parsed> {
    let grammar: tree_sitter::Language = match language {
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        Language::TypeScript if is_typed_markup => tree_sitter_typescript::LANGUAGE_TSX.into(),
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        Language::Go => tree_sitter_go::LANGUAGE.into(),
        Language::Ruby => tree_sitter_ruby::LANGUAGE.into(),
        Language::Bash => tree_sitter_bash::LANGUAGE.into(),
    };
    let text = if language == Language::Bash { plain(text) } else { Cow::Borrowed(text) };
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&grammar).ok()?;
        parser.reset();
        let mut left = PARSER_STEPS + text.len();
        let mut progress = |_: &tree_sitter::ParseState| {
            left = left.saturating_sub(1);
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let tree = parser.parse_with_options(
            &mut |at, _| text.get(at..).unwrap_or_default(),
            None,
            Some(options),
        )?;
        Some(Parsed { tree })
    })
}
