//! Go.

mod expressions;

use tree_sitter::Node;

use super::{Lowering, children, field};
use crate::ir::{Op, Operator, Reg, Sym};
use expressions::expression;

pub(crate) fn file(l: &mut Lowering<'_>, root: Node<'_>) {
    // Names of a package are visible before their place: imports and types, then functions, then variables.
    let order = |kind: &str| match kind {
        "import_declaration" => 0,
        "type_declaration" => 1,
        "function_declaration" | "method_declaration" => 2,
        _ => 3,
    };
    let declarations = children(root);
    for step in 0..4 {
        for child in declarations.iter().filter(|child| order(child.kind()) == step) {
            statement(l, *child);
        }
    }
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
        "import_declaration" | "import_spec_list" => {
            for child in children(node) {
                statement(l, child);
            }
        }
        "import_spec" => import(l, node),
        "function_declaration" | "method_declaration" => declaration(l, node),
        "var_spec" | "const_spec" => {
            let value = values(l, field(node, "value"));
            let mut cursor = node.walk();
            let names: Vec<Node<'_>> =
                node.children_by_field_name("name", &mut cursor).filter(Node::is_named).collect();
            bind_all(l, &names, &value, true);
        }
        "short_var_declaration" | "assignment_statement" => {
            let right = values(l, field(node, "right"));
            l.at(node);
            let targets = field(node, "left").map(children).unwrap_or_default();
            let adds = l.str(node).contains("+=");
            let right = match (adds, right.first(), targets.first()) {
                (true, Some(added), Some(target)) => {
                    let left = expression(l, *target);
                    vec![l.emit(Op::Binary { operator: Operator::Add, left, right: *added })]
                }
                _ => right,
            };
            bind_all(l, &targets, &right, node.kind() == "short_var_declaration" && l.branches == 0);
        }
        "type_spec" => {
            let bases = l.registers(&[]);
            let name = field(node, "name").map(|name| l.str(name)).unwrap_or_default();
            let body = l.nested(name, &[], |l, number| {
                if let Some(function) = l.functions.get_mut(number as usize) {
                    function.is_class = true;
                }
            });
            let class = l.emit(Op::Class { body, bases });
            let name = l.names.of(name);
            l.store(name, class, true);
        }
        "return_statement" => {
            for value in values(l, node.named_child(0)) {
                l.emit(Op::Return(value));
            }
        }
        "for_statement" => {
            if let Some(function) = l.function() {
                function.loops = true;
            }
            parts(l, node);
        }
        "range_clause" => {
            let sequence = field(node, "right").map_or(0, |right| expression(l, right));
            let element = l.emit(Op::Element(sequence));
            let targets = field(node, "left").map(children).unwrap_or_default();
            for target in targets {
                bind(l, target, element, false);
            }
        }
        "comment" | "package_clause" => {}
        kind if is_statement(kind) => parts(l, node),
        _ => {
            expression(l, node);
        }
    }
}

fn is_statement(kind: &str) -> bool {
    kind.ends_with("_statement")
        || kind.ends_with("_declaration")
        || kind.ends_with("_case")
        || kind.ends_with("_clause")
        || kind.ends_with("_spec_list")
        || matches!(kind, "block" | "statement_list" | "ERROR")
}

fn parts(l: &mut Lowering<'_>, node: Node<'_>) {
    let branches = node.kind().ends_with("_case") || matches!(node.kind(), "if_statement" | "for_statement");
    let read = |l: &mut Lowering<'_>| {
        for child in children(node) {
            statement(l, child);
        }
    };
    if branches { l.branch(read) } else { read(l) }
}

fn import(l: &mut Lowering<'_>, node: Node<'_>) {
    let Some(path) = field(node, "path") else { return };
    let path = l.str(path).trim_matches(['"', '`']);
    let module = l.names.of(path);
    let value = l.emit(Op::Import(module));
    let alias = match field(node, "name") {
        Some(alias) if alias.kind() == "dot" => {
            l.emit(Op::ImportAll(value));
            return;
        }
        Some(alias) => l.str(alias),
        None => {
            let mut parts = path.rsplit('/');
            let last = parts.next().unwrap_or_default();
            // `v2` is a version, not a name.
            let is_version =
                last.len() > 1 && last.starts_with('v') && last[1..].bytes().all(|b| b.is_ascii_digit());
            if is_version { parts.next().unwrap_or(last) } else { last }
        }
    };
    let alias = l.names.of(alias);
    l.store(alias, value, true);
}

