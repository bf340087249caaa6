//! Words of shells: quoting, expansions, substitutions.

use tree_sitter::Node;

use super::{Streams, block, statement};
use crate::fold::escape::{Escapes, unescape};
use crate::ir::Reg;
use crate::lower::{Lowering, children, field, plain};

pub(super) fn unescaped_word(l: &Lowering<'_>, node: Node<'_>) -> String {
    l.str(node).replace('\\', "")
}

/// The text of a word.
pub(super) fn value(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    l.deeper(|l| one_value(l, node))
}

fn one_value(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    match node.kind() {
        "word" | "number" | "string_content" | "extglob_pattern" | "regex" => {
            let text = unescaped_word(l, node);
            l.literal(text.as_bytes())
        }
        "raw_string" => {
            let text = l.slice(node);
            l.literal(text.get(1..text.len().saturating_sub(1)).unwrap_or_default())
        }
        "ansi_c_string" => {
            let text = l.slice(node);
            let text =
                unescape(text.get(2..text.len().saturating_sub(1)).unwrap_or_default(), Escapes::Bytes);
            l.literal(&text)
        }
        "string" => string(l, node),
        "concatenation" | "translated_string" => {
            let parts: Vec<Reg> = children(node).into_iter().map(|child| value(l, child)).collect();
            l.concat(&parts)
        }
        "simple_expansion" | "expansion" => match node.named_child(0) {
            Some(name) if name.kind() == "subscript" => {
                field(name, "name").map_or(0, |name| l.load(l.str(name)))
            }
            Some(name) => l.load(l.str(name)),
            None => l.unknown(),
        },
        "command_substitution" => block(l, node, None),
        // A file name whose content is the output.
        "process_substitution" => {
            let output = block(l, node, None);
            let callee = l.load("%file");
            l.call(callee, &[plain(output)])
        }
        "array" => {
            let parts: Vec<Reg> = children(node).into_iter().map(|child| value(l, child)).collect();
            l.join(&parts)
        }
        "arithmetic_expansion" | "brace_expression" | "comment" | "test_operator" => l.unknown(),
        "test_command" | "binary_expression" | "unary_expression" | "parenthesized_expression" => {
            for child in children(node) {
                value(l, child);
            }
            l.unknown()
        }
        _ if node.kind().ends_with("_statement")
            || matches!(node.kind(), "command" | "pipeline" | "list") =>
        {
            statement(l, node, &Streams::default())
        }
        _ => {
            let text = l.slice(node);
            l.literal(text)
        }
    }
}

fn string(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let mut parts = Vec::new();
    let mut from = node.start_byte() + 1;
    for child in children(node) {
        if child.kind() == "string_content" {
            continue;
        }
        between(l, from, child.start_byte(), &mut parts);
        parts.push(value(l, child));
        from = child.end_byte();
    }
    between(l, from, node.end_byte().saturating_sub(1), &mut parts);
    if parts.is_empty() {
        parts.push(l.literal(b""));
    }
    l.concat(&parts)
}

/// Text in double quotes: a backslash stays unless it protects a special character.
fn between(l: &mut Lowering<'_>, from: usize, to: usize, parts: &mut Vec<Reg>) {
    let text = l.text.get(from..to).unwrap_or_default();
    if text.is_empty() {
        return;
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter().peekable();
    while let Some(byte) = bytes.next() {
        match bytes.peek() {
            Some(next) if *byte == b'\\' && matches!(next, b'"' | b'\\' | b'$' | b'`' | b'\n') => {}
            _ => {
                out.push(*byte);
                continue;
            }
        }
        out.extend(bytes.next());
    }
    parts.push(l.literal(&out));
}

pub(super) fn heredoc(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    // Parts between expansions are cut out of the source, since the grammar leaves some of them without a node.
    let mut parts = Vec::new();
    let mut from = node.start_byte();
    for child in children(node) {
        if child.kind() == "heredoc_content" {
            continue;
        }
        let text = l.text.get(from..child.start_byte()).unwrap_or_default();
        parts.push(l.literal(text));
        parts.push(value(l, child));
        from = child.end_byte();
    }
    let text = l.text.get(from..node.end_byte()).unwrap_or_default();
    parts.push(l.literal(text));
    l.concat(&parts)
}
