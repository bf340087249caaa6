//! Text to syntax tree, with a bound of steps; children of fields.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use tree_sitter::{Language as Grammar, Node, ParseOptions, Parser, Tree};

use crate::bounds::PARSER_STEPS;
use crate::source::Language;

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

fn grammar(language: Language, is_typed_markup: bool) -> Grammar {
    match language {
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        Language::TypeScript if is_typed_markup => tree_sitter_typescript::LANGUAGE_TSX.into(),
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        Language::Go => tree_sitter_go::LANGUAGE.into(),
        Language::Ruby => tree_sitter_ruby::LANGUAGE.into(),
        Language::Bash => tree_sitter_bash::LANGUAGE.into(),
    }
}

/// Numbers of fields by their names.
type Fields = HashMap<String, u16, FixedState>;

/// The fields of each grammar.
static FIELDS: LazyLock<Vec<(Grammar, Fields)>> = LazyLock::new(|| {
    use Language::{Bash, Go, JavaScript, Python, Ruby, TypeScript};
    let all = [
        (Python, false),
        (JavaScript, false),
        (TypeScript, false),
        (TypeScript, true),
        (Go, false),
        (Ruby, false),
        (Bash, false),
    ];
    let read = |(language, is_typed_markup)| {
        let grammar = grammar(language, is_typed_markup);
        let mut fields: Fields = crate::names::map();
        for number in 1..=u16::try_from(grammar.field_count()).unwrap_or(u16::MAX) {
            fields.extend(grammar.field_name_for_id(number).map(|name| (name.to_owned(), number)));
        }
        (grammar, fields)
    };
    all.into_iter().map(read).collect()
});

/// Child of a field. By its number, because the search by name compares all names of the grammar.
pub(crate) fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    let grammar = node.language();
    let (_, fields) = FIELDS.iter().find(|(known, _)| *known == *grammar)?;
    node.child_by_field_id(*fields.get(name)?)
}

/// Parses a text; `None` if the steps of the parser ended first.
pub(crate) fn parse(text: &[u8], language: Language, is_typed_markup: bool) -> Option<Tree> {
    let grammar = grammar(language, is_typed_markup);
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
        parser.parse_with_options(&mut |at, _| text.get(at..).unwrap_or_default(), None, Some(options))
    })
}