fn parameters(l: &mut Lowering<'_>, list: Option<Node<'_>>) -> Vec<Sym> {
    let mut names = Vec::new();
    for child in list.map(children).unwrap_or_default() {
        let mut cursor = child.walk();
        let declared: Vec<Node<'_>> = child.children_by_field_name("name", &mut cursor).collect();
        for name in declared {
            names.push(l.sym(name));
        }
    }
    names
}

fn function(l: &mut Lowering<'_>, node: Node<'_>, name: &str, receiver: Option<Sym>) -> Reg {
    let names = parameters(l, field(node, "parameters"));
    let handler = handles_requests(l, node);
    let number = l.nested(name, &names, |l, number| {
        if let Some(function) = l.functions.get_mut(number as usize) {
            function.receiver = receiver;
            function.is_method = receiver.is_some();
            function.runs_on_import = name == "init" && receiver.is_none();
            if handler {
                function.entry = crate::ir::Entry::Handler;
            }
        }
        if let Some(body) = field(node, "body") {
            statement(l, body);
        }
    });
    l.emit(Op::Closure(number))
}

/// Functions with the parameters of HTTP or MCP handlers.
fn handles_requests(l: &Lowering<'_>, node: Node<'_>) -> bool {
    let text = field(node, "parameters").map(|list| l.str(list)).unwrap_or_default();
    ["*http.Request", "*gin.Context", "echo.Context", "*fiber.Ctx", "mcp.CallToolRequest"]
        .iter()
        .any(|form| text.contains(form))
}

fn declaration(l: &mut Lowering<'_>, node: Node<'_>) {
    let Some(name_node) = field(node, "name") else { return };
    let name_text = l.str(name_node);
    let receiver = field(node, "receiver").and_then(|list| list.named_child(0));
    let receiver_name = receiver.and_then(|receiver| field(receiver, "name")).map(|name| l.sym(name));
    let closure = function(l, node, name_text, receiver_name.or_else(|| receiver.map(|_| 0)));
    let name = l.sym(name_node);
    match receiver.and_then(|receiver| field(receiver, "type")) {
        Some(kind) => {
            let kind = l.str(kind).trim_start_matches('*').split('[').next().unwrap_or_default();
            let of = l.load(kind);
            l.emit(Op::SetAttribute { of, name, value: closure });
        }
        // Several `init` functions may exist; a command starts at `main`.
        None if name_text == "init" => {}
        None => {
            l.store(name, closure, true);
        }
    }
}

fn values(l: &mut Lowering<'_>, list: Option<Node<'_>>) -> Vec<Reg> {
    match list {
        Some(list) if list.kind() == "expression_list" => {
            children(list).into_iter().map(|child| expression(l, child)).collect()
        }
        Some(one) => vec![expression(l, one)],
        None => Vec::new(),
    }
}

/// One value for several targets is a call with several results: each target gets it.
fn bind_all(l: &mut Lowering<'_>, targets: &[Node<'_>], values: &[Reg], declares: bool) {
    for (index, target) in targets.iter().enumerate() {
        let value = values.get(index).or_else(|| values.first().filter(|_| values.len() == 1));
        // The second result is an error or a flag.
        if let Some(value) = value.filter(|_| values.len() > 1 || index == 0 || targets.len() > 2) {
            bind(l, *target, *value, declares);
        }
    }
}

fn bind(l: &mut Lowering<'_>, target: Node<'_>, value: Reg, declares: bool) {
    match target.kind() {
        "identifier" => {
            let name = l.sym(target);
            l.store(name, value, declares);
        }
        "selector_expression" => {
            let of = field(target, "operand").map_or(0, |operand| expression(l, operand));
            if let Some(name) = field(target, "field") {
                let name = l.sym(name);
                l.emit(Op::SetAttribute { of, name, value });
            }
        }
        "index_expression" => {
            let of = field(target, "operand").map_or(0, |operand| expression(l, operand));
            let key = field(target, "index").map_or(0, |index| expression(l, index));
            l.emit(Op::SetIndex { of, key, value });
        }
        _ => {}
    }
}
