//! Expressions and targets of assignments of Python.

use tree_sitter::Node;

use super::operators::{
    assignment, augmented, binary, call, comprehension, dictionary, lambda, string, subscript,
};
use super::{parts, statement};
use crate::ir::{Op, Reg};
use crate::lower::{Lowering, children, field, parse_number};

/// `for left in right`, of loops and comprehensions.
pub(super) fn each(l: &mut Lowering<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return };
    let sequence = expression(l, right);
    let element = l.emit(Op::Element(sequence));
    assign(l, left, element);
}

pub(super) fn assign(l: &mut Lowering<'_>, target: Node<'_>, value: Reg) {
    l.deeper(|l| {
        match target.kind() {
            "identifier" => {
                let name = l.sym(target);
                l.store(name, value, false);
            }
            "attribute" => {
                if let (Some(of), Some(name)) = (field(target, "object"), field(target, "attribute")) {
                    let of = expression(l, of);
                    let name = l.sym(name);
                    l.emit(Op::SetAttribute { of, name, value });
                }
            }
            "subscript" => {
                if let (Some(of), Some(key)) = (field(target, "value"), field(target, "subscript")) {
                    let of = expression(l, of);
                    let key = expression(l, key);
                    l.emit(Op::SetIndex { of, key, value });
                }
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list" => {
                for (index, part) in children(target).into_iter().enumerate() {
                    let key = l.number(index as f64);
                    let element = l.emit(Op::Index { of: value, key });
                    assign(l, part, element);
                }
            }
            _ => {
                if let Some(inner) = target.named_child(0) {
                    assign(l, inner, value);
                }
            }
        }
        0
    });
}

pub(super) fn expression(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    l.deeper(|l| {
        l.at(node);
        one_expression(l, node)
    })
}

pub(super) fn of(l: &mut Lowering<'_>, node: Node<'_>, name: &str) -> Reg {
    match field(node, name) {
        Some(child) => expression(l, child),
        None => l.unknown(),
    }
}

fn one_expression(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    match node.kind() {
        "identifier" => {
            let name = l.sym(node);
            l.emit(Op::Load(name))
        }
        "string" => string(l, node),
        "concatenated_string" => {
            let parts: Vec<Reg> = children(node).into_iter().map(|child| expression(l, child)).collect();
            l.concat(&parts)
        }
        "integer" | "float" => {
            let number = parse_number(l.str(node));
            l.number(number)
        }
        "call" => call(l, node),
        "attribute" => {
            let value = of(l, node, "object");
            let Some(name) = field(node, "attribute") else { return value };
            let name = l.sym(name);
            l.emit(Op::Attribute { of: value, name })
        }
        "subscript" => subscript(l, node),
        "binary_operator" => binary(l, node),
        "assignment" => assignment(l, node),
        "augmented_assignment" => augmented(l, node),
        "named_expression" => {
            let value = of(l, node, "value");
            if let Some(name) = field(node, "name") {
                assign(l, name, value);
            }
            value
        }
        "as_pattern" => {
            let value = node.named_child(0).map_or(0, |child| expression(l, child));
            if let Some(alias) = field(node, "alias") {
                assign(l, alias, value);
            }
            value
        }
        "lambda" => lambda(l, node),
        "list" | "tuple" | "set" | "expression_list" => {
            let parts: Vec<Reg> = children(node).into_iter().map(|child| expression(l, child)).collect();
            let parts = l.registers(&parts);
            l.emit(Op::List(parts))
        }
        "dictionary" => dictionary(l, node),
        "list_comprehension" | "set_comprehension" | "generator_expression" | "dictionary_comprehension" => {
            comprehension(l, node)
        }
        "boolean_operator" | "conditional_expression" => {
            let parts: Vec<Reg> = children(node).into_iter().map(|child| expression(l, child)).collect();
            // The condition in the middle is no value.
            if node.kind() == "conditional_expression" && parts.len() == 3 {
                l.join(&[parts[0], parts[2]])
            } else {
                l.join(&parts)
            }
        }
        _ => without_value(l, node),
    }
}

/// Expressions that pass a value on, and those whose value is not followed.
fn without_value(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    match node.kind() {
        "parenthesized_expression" | "await" | "list_splat" | "dictionary_splat" | "yield" | "type" => {
            let value = node.named_child(0).map_or(0, |child| expression(l, child));
            if node.kind() == "yield" {
                l.emit(Op::Return(value));
            }
            value
        }
        "comparison_operator" | "not_operator" => {
            parts(l, node);
            l.unknown()
        }
        "function_definition" | "class_definition" | "decorated_definition" => {
            statement(l, node);
            l.unknown()
        }
        "ERROR" => {
            parts(l, node);
            l.unknown()
        }
        "ellipsis" | "none" | "true" | "false" | "comment" => l.unknown(),
        _ => {
            let mut value = None;
            for child in children(node) {
                value = Some(expression(l, child));
            }
            value.unwrap_or_else(|| l.unknown())
        }
    }
}
