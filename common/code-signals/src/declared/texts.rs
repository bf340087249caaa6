//! Nodes to texts: literals, concatenations, and constants by their names.

use std::cell::Cell;
use std::collections::BTreeMap;

use tree_sitter::Node;

use crate::fold::escape::{Escapes, unescape};

/// Named constants of a set, and bytes of a text: more than a literal of a file has that is read as a whole.
const MOST_CONSTANTS: usize = 20_000;
const MOST_BYTES: usize = 1 << 20;
/// Nodes of an expression that are looked at for its text.
const MOST_NODES: usize = 20_000;
/// Stands for an unknown part.
const UNKNOWN: char = '…';

/// Texts of named constants, by their names. Of several with one name, the first longest one.
#[derive(Debug, Default)]
pub(super) struct Constants {
    texts: BTreeMap<String, String>,
    /// Bytes of texts that can still be made: constants could otherwise be repeated without a bound.
    left: Cell<usize>,
    /// Whether a bound was reached, so that a text is not whole.
    is_cut: Cell<bool>,
}

impl Constants {
    /// None yet, with room for texts of a number of bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Self { left: Cell::new(bytes), ..Self::default() }
    }

    /// Whether a bound was reached.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut.get()
    }

    /// Adds the constants of a file.
    pub(super) fn add(&mut self, root: Node<'_>, source: &[u8]) {
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            let (name, value) = match node.kind() {
                "assignment" | "assignment_expression" | "short_var_declaration" => {
                    (node.child_by_field_name("left"), node.child_by_field_name("right"))
                }
                "variable_declarator" | "const_spec" | "var_spec" => {
                    (node.child_by_field_name("name"), node.child_by_field_name("value"))
                }
                "pair" => (node.child_by_field_name("key"), node.child_by_field_name("value")),
                _ => (None, None),
            };
            if let (Some(name), Some(value)) = (name, value)
                && is_textual(value)
                && self.texts.len() < MOST_CONSTANTS
            {
                let text = text_of(value, source, self);
                let name = last_name(name, source).trim_matches(['"', '\'']).to_owned();
                if text.len() > self.texts.get(&name).map_or(0, String::len) {
                    self.texts.insert(name, text);
                }
            }
            push_children(node, &mut waiting);
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }
}

/// Pushes the named children, the last one first.
pub(super) fn push_children<'t>(node: Node<'t>, waiting: &mut Vec<Node<'t>>) {
    let mut cursor = node.walk();
    let before = waiting.len();
    waiting.extend(node.named_children(&mut cursor));
    if let Some(added) = waiting.get_mut(before..) {
        added.reverse();
    }
}

pub(super) fn slice<'s>(node: Node<'_>, source: &'s [u8]) -> &'s str {
    std::str::from_utf8(source.get(node.byte_range()).unwrap_or_default()).unwrap_or_default()
}

/// The last name of a path: `description` of `a.b.description`.
pub(super) fn last_name<'s>(node: Node<'_>, source: &'s [u8]) -> &'s str {
    let part = ["attribute", "property", "field"].iter().find_map(|field| node.child_by_field_name(field));
    let part = part.or_else(|| {
        let inner = matches!(node.kind(), "expression_list" | "parenthesized_expression" | "literal_element");
        inner.then(|| node.named_child(0)).flatten()
    });
    slice(part.unwrap_or(node), source)
}

/// Whether a node is a literal text of one of the languages.
pub(super) fn is_literal(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "string"
            | "template_string"
            | "interpreted_string_literal"
            | "raw_string_literal"
            | "raw_string"
            | "heredoc_body"
    )
}

/// Whether a kind of node joins operands.
pub(super) fn is_chain(kind: &str) -> bool {
    matches!(kind, "binary_operator" | "binary_expression" | "parenthesized_expression" | "expression_list")
}

/// Whether a node is a literal, or an expression that joins some.
pub(super) fn is_textual(node: Node<'_>) -> bool {
    match node.kind() {
        "concatenated_string" => true,
        kind if is_chain(kind) => has_literal(node),
        "call" | "call_expression" => is_joining(node),
        _ => is_literal(node),
    }
}

