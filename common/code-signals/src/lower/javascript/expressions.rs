//! Expressions of JavaScript and TypeScript.

use tree_sitter::Node;

use super::definitions::{class, function};
use super::operators::{augmented, binary, object, sequence, ternary};
use super::{bind, statement};
use crate::fold::escape::{Escapes, unescape};
use crate::ir::{Argument, Op, Reg};
use crate::lower::{Lowering, children, field, parse_number, plain};

pub(super) fn expression(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    l.deeper(|l| {
        l.at(node);
        one(l, node)
    })
}

pub(super) fn of(l: &mut Lowering<'_>, node: Node<'_>, name: &str) -> Reg {
    match field(node, name) {
        Some(child) => expression(l, child),
        None => l.unknown(),
    }
}

fn one(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    match node.kind() {
        "identifier" | "this" | "super" | "import" | "shorthand_property_identifier" | "undefined" => {
            let name = l.sym(node);
            l.emit(Op::Load(name))
        }
        "string" => {
            let text = string_text(l, node);
            l.literal(&text)
        }
        "template_string" => template(l, node),
        "number" => {
            let number = parse_number(l.str(node));
            l.number(number)
        }
        "call_expression" => call(l, node, false),
        "new_expression" => call(l, node, true),
        "member_expression" => {
            let object = of(l, node, "object");
            let Some(name) = field(node, "property") else { return object };
            let name = l.sym(name);
            l.emit(Op::Attribute { of: object, name })
        }
        "subscript_expression" => {
            let object = of(l, node, "object");
            let key = of(l, node, "index");
            l.emit(Op::Index { of: object, key })
        }
        "binary_expression" => binary(l, node),
        "assignment_expression" => {
            let value = of(l, node, "right");
            l.at(node);
            if let Some(left) = field(node, "left") {
                bind(l, left, value, false);
            }
            value
        }
        "augmented_assignment_expression" => augmented(l, node),
        "arrow_function" | "function_expression" | "generator_function" | "function" => {
            function(l, node, false)
        }
        "function_declaration" | "generator_function_declaration" => function(l, node, false),
        "class" | "class_declaration" => class(l, node),
        "object" => object(l, node),
        "array" => {
            let parts: Vec<Reg> = children(node).into_iter().map(|child| expression(l, child)).collect();
            let parts = l.registers(&parts);
            l.emit(Op::List(parts))
        }
        "ternary_expression" => ternary(l, node),
        "sequence_expression" => sequence(l, node),
        _ => without_value(l, node),
    }
}

/// Expressions that pass a value on, and those whose value is not followed.
fn without_value(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    match node.kind() {
        "await_expression" => {
            let value = node.named_child(0).map_or(0, |child| expression(l, child));
            l.emit(Op::Await(value))
        }
        "parenthesized_expression"
        | "spread_element"
        | "non_null_expression"
        | "as_expression"
        | "satisfies_expression"
        | "expression_statement"
        | "computed_property_name" => node.named_child(0).map_or(0, |child| expression(l, child)),
        // The elements of a generator are what it gives.
        "yield_expression" => {
            let value = node.named_child(0).map_or(0, |child| expression(l, child));
            l.emit(Op::Return(value));
            value
        }
        "type_assertion" => node.named_child(1).map_or(0, |child| expression(l, child)),
        "unary_expression" | "update_expression" => {
            of(l, node, "argument");
            l.unknown()
        }
        "statement_block"
        | "lexical_declaration"
        | "variable_declaration"
        | "if_statement"
        | "return_statement"
        | "ERROR" => {
            if node.kind() == "ERROR" {
                for child in children(node) {
                    statement(l, child);
                }
            } else {
                statement(l, node);
            }
            l.unknown()
        }
        // Patterns of payment addresses are the only ones whose text says something.
        "regex" if l.slice(node).len() < 400 && crate::chains::is_wallet_pattern(l.str(node)) => {
            l.literal(l.slice(node))
        }
        "true" | "false" | "null" | "regex" | "comment" | "property_identifier" | "empty_statement" => {
            l.unknown()
        }
        "jsx_element"
        | "jsx_self_closing_element"
        | "jsx_expression"
        | "jsx_attribute"
        | "jsx_opening_element" => {
            for child in children(node) {
                expression(l, child);
            }
            l.unknown()
        }
        _ => l.unknown(),
    }
}

fn string_text(l: &Lowering<'_>, node: Node<'_>) -> Vec<u8> {
    let text = l.slice(node);
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    unescape(inner, Escapes::Text)
}

fn template(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let mut parts = Vec::new();
    // Neighbouring fragments and escapes are contiguous, so the text between substitutions is cut out of the source.
    let mut from = node.start_byte() + 1;
    for child in children(node) {
        if child.kind() != "template_substitution" {
            continue;
        }
        fragment(l, from, child.start_byte(), &mut parts);
        parts.push(child.named_child(0).map_or(0, |value| expression(l, value)));
        from = child.end_byte();
    }
    fragment(l, from, node.end_byte().saturating_sub(1), &mut parts);
    if parts.len() < 2 {
        parts.push(l.literal(b""));
    }
    l.concat(&parts)
}

fn fragment(l: &mut Lowering<'_>, from: usize, to: usize, parts: &mut Vec<Reg>) {
    let text = l.text.get(from..to).unwrap_or_default();
    if !text.is_empty() {
        let text = unescape(text, Escapes::Text);
        parts.push(l.literal(&text));
    }
}

/// Chains of member calls are long, so callees are followed in a loop as far as they are calls of members.
fn call(l: &mut Lowering<'_>, node: Node<'_>, constructs: bool) -> Reg {
    let mut pending = Vec::new();
    let mut current = node;
    let mut base = None;
    loop {
        let callee =
            field(current, if current.kind() == "new_expression" { "constructor" } else { "function" });
        let Some(callee) = callee else { break };
        let inner = if callee.kind() == "member_expression" { field(callee, "object") } else { None };
        match inner {
            Some(inner) if inner.kind() == "call_expression" && current.kind() == "call_expression" => {
                pending.push((current, field(callee, "property")));
                current = inner;
            }
            _ => {
                base = Some(callee);
                break;
            }
        }
    }
    let constructs = constructs || current.kind() == "new_expression";
    let callee = base.map_or(0, |base| expression(l, base));
    let mut value = with_arguments(l, current, callee, constructs);
    for (call, property) in pending.into_iter().rev() {
        let callee = match property {
            Some(name) => {
                let name = l.sym(name);
                l.emit(Op::Attribute { of: value, name })
            }
            None => value,
        };
        value = with_arguments(l, call, callee, false);
    }
    value
}

fn with_arguments(l: &mut Lowering<'_>, node: Node<'_>, callee: Reg, constructs: bool) -> Reg {
    let mut arguments = Vec::new();
    if let Some(list) = field(node, "arguments") {
        if list.kind() == "template_string" {
            arguments.push(plain(expression(l, list)));
        } else {
            for child in children(list) {
                let value = expression(l, child);
                arguments.push(Argument { keyword: None, value, spread: child.kind() == "spread_element" });
            }
        }
    }
    l.at(node);
    let arguments = l.arguments(&arguments);
    l.emit(Op::Call { callee, arguments, constructs })
}
