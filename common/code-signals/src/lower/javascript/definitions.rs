//! Functions and classes of JavaScript and TypeScript.

use tree_sitter::Node;

use super::expressions::{expression, of};
use super::{bind, block, body};
use crate::ir::{Op, Reg, StoreMode, Sym};
use crate::lower::{Lowering, children, field};

/// A function of any kind; gives its closure.
pub(super) fn function(l: &mut Lowering<'_>, node: Node<'_>, is_method: bool) -> Reg {
    let name = field(node, "name").map(|name| l.str(name)).unwrap_or_default();
    let parameters: Vec<Node<'_>> = match (field(node, "parameter"), field(node, "parameters")) {
        (Some(one), _) => vec![one],
        (None, Some(list)) => children(list),
        (None, None) => Vec::new(),
    };
    let names: Vec<Sym> =
        parameters.iter().enumerate().map(|(index, node)| parameter_name(l, *node, index)).collect();
    let handles_requests = matches!(
        names.iter().map(|name| l.names.text(*name)).collect::<Vec<_>>().as_slice(),
        ["req", "res"] | ["req", "res", "next"] | ["request", "response"] | ["request", "response", "next"]
    );
    let this = l.names.of("this");
    let number = l.nested(name, &names, |l, number| {
        if let Some(function) = l.functions.get_mut(number as usize) {
            function.receiver = (node.kind() != "arrow_function").then_some(this);
            function.is_method = is_method;
            if handles_requests {
                function.entry = crate::ir::Entry::Handler;
            }
            function.rest = parameters.last().is_some_and(|last| is_rest(*last));
        }
        for (node, name) in parameters.iter().zip(&names) {
            bind_parameter(l, *node, *name);
        }
        let Some(body) = field(node, "body") else { return };
        if body.kind() == "statement_block" {
            block(l, body);
        } else {
            let value = expression(l, body);
            l.emit(Op::Return(value));
        }
    });
    l.emit(Op::Closure(number))
}

fn is_rest(node: Node<'_>) -> bool {
    node.kind() == "rest_pattern"
        || field(node, "pattern").is_some_and(|pattern| pattern.kind() == "rest_pattern")
}

/// Name of a parameter; patterns have a name of their own that is destructured in the body.
fn parameter_name(l: &mut Lowering<'_>, node: Node<'_>, index: usize) -> Sym {
    let target = field(node, "pattern").unwrap_or(node);
    let target =
        if target.kind() == "assignment_pattern" { field(target, "left").unwrap_or(target) } else { target };
    let target =
        if target.kind() == "rest_pattern" { target.named_child(0).unwrap_or(target) } else { target };
    if target.kind() == "identifier" { l.sym(target) } else { l.names.of(&format!("%{index}")) }
}

fn bind_parameter(l: &mut Lowering<'_>, node: Node<'_>, name: Sym) {
    let pattern = field(node, "pattern").unwrap_or(node);
    let (pattern, default) = match pattern.kind() {
        "assignment_pattern" => (field(pattern, "left").unwrap_or(pattern), field(pattern, "right")),
        _ => (pattern, field(node, "value")),
    };
    if let Some(default) = default {
        let value = expression(l, default);
        l.emit(Op::Store { name, value, mode: StoreMode::Add });
    }
    if matches!(pattern.kind(), "object_pattern" | "array_pattern") {
        let value = l.emit(Op::Load(name));
        bind(l, pattern, value, true);
    }
}

pub(super) fn class(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let name = field(node, "name").map(|name| l.str(name)).unwrap_or_default();
    let mut bases = Vec::new();
    for heritage in children(node).into_iter().filter(|child| child.kind() == "class_heritage") {
        if let Some(mut base) = heritage.named_child(0) {
            if base.kind() == "extends_clause" {
                base = field(base, "value").unwrap_or(base);
            }
            bases.push(expression(l, base));
        }
    }
    let body = l.nested(name, &[], |l, number| {
        if let Some(function) = l.functions.get_mut(number as usize) {
            function.is_class = true;
        }
        for member in field(node, "body").map(children).unwrap_or_default() {
            class_member(l, member);
        }
    });
    let bases = l.registers(&bases);
    let class = l.emit(Op::Class { body, bases });
    let name = l.names.of(name);
    l.store(name, class, true)
}

fn class_member(l: &mut Lowering<'_>, member: Node<'_>) {
    l.at(member);
    match member.kind() {
        "method_definition" => {
            let Some(name) = field(member, "name") else { return };
            let closure = function(l, member, true);
            let name = l.names.of(l.str(name).trim_matches(['"', '\'', '[', ']']));
            l.store(name, closure, true);
        }
        "field_definition" | "public_field_definition" => {
            let Some(name) = field(member, "property").or_else(|| field(member, "name")) else { return };
            let value = of(l, member, "value");
            let name = l.sym(name);
            l.store(name, value, true);
        }
        "class_static_block" => body(l, member),
        _ => {}
    }
}