/// Whether a literal stands among the operands of a left-deep chain.
fn has_literal(node: Node<'_>) -> bool {
    let mut waiting = vec![node];
    for _ in 0..MOST_NODES {
        let Some(node) = waiting.pop() else { return false };
        match node.kind() {
            kind if is_chain(kind) => push_children(node, &mut waiting),
            "concatenated_string" => return true,
            _ if is_literal(node) => return true,
            _ => {}
        }
    }
    false
}

/// Calls that give a text made of their literals: `"…".join([…])`, `[…].join("")`, `dedent("…")`.
fn is_joining(node: Node<'_>) -> bool {
    let Some(function) = node.child_by_field_name("function") else { return false };
    let receiver = ["object", "operand"].iter().find_map(|field| function.child_by_field_name(field));
    let is_list = |node: Node<'_>| matches!(node.kind(), "array" | "list" | "tuple");
    let holds = |node: Node<'_>| is_literal(node) || is_list(node) || has_literal(node);
    if receiver.is_some_and(holds) {
        return true;
    }
    let arguments = node.child_by_field_name("arguments");
    let only = arguments.filter(|list| list.named_child_count() == 1).and_then(|list| list.named_child(0));
    receiver.is_none() && only.is_some_and(holds)
}

/// The text of an expression.
pub(super) fn text_of(node: Node<'_>, source: &[u8], constants: &Constants) -> String {
    let mut text = String::new();
    let mut waiting: Vec<(Node<'_>, bool)> = vec![(node, false)];
    let most = MOST_BYTES.min(constants.left.get());
    for _ in 0..MOST_NODES {
        if text.len() >= most {
            break;
        }
        let Some((node, is_apart)) = waiting.pop() else { break };
        if is_literal(node) {
            let mut part = String::new();
            literal(node, source, constants, &mut part);
            // The separator of `join` is no part of its own.
            if is_apart && !text.is_empty() && !text.ends_with(char::is_whitespace) && !part.trim().is_empty()
            {
                text.push(' ');
            }
            if !is_apart || !part.trim().is_empty() {
                text.push_str(&part);
            }
            continue;
        }
        match node.kind() {
            "identifier" | "attribute" | "member_expression" | "selector_expression"
                if node.child_by_field_name("object").is_none_or(|object| !holds_text(object)) =>
            {
                match constants.get(last_name(node, source)) {
                    Some(known) => text.push_str(known),
                    None => text.push(UNKNOWN),
                }
            }
            "arrow_function" | "function_expression" | "func_literal" | "lambda" | "comment" => {}
            kind => {
                let apart = matches!(kind, "array" | "list" | "tuple" | "arguments" | "argument_list");
                let mut children = Vec::new();
                push_children(node, &mut children);
                waiting.extend(children.into_iter().map(|child| (child, apart)));
            }
        }
    }
    if !waiting.is_empty() || text.len() > most {
        constants.is_cut.set(true);
    }
    text.truncate(text.floor_char_boundary(most));
    constants.left.set(constants.left.get().saturating_sub(text.len()));
    text
}

fn holds_text(node: Node<'_>) -> bool {
    is_literal(node) || matches!(node.kind(), "array" | "list" | "tuple" | "parenthesized_expression")
}

/// Appends the content of a literal.
fn literal(node: Node<'_>, source: &[u8], constants: &Constants, text: &mut String) {
    let is_raw = node.kind().starts_with("raw")
        || node.child(0).is_some_and(|start| {
            slice(start, source).to_ascii_lowercase().contains('r') && start.kind() == "string_start"
        });
    let mut cursor = node.walk();
    for part in node.named_children(&mut cursor) {
        match part.kind() {
            "interpolation" | "template_substitution" => {
                let name = part.named_child(0).map(|inner| last_name(inner, source)).unwrap_or_default();
                match constants.get(name) {
                    Some(known) => text.push_str(known),
                    None => text.push(UNKNOWN),
                }
            }
            "string_start" | "string_end" | "comment" => {}
            _ if is_raw => text.push_str(slice(part, source)),
            _ => {
                let content = source.get(part.byte_range()).unwrap_or_default();
                text.push_str(&String::from_utf8_lossy(&unescape(content, Escapes::Text)));
            }
        }
        if text.len() >= MOST_BYTES {
            return;
        }
    }
    if node.named_child_count() == 0 {
        text.push_str(slice(node, source).trim_matches(['"', '\'', '`']));
    }
}
