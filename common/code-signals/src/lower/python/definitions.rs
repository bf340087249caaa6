//! Imports, functions, classes and decorators of Python.

use tree_sitter::Node;

use super::block;
use super::expressions::expression;
use crate::ir::{Argument, Entry, Op, Reg, StoreMode, Sym};
use crate::lower::{Lowering, children, field};

pub(super) fn imports(l: &mut Lowering<'_>, node: Node<'_>) {
    for child in children(node) {
        let (module, alias) = match child.kind() {
            "aliased_import" => (field(child, "name"), field(child, "alias")),
            _ => (Some(child), None),
        };
        let Some(module) = module else { continue };
        let text = l.str(module);
        if let Some(alias) = alias {
            let value = import(l, text);
            let alias = l.sym(alias);
            l.store(alias, value, false);
        } else {
            // `import a.b` loads both, and binds `a`.
            if text.contains('.') {
                import(l, text);
            }
            let first = text.split('.').next().unwrap_or_default();
            let value = import(l, first);
            let name = l.names.of(first);
            l.store(name, value, false);
        }
    }
}

fn import(l: &mut Lowering<'_>, module: &str) -> Reg {
    let module = l.names.of(module);
    l.emit(Op::Import(module))
}

pub(super) fn import_from(l: &mut Lowering<'_>, node: Node<'_>) {
    let Some(module_node) = field(node, "module_name") else { return };
    let module_text = l.str(module_node);
    let module = import(l, module_text);
    for child in children(node) {
        if child.id() == module_node.id() {
            continue;
        }
        let (name, alias) = match child.kind() {
            "wildcard_import" => {
                l.emit(Op::ImportAll(module));
                continue;
            }
            "aliased_import" => (field(child, "name"), field(child, "alias")),
            _ => (Some(child), Some(child)),
        };
        let (Some(name), Some(alias)) = (name, alias) else { continue };
        let member = l.sym(name);
        let value = l.emit(Op::Attribute { of: module, name: member });
        // `from . import x` names a module of the package.
        let value = if module_text.ends_with('.') {
            let text = format!("{module_text}{}", l.str(name));
            let submodule = import(l, &text);
            l.join(&[submodule, value])
        } else {
            value
        };
        let alias = l.sym(alias);
        l.store(alias, value, false);
    }
}

pub(super) fn parameters(l: &mut Lowering<'_>, node: Option<Node<'_>>) -> (Vec<Sym>, bool) {
    let mut names = Vec::new();
    let mut rest = false;
    for child in node.map(children).unwrap_or_default() {
        let name = match child.kind() {
            "identifier" => Some(child),
            "typed_parameter" => child.named_child(0),
            "default_parameter" | "typed_default_parameter" => field(child, "name"),
            "list_splat_pattern" | "dictionary_splat_pattern" => {
                rest = true;
                child.named_child(0)
            }
            _ => None,
        };
        if let Some(name) = name {
            names.push(l.sym(name));
        }
    }
    (names, rest)
}

/// A function, stored under its name; gives the closure.
pub(super) fn definition(l: &mut Lowering<'_>, node: Node<'_>, entry: Entry) -> Reg {
    let name = field(node, "name").map(|name| l.str(name)).unwrap_or_default();
    let (mut names, rest) = parameters(l, field(node, "parameters"));
    let in_class = l.function().is_some_and(|function| function.is_class);
    let defaults = defaults(l, field(node, "parameters"));
    let receiver = if in_class && !names.is_empty() { Some(names.remove(0)) } else { None };
    let function = l.nested(name, &names, |l, number| {
        if let Some(function) = l.functions.get_mut(number as usize) {
            function.receiver = receiver;
            function.is_method = in_class;
            function.rest = rest;
            function.entry = entry;
        }
        for (name, value) in defaults {
            let value = expression(l, value);
            l.emit(Op::Store { name, value, mode: StoreMode::Add });
        }
        if let Some(body) = field(node, "body") {
            block(l, body);
        }
    });
    let closure = l.emit(Op::Closure(function));
    let name = l.names.of(name);
    l.store(name, closure, true)
}

fn defaults<'t>(l: &mut Lowering<'_>, node: Option<Node<'t>>) -> Vec<(Sym, Node<'t>)> {
    let mut found = Vec::new();
    for child in node.map(children).unwrap_or_default() {
        if let (Some(name), Some(value)) = (field(child, "name"), field(child, "value")) {
            found.push((l.sym(name), value));
        }
    }
    found
}

pub(super) fn class(l: &mut Lowering<'_>, node: Node<'_>) -> Reg {
    let name = field(node, "name").map(|name| l.str(name)).unwrap_or_default();
    let mut bases = Vec::new();
    for base in field(node, "superclasses").map(children).unwrap_or_default() {
        bases.push(expression(l, base));
    }
    let body = l.nested(name, &[], |l, number| {
        if let Some(function) = l.functions.get_mut(number as usize) {
            function.is_class = true;
        }
        if let Some(body) = field(node, "body") {
            block(l, body);
        }
    });
    let bases = l.registers(&bases);
    let class = l.emit(Op::Class { body, bases });
    let name = l.names.of(name);
    l.store(name, class, true)
}

/// Decorators that register a function as a handler of requests.
fn is_handler(decorator: &str) -> bool {
    let called = decorator.trim_start_matches('@').split('(').next().unwrap_or_default();
    let last = called.rsplit('.').next().unwrap_or_default().trim();
    called.contains('.')
        && matches!(
            last,
            "tool" | "call_tool" | "resource" | "route" | "get" | "post" | "put" | "patch" | "websocket"
        )
}

pub(super) fn decorated(l: &mut Lowering<'_>, node: Node<'_>) {
    let Some(target) = field(node, "definition") else { return };
    let mut decorators = Vec::new();
    let mut entry = Entry::None;
    for child in children(node) {
        if child.kind() == "decorator" {
            if is_handler(l.str(child)) {
                entry = Entry::Handler;
            }
            if let Some(value) = child.named_child(0) {
                decorators.push(expression(l, value));
            }
        }
    }
    let value =
        if target.kind() == "class_definition" { class(l, target) } else { definition(l, target, entry) };
    for decorator in decorators {
        // The decorated function is passed on; the name keeps the function itself.
        let keyword = Some(l.names.of("%decorated"));
        l.call(decorator, &[Argument { keyword, value, spread: false }]);
    }
}
