//! Expressions of Go.

use tree_sitter::Node;

use super::function;
use crate::fold::escape::{Escapes, unescape};
use crate::ir::{Argument, Op, Operator, Reg};
use crate::lower::{Lowering, children, field, operator_chain, parse_number, plain};

pub(super) fn expression(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    l.deeper(|l| {
        l.at(node);
        one_expression(l, node)
    })
}

fn of(l: &mut Lowering<'_>, node: Node<'_>, name: &str) -> Reg {
    match field(node, name) {
        Some(child) => expression(l, child),
        None => l.unknown(),
    }
}

fn one_expression(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    match node.kind() {
        "identifier" | "type_identifier" | "package_identifier" => {
            let name = l.sym(node);
            l.emit(Op::Load(name))
        }
        "interpreted_string_literal" | "raw_string_literal" | "rune_literal" => {
            let text = l.slice(node);
            let text = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
            match node.kind() {
                "raw_string_literal" => l.literal(text),
                _ => {
                    let text = unescape(text, Escapes::Bytes);
                    l.literal(&text)
                }
            }
        }
        "int_literal" | "float_literal" => {
            let number = parse_number(l.str(node));
            l.number(number)
        }
        "call_expression" => {
            let callee = of(l, node, "function");
            let mut arguments = Vec::new();
            for child in field(node, "arguments").map(children).unwrap_or_default() {
                let value = expression(l, child);
                arguments.push(Argument {
                    keyword: None,
                    value,
                    spread: child.kind() == "variadic_argument",
                });
            }
            l.at(node);
            l.call(callee, &arguments)
        }
        "selector_expression" => {
            let operand = of(l, node, "operand");
            let Some(name) = field(node, "field") else { return operand };
            let name = l.sym(name);
            l.emit(Op::Attribute { of: operand, name })
        }
        "index_expression" => {
            let operand = of(l, node, "operand");
            let key = of(l, node, "index");
            l.emit(Op::Index { of: operand, key })
        }
        "qualified_type" => {
            let package = of(l, node, "package");
            let Some(name) = field(node, "name") else { return package };
            let name = l.sym(name);
            l.emit(Op::Attribute { of: package, name })
        }
        "slice_expression" => of(l, node, "operand"),
        "binary_expression" => binary(l, node),
        "func_literal" => function(l, node, "", None),
        "composite_literal" => composite(l, node),
        "literal_value" => literal_value(l, node),
        "type_conversion_expression" | "type_assertion_expression" => of(l, node, "operand"),
        "true" | "false" | "nil" | "iota" | "comment" => l.unknown(),
        _ => {
            let mut value = None;
            for child in children(node) {
                value = Some(expression(l, child));
            }
            value.unwrap_or_else(|| l.unknown())
        }
    }
}

fn binary(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let (first, rest) = operator_chain(node);
    let mut value = expression(l, first);
    for (operator, right) in rest {
        let right = right.map_or(0, |right| expression(l, right));
        let operator = match operator {
            "+" => Operator::Add,
            "-" => Operator::Subtract,
            "*" => Operator::Multiply,
            "^" => Operator::Xor,
            _ => Operator::Other,
        };
        value = l.emit(Op::Binary { operator, left: value, right });
    }
    value
}

/// A value of a type: a list, or an object of the class of that name.
fn composite(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let kind = field(node, "type").map(|kind| kind.kind()).unwrap_or_default();
    let value = field(node, "body").map_or(0, |body| literal_value(l, body));
    if kind != "type_identifier" && kind != "qualified_type" {
        return value;
    }
    let callee = of(l, node, "type");
    l.at(node);
    l.call(callee, &[Argument { keyword: None, value, spread: true }, plain(value)])
}

fn literal_value(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let mut pairs = Vec::new();
    let mut elements = Vec::new();
    for child in children(node) {
        if child.kind() == "keyed_element" {
            let value = of(l, child, "value");
            let keyword = field(child, "key").map(|key| l.str(key).trim_matches('"').to_owned());
            let keyword = keyword.map(|keyword| l.names.of(&keyword));
            pairs.push(Argument { keyword, value, spread: false });
        } else {
            elements.push(expression(l, child));
        }
    }
    if pairs.is_empty() {
        let elements = l.registers(&elements);
        return l.emit(Op::List(elements));
    }
    let pairs = l.arguments(&pairs);
    l.emit(Op::Map(pairs))
}
