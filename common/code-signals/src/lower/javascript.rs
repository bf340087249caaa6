//! JavaScript and TypeScript: statements and patterns.

mod definitions;
mod expressions;
mod modules;
mod operators;

use tree_sitter::Node;

use super::{Lowering, children, errors, field};
use crate::ir::{Op, Reg};
use definitions::{class, function};
use expressions::{expression, of};
use modules::{export, imports};

pub(crate) fn program(l: &mut Lowering<'_>, root: Node<'_>) {
    block(l, root);
}

/// Declared functions are usable before their place, so they are read first.
fn block(l: &mut Lowering<'_>, node: Node<'_>) {
    let statements = children(node);
    for child in &statements {
        let declared =
            if child.kind() == "export_statement" { field(*child, "declaration") } else { Some(*child) };
        if let Some(declared) = declared.filter(|declared| is_function_declaration(*declared)) {
            function_declaration(l, declared);
        }
    }
    for child in statements {
        statement(l, child);
    }
}

fn is_function_declaration(node: Node<'_>) -> bool {
    matches!(node.kind(), "function_declaration" | "generator_function_declaration")
}

fn function_declaration(l: &mut Lowering<'_>, node: Node<'_>) {
    l.deeper(|l| {
        l.at(node);
        let closure = function(l, node, false);
        if let Some(name) = field(node, "name") {
            let name = l.sym(name);
            l.store(name, closure, true);
        }
        0
    });
}

fn statement(l: &mut Lowering<'_>, node: Node<'_>) {
    l.deeper(|l| {
        l.at(node);
        one_statement(l, node);
        0
    });
}

fn one_statement(l: &mut Lowering<'_>, node: Node<'_>) {
    match node.kind() {
        "lexical_declaration" | "variable_declaration" => {
            for declarator in children(node) {
                declarator_statement(l, declarator);
            }
        }
        "return_statement" => {
            if let Some(value) = node.named_child(0) {
                let value = expression(l, value);
                l.emit(Op::Return(value));
            }
        }
        "statement_block" | "program" => block(l, node),
        "if_statement" => conditional(l, node),
        "for_in_statement" => {
            repeats(l);
            let sequence = of(l, node, "right");
            let element = l.emit(Op::Element(sequence));
            if let Some(left) = field(node, "left") {
                bind(l, left, element, true);
            }
            body(l, node);
        }
        "for_statement" | "while_statement" | "do_statement" => {
            repeats(l);
            for name in ["initializer", "condition"] {
                if let Some(part) = field(node, name) {
                    statement(l, part);
                }
            }
            body(l, node);
            if let Some(part) = field(node, "increment") {
                l.branch(|l| statement(l, part));
            }
        }
        "import_statement" => imports(l, node),
        "export_statement" => export(l, node),
        "class_declaration" | "abstract_class_declaration" => {
            class(l, node);
        }
        kind if kind.starts_with("generator_function_declaration") || kind == "function_declaration" => {}
        "interface_declaration"
        | "type_alias_declaration"
        | "ambient_declaration"
        | "comment"
        | "function_signature" => {}
        "try_statement" => {
            let is_quiet = conceals_errors(l, node);
            l.quietly(is_quiet, |l| parts(l, node));
        }
        "switch_statement"
        | "switch_body"
        | "switch_case"
        | "switch_default"
        | "catch_clause"
        | "finally_clause"
        | "else_clause"
        | "labeled_statement"
        | "expression_statement"
        | "throw_statement"
        | "internal_module"
        | "module"
        | "with_statement"
        | "ERROR" => parts(l, node),
        _ => {
            expression(l, node);
        }
    }
}

/// True if the handler of a `try` statement suppresses errors.
fn conceals_errors(l: &Lowering<'_>, node: Node<'_>) -> bool {
    let Some(handler) = field(node, "handler") else { return false };
    let error = field(handler, "parameter").map(|error| l.str(error));
    field(handler, "body").is_some_and(|body| errors::is_quiet(l.str(body), error))
}

