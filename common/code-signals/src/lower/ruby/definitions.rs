//! Assignments, operators, methods and classes of Ruby.

use tree_sitter::Node;

use super::{block, expression, of};
use crate::ir::{Op, Operator, Reg, Sym};
use crate::lower::{Lowering, children, field, plain};

/// Methods without parameters of one file that are called by their bare names.
const MOST_BARE_METHODS: usize = 512;

/// Methods that the file defines without parameters, sorted.
pub(super) fn bare_methods(l: &mut Lowering<'_>) -> Vec<Sym> {
    let text = String::from_utf8_lossy(l.text);
    let definitions = text.lines().filter_map(|line| line.trim_start().strip_prefix("def "));
    let mut names: Vec<Sym> = definitions
        .filter_map(|rest| {
            let length =
                rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
            let (name, after) = rest.split_at(length);
            let after = after.trim_start();
            let is_bare = after.is_empty()
                || after.starts_with(['#', ';'])
                || after.starts_with("= ")
                || after.starts_with("()");
            (is_bare && !name.is_empty()).then(|| l.names.of(name))
        })
        .take(MOST_BARE_METHODS)
        .collect();
    names.sort_unstable();
    names
}

pub(super) fn assignment(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let mut value = of(l, node, "right");
    let Some(left) = field(node, "left") else { return value };
    if node.kind() == "operator_assignment" {
        let former = expression(l, left);
        let operator = field(node, "operator").map(|operator| operator.kind()).unwrap_or_default();
        value = if operator == "+=" {
            l.emit(Op::Binary { operator: Operator::Add, left: former, right: value })
        } else {
            l.join(&[former, value])
        };
    }
    l.at(node);
    bind(l, left, value);
    value
}

pub(super) fn bind(l: &mut Lowering<'_>, target: Node<'_>, value: Reg) {
    match target.kind() {
        "identifier" | "constant" | "global_variable" | "class_variable" => {
            let name = l.sym(target);
            l.store(name, value, false);
        }
        "instance_variable" => {
            let of = l.load("self");
            let name = l.sym(target);
            l.emit(Op::SetAttribute { of, name, value });
        }
        "element_reference" => {
            let object = of(l, target, "object");
            let key = target.named_child(1).map_or(0, |key| expression(l, key));
            l.emit(Op::SetIndex { of: object, key, value });
        }
        "call" => {
            let object = of(l, target, "receiver");
            if let Some(name) = field(target, "method") {
                let name = l.sym(name);
                l.emit(Op::SetAttribute { of: object, name, value });
            }
        }
        "left_assignment_list" => {
            for (index, part) in children(target).into_iter().enumerate() {
                let key = l.number(index as f64);
                let element = l.emit(Op::Index { of: value, key });
                bind(l, part, element);
            }
        }
        _ => {}
    }
}

pub(super) fn binary(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let left = of(l, node, "left");
    let right = of(l, node, "right");
    let operator = field(node, "operator").map(|operator| operator.kind()).unwrap_or_default();
    let operator = match operator {
        "+" | "<<" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        "^" => Operator::Xor,
        "||" | "&&" | "or" | "and" => return l.join(&[left, right]),
        _ => Operator::Other,
    };
    let value = l.emit(Op::Binary { operator, left, right });
    // `list << item` changes the list; `file << text` writes.
    if field(node, "operator").is_some_and(|operator| operator.kind() == "<<") {
        if let Some(target) = field(node, "left").filter(|left| left.kind() == "identifier") {
            bind(l, target, value);
        }
        let write = l.attribute(left, "write");
        l.call(write, &[plain(right)]);
    }
    value
}

pub(super) fn parameters(l: &mut Lowering<'_>, list: Option<Node<'_>>) -> Vec<Sym> {
    let mut names = Vec::new();
    for child in list.map(children).unwrap_or_default() {
        let name = if child.kind() == "identifier" { Some(child) } else { field(child, "name") };
        if let Some(name) = name {
            names.push(l.sym(name));
        }
    }
    names
}

pub(super) fn closure(l: &mut Lowering<'_>, body: Option<Node<'_>>, parameters: &[Sym]) -> Reg {
    let number = l.nested("", parameters, |l, _| {
        let value = body.map_or(0, |body| expression(l, body));
        l.emit(Op::Return(value));
    });
    l.emit(Op::Closure(number))
}

pub(super) fn method(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let name = field(node, "name").map(|name| l.str(name)).unwrap_or_default();
    let parameters = parameters(l, field(node, "parameters"));
    let receiver = l.names.of("self");
    let in_class = l.function().is_some_and(|function| function.is_class);
    let number = l.nested(name, &parameters, |l, number| {
        if let Some(function) = l.functions.get_mut(number as usize) {
            function.receiver = Some(receiver);
            function.is_method = in_class;
        }
        let value = field(node, "body").map_or(0, |body| expression(l, body));
        l.emit(Op::Return(value));
    });
    let value = l.emit(Op::Closure(number));
    let name = l.names.of(name);
    l.store(name, value, true)
}

pub(super) fn class(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let name = field(node, "name").map(|name| l.str(name)).unwrap_or_default();
    let body = l.nested(name, &[], |l, number| {
        if let Some(function) = l.functions.get_mut(number as usize) {
            function.is_class = true;
        }
        if let Some(body) = field(node, "body") {
            block(l, body);
        }
    });
    let bases = l.registers(&[]);
    let class = l.emit(Op::Class { body, bases });
    let name = l.names.of(name.rsplit("::").next().unwrap_or_default());
    if name == 0 { class } else { l.store(name, class, true) }
}
