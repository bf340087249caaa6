//! Imports and exports of JavaScript and TypeScript.

use tree_sitter::Node;

use super::expressions::expression;
use super::statement;
use crate::ir::{Op, Reg};
use crate::lower::{Lowering, children, field};

fn import(l: &mut Lowering<'_>, source: Node<'_>) -> Reg {
    let text = l.str(source).trim_matches(['"', '\'', '`']);
    let module = l.names.of(text);
    l.emit(Op::Import(module))
}

pub(super) fn imports(l: &mut Lowering<'_>, node: Node<'_>) {
    let Some(source) = field(node, "source") else {
        // `import x = require("y")` of TypeScript.
        for clause in children(node).into_iter().filter(|child| child.kind() == "import_require_clause") {
            let (Some(name), Some(source)) = (clause.named_child(0), field(clause, "source")) else {
                continue;
            };
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

pub(super) fn export(l: &mut Lowering<'_>, node: Node<'_>) {
    let exports = l.load("exports");
    if let Some(declaration) = field(node, "declaration") {
        statement(l, declaration);
        for name in declared_names(declaration) {
            let name = l.sym(name);
            let value = l.emit(Op::Load(name));
            let name = if field(node, "declaration").is_some() && is_default(l, node) {
                l.names.of("default")
            } else {
                name
            };
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
