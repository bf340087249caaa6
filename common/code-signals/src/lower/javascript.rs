//! JavaScript and TypeScript: statements, functions, classes and modules. Expressions are below.

mod expressions;

use tree_sitter::Node;

use super::{Lowering, children, field};
use crate::ir::{Op, Reg, StoreMode, Sym};
use expressions::{expression, of};

pub(crate) fn program(l: &mut Lowering<'_>, root: Node<'_>) {
    block(l, root);
}

/// Declared functions are usable before their place, so they are read first.
fn block(l: &mut Lowering<'_>, node: Node<'_>) {
    let statements = children(node);
    for child in &statements {
        let declared = if child.kind() == "export_statement" { field(*child, "declaration") } else { Some(*child) };
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
        "interface_declaration" | "type_alias_declaration" | "ambient_declaration" | "comment" | "function_signature" => {}
        "try_statement" | "switch_statement" | "switch_body" | "switch_case" | "switch_default" | "catch_clause"
        | "finally_clause" | "else_clause" | "labeled_statement" | "expression_statement" | "throw_statement"
        | "internal_module" | "module" | "with_statement" | "ERROR" => parts(l, node),
        _ => {
            expression(l, node);
        }
    }
}

fn parts(l: &mut Lowering<'_>, node: Node<'_>) {
    let branches = !matches!(node.kind(), "try_statement" | "expression_statement" | "labeled_statement" | "finally_clause");
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

fn import(l: &mut Lowering<'_>, source: Node<'_>) -> Reg {
    let text = l.str(source).trim_matches(['"', '\'', '`']);
    let module = l.names.of(text);
    l.emit(Op::Import(module))
}

fn imports(l: &mut Lowering<'_>, node: Node<'_>) {
    let Some(source) = field(node, "source") else {
        // `import x = require("y")` of TypeScript.
        for clause in children(node).into_iter().filter(|child| child.kind() == "import_require_clause") {
            let (Some(name), Some(source)) = (clause.named_child(0), field(clause, "source")) else { continue };
            let module = import(l, source);
            let name = l.sym(name);
            l.store(name, module, true);
        }
        return;
    };
    let module = import(l, source);
    for clause in children(node).into_iter().filter(|child| child.kind() == "import_clause") {
        for child in children(clause) {
            import_names(l, child, module);
        }
    }
}

fn import_names(l: &mut Lowering<'_>, node: Node<'_>, module: Reg) {
    match node.kind() {
        "identifier" => {
            let value = l.attribute(module, "default");
            let name = l.sym(node);
            l.store(name, value, true);
        }
        "namespace_import" => {
            if let Some(name) = node.named_child(0) {
                let name = l.sym(name);
                l.store(name, module, true);
            }
        }
        _ => {
            for specifier in children(node) {
                let Some(name) = field(specifier, "name") else { continue };
                let value = l.attribute(module, l.str(name));
                let alias = l.sym(field(specifier, "alias").unwrap_or(name));
                l.store(alias, value, true);
            }
        }
    }
}

fn export(l: &mut Lowering<'_>, node: Node<'_>) {
    let exports = l.load("exports");
    if let Some(declaration) = field(node, "declaration") {
        statement(l, declaration);
        for name in declared_names(declaration) {
            let name = l.sym(name);
            let value = l.emit(Op::Load(name));
            let name = if field(node, "declaration").is_some() && is_default(l, node) { l.names.of("default") } else { name };
            l.emit(Op::SetAttribute { of: exports, name, value });
        }
    }
    if let Some(value) = field(node, "value") {
        let value = expression(l, value);
        let name = l.names.of("default");
        l.emit(Op::SetAttribute { of: exports, name, value });
    }
    let module = field(node, "source").map(|source| import(l, source));
    for clause in children(node).into_iter().filter(|child| child.kind() == "export_clause") {
        for specifier in children(clause) {
            let Some(name) = field(specifier, "name") else { continue };
            let value = match module {
                Some(module) => l.attribute(module, l.str(name)),
                None => l.load(l.str(name)),
            };
            let name = l.sym(field(specifier, "alias").unwrap_or(name));
            l.emit(Op::SetAttribute { of: exports, name, value });
        }
    }
}

fn is_default(l: &Lowering<'_>, node: Node<'_>) -> bool {
    l.slice(node).get(6..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b"default"))
}

fn declared_names(node: Node<'_>) -> Vec<Node<'_>> {
    match field(node, "name") {
        Some(name) => vec![name],
        None => children(node)
            .into_iter()
            .filter_map(|child| field(child, "name"))
            .filter(|name| name.kind() == "identifier")
            .collect(),
    }
}

/// A function of any kind; gives its closure.
fn function(l: &mut Lowering<'_>, node: Node<'_>, is_method: bool) -> Reg {
    let name = field(node, "name").map(|name| l.str(name)).unwrap_or_default();
    let parameters: Vec<Node<'_>> = match (field(node, "parameter"), field(node, "parameters")) {
        (Some(one), _) => vec![one],
        (None, Some(list)) => children(list),
        (None, None) => Vec::new(),
    };
    let names: Vec<Sym> = parameters.iter().enumerate().map(|(index, node)| parameter_name(l, *node, index)).collect();
    let this = l.names.of("this");
    let number = l.nested(name, &names, |l, number| {
        if let Some(function) = l.functions.get_mut(number as usize) {
            function.receiver = (node.kind() != "arrow_function").then_some(this);
            function.is_method = is_method;
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
    node.kind() == "rest_pattern" || field(node, "pattern").is_some_and(|pattern| pattern.kind() == "rest_pattern")
}

/// Name of a parameter; patterns have a name of their own that is destructured in the body.
fn parameter_name(l: &mut Lowering<'_>, node: Node<'_>, index: usize) -> Sym {
    let target = field(node, "pattern").unwrap_or(node);
    let target = if target.kind() == "assignment_pattern" { field(target, "left").unwrap_or(target) } else { target };
    let target = if target.kind() == "rest_pattern" { target.named_child(0).unwrap_or(target) } else { target };
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

fn class(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
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

