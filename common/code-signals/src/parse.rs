//! Text to syntax tree, with a bound of steps.

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