fn parts(l: &mut Lowering<'_>, node: Node<'_>) {
    let branches = !matches!(
        node.kind(),
        "try_statement" | "expression_statement" | "labeled_statement" | "finally_clause"
    );
    let read = |l: &mut Lowering<'_>| {
        for child in children(node) {
            statement(l, child);
        }
    };
    if branches { l.branch(read) } else { read(l) }
}

fn repeats(l: &mut Lowering<'_>) {
    if let Some(function) = l.function() {
        function.loops = true;
    }
}

fn body(l: &mut Lowering<'_>, node: Node<'_>) {
    if let Some(body) = field(node, "body") {
        l.branch(|l| statement(l, body));
    }
}

/// Chains of `else if` are long in generated code, so they are read in a loop.
fn conditional(l: &mut Lowering<'_>, node: Node<'_>) {
    let mut current = Some(node);
    while let Some(node) = current.take() {
        of(l, node, "condition");
        if let Some(consequence) = field(node, "consequence") {
            l.branch(|l| statement(l, consequence));
        }
        let Some(alternative) = field(node, "alternative") else { break };
        match alternative.named_child(0) {
            Some(next) if next.kind() == "if_statement" => current = Some(next),
            Some(next) => l.branch(|l| statement(l, next)),
            None => {}
        }
    }
}

fn declarator_statement(l: &mut Lowering<'_>, node: Node<'_>) {
    let Some(name) = field(node, "name") else { return };
    let Some(value) = field(node, "value") else { return };
    let value = expression(l, value);
    l.at(node);
    bind(l, name, value, l.branches == 0);
}

/// Stores a value into a pattern.
fn bind(l: &mut Lowering<'_>, target: Node<'_>, value: Reg, declares: bool) {
    l.deeper(|l| {
        bind_one(l, target, value, declares);
        0
    });
}

fn bind_one(l: &mut Lowering<'_>, target: Node<'_>, value: Reg, declares: bool) {
    match target.kind() {
        "identifier" | "shorthand_property_identifier_pattern" | "shorthand_property_identifier" => {
            let name = l.sym(target);
            l.store(name, value, declares);
        }
        "object_pattern" | "object" => {
            for child in children(target) {
                bind_property(l, child, value, declares);
            }
        }
        "array_pattern" | "array" => {
            for (index, child) in children(target).into_iter().enumerate() {
                let key = l.number(index as f64);
                let element = l.emit(Op::Index { of: value, key });
                bind(l, child, element, declares);
            }
        }
        "assignment_pattern" | "object_assignment_pattern" => {
            let default = of(l, target, "right");
            let value = l.join(&[value, default]);
            if let Some(left) = field(target, "left") {
                bind(l, left, value, declares);
            }
        }
        "member_expression" => {
            let object = of(l, target, "object");
            if let Some(name) = field(target, "property") {
                let name = l.sym(name);
                l.emit(Op::SetAttribute { of: object, name, value });
            }
        }
        "subscript_expression" => {
            let object = of(l, target, "object");
            let key = of(l, target, "index");
            l.emit(Op::SetIndex { of: object, key, value });
        }
        _ => {
            if let Some(inner) = field(target, "pattern").or_else(|| target.named_child(0)) {
                bind(l, inner, value, declares);
            }
        }
    }
}

fn bind_property(l: &mut Lowering<'_>, child: Node<'_>, value: Reg, declares: bool) {
    let (key, target) = match child.kind() {
        "pair_pattern" | "pair" => (field(child, "key"), field(child, "value")),
        "object_assignment_pattern" => (field(child, "left"), Some(child)),
        "rest_pattern" => return bind(l, child, value, declares),
        _ => (Some(child), Some(child)),
    };
    let (Some(key), Some(target)) = (key, target) else { return };
    let property = if key.kind() == "computed_property_name" {
        let key = key.named_child(0).map_or(0, |key| expression(l, key));
        l.emit(Op::Index { of: value, key })
    } else {
        let name = l.str(key).trim_matches(['"', '\'']);
        l.attribute(value, name)
    };
    bind(l, target, property, declares);
}
