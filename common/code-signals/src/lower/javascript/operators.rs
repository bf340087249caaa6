//! Operators and object literals of JavaScript and TypeScript.

use tree_sitter::Node;

use super::bind;
use super::definitions::function;
use super::expressions::{expression, of};
use crate::ir::{Argument, Op, Operator, Reg};
use crate::lower::{Lowering, children, field, operator_chain};

pub(super) fn binary(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let (first, rest) = operator_chain(node);
    let mut value = expression(l, first);
    for (operator, right) in rest {
        let right = right.map_or(0, |right| expression(l, right));
        value = match operator {
            "||" | "&&" | "??" => l.join(&[value, right]),
            "==" | "===" | "!=" | "!==" | "<" | ">" | "<=" | ">=" | "instanceof" | "in" => l.unknown(),
            _ => {
                let operator = match operator {
                    "+" => Operator::Add,
                    "-" => Operator::Subtract,
                    "*" => Operator::Multiply,
                    "/" => Operator::Divide,
                    "^" => Operator::Xor,
                    _ => Operator::Other,
                };
                l.emit(Op::Binary { operator, left: value, right })
            }
        };
    }
    value
}

pub(super) fn augmented(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let left = of(l, node, "left");
    let right = of(l, node, "right");
    let operator = field(node, "operator").map(|operator| operator.kind()).unwrap_or_default();
    let value = if operator == "+=" {
        l.emit(Op::Binary { operator: Operator::Add, left, right })
    } else {
        l.join(&[left, right])
    };
    if let Some(target) = field(node, "left") {
        bind(l, target, value, false);
    }
    value
}

pub(super) fn ternary(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let mut values = Vec::new();
    let mut current = node;
    loop {
        of(l, current, "condition");
        values.push(of(l, current, "consequence"));
        match field(current, "alternative") {
            Some(next) if next.kind() == "ternary_expression" => current = next,
            Some(next) => {
                values.push(expression(l, next));
                break;
            }
            None => break,
        }
    }
    l.join(&values)
}

pub(super) fn sequence(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let mut pending = vec![node];
    let mut value = 0;
    while let Some(node) = pending.pop() {
        if node.kind() == "sequence_expression" {
            pending.extend(children(node).into_iter().rev());
        } else {
            value = expression(l, node);
        }
    }
    value
}

pub(super) fn object(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let mut pairs = Vec::new();
    let mut computed = Vec::new();
    for child in children(node) {
        match child.kind() {
            "pair" => {
                let value = of(l, child, "value");
                match field(child, "key") {
                    Some(key) if key.kind() == "computed_property_name" => {
                        computed.push((expression(l, key), value));
                    }
                    Some(key) => {
                        let name = l.str(key).trim_matches(['"', '\'']);
                        let keyword = Some(l.names.of(name));
                        pairs.push(Argument { keyword, value, spread: false });
                    }
                    None => {}
                }
            }
            "method_definition" => {
                let value = function(l, child, false);
                let keyword = field(child, "name").map(|name| l.sym(name));
                pairs.push(Argument { keyword, value, spread: false });
            }
            "spread_element" => {
                pairs.push(Argument { keyword: None, value: expression(l, child), spread: true })
            }
            _ => {
                let value = expression(l, child);
                let keyword = Some(l.sym(child));
                pairs.push(Argument { keyword, value, spread: false });
            }
        }
    }
    let pairs = l.arguments(&pairs);
    let map = l.emit(Op::Map(pairs));
    for (key, value) in computed {
        l.emit(Op::SetIndex { of: map, key, value });
    }
    map
}
