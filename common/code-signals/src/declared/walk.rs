//! One pass over the tree of a file: functions with the names that they call, branches for one tool, literals and comments.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::registered;
use super::texts::{is_chain, is_textual, last_name, push_children, slice, text_of};
use super::{Declarations, Function, Reader, TextKind};

/// Names that a function calls at most.
const MOST_CALLS: usize = 2_000;

/// Nodes whose parts are given to others: a function among them may be called.
const GIVEN: [&str; 5] = ["arguments", "argument_list", "pair", "keyword_argument", "return_statement"];

/// Lines of a node, from 1.
pub(super) fn lines(node: Node<'_>) -> (u32, u32) {
    let line = |row: usize| u32::try_from(row).unwrap_or(u32::MAX - 1).saturating_add(1);
    (line(node.start_position().row), line(node.end_position().row))
}

/// Reads a file.
pub(super) fn walk(reader: &Reader<'_>, root: Node<'_>, found: &mut Declarations) {
    let mut comment: Option<(u32, u32, String)> = None;
    // Each node with its parent, which a tree would have to search.
    let mut waiting: Vec<(Node<'_>, Option<Node<'_>>)> = vec![(root, None)];
    let mut children = Vec::new();
    while let Some((node, parent)) = waiting.pop() {
        if !reader.step() {
            found.is_cut = true;
            break;
        }
        if node.kind().ends_with("comment") {
            comments(reader, node, &mut comment, found);
            continue;
        }
        registered::read(reader, node, found);
        if let Some(function) = function(reader, node, parent) {
            found.functions.push(function);
        }
        let parent_kind = parent.map(|parent| parent.kind()).unwrap_or_default();
        // The inner operators of a chain without a literal have none either.
        let is_inner = is_chain(parent_kind) && is_chain(node.kind());
        if !is_inner && is_textual(node) {
            let is_documentation = parent_kind == "expression_statement";
            let kind = if is_documentation { TextKind::Docstring } else { TextKind::Literal };
            let text = text_of(node, reader.text, reader.constants);
            found.push(kind, reader.file, lines(node).0, text);
        } else {
            push_children(node, &mut children);
            waiting.extend(children.drain(..).map(|child| (child, Some(node))));
        }
    }
    if let Some((first, _, text)) = comment {
        found.push(TextKind::Comment, reader.file, first, text);
    }
}

/// Adds a comment to those in the lines above it.
fn comments(
    reader: &Reader<'_>,
    node: Node<'_>,
    before: &mut Option<(u32, u32, String)>,
    found: &mut Declarations,
) {
    let marks: &[char] = &['/', '*', '#', '!', ' ', '\t', '<', '-'];
    let lines_of = |text: &str| {
        let lines: Vec<&str> =
            text.lines().map(|line| line.trim_start_matches(marks).trim_end_matches("*/")).collect();
        lines.join("\n")
    };
    let text = lines_of(&String::from_utf8_lossy(reader.text.get(node.byte_range()).unwrap_or_default()));
    let (first, last) = lines(node);
    match before {
        Some((_, end, joined)) if *end + 1 == first => {
            joined.push('\n');
            joined.push_str(&text);
            *end = last;
        }
        _ => {
            if let Some((line, _, text)) = before.replace((first, last, text)) {
                found.push(TextKind::Comment, reader.file, line, text);
            }
        }
    }
}

/// A function, class or branch that begins at a node.
fn function(reader: &Reader<'_>, node: Node<'_>, parent: Option<Node<'_>>) -> Option<Function> {
    let name_of = |node: Node<'_>| node.child_by_field_name("name").map(|name| slice(name, reader.text));
    let (name, label) = match node.kind() {
        "function_definition"
        | "function_declaration"
        | "method_definition"
        | "method_declaration"
        | "method"
        | "generator_function_declaration"
        | "class_definition"
        | "class_declaration" => (name_of(node)?, ""),
        "arrow_function" | "function_expression" | "func_literal" | "lambda" => {
            (assigned(reader, parent), "")
        }
        "if_statement" | "elif_clause" | "switch_case" | "expression_case" | "case_clause" => {
            ("", label(reader, node)?)
        }
        "pair" => ("", pair(reader, node)?),
        _ => return None,
    };
    let (first, mut last) = lines(node);
    if matches!(node.kind(), "if_statement" | "elif_clause") {
        // Not the other branches.
        let body = ["consequence", "body"].iter().find_map(|field| node.child_by_field_name(field));
        last = body.map_or(last, |body| lines(body).1);
    }
    let calls = calls(reader, node, last);
    Some(Function { name: name.to_owned(), label: label.to_owned(), file: reader.file, first, last, calls })
}

/// The variable or property that a function is stored in.
fn assigned<'r>(reader: &Reader<'r>, parent: Option<Node<'_>>) -> &'r str {
    let Some(parent) = parent else { return "" };
    let name = ["name", "left", "key", "property"].iter().find_map(|field| parent.child_by_field_name(field));
    let is_assignment = matches!(
        parent.kind(),
        "variable_declarator"
            | "assignment"
            | "assignment_expression"
            | "pair"
            | "public_field_definition"
            | "field_definition"
    );
    name.filter(|_| is_assignment).map(|name| last_name(name, reader.text)).unwrap_or_default()
}

/// The text that a branch compares with: the name of a tool.
fn label<'r>(reader: &Reader<'r>, node: Node<'_>) -> Option<&'r str> {
    let condition = ["condition", "value"].iter().find_map(|field| node.child_by_field_name(field));
    let mut waiting = vec![condition.or_else(|| node.named_child(0))?];
    for _ in 0..40 {
        let node = waiting.pop()?;
        if super::texts::is_literal(node) {
            return Some(slice(node, reader.text).trim_matches(['"', '\'', '`']));
        }
        push_children(node, &mut waiting);
    }
    None
}

/// The key of an entry that names a function: `{"add": add}`.
fn pair<'r>(reader: &Reader<'r>, node: Node<'_>) -> Option<&'r str> {
    let value = node.child_by_field_name("value")?;
    let is_function = matches!(
        value.kind(),
        "identifier"
            | "attribute"
            | "member_expression"
            | "arrow_function"
            | "function_expression"
            | "lambda"
    );
    let key = node.child_by_field_name("key").filter(|_| is_function)?;
    Some(slice(key, reader.text).trim_matches(['"', '\'', '`']))
}

/// Names that are called, or given to a call, within a node up to a line.
fn calls(reader: &Reader<'_>, node: Node<'_>, last: u32) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut waiting = vec![(node, "")];
    let mut children = Vec::new();
    while let Some((node, parent)) = waiting.pop() {
        if names.len() >= MOST_CALLS || !reader.step() {
            break;
        }
        if lines(node).0 > last {
            continue;
        }
        match node.kind() {
            "call" | "call_expression" | "new_expression" => {
                let function = ["function", "constructor", "method"]
                    .iter()
                    .find_map(|field| node.child_by_field_name(field));
                names.extend(function.map(|function| last_name(function, reader.text).to_owned()));
            }
            "identifier" if GIVEN.contains(&parent) => {
                names.insert(slice(node, reader.text).to_owned());
            }
            _ => {}
        }
        push_children(node, &mut children);
        waiting.extend(children.drain(..).map(|child| (child, node.kind())));
    }
    names
}
