//! Strings, calls, operators and displays of Python.

use tree_sitter::Node;

use super::definitions::parameters;
use super::expressions::{assign, each, expression, of};
use super::parts;
use crate::fold::escape::{Escapes, unescape};
use crate::ir::{Argument, HOLE, Op, Operator, Reg, Sym};
use crate::lower::{Lowering, children, field, operator_chain, plain};

pub(super) fn string(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let start = node.child(0).map(|start| l.str(start)).unwrap_or_default();
    let raw = start.contains(['r', 'R']);
    let mut parts = Vec::new();
    let mut text: Vec<u8> = Vec::new();
    for child in children(node) {
        match child.kind() {
            "string_content" if raw => text.extend_from_slice(l.slice(child)),
            "string_content" => {
                let escapes = if start.contains(['b', 'B']) { Escapes::Bytes } else { Escapes::Text };
                text.extend_from_slice(&unescape(l.slice(child), escapes));
            }
            "interpolation" => {
                if !text.is_empty() {
                    parts.push(l.literal(&text));
                    text.clear();
                }
                let value = field(child, "expression").or_else(|| child.named_child(0));
                parts.push(value.map_or(0, |value| expression(l, value)));
            }
            _ => {}
        }
    }
    if !text.is_empty() || parts.is_empty() {
        parts.push(l.literal(&text));
    } else if parts.len() == 1 {
        // An f-string of one value is text.
        parts.push(l.literal(b""));
    }
    l.concat(&parts)
}

pub(super) fn call(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let callee = of(l, node, "function");
    let mut arguments = Vec::new();
    let Some(list) = field(node, "arguments") else { return l.call(callee, &[]) };
    if list.kind() == "generator_expression" {
        let value = expression(l, list);
        l.at(node);
        return l.call(callee, &[plain(value)]);
    }
    for child in children(list) {
        let argument = match child.kind() {
            "keyword_argument" => {
                let keyword = field(child, "name").map(|name| l.sym(name));
                Argument { keyword, value: of(l, child, "value"), spread: false }
            }
            "list_splat" | "dictionary_splat" => {
                Argument { keyword: None, value: expression(l, child), spread: true }
            }
            _ => plain(expression(l, child)),
        };
        arguments.push(argument);
    }
    l.at(node);
    l.call(callee, &arguments)
}

pub(super) fn subscript(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let value = of(l, node, "value");
    let Some(key) = field(node, "subscript") else { return value };
    if key.kind() == "slice" {
        return slice(l, value, key);
    }
    let key = expression(l, key);
    l.emit(Op::Index { of: value, key })
}

pub(super) fn slice(l: &mut Lowering<'_>, value: Reg, node: Node<'_>) -> Reg {
    let (mut bounds, mut position) = ([None; 3], 0);
    for child in (0..node.child_count()).filter_map(|index| node.child(index)) {
        if child.kind() == ":" {
            position += 1;
        } else if position < 3 {
            bounds[position] = l.str(child).parse::<i32>().ok();
        }
    }
    l.emit(Op::Slice { of: value, from: bounds[0], to: bounds[1], reversed: bounds[2] == Some(-1) })
}

pub(super) fn binary(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let (first, rest) = operator_chain(node);
    let mut value = expression(l, first);
    for (operator, right) in rest {
        let right = right.map_or(0, |right| expression(l, right));
        let operator = match operator {
            "+" => Operator::Add,
            "-" => Operator::Subtract,
            "*" => Operator::Multiply,
            "/" => Operator::Divide,
            "^" => Operator::Xor,
            "%" => {
                // Formatting: the places of the arguments are holes.
                let hole = l.literal(HOLE);
                let callee = l.load("%format");
                value = l.call(callee, &[plain(value), plain(right), plain(hole)]);
                continue;
            }
            _ => Operator::Other,
        };
        value = l.emit(Op::Binary { operator, left: value, right });
    }
    value
}

pub(super) fn assignment(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let Some(right) = field(node, "right") else { return l.unknown() };
    let value = expression(l, right);
    l.at(node);
    if let Some(left) = field(node, "left") {
        assign(l, left, value);
    }
    value
}

pub(super) fn augmented(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let left = of(l, node, "left");
    let right = of(l, node, "right");
    let is_xor = field(node, "operator").is_some_and(|operator| l.str(operator) == "^=");
    let operator = if is_xor { Operator::Xor } else { Operator::Add };
    let value = l.emit(Op::Binary { operator, left, right });
    if let Some(target) = field(node, "left") {
        assign(l, target, value);
    }
    value
}

pub(super) fn lambda(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let (names, rest) = parameters(l, field(node, "parameters"));
    let function = l.nested("", &names, |l, number| {
        if let Some(function) = l.functions.get_mut(number as usize) {
            function.rest = rest;
        }
        let value = of(l, node, "body");
        l.emit(Op::Return(value));
    });
    l.emit(Op::Closure(function))
}

pub(super) fn dictionary(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let mut pairs = Vec::new();
    let mut computed = Vec::new();
    for child in children(node) {
        if child.kind() != "pair" {
            pairs.push(Argument { keyword: None, value: expression(l, child), spread: true });
            continue;
        }
        let value = of(l, child, "value");
        match field(child, "key") {
            Some(key) if key.kind() == "string" => {
                let text = l.str(key).trim_matches(['"', '\'', 'b', 'u']);
                let keyword = Some(l.names.of(text));
                pairs.push(Argument { keyword, value, spread: false });
            }
            Some(key) => computed.push((expression(l, key), value)),
            None => {}
        }
    }
    let pairs = l.arguments(&pairs);
    let map = l.emit(Op::Map(pairs));
    for (key, value) in computed {
        l.emit(Op::SetIndex { of: map, key, value });
    }
    map
}

/// The value is a call of `%each` with the sequences and the element, so that lists of constants can be folded.
pub(super) fn comprehension(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let mut sequence = None;
    for child in children(node) {
        if child.kind() == "for_in_clause" {
            each(l, child);
            if let Some(right) = field(child, "right") {
                sequence = sequence.or(Some(right));
            }
        } else if child.kind() == "if_clause" {
            parts(l, child);
        }
    }
    let Some(body) = field(node, "body") else { return l.unknown() };
    let variable = first_variable(l, node);
    let function = l.nested("", &variable, |l, _| {
        let value = if body.kind() == "pair" { of(l, body, "value") } else { expression(l, body) };
        l.emit(Op::Return(value));
    });
    let closure = l.emit(Op::Closure(function));
    let sequence = sequence.map_or(0, |sequence| expression(l, sequence));
    let callee = l.load("map");
    l.call(callee, &[plain(closure), plain(sequence)])
}

pub(super) fn first_variable(l: &mut Lowering<'_>, node: Node<'_>) -> Vec<Sym> {
    let clause = children(node).into_iter().find(|child| child.kind() == "for_in_clause");
    let left = clause.and_then(|clause| field(clause, "left"));
    match left {
        Some(left) if left.kind() == "identifier" => vec![l.sym(left)],
        _ => Vec::new(),
    }
}
